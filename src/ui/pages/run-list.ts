import { LitElement, type PropertyValues, type TemplateResult, css, html, nothing } from 'lit';
import { customElement, property, query, state } from 'lit/decorators.js';
import { repeat } from 'lit/directives/repeat.js';
import { type RunId, type RunLine, idFloor } from '../../domain/index.ts';
import type { Run, RunLinePage } from '../../rpc/index.ts';
import { currentStep } from '../arrival.ts';
import { icon } from '../icons/icon.ts';
import { announce } from '../parts/announcer.ts';
import { failed, placeholderStyles, skeleton } from '../parts/placeholder.ts';
import { statusStyles } from '../parts/status-mark.ts';
import { newsStyles, shared } from '../parts/styles.ts';
import { showToast } from '../parts/toast.ts';
import { type MeasuredRows, type Placed, WindowRows } from '../parts/window-rows.ts';
import type { RemoteHost } from '../remote-host.ts';
import { Shortcuts } from '../shortcuts.ts';
import { countText, numberText } from '../text/counts.ts';
import { daysBetween, namedDateTime, ownZone } from '../text/dates.ts';
import { errorSentence } from '../text/errors.ts';
import { Watched, problemOf } from '../watched.ts';
import { OpenFolds, type OpenFold } from './run-folds.ts';
import { dayHeading, foldRow, rowEstimate, runRow, runRowStyles } from './run-row.ts';
import type { RunsPage } from './runs-feed.ts';
import { type RunsFilter, keyOf, listFilterOf } from './runs-filter.ts';
import { LineIds, type RunsItem, itemsOf } from './runs-items.ts';
import {
  type Join,
  type RunsList,
  changeable,
  extendNewer,
  extendOlder,
  folded,
  linesOf,
  oneByOne,
  refreshList,
  releaseList,
  startList,
  startListAt,
} from './runs-list.ts';

/** Newest rows that are watched one by one. */
const PAGE = 60;
/** Rows further down than the first page that are looked at again while they may change. */
const LIVE_MOST = 20;
/** Scrolled further than this, somebody reads: new rows wait. */
const TOP_PX = 80;
/** So far below the view what is older is read. */
const AHEAD_PX = 800;
/** How often what is older is read by itself, where much is folded and little comes, until somebody scrolls again. */
const READ_AHEAD_MOST = 5;

interface Read {
  readonly page: RunsPage | RunLinePage;
  /** Rows further down that may have changed. */
  readonly others: readonly Run[];
}

/** A list as it was left, for the way back to it. */
interface Left {
  readonly key: string;
  readonly list: RunsList;
  readonly open: ReadonlyMap<string, OpenFold>;
  readonly ids: LineIds;
  readonly measured: MeasuredRows;
}
const LEFT_MOST = 5;
const left = new Map<string, Left>();

/** Asks the page to show a list that begins with the newest runs. */
export class NewestWanted extends Event {
  static readonly type = 'rota-newest-wanted';
  constructor() {
    super(NewestWanted.type, { bubbles: true, composed: true });
  }
}

/**
 * All runs that `filter` names, newest first, by days. What says nothing new is folded, unless each is wanted. A page or
 * two is read at a time, and only what is in view is in the document. New runs wait while somebody reads.
 */
@customElement('rota-run-list')
export class RunList extends LitElement {
  static override styles = [
    shared,
    placeholderStyles,
    statusStyles,
    newsStyles,
    runRowStyles,
    css`
      .rows {
        position: relative;
        overflow-anchor: none;
      }

      .rows > * {
        position: absolute;
        inset-inline: 0;
      }

      .foot {
        display: flex;
        flex-wrap: wrap;
        align-items: center;
        gap: var(--space-3);
        padding: var(--space-4) var(--gutter);
        color: var(--ink-3);
        font-size: var(--size-s);
      }

      .foot.above {
        border-bottom: 1px solid var(--rule);
      }

      @media (max-width: 760px) {
        .news {
          top: 96px;
        }
      }
    `,
  ];

