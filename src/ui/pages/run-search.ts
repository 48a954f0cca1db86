import { LitElement, type PropertyValues, type TemplateResult, css, html, nothing } from 'lit';
import { customElement, property, query, state } from 'lit/decorators.js';
import { repeat } from 'lit/directives/repeat.js';
import type { EpochMs, RunId } from '../../domain/index.ts';
import type { FoundRun } from '../../rpc/index.ts';
import { currentStep } from '../arrival.ts';
import { announce } from '../parts/announcer.ts';
import { placeholderStyles } from '../parts/placeholder.ts';
import { statusStyles } from '../parts/status-mark.ts';
import { shared } from '../parts/styles.ts';
import { type MeasuredRows, type Placed, WindowRows } from '../parts/window-rows.ts';
import type { RemoteHost } from '../remote-host.ts';
import { Shortcuts } from '../shortcuts.ts';
import { countText, numberText } from '../text/counts.ts';
import { daysBetween, shortDate } from '../text/dates.ts';
import { errorSentence } from '../text/errors.ts';
import { problemOf } from '../watched.ts';
import { dayHeading, rowEstimate, runRow, runRowStyles } from './run-row.ts';
import { type RunsFilter, keyOf, listFilterOf } from './runs-filter.ts';

/** After the last key that was pressed. */
const TYPED_MS = 250;
/** After so many more were found a person says whether to go on. */
const FOUND_AT_ONCE = 200;

/** How far a search has come. */
interface Search {
  readonly key: string;
  readonly found: readonly FoundRun[];
  readonly looked: number;
  readonly total: number | null;
  readonly to: EpochMs | null;
  /** Where to go on; `null` at the beginning, and when all was looked through. */
  readonly next: RunId | null;
  readonly state: 'looking' | 'stopped' | 'done' | { readonly problem: string };
}

/** A search as it was left, for the way back to it. */
interface Left {
  readonly step: string | null;
  readonly search: Search;
  readonly measured: MeasuredRows;
}
/** The last one. */
let left: Left | null = null;

/**
 * The runs in which what `filter` looks for was found, newest first. The host is asked for one stretch after the other, so
 * what is found comes as it is found, and it can be stopped at any time.
 */
@customElement('rota-run-search')
export class RunSearch extends LitElement {
  static override styles = [
    shared,
    placeholderStyles,
    statusStyles,
    runRowStyles,
    css`
      .progress {
        display: flex;
        flex-wrap: wrap;
        align-items: center;
        gap: var(--space-2) var(--space-3);
        min-height: 48px;
        padding: 6px var(--gutter);
        border-bottom: 1px solid var(--rule);
        color: var(--ink-2);
        font-size: var(--size-s);
        font-variant-numeric: tabular-nums;
      }

      .rows {
        position: relative;
        overflow-anchor: none;
      }

      .rows > * {
        position: absolute;
        inset-inline: 0;
      }
    `,
  ];

  @property({ attribute: false }) host!: RemoteHost;
  @property({ attribute: false }) filter!: RunsFilter;
  @query('.rows') private readonly rows!: HTMLElement | null;
  @state() private search: Search | null = null;
  #step: string | null = null;
  #typed: ReturnType<typeof setTimeout> | undefined;
  #ids: readonly RunId[] = [];
  #idsOf: readonly FoundRun[] = [];

