import { LitElement, html, nothing, type TemplateResult } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import { MINUTE_MS, type DurationMs, type EpochMs } from '../../domain/index.ts';
import {
  fullDateTime,
  isoDateTime,
  namedDateTime,
  ownZone,
  relativeTime,
  shortDateTime,
} from '../text/dates.ts';
import { durationText, elapsedText } from '../text/durations.ts';
import { onTick } from './clock.ts';

/** How a time is written: from now; on the clock, beside a relative one or on its own; how long since; how long until. */
export type TimeForm = 'relative' | 'short' | 'named' | 'elapsed' | 'due';

/**
 * A time that keeps itself right: `<rota-time .at=${at} form="relative">`. It renders a `<time>` with the machine-readable
 * instant and the full date as its title, in the light DOM, so that it takes the style of the text around it.
 *
 * `due` is `relative` for what is to come, and `due now` once it has; `data-soon` marks its last minute.
 */
@customElement('rota-time')
export class Time extends LitElement {
  @property({ attribute: false }) at: EpochMs = 0;
  @property() form: TimeForm = 'relative';
  /** IANA zone; the browser's own without it. */
  @property({ attribute: false }) zone: string | undefined = undefined;
  #shown = '';
  /** The browser's zone when it was set. */
  #zone = '';
  #goodUntil: EpochMs = 0;
  #stop: (() => void) | null = null;

  protected override createRenderRoot(): HTMLElement {
    return this;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.#stop = onTick((now) => {
      // Hundreds of times tick together: one that cannot read differently yet is not written anew.
      if (now < this.#goodUntil && this.#zone === ownZone()) return;
      this.#goodUntil = now + this.#staleAfter(now);
      if (this.#text(now) !== this.#shown || this.#zone !== ownZone()) this.requestUpdate();
    });
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#stop?.();
    this.#stop = null;
  }

  /** How long the text of `now` may be trusted. Minutes are counted from `at`, so the next one is not a whole one away. */
  #staleAfter(now: EpochMs): DurationMs {
    const away = Math.abs(this.at - now);
    if (this.form === 'elapsed' || away < 2 * MINUTE_MS) return 0;
    if (this.form === 'short' || this.form === 'named') return MINUTE_MS - (now % MINUTE_MS);
    return this.at > now ? away % MINUTE_MS : MINUTE_MS - (away % MINUTE_MS);
  }

  #text(now: EpochMs): string {
    switch (this.form) {
      case 'relative':
        return relativeTime(this.at, now, this.zone);
      case 'due':
        return this.at <= now ? 'due now' : relativeTime(this.at, now, this.zone);
      case 'short':
        return shortDateTime(this.at, now, this.zone);
      case 'named':
        return namedDateTime(this.at, now, this.zone);
      case 'elapsed':
        return elapsedText(now - this.at);
    }
  }

  protected override willUpdate(): void {
    const now = Date.now();
    this.#goodUntil = now + this.#staleAfter(now);
    this.#shown = this.#text(now);
    this.#zone = ownZone();
    this.toggleAttribute('data-soon', this.form === 'due' && this.at - now < MINUTE_MS);
  }

  protected override render(): TemplateResult | typeof nothing {
    if (this.at === 0) return nothing;
    return html`<time datetime=${isoDateTime(this.at)} title=${fullDateTime(this.at, this.zone)}
      >${this.#shown}</time
    >`;
  }
}

/** A duration with its exact milliseconds as the title. */
export function durationTime(ms: number): TemplateResult {
  return html`<time datetime="PT${ms / 1000}S" title="${ms} ms">${durationText(ms)}</time>`;
}

declare global {
  interface HTMLElementTagNameMap {
    'rota-time': Time;
  }
}
