import { LitElement, type PropertyValues, type TemplateResult, css, html, nothing } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import { live } from 'lit/directives/live.js';
import { repeat } from 'lit/directives/repeat.js';
import type { AutomationId, EpochMs } from '../../domain/index.ts';
import type { AutomationView, Run } from '../../rpc/index.ts';
import { runNow } from '../commands.ts';
import { icon } from '../icons/icon.ts';
import { announce } from '../parts/announcer.ts';
import { pageHeader } from '../parts/page-header.ts';
import { empty, failed, placeholderStyles, skeleton } from '../parts/placeholder.ts';
import { statusMark, statusStyles } from '../parts/status-mark.ts';
import { fieldStyles, newsStyles, shared } from '../parts/styles.ts';
import '../parts/time.ts';
import { durationTime } from '../parts/time.ts';
import { showToast } from '../parts/toast.ts';
import type { RemoteHost } from '../remote-host.ts';
import { href, nameScreen, navigate } from '../router.ts';
import { Shortcuts } from '../shortcuts.ts';
import { countText } from '../text/counts.ts';
import {
  clockTime,
  clockTimeSeconds,
  daysBetween,
  fullDateTime,
  isoDateTime,
  namedDateTime,
  relativeTime,
  shortDate,
} from '../text/dates.ts';
import { latenessText } from '../text/durations.ts';
import { errorSentence } from '../text/errors.ts';
import { scheduleSentence } from '../text/schedule.ts';
import { causeText, resultText, statusOf } from '../text/status.ts';
import { Watched, problemOf } from '../watched.ts';
import {
  type RunsFeed,
  type RunsPage as Page,
  extendFeed,
  refreshFeed,
  releaseFeed,
  startFeed,
  updateFeed,
} from './runs-feed.ts';
import { RUNS_VIEWS, type RunsFilter, filterOf, isView, queryOf } from './runs-filter.ts';

/** Rows in one page of the ledger. */
const PAGE = 60;
/** Rows further down than the first page that are looked at again while they run. */
const LIVE_MOST = 20;
/** Scrolled further than this, somebody reads: new rows wait. */
const TOP_PX = 80;

interface Read {
  readonly page: Page;
  /** Rows further down that were running when they were last seen. */
  readonly others: readonly Run[];
}