  @property({ attribute: false }) host!: RemoteHost;
  @property({ attribute: false }) filter!: RunsFilter;
  @query('.rows') private readonly rows!: HTMLElement | null;
  @query('.foot.end') private readonly end!: HTMLElement | null;
  @state() private list: RunsList | null = null;
  @state() private loading: 'older' | 'newer' | null = null;
  /** The read whose answer is in the list, and the filter that it was for. */
  #seen: Read | null = null;
  #key: string | null = null;
  #step = '';
  #pointed = false;
  #join: Join = oneByOne;
  #ids = new LineIds();
  #items: readonly RunsItem[] = [];
  #itemIds: readonly string[] = [];
  #madeOf: readonly unknown[] = [];
  /** How often what is older has been read without anybody asking. */
  #ahead = 0;

  readonly #folds = new OpenFolds(
    (line, limit) =>
      limit === 0
        ? Promise.resolve({ items: [] })
        : this.host.listRuns({
            ...listFilterOf(this.filter),
            automationId: line.run.automationId,
            before: line.run.id,
            limit,
          }),
    () => this.requestUpdate(),
  );

  readonly #newest = new Watched(this, {
    read: async (key: string): Promise<Read> => {
      const { list } = this;
      const wanted = key === this.#key && list !== null ? changeable(list) : [];
      const begin = list === null || key !== this.#key ? startOf(this.filter) : null;
      const [page, ...others] = await Promise.all([
        begin === null
          ? this.host.listRuns({ limit: PAGE, ...listFilterOf(this.filter) })
          : this.#askLines({ before: begin }),
        ...wanted.slice(0, LIVE_MOST).map((id) => this.host.getRun(id)),
      ]);
      return { page, others: others.filter((run) => run !== null) };
    },
    args: (): [string] => [keyOf(this.filter)],
    topics: ['runs'],
  });

  readonly #window = new WindowRows<string>(this, {
    ids: () => this.#itemIds,
    estimate: rowEstimate,
  });

  constructor() {
    super();
    new Shortcuts(this, () => [
      { key: 'j', label: 'Next run', run: () => void this.#walk(1) },
      { key: 'k', label: 'Previous run', run: () => void this.#walk(-1) },
    ]);
  }

  override connectedCallback(): void {
    super.connectedCallback();
    addEventListener('scroll', this.#scrolled, { passive: true });
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    removeEventListener('scroll', this.#scrolled);
    this.#leave();
  }

  /** Keeps the list for the way back. */
  #leave(): void {
    if (this.list === null || this.#key === null || this.#step === '') return;
    left.delete(this.#step);
    left.set(this.#step, {
      key: this.#key,
      list: this.list,
      open: this.#folds.all,
      ids: this.#ids,
      measured: this.#window.measured,
    });
    for (const step of left.keys()) if (left.size > LEFT_MOST) left.delete(step);
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (changed.has('filter')) this.#begin();
    const read = this.#newest.value;
    if (read !== null && read !== this.#seen && this.#newest.state.kind === 'ready') this.#take(read);
    this.#arrange();
  }

  #begin(): void {
    const key = keyOf(this.filter);
    if (key === this.#key) return;
    const isFirst = this.#key === null;
    this.#leave();
    const { each, automationId } = this.filter;
    const dayOf = automationId === null ? (at: number) => daysBetween(0, at) : undefined;
    this.#join = each ? oneByOne : folded(dayOf);
    this.#key = key;
    this.#step = currentStep() ?? '';
    const before = left.get(this.#step);
    const isBack = before?.key === key;
    this.list = isBack ? before.list : null;
    this.#ids = isBack ? before.ids : new LineIds();
    this.#folds.restore(isBack ? before.open : new Map());
    if (isBack) this.#window.restore(before.measured);
    else if (!isFirst) this.#window.goToTop();
    this.#ahead = 0;
    // What the controller still holds was read for the filter before: it looks at its arguments after this.
    this.#seen = this.#newest.value;
  }

  #take(read: Read): void {
    this.#seen = read;
    const { page, others } = read;
    if ('lines' in page) {
      this.list ??= startListAt(startOf(this.filter) ?? ('' as RunId), page);
      return;
    }
    const held = this.list?.feed.held.length ?? 0;
    if (this.list !== null && !this.#isRead) this.#window.keepPlace();
    this.list =
      this.list === null ? startList(page) : refreshList(this.list, page, others, this.#isRead, this.#join);
    if (this.list.feed.held.length > 0 && held === 0) announce('There are new runs.');
  }

  /** Puts into items what is to be shown, if that has changed. */
  #arrange(): void {
    const madeOf = [this.list?.feed.shown, this.list?.below, this.#folds.all, this.#join];
    if (madeOf.every((part, at) => part === this.#madeOf[at])) return;
    this.#madeOf = madeOf;
    const lines = this.list === null ? [] : linesOf(this.list, this.#join);
    const ids = this.#ids.of(lines);
    lines.forEach((line, at) => this.#folds.follow(ids[at] ?? '', line));
    this.#items = itemsOf(lines, ids, this.#folds.all);
    this.#itemIds = this.#items.map(({ id }) => id);
  }

  protected override updated(): void {
    // A list that goes from under the pointer does not say that the pointer has left it.
    if (this.rows === null) this.#pointed = false;
    this.#window.place(this.rows);
    this.#readAhead();
  }

  /** Whether somebody reads the list, so that it must not move. */
  get #isRead(): boolean {
    return scrollY > TOP_PX || this.#pointed || this.shadowRoot?.activeElement?.matches('.row') === true;
  }

  readonly #enter = (event: PointerEvent): void => {
    this.#pointed = event.pointerType !== 'touch';
  };

  readonly #gone = (): void => {
    this.#pointed = false;
    this.#releaseIfUnread();
  };

  readonly #scrolled = (): void => {
    this.#ahead = 0;
    this.#releaseIfUnread();
    this.#readAhead();
  };

  readonly #releaseIfUnread = (): void => {
    if (this.list === null || this.list.feed.held.length === 0 || this.#isRead) return;
    this.list = releaseList(this.list);
    // What was kept apart while it was read may be folded now.
    void this.#newest.refresh();
  };

  readonly #release = async (): Promise<void> => {
    if (this.list === null) return;
    this.list = releaseList(this.list);
    scrollTo({ top: 0 });
    await this.updateComplete;
    await this.#focus(0);
  };

  /** Reads what is older before its place comes into view. */
  #readAhead(): void {
    if (this.end === null || this.list?.older == null || this.loading !== null) return;
    if (this.#ahead >= READ_AHEAD_MOST || this.end.getBoundingClientRect().top > innerHeight + AHEAD_PX)
      return;
    this.#ahead += 1;
    void this.#extend('older');
  }

  #askLines(place: { readonly before?: RunId; readonly after?: RunId }): Promise<RunLinePage> {
    const { each, automationId } = this.filter;
    return this.host.listRunLines({
      ...listFilterOf(this.filter),
      ...place,
      ...(each ? {} : { fold: automationId === null ? { zone: ownZone() } : {} }),
    });
  }

  async #extend(where: 'older' | 'newer'): Promise<void> {
    const at = this.list?.[where] ?? null;
    if (at === null || this.loading !== null) return;
    const key = this.#key;
    this.loading = where;
    try {
      const page = await this.#askLines(where === 'older' ? { before: at } : { after: at });
      if (key !== this.#key || this.list?.[where] !== at) return;
      if (where === 'newer') this.#window.keepPlace();
      this.list =
        where === 'older'
          ? extendOlder(this.list, page, this.#join)
          : extendNewer(this.list, page, this.#join);
      if (this.list.newer === null && where === 'newer') void this.#newest.refresh();
    } catch (error) {
      this.#ahead = READ_AHEAD_MOST;
      showToast({ text: errorSentence(problemOf(error).code), tone: 'bad' });
    } finally {
      this.loading = null;
    }
  }

  /** Moves the focus from row to row; from elsewhere to the first one. */
  async #walk(by: 1 | -1): Promise<void> {
    const at = this.#window.pinned === null ? -1 : this.#itemIds.indexOf(this.#window.pinned);
    if (at === -1) return this.#focus(0);
    const to = at + by;
    if (to < 0) return;
    if (to >= this.#items.length) await this.#extend('older');
    await this.#focus(Math.min(to, this.#items.length - 1));
  }

  /** Puts the focus on the row at `index`, which may be far away. */
  async #focus(index: number): Promise<void> {
    const id = this.#itemIds[index];
    if (id === undefined) return;
    this.#window.pin(id);
    this.requestUpdate();
    await this.updateComplete;
    const row = this.rows?.querySelector<HTMLElement>(
      `[data-index="${index}"] .row, [data-index="${index}"] button`,
    );
    row?.focus();
    row?.scrollIntoView({ block: 'nearest' });
  }

  /** The row with the focus stays in the page, however far it is scrolled away. */
  readonly #pin = (event: FocusEvent): void => {
    const row = event.type === 'focusin' ? event.target : event.relatedTarget;
    this.#window.pin(row instanceof HTMLElement ? (this.#itemOf(row)?.id ?? null) : null);
  };

  #itemOf(element: HTMLElement): RunsItem | undefined {
    const index = element.closest<HTMLElement>('[data-index]')?.dataset['index'];
    return index === undefined ? undefined : this.#items[Number(index)];
  }

  /** Arrow keys walk the rows, and open and close a line as in a tree. */
  readonly #keyed = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    const item = event.target instanceof HTMLElement ? this.#itemOf(event.target) : undefined;
    if (item === undefined) return;
    const open = this.#folds.all.has(item.id);
    if (event.key === 'ArrowDown') void this.#walk(1);
    else if (event.key === 'ArrowUp') void this.#walk(-1);
    else if (event.key === 'ArrowRight' && item.kind === 'line' && item.line.count > 1 && !open)
      this.#folds.toggle(item.id, item.line);
    else if (event.key === 'ArrowLeft' && item.kind === 'line' && open)
      this.#folds.toggle(item.id, item.line);
    else if (event.key === 'ArrowLeft' && item.kind !== 'line')
      void this.#focus(this.#itemIds.indexOf(item.of));
    else return;
    event.preventDefault();
  };

  protected override render(): TemplateResult {
    const { list } = this;
    const { state } = this.#newest;
    if (list === null) {
      return state.kind === 'failed'
        ? failed(state.problem, () => void this.#newest.refresh())
        : skeleton(8, 'Loading the runs');
    }
    if (this.#items.length === 0 && list.feed.held.length === 0 && list.older === null)
      return html`${this.#above(list)}<slot name="empty"></slot>`;
    const problem = state.kind === 'ready' ? state.problem : null;
    return html`${
        problem === null
          ? nothing
          : html`<p class="foot bad" role="status">
              ${icon('triangle-exclamation', 14)} This list may be out of date. ${errorSentence(problem.code)}
            </p>`
      }
      ${this.#above(list)}
      <div @pointerenter=${this.#enter} @pointerleave=${this.#gone}>
        <div class="news">${this.#news(list)}</div>
        <div
          class="rows"
          role="list"
          aria-label="Runs"
          aria-busy=${this.loading === null ? 'false' : 'true'}
          @focusin=${this.#pin}
          @focusout=${this.#pin}
          @keydown=${this.#keyed}
        >
          ${repeat(
            this.#window.placed,
            ({ id }) => id,
            (placed) => this.#item(placed),
          )}
        </div>
      </div>
      ${this.#below(list)}`;
  }

  #news({ feed }: RunsList): TemplateResult | typeof nothing {
    const count = feed.held.length;
    if (count === 0) return nothing;
    return html`<button type="button" class="btn primary" @click=${this.#release}>
      ${feed.gap ? `More than ${count} new` : `${count} new`}
    </button>`;
  }

  #item({ id, index }: Placed<string>): TemplateResult {
    const item = this.#items[index];
    const isWhole = this.list?.older === null && this.list.newer === null;
    return html`<div
      role="listitem"
      aria-setsize=${isWhole ? this.#items.length : -1}
      aria-posinset=${index + 1}
      aria-level=${item?.kind === 'line' ? 1 : 2}
      data-index=${index}
    >
      ${item === undefined || item.id !== id ? nothing : this.#content(item)}
    </div>`;
  }

  #content(item: RunsItem): TemplateResult {
    const named = this.filter.automationId === null;
    switch (item.kind) {
      case 'line': {
        const { line, day } = item;
        const row =
          line.count === 1
            ? runRow(line.run, { named })
            : foldRow(line, {
                named,
                open: this.#folds.all.has(item.id),
                toggle: () => this.#folds.toggle(item.id, line),
              });
        return html`${day === null ? nothing : html`<h2 class="day">${dayHeading(day, Date.now())}</h2>`}${row}`;
      }
      case 'run':
        return runRow(item.run, { named: false, child: true });
      case 'rest':
        return this.#rest(item.line, item.fold, item.of);
    }
  }

  #rest(line: RunLine<Run>, fold: OpenFold, of: string): TemplateResult {
    const rest = line.count - fold.runs.length;
    if (fold.state === 'reading') return html`<div class="rest" role="status">Loading…</div>`;
    const more = (): void => void this.#folds.more(of, line);
    return html`<div class="rest">
      ${fold.state === 'failed' ? 'They could not be read.' : nothing}
      <button type="button" class="btn" @click=${more}>
        ${fold.state === 'failed' ? 'Try again' : `Show more of the ${numberText(rest)} others`}
      </button>
    </div>`;
  }

  #above(list: RunsList): TemplateResult | typeof nothing {
    if (list.newer === null) return nothing;
    return html`<div class="foot above">
      <button
        type="button"
        class="btn"
        ?disabled=${this.loading === 'newer'}
        @click=${() => void this.#extend('newer')}
      >
        ${this.loading === 'newer' ? 'Loading…' : 'Load newer'}
      </button>
      <button type="button" class="btn" @click=${() => this.dispatchEvent(new NewestWanted())}>
        Go to the newest
      </button>
    </div>`;
  }

  #below(list: RunsList): TemplateResult {
    const lines = this.#items.filter(({ kind }) => kind === 'line');
    const runs = lines.reduce((sum, item) => sum + (item.kind === 'line' ? item.line.count : 0), 0);
    const last = lines.at(-1);
    const counted = countText(runs, 'row');
    if (list.older === null)
      return html`<div class="foot end">
        <span>${counted}. ${list.newer === null ? 'That is all of it.' : 'Nothing is older.'}</span>
      </div>`;
    const since =
      last?.kind === 'line' ? `, back to ${namedDateTime(last.line.oldest.claimedAt, Date.now())}` : '';
    return html`<div class="foot end">
      <button
        type="button"
        class="btn"
        ?disabled=${this.loading === 'older'}
        @click=${() => void this.#extend('older')}
      >
        ${this.loading === 'older' ? 'Loading…' : 'Load older'}
      </button>
      <span>${counted} so far${since}.</span>
    </div>`;
  }
}

/** Where a list begins that begins at a date: with the last run of that day; `null`: with the newest of all. */
function startOf({ date }: RunsFilter): RunId | null {
  if (date === null) return null;
  const [year = 0, month = 1, day = 1] = date.split('-').map(Number);
  return `${idFloor(new Date(year, month - 1, day + 1).getTime())}-0000-0000-000000000000` as RunId;
}

declare global {
  interface HTMLElementTagNameMap {
    'rota-run-list': RunList;
  }
}
