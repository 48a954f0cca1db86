import { LitElement, css, html, nothing, type TemplateResult } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import type { EpochMs } from '../../domain/index.ts';
import { giveHelp, pauseAll, resumeAll } from '../commands.ts';
import { icon } from '../icons/icon.ts';
import type { RemoteHost, Unsubscribe } from '../remote-host.ts';
import { href } from '../router.ts';
import { Shortcuts } from '../shortcuts.ts';
import { helpLabel } from '../text/help.ts';
import { type Truth, type TruthPart, truthOf } from '../text/truth.ts';
import { reloadNewest, takeUpdate, watchForUpdate } from '../updates.ts';
import { Watched } from '../watched.ts';
import { onTick } from './clock.ts';
import { shared } from './styles.ts';
import './time.ts';

/** What the engine is doing now, in a sentence, kept true. */
@customElement('rota-truth-strip')
export class TruthStrip extends LitElement {
  static override styles = [
    shared,
    css`
      :host {
        display: flex;
        align-items: center;
        gap: var(--space-3);
        min-width: 0;
        font-size: var(--size-s);
        color: var(--ink-2);
      }

      .dot {
        flex: none;
        width: 9px;
        height: 9px;
        border-radius: 50%;
        background: currentColor;
      }

      .dot.quiet,
      .dot.warn {
        background: none;
        box-shadow: inset 0 0 0 2px currentColor;
      }

      .dot.bad {
        border-radius: 1px;
      }

      .dot.now {
        animation: beat 1.5s ease-in-out infinite alternate;
      }

      @keyframes beat {
        to {
          opacity: 0.3;
        }
      }

      p {
        min-width: 0;
        text-wrap: pretty;
      }

      strong {
        color: var(--ink);
        font-weight: var(--weight-strong);
      }

      p a {
        color: var(--ink);
        font-weight: var(--weight-strong);
        text-decoration-color: transparent;
      }

      p a:hover {
        text-decoration-color: currentColor;
      }

      .part::before {
        content: ' · ';
        color: var(--ink-3);
      }

      .part:first-of-type::before {
        content: ' ';
      }

      .btn {
        min-height: 28px;
        flex: none;
      }

      @media (forced-colors: active) {
        .dot {
          forced-color-adjust: none;
        }
      }

      /* Where room is short, that all is well goes without saying. */
      @media (max-width: 760px) {
        .well {
          display: none;
        }

        :host {
          flex: 1;
          flex-wrap: wrap;
        }

        p {
          flex: 1 1 calc(100% - 24px);
          display: -webkit-box;
          overflow: hidden;
          -webkit-box-orient: vertical;
          -webkit-line-clamp: 3;
        }

        /* What runs now is more than what is next, and the lists have both. */
        .part.run ~ .part.next {
          display: none;
        }

        /* Beside a button that is always there, and above one that asks for something. */
        p:has(+ .pause) {
          flex: 1 1 0;
        }

        .btn:not(.pause) {
          margin-inline-start: 21px;
        }

        .pause.off {
          width: 40px;
          padding: 0;
        }

        .pause.off > span {
          position: absolute;
          clip-path: inset(50%);
        }
      }

      @media (prefers-reduced-motion: reduce) {
        .dot.now {
          animation: none;
        }
      }
    `,
  ];