/** The history: every run, and everything that was due and did not run, newest first. */
@customElement('rota-runs-page')
export class RunsPage extends LitElement {
  static override styles = [
    shared,
    placeholderStyles,
    statusStyles,
    fieldStyles,
    newsStyles,
    css`
      .sentence {
        margin-top: var(--space-2);
        color: var(--ink-2);
      }

      .filters {
        display: flex;
        flex-wrap: wrap;
        align-items: end;
        justify-content: space-between;
        gap: 0 var(--space-5);
        padding: 0 var(--gutter);
        border-bottom: 1px solid var(--rule);
      }

      .views {
        display: flex;
        gap: var(--space-4);
        min-width: 0;
        overflow-x: auto;
        scrollbar-width: none;
      }

      .views a {
        flex: none;
        padding: 9px 0 8px;
        border-bottom: 2px solid transparent;
        margin-bottom: -1px;
        color: var(--ink-2);
        font-size: var(--size-s);
        text-decoration: none;
      }

      .views a:hover {
        color: var(--ink);
      }

      .views a[aria-current] {
        border-color: var(--ink);
        color: var(--ink);
        font-weight: var(--weight-strong);
      }

      .which {
        position: relative;
        display: block;
        margin-bottom: 5px;
        max-width: 100%;
      }

      .which select {
        appearance: none;
        max-width: 100%;
        padding-inline-end: 28px;
        text-overflow: ellipsis;
        cursor: pointer;
      }

      .which svg {
        position: absolute;
        inset-block-start: 50%;
        inset-inline-end: 9px;
        translate: 0 -50%;
        color: var(--ink-2);
        pointer-events: none;
      }

      .day {
        position: sticky;
        z-index: 1;
        top: 52px;
        padding: var(--space-4) var(--gutter) 6px;
        border-bottom: 1px solid var(--rule-strong);
        background: var(--paper);
        font-size: var(--size-s);
      }

      .day span {
        color: var(--ink-3);
        font-weight: var(--weight);
      }

      .row {
        display: grid;
        grid-template-columns: 68px 166px minmax(0, 1fr) auto 76px;
        gap: 2px var(--space-4);
        align-items: center;
        min-height: 46px;
        padding: 6px var(--gutter);
        border-bottom: 1px solid var(--rule);
        color: inherit;
        font-size: var(--size-s);
        text-decoration: none;
      }

      .row:hover {
        background: var(--hover);
        color: inherit;
      }

      .row:focus-visible {
        outline-offset: -2px;
        border-radius: 0;
      }

      .at {
        color: var(--ink-2);
      }

      .at.other-day {
        white-space: normal;
        line-height: 1.25;
      }

      .who {
        display: flex;
        align-items: baseline;
        gap: var(--space-3);
        min-width: 0;
      }

      .who b {
        flex: none;
        max-width: 50%;
        font-size: var(--size-m);
        font-weight: var(--weight-strong);
      }

      .why {
        color: var(--ink-3);
      }

      .why.late {
        color: var(--warn);
      }

      .took {
        grid-column: -2;
        color: var(--ink-2);
        text-align: end;
        white-space: nowrap;
      }

      .foot {
        display: flex;
        align-items: center;
        gap: var(--space-3);
        padding: var(--space-4) var(--gutter);
        color: var(--ink-3);
        font-size: var(--size-s);
      }

      @media (max-width: 1100px) {
        .row {
          grid-template-columns: 68px 166px minmax(0, 1fr) 76px;
        }

        .who,
        .who > * {
          display: block;
          max-width: 100%;
        }

        .who > b {
          max-width: 100%;
        }

        .why {
          grid-column: 3 / -1;
        }
      }

      @media (max-width: 760px) {
        .row {
          grid-template-columns: auto minmax(0, 1fr) auto;
          gap: 3px var(--space-3);
          padding-block: 10px;
        }

        .row .who {
          display: contents;
        }

        .row .who > b {
          grid-area: 1 / 1 / auto / 3;
        }

        .row .who > span {
          grid-area: 2 / 2;
        }

        .row .at {
          grid-area: 1 / 3;
          text-align: end;
        }

        .row .mark {
          grid-area: 2 / 1;
        }

        .row .took {
          grid-area: 2 / 3;
        }

        .row .why {
          grid-area: 3 / 1 / auto / -1;
        }

        /* Without a name to begin with, the state does. */
        .row.nameless .mark {
          grid-area: 1 / 1;
        }

        .row.nameless .who > span {
          grid-area: 2 / 1 / auto / 3;
        }

        /* The strip above is of any height here. */
        .day {
          position: static;
        }

        .news {
          top: 96px;
        }

        .which {
          order: -1;
          width: 100%;
        }

        .which select {
          width: 100%;
        }
      }
    `,
  ];

  @property({ attribute: false }) host!: RemoteHost;
  /** The query of the address: `automation` and `status`. */
  @property({ attribute: false }) query: URLSearchParams = new URLSearchParams();
  @state() private feed: RunsFeed | null = null;
  @state() private loadingOlder = false;
  #filter: RunsFilter = filterOf(this.query);
  /** The read whose answer is in the feed, and the filter that it was for. */
  #seen: Read | null = null;
  #seenKey = '';
  #pointed = false;