  readonly #window = new WindowRows<RunId>(this, {
    ids: () => this.#ids,
    estimate: rowEstimate,
  });

  constructor() {
    super();
    new Shortcuts(this, () => [
      { key: 'j', label: 'Next run', run: () => void this.#walk(1) },
      { key: 'k', label: 'Previous run', run: () => void this.#walk(-1) },
    ]);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    clearTimeout(this.#typed);
    this.#leave();
    this.search = null;
  }

  /** Keeps the search for the way back. */
  #leave(): void {
    if (this.search !== null)
      left = { step: this.#step, search: this.search, measured: this.#window.measured };
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    const key = keyOf(this.filter);
    if (changed.has('filter') && this.search?.key !== key) this.#begin(key);
    const found = this.search?.found ?? [];
    if (found === this.#idsOf) return;
    this.#idsOf = found;
    this.#ids = found.map(({ run }) => run.id);
  }

  #begin(key: string): void {
    const isFirst = this.search === null;
    const before = left;
    const step = currentStep();
    if (step !== this.#step) this.#leave();
    this.#step = step;
    const back = before?.step === step && before.search.key === key ? before : null;
    if (back !== null) this.#window.restore(back.measured);
    else if (!isFirst) this.#window.goToTop();
    this.search = back?.search ?? {
      key,
      found: [],
      looked: 0,
      total: null,
      to: null,
      next: null,
      state: 'looking',
    };
    clearTimeout(this.#typed);
    if (this.search.state !== 'looking') return;
    this.#typed = setTimeout(() => void this.#look(), isFirst ? 0 : TYPED_MS);
  }

  /** Looks on until all is looked through, enough is found, or somebody stops it or looks for something else. */
  async #look(): Promise<void> {
    const most = (this.search?.found.length ?? 0) + FOUND_AT_ONCE;
    for (;;) {
      const { search } = this;
      if (search?.state !== 'looking') return;
      try {
        const { items, looked, to, next, total } = await this.host.searchRuns({
          ...listFilterOf(this.filter),
          text: this.filter.text,
          ...(search.next === null ? {} : { before: search.next }),
        });
        if (this.search !== search) {
          // Stopped meanwhile: what was found is shown all the same, and what comes next is known.
          if (this.search?.key !== search.key || this.search.state !== 'stopped') return;
        }
        const found = [...search.found, ...items];
        const isOver = next === undefined;
        const state = isOver ? 'done' : found.length >= most ? 'stopped' : this.search.state;
        this.search = {
          ...search,
          found,
          looked: search.looked + looked,
          total: search.total ?? total ?? null,
          to: to ?? search.to,
          next: next ?? null,
          state,
        };
        if (state === 'done')
          announce(`${foundText(found.length)} in ${countText(this.search.looked, 'run')}.`);
        else if (state === 'stopped') announce(progressText(this.search));
      } catch (error) {
        if (this.search?.key === search.key)
          this.search = { ...search, state: { problem: errorSentence(problemOf(error).code) } };
        return;
      }
    }
  }

  readonly #stop = (): void => {
    if (this.search !== null) this.search = { ...this.search, state: 'stopped' };
  };

  readonly #goOn = (): void => {
    if (this.search === null) return;
    this.search = { ...this.search, state: 'looking' };
    void this.#look();
  };

  protected override updated(): void {
    this.#window.place(this.rows);
  }

  /** Moves the focus from row to row; from elsewhere to the first one. */
  async #walk(by: 1 | -1): Promise<void> {
    const { pinned } = this.#window;
    const at = pinned === null ? -1 : this.#ids.indexOf(pinned);
    const to = at === -1 ? 0 : Math.min(Math.max(at + by, 0), this.#ids.length - 1);
    const id = this.#ids[to];
    if (id === undefined) return;
    this.#window.pin(id);
    this.requestUpdate();
    await this.updateComplete;
    const row = this.rows?.querySelector<HTMLElement>(`[data-index="${to}"] .row`);
    row?.focus();
    row?.scrollIntoView({ block: 'nearest' });
  }

  readonly #pin = (event: FocusEvent): void => {
    const row = event.type === 'focusin' ? event.target : event.relatedTarget;
    const index =
      row instanceof HTMLElement ? row.closest<HTMLElement>('[data-index]')?.dataset['index'] : null;
    this.#window.pin(index == null ? null : (this.#ids[Number(index)] ?? null));
  };

  protected override render(): TemplateResult | typeof nothing {
    const { search } = this;
    if (search === null) return nothing;
    const isLooking = search.state === 'looking';
    return html`<div class="progress">
        <span>${progressText(search)}</span>
        ${
          isLooking
            ? html`<button type="button" class="btn" @click=${this.#stop}>Stop</button>`
            : search.state === 'done'
              ? nothing
              : html`<button type="button" class="btn" @click=${this.#goOn}>Look on</button>`
        }
        ${typeof search.state === 'string' ? nothing : html`<span class="bad" role="alert">${search.state.problem}</span>`}
      </div>
      <div
        class="rows"
        role=${search.found.length === 0 ? nothing : 'list'}
        aria-label=${search.found.length === 0 ? nothing : 'Runs'}
        aria-busy=${isLooking ? 'true' : 'false'}
        @focusin=${this.#pin}
        @focusout=${this.#pin}
      >
        ${repeat(
          this.#window.placed,
          ({ id }) => id,
          (placed) => this.#item(placed),
        )}
      </div>`;
  }

  #item({ index }: Placed<RunId>): TemplateResult {
    const { search } = this;
    const found = search?.found[index];
    const before = search?.found[index - 1]?.run.claimedAt;
    const at = found?.run.claimedAt ?? 0;
    const isNewDay = before === undefined || daysBetween(before, at) !== 0;
    return html`<div
      role="listitem"
      aria-setsize=${search?.state === 'done' ? search.found.length : -1}
      aria-posinset=${index + 1}
      data-index=${index}
    >
      ${isNewDay ? html`<h2 class="day">${dayHeading(at, Date.now())}</h2>` : nothing}
      ${
        found === undefined
          ? nothing
          : runRow(found.run, { named: this.filter.automationId === null, found: found.match })
      }
    </div>`;
  }
}

function foundText(count: number): string {
  return count === 0 ? 'Nothing found' : `${numberText(count)} found`;
}

/** `3 found. Looked through 12,000 of 100,000 runs, to Tue 3 Mar.` */
function progressText({ found, looked, total, to, state }: Search): string {
  if (state === 'done') return `${foundText(found.length)} in ${countText(looked, 'run')}.`;
  if (looked === 0) return 'Looking…';
  const all = total === null ? numberText(looked) : `${numberText(looked)} of ${countText(total, 'run')}`;
  const since = to === null ? '' : `, to ${shortDate(to, Date.now())}`;
  return `${foundText(found.length)}${found.length === 0 ? ' yet' : ''}. Looked through ${all}${since}.`;
}

declare global {
  interface HTMLElementTagNameMap {
    'rota-run-search': RunSearch;
  }
}