  @property({ attribute: false }) host!: RemoteHost;
  @state() private updateReady = false;
  readonly #status = new Watched(this, {
    read: () => this.host.status(),
    topics: ['automations', 'runs', 'settings', 'host', 'hosts'],
  });
  #stops: readonly Unsubscribe[] = [];
  #stopTick: Unsubscribe | null = null;

  constructor() {
    super();
    new Shortcuts(this, () => {
      const { pause } = this.#truth;
      return pause === null
        ? []
        : [{ key: 'a', label: pause.kind === 'on' ? 'Resume all' : 'Pause all…', run: this.#pauseOrResume }];
    });
  }

  override connectedCallback(): void {
    super.connectedCallback();
    addEventListener('online', this.#network);
    addEventListener('offline', this.#network);
    this.#stops = [
      watchForUpdate(() => {
        this.updateReady = true;
      }),
      this.host.subscribe(() => {
        this.requestUpdate();
      }),
    ];
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    removeEventListener('online', this.#network);
    removeEventListener('offline', this.#network);
    for (const stop of this.#stops) stop();
    this.#stopTick?.();
    this.#stopTick = null;
  }

  /** While all is paused, the end of the pause is told without anything happening that would be hinted. */
  #followPause(pausedUntil: EpochMs | null): void {
    if (pausedUntil === null) {
      this.#stopTick?.();
      this.#stopTick = null;
      return;
    }
    this.#stopTick ??= onTick((now) => {
      if (now >= (this.#status.value?.pausedUntil ?? 0)) void this.#status.refresh();
    });
  }

  readonly #network = (): void => {
    void this.#status.refresh();
  };

  get #truth(): Truth {
    return truthOf(this.host.connection, this.#status.state, this.updateReady, Date.now());
  }

  readonly #pauseOrResume = (): void => {
    const { pause } = this.#truth;
    if (pause?.kind === 'on') void resumeAll(this.host, pause.until);
    else void pauseAll(this.host);
  };

  protected override updated(): void {
    this.#followPause(this.#status.value?.pausedUntil ?? null);
  }

  protected override render(): TemplateResult {
    const truth = this.#truth;
    const well = truth.parts.length > 0 && (truth.tone === 'ok' || truth.tone === 'now');
    return html`<span class="dot ${truth.tone}" aria-hidden="true"></span>
      <p>
        <strong class=${well ? 'well' : ''}>${truth.lead}</strong>${truth.parts.map(
          (part) => html`<span class="part ${part.kind}">${this.#part(part)}</span>`,
        )}
      </p>
      ${this.#offer(truth.offer)} ${this.#help(truth.help)} ${this.#pause(truth.pause)}`;
  }

  #part(part: TruthPart): TemplateResult | string {
    switch (part.kind) {
      case 'text':
        return part.text;
      case 'next':
        return html`Next: <a href=${href.automation(part.id)}>${part.name}</a>
          <rota-time .at=${part.dueAt} form="due"></rota-time>`;
      case 'run':
        return html`<span class="now">Now:</span> <a href=${href.run(part.id)}>${part.name}</a>,
          <rota-time .at=${part.startedAt} form="elapsed"></rota-time>`;
    }
  }

  #help(help: Truth['help']): TemplateResult | typeof nothing {
    if (help === null) return nothing;
    return html`<button
      class="btn"
      @click=${() => {
        giveHelp(this.host, help);
      }}
    >
      ${helpLabel(help)}
    </button>`;
  }

  #pause(pause: Truth['pause']): TemplateResult | typeof nothing {
    switch (pause?.kind) {
      case 'on':
        return html`<button class="btn pause" @click=${this.#pauseOrResume}>Resume all</button>`;
      case 'off':
        return html`<button
          class="btn bare pause off"
          title="Pause all automations until a time"
          aria-haspopup="dialog"
          @click=${this.#pauseOrResume}
        >
          ${icon('pause', 16)}<span>Pause all</span>
        </button>`;
      case undefined:
        return nothing;
    }
  }

  #offer(offer: 'reload' | 'update' | null): TemplateResult | typeof nothing {
    switch (offer) {
      case 'reload':
        return html`<button class="btn" @click=${reload}>Reload this tab</button>`;
      case 'update':
        return html`<button class="btn" title="All tabs of Rota reload together" @click=${update}>
          Update Rota
        </button>`;
      case null:
        return nothing;
    }
  }
}

function reload(): void {
  void reloadNewest();
}

function update(): void {
  // Another tab may have been quicker; its update is this tab's too.
  if (takeUpdate() === 'nothing-waiting') location.reload();
}