  readonly #newest = new Watched(this, {
    read: async (automationId: AutomationId | null, statuses: string): Promise<Read> => {
      const page = await this.#ask(null);
      const first = new Set(page.items.map(({ id }) => id));
      const running =
        keyOf(automationId, statuses) === this.#seenKey
          ? (this.feed?.shown ?? []).filter(({ id, status }) => status === 'running' && !first.has(id))
          : [];
      const others = await Promise.all(running.slice(0, LIVE_MOST).map(({ id }) => this.host.getRun(id)));
      return { page, others: others.filter((run) => run !== null) };
    },
    args: (): [AutomationId | null, string] => [this.#filter.automationId, this.#filter.statuses.join()],
    topics: ['runs'],
  });
  readonly #automation = new Watched(this, {
    read: async (id: AutomationId | null) => (id === null ? null : await this.host.getAutomation(id)),
    args: (): [AutomationId | null] => [this.#filter.automationId],
    topics: ['automations', 'runs'],
  });
  readonly #automations = new Watched(this, {
    read: async () => (await this.host.listAutomations({ limit: 500 })).items,
    topics: ['automations'],
  });

  constructor() {
    super();
    new Shortcuts(this, () => [
      {
        key: 'j',
        label: 'Next run',
        run: () => {
          this.#step(1);
        },
      },
      {
        key: 'k',
        label: 'Previous run',
        run: () => {
          this.#step(-1);
        },
      },
    ]);
  }

  override connectedCallback(): void {
    super.connectedCallback();
    addEventListener('scroll', this.#releaseIfUnread, { passive: true });
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    removeEventListener('scroll', this.#releaseIfUnread);
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (changed.has('query')) this.#filter = filterOf(this.query);
    const { automationId, statuses } = this.#filter;
    const key = keyOf(automationId, statuses.join());
    if (key !== this.#seenKey) {
      this.#seenKey = key;
      this.#seen = null;
      this.feed = null;
      // What the controller still holds was read for the filter before: it looks at its arguments after this.
      return;
    }
    const read = this.#newest.value;
    if (read === null || read === this.#seen) return;
    this.#seen = read;
    const held = this.feed?.held.length ?? 0;
    this.feed =
      this.feed === null
        ? startFeed(read.page)
        : updateFeed(refreshFeed(this.feed, read.page, this.#isRead), read.others);
    if (this.feed.held.length > 0 && held === 0) announce('There are new runs.');
  }

  protected override updated(): void {
    const automation = this.#automation.value;
    if (automation !== null) nameScreen(`Runs of ${automation.name}`);
  }

  /** Whether somebody reads the list, so that it must not move. */
  get #isRead(): boolean {
    return scrollY > TOP_PX || this.#pointed || this.shadowRoot?.activeElement?.matches('.row') === true;
  }

  readonly #enter = (): void => {
    this.#pointed = true;
  };

  readonly #leave = (): void => {
    this.#pointed = false;
    this.#releaseIfUnread();
  };

  readonly #releaseIfUnread = (): void => {
    if (this.feed !== null && this.feed.held.length > 0 && !this.#isRead) this.feed = releaseFeed(this.feed);
  };

  readonly #release = (): void => {
    if (this.feed === null) return;
    this.feed = releaseFeed(this.feed);
    scrollTo({ top: 0 });
    void this.updateComplete.then(() => {
      this.#rows()[0]?.focus({ preventScroll: true });
    });
  };

  #ask(before: Run['id'] | null): Promise<Page> {
    const { automationId, statuses } = this.#filter;
    return this.host.listRuns({
      limit: PAGE,
      ...(automationId === null ? {} : { automationId }),
      ...(statuses.length === 0 ? {} : { status: statuses }),
      ...(before === null ? {} : { before }),
    });
  }

  readonly #older = async (): Promise<void> => {
    const next = this.feed?.next ?? null;
    if (next === null || this.loadingOlder) return;
    const key = this.#seenKey;
    this.loadingOlder = true;
    try {
      const page = await this.#ask(next);
      if (key !== this.#seenKey || this.feed === null) return;
      this.feed = extendFeed(this.feed, page);
      announce(`${countText(page.items.length, 'older run')} loaded.`);
    } catch (error) {
      showToast({ text: errorSentence(problemOf(error).code), tone: 'bad' });
    } finally {
      this.loadingOlder = false;
    }
  };

  #rows(): readonly HTMLAnchorElement[] {
    return [...this.renderRoot.querySelectorAll<HTMLAnchorElement>('a.row')];
  }

  /** Moves the focus from row to row; from elsewhere to the first one. */
  #step(by: 1 | -1): void {
    const rows = this.#rows();
    const at = rows.findIndex((row) => row === this.shadowRoot?.activeElement);
    const to = at === -1 ? 0 : Math.min(Math.max(at + by, 0), rows.length - 1);
    rows[to]?.focus();
    rows[to]?.scrollIntoView({ block: 'nearest' });
  }

  protected override render(): TemplateResult {
    return html`${this.#head()} ${this.#filters()} ${this.#body()}`;
  }

  #head(): TemplateResult {
    const { automationId } = this.#filter;
    if (automationId === null) return pageHeader({ title: 'Runs' });
    const automation = this.#automation.value;
    const name = automation?.name ?? this.feed?.shown[0]?.automationName ?? 'Runs of one automation';
    const up = { label: 'All runs', href: href.runs(queryOf({ ...this.#filter, automationId: null })) };
    if (automation === null) {
      const gone = this.#automation.state.kind === 'ready';
      return pageHeader({
        title: name,
        up,
        below: gone ? html`<p class="sentence">This automation was deleted. Its history stays.</p>` : nothing,
      });
    }
    return pageHeader({
      title: name,
      up,
      below: html`<p class="sentence">${sentenceOf(automation, Date.now())}</p>`,
      actions: html`<a class="btn" href=${href.edit(automation.id)}>${icon('pencil', 14)}Edit</a>
        <button
          type="button"
          class="btn primary"
          @click=${() => {
            void runNow(this.host, automation);
          }}
        >
          ${icon('play', 14)}Run now
        </button>`,
    });
  }

  #filters(): TemplateResult {
    const filter = this.#filter;
    const named = RUNS_VIEWS.some((view) => isView(filter, view));
    const views = named
      ? RUNS_VIEWS
      : [
          ...RUNS_VIEWS,
          {
            label: filter.statuses.map((status) => status.replace('-', ' ')).join(', '),
            statuses: filter.statuses,
          },
        ];
    return html`<div class="filters">
      <nav class="views" aria-label="Which runs">
        ${views.map(
          (view) =>
            html`<a
              href=${href.runs(queryOf({ ...filter, statuses: view.statuses }))}
              aria-current=${isView(filter, view) ? 'true' : nothing}
              >${view.label}</a
            >`,
        )}
      </nav>
      ${this.#which()}
    </div>`;
  }

  #which(): TemplateResult | typeof nothing {
    const { automationId } = this.#filter;
    const automations = this.#automations.value ?? [];
    if (automations.length === 0) return nothing;
    const known = automationId === null || automations.some(({ id }) => id === automationId);
    return html`<span class="which">
      <select
        class="field"
        aria-label="Automation"
        .value=${live(automationId ?? '')}
        @change=${(event: Event) => {
          const chosen = (event.target as HTMLSelectElement).value as AutomationId | '';
          navigate(href.runs(queryOf({ ...this.#filter, automationId: chosen === '' ? null : chosen })));
        }}
      >
        <option value="" ?selected=${automationId === null}>All automations</option>
        ${known ? nothing : html`<option value=${automationId} selected>A deleted one</option>`}
        ${automations.map(
          ({ id, name }) => html`<option value=${id} ?selected=${id === automationId}>${name}</option>`,
        )}
      </select>
      ${icon('chevron-down', 14)}
    </span>`;
  }

  #body(): TemplateResult {
    const { feed } = this;
    const { state } = this.#newest;
    if (feed === null) {
      return state.kind === 'failed'
        ? failed(state.problem, () => {
            void this.#newest.refresh();
          })
        : skeleton(8, 'Loading the runs');
    }
    if (feed.shown.length === 0) return this.#nothing();
    const problem = state.kind === 'ready' ? state.problem : null;
    return html`${
        problem === null
          ? nothing
          : html`<p class="foot bad" role="status">
              ${icon('triangle-exclamation', 14)} This list may be out of date. ${errorSentence(problem.code)}
            </p>`
      }
      <div class="list" @pointerenter=${this.#enter} @pointerleave=${this.#leave}>
        <div class="news">
          ${
            feed.held.length === 0
              ? nothing
              : html`<button type="button" class="btn primary" @click=${this.#release}>
                  ${feed.gap ? `More than ${feed.held.length} new` : `${feed.held.length} new`}
                </button>`
          }
        </div>

        ${this.#days(feed.shown)}
      </div>
      <div class="foot">
        ${
          feed.next === null
            ? html`<span>${countText(feed.shown.length, 'row')}. That is all of it.</span>`
            : html`<button type="button" class="btn" ?disabled=${this.loadingOlder} @click=${this.#older}>
                  ${this.loadingOlder ? 'Loading…' : 'Load older'}
                </button>
                <span>${countText(feed.shown.length, 'row')} so far.</span>`
        }
      </div>`;
  }

  #nothing(): TemplateResult {
    const { automationId, statuses } = this.#filter;
    if (statuses.length > 0) {
      return empty(
        'No run is like this.',
        'Missed and skipped times are rows, too: nothing that was due is left out.',
        html`<a class="btn" href=${href.runs(queryOf({ automationId, statuses: [] }))}>All runs</a>`,
      );
    }
    return automationId === null
      ? empty(
          'Nothing has run yet.',
          'Each run is kept here with what it sent and what came back; and each time that was missed, with the reason.',
          html`<a class="btn primary" href=${href.new()}>New automation</a>`,
        )
      : empty('It has not run yet.', 'Its runs, and the times it misses, will stand here.');
  }

  #days(runs: readonly Run[]): readonly TemplateResult[] {
    const now = Date.now();
    const days = new Map<number, Run[]>();
    for (const run of runs) {
      const away = daysBetween(now, run.claimedAt);
      const day = days.get(away);
      if (day === undefined) days.set(away, [run]);
      else day.push(run);
    }
    return [...days].map(
      ([away, ofDay]) =>
        html`<section aria-labelledby="day${away}">
          <h2 class="day" id="day${away}">${dayHeading(away, ofDay[0]?.claimedAt ?? now, now)}</h2>
          <ol>
            ${repeat(
              ofDay,
              ({ id }) => id,
              (run) => html`<li>${this.#row(run)}</li>`,
            )}
          </ol>
        </section>`,
    );
  }

  #row(run: Run): TemplateResult {
    const { summary, reason, covers } = run;
    const what = resultText({
      status: run.status === 'running' ? 'succeeded' : run.status,
      ...(summary === undefined ? {} : { summary }),
      ...(reason === undefined ? {} : { reason }),
      ...(covers === undefined ? {} : { count: covers.count }),
    });
    const why = whyText(run);
    return html`<a
      class="row ${this.#filter.automationId === null ? '' : 'nameless'}"
      href=${href.run(run.id)}
    >
      <span class="at mono ${isOtherDay(run) ? 'other-day' : ''}">${atText(run)}</span>
      <span class="mark">${statusMark(statusOf(run))}</span>
      <span class="who">
        ${this.#filter.automationId === null ? html`<b class="clip">${run.automationName}</b>` : nothing}
        <span class="clip quiet">${run.cancelling === true ? 'being cancelled' : what}</span>
      </span>
      ${why === null ? nothing : html`<span class="why ${why.late ? 'late' : ''}">${why.text}</span>`}
      <span class="took mono">${tookText(run)}</span>
    </a>`;
  }
}

function keyOf(automationId: AutomationId | null, statuses: string): string {
  return `${automationId ?? ''} ${statuses}`;
}

function sentenceOf({ schedule, enabled, nextDueAt }: AutomationView, now: EpochMs): string {
  const sentence = `${scheduleSentence(schedule, now)}.`;
  if (!enabled) return `${sentence} Paused.`;
  if (nextDueAt === null) return sentence;
  const away = relativeTime(nextDueAt, now);
  return `${sentence} Next ${namedDateTime(nextDueAt, now)}${away === 'tomorrow' ? '' : `, ${away}`}.`;
}

function dayHeading(away: number, at: EpochMs, now: EpochMs): TemplateResult {
  const date = shortDate(at, now);
  if (away === 0) return html`Today <span>${date}</span>`;
  return away === -1 ? html`Yesterday <span>${date}</span>` : html`${date}`;
}

/** Something missed is written down when Rota is open again, which may be on another day than it was due. */
function isOtherDay(run: Run): boolean {
  return run.startedAt === null && daysBetween(run.claimedAt, run.scheduledFor) !== 0;
}

/** When it started; for what never did, when it was due. */
function atText(run: Run): TemplateResult {
  const at = run.startedAt ?? run.scheduledFor;
  const text = isOtherDay(run) ? `${shortDate(at, run.claimedAt)} ${clockTime(at)}` : clockTimeSeconds(at);
  return html`<time datetime=${isoDateTime(at)} title=${fullDateTime(at)}>${text}</time>`;
}

function tookText(run: Run): TemplateResult | typeof nothing {
  if (run.startedAt === null) return nothing;
  return run.settledAt === null
    ? html`<rota-time .at=${run.startedAt} form="elapsed"></rota-time>`
    : durationTime(run.settledAt - run.startedAt);
}

/** Why it ran, where that is not its schedule, and how late where that is worth telling. */
function whyText(run: Run): { readonly text: string; readonly late: boolean } | null {
  if (run.cause === 'retry') return { text: `retry, attempt ${run.attempt}`, late: false };
  if (run.cause === 'manual') return { text: causeText(run.cause), late: false };
  const late = run.latenessMs === null ? null : latenessText(run.latenessMs);
  if (late === null) return null;
  const sameDay = daysBetween(run.scheduledFor, run.claimedAt) === 0;
  const date = sameDay ? '' : `${shortDate(run.scheduledFor, run.claimedAt)} `;
  return { text: `due ${date}${clockTime(run.scheduledFor)}, ${late}`, late: true };
}

declare global {
  interface HTMLElementTagNameMap {
    'rota-runs-page': RunsPage;
  }
}
