import { LitElement, type PropertyValues, css, html, nothing, type TemplateResult } from 'lit';
import { customElement, property, query } from 'lit/decorators.js';
import { live } from 'lit/directives/live.js';
import { repeat } from 'lit/directives/repeat.js';
import type { AutomationId } from '../../domain/index.ts';
import type { AutomationListView } from '../../rpc/index.ts';
import { icon } from '../icons/icon.ts';
import { announce } from '../parts/announcer.ts';
import { type BulkAct, BulkAsked } from '../parts/bulk-asked.ts';
import '../parts/menu.ts';
import type { Menu } from '../parts/menu.ts';
import { pageHeader } from '../parts/page-header.ts';
import { empty, failed, placeholderStyles, skeleton } from '../parts/placeholder.ts';
import { fieldStyles, newsStyles, shared } from '../parts/styles.ts';
import { type MeasuredRows, type Placed, WindowRows } from '../parts/window-rows.ts';
import type { RemoteHost } from '../remote-host.ts';
import { href, navigate, replaceQuery } from '../router.ts';
import { NONE, type Selection, allOf, extended, kept, toggled } from '../selection.ts';
import { Shortcuts, isTyping } from '../shortcuts.ts';
import { countText, numberText } from '../text/counts.ts';
import { ownZone } from '../text/dates.ts';
import { saying } from '../saying.ts';
import { Watched } from '../watched.ts';
import { KeptRows } from './automation-rows.ts';
import { MenuRequest, RowPicked, RowRemoved, columns, pickStyles } from './automation-row.ts';
import './automation-row.ts';
import { AutomationRow } from './automation-row.ts';
import './first-visit.ts';
import { changeCount } from './order-change.ts';

/** Rows that are read with the first order, before it is known how many a screen shows. */
const FIRST_ROWS = 24;

/** How long after the last row was selected it is announced how many are. */
const TOLD_AFTER_MS = 350;
const NOT_LOADED = 'A part of this screen could not be loaded.';
/** What the rows were measured as when the list was last left: the way back to it leads to the very row. */
let measured: MeasuredRows | null = null;

/** The order of a list as it was read. */
interface Order {
  /** What was asked for. */
  readonly key: string;
  readonly version: string;
  readonly ids: readonly AutomationId[];
  readonly counts: Readonly<Record<AutomationListView, number>>;
  readonly tags: readonly string[];
}

const VIEWS: readonly { readonly view: AutomationListView; readonly label: string }[] = [
  { view: 'all', label: 'All' },
  { view: 'needs-you', label: 'Needs you' },
  { view: 'paused', label: 'Paused' },
];

/**
 * The list of automations, and on the first visit what stands in its place. View, text and tag are in the address, so
 * that each tab can differ and a reload keeps them.
 *
 * The ids cross the seam once, the rows when they come into view; see docs/decisions/0010-long-lists.md. What changes in
 * a row is shown at once. What changes the order waits while the pointer is over the rows, because the next click would
 * meet another row than the one that was aimed at; otherwise it is taken, and what is looked at stays where it is.
 */
@customElement('rota-automations-page')
export class AutomationsPage extends LitElement {
  static override styles = [
    shared,
    fieldStyles,
    newsStyles,
    placeholderStyles,
    columns,
    pickStyles,
    css`
      :host {
        container: list / inline-size;
      }

      .wide {
        margin-inline-start: -3px;
      }

      .tools {
        display: flex;
        flex-wrap: wrap;
        align-items: end;
        gap: var(--space-2) var(--space-4);
        padding: 0 var(--gutter);
        border-bottom: 1px solid var(--rule-strong);
      }

      .views {
        display: flex;
        flex: 1 1 auto;
        gap: 20px;
        font-size: var(--size-s);
      }

      .views a {
        padding: 9px 0 10px;
        margin-bottom: -1px;
        border-bottom: 2px solid transparent;
        color: var(--ink-2);
        text-decoration: none;
        white-space: nowrap;
      }

      .views a:hover {
        color: var(--ink);
      }

      .views a[aria-current] {
        border-color: var(--ink);
        color: var(--ink);
        font-weight: var(--weight-strong);
      }

      @media (forced-colors: active) {
        .views a:not([aria-current]) {
          border-color: Canvas;
        }
      }

      .views i {
        color: var(--ink-3);
        font-style: normal;
        font-weight: var(--weight);
      }

      .views .needs i {
        color: var(--bad);
        font-weight: var(--weight-strong);
      }

      .filters {
        display: flex;
        flex: 0 1 auto;
        gap: var(--space-2);
        padding-bottom: 8px;
        min-width: 0;
      }

      .search {
        position: relative;
        min-width: 0;
      }

      .search .icon {
        position: absolute;
        inset-inline-start: 9px;
        top: 0;
        height: 100%;
        color: var(--ink-3);
        pointer-events: none;
      }

      .search input {
        width: 220px;
        max-width: 100%;
        padding-inline-start: 30px;
      }

      .search kbd {
        position: absolute;
        inset-inline-end: 8px;
        top: 50%;
        transform: translateY(-50%);
        pointer-events: none;
      }

      .search input:focus + kbd,
      .search input:not(:placeholder-shown) + kbd {
        display: none;
      }

      .choice {
        position: relative;
        flex: none;
      }

      .choice select {
        max-width: 150px;
        padding-inline-end: 28px;
        appearance: none;
        text-overflow: ellipsis;
      }

      .choice .icon {
        position: absolute;
        inset-inline-end: 8px;
        top: 0;
        height: 100%;
        color: var(--ink-3);
        pointer-events: none;
      }

      /* The head, and what takes its place while rows are selected: one height, so that no row moves under the pointer. */
      .above {
        position: sticky;
        z-index: 2;
        top: var(--strip, 52px);
        height: 40px;
        pointer-events: none;
      }

      .above > * {
        pointer-events: auto;
      }

      .above[data-picking] {
        border-bottom: 1px solid var(--rule-strong);
        background: var(--paper);
      }

      .above rota-bulk-bar {
        height: 100%;
        margin-inline-start: max(24px, var(--gutter));
      }

      .above:not([data-picking]) {
        position: relative;
      }

      .above .every {
        display: none;
        position: absolute;
        inset-block: 0;
        inset-inline-start: 44px;
        align-items: center;
        pointer-events: none;
      }

      .head {
        height: 40px;
        margin-top: -40px;
        border-bottom: 1px solid var(--rule);
      }

      .head[data-covered] {
        clip-path: inset(50%);
      }

      .select {
        display: none;
        flex: none;
      }

      @media (hover: none) {
        .select {
          display: inline-flex;
        }
      }

      .rows {
        position: relative;
        overflow-anchor: none;
      }

      .rows > * {
        position: absolute;
        inset-inline: 0;
      }

      @container list (max-width: 1020px) {
        .head {
          clip-path: inset(50%);
        }

        .above:not([data-picking]) {
          border-bottom: 1px solid var(--rule);
        }

        .above .every {
          display: flex;
        }

        .above rota-bulk-bar {
          margin-inline-start: 44px;
        }
      }

      @container list (max-width: 540px) {
        .news {
          top: 96px;
        }

        .filters {
          flex: 1 1 100%;
        }

        .search {
          flex: 1 1 auto;
        }

        .select {
          display: inline-flex;
        }

        .above:not([data-picking]),
        .above .pick {
          display: none;
        }

        .above {
          height: auto;
        }

        .above rota-bulk-bar {
          height: auto;
          margin-inline-start: 0;
        }

        .head {
          height: 0;
          margin: 0;
          min-height: 0;
          border: 0;
          overflow: hidden;
        }

        .search input {
          width: 100%;
        }

        .wide {
          display: none;
        }
      }
    `,
  ];

  @property({ attribute: false }) host!: RemoteHost;
  /** The query part of the address. */
  @property({ attribute: false }) query = new URLSearchParams();
  @query('rota-menu') private readonly menu!: Menu;
  @query('input[type="search"]') private readonly search!: HTMLInputElement | null;

  @query('rota-bulk-bar') private readonly bar!: HTMLElement | null;
  @query('.rows') private readonly list!: HTMLElement | null;

  readonly #window = new WindowRows(this, {
    ids: () => this.#shown?.ids ?? [],
    // What a row is high before it was measured; as the row folds, see automation-row.ts.
    estimate: (width) => (width > 1020 ? 61 : width > 540 ? 107 : 145),
  });
  readonly #rows = new KeptRows((ids) => this.host.getAutomations({ ids }));

  readonly #list = new Watched(this, {
    read: async (view: AutomationListView, text: string, tag: string): Promise<Order> => {
      const key = [view, tag, text].join('\n');
      const before = this.#list.value?.key === key ? this.#list.value : null;
      const [order] = await Promise.all([
        this.host.orderAutomations({
          view,
          ...(text === '' ? {} : { text }),
          ...(tag === '' ? {} : { tag }),
          ...(before === null ? {} : { known: before.version }),
        }),
        this.#rows.refresh(this.#window.ids),
      ]);
      const ids = order.ids ?? before?.ids ?? [];
      if (before === null) await this.#rows.fill(ids.slice(0, FIRST_ROWS));
      return { ...order, ids, key };
    },
    // That one waits, and for what, is told as news of the hosts.
    topics: ['automations', 'runs', 'settings', 'hosts'],
    args: (): [AutomationListView, string, string] => [this.#view, this.#text, this.#tag],
    keep: true,
  });
  /** The order that is shown, which the newest one waits to follow. */
  #shown: Order | null = null;
  #pointed = false;
  #selection: Selection<AutomationId> = NONE;
  /** Rows are being selected though none is: on a touch screen that must be asked for. */
  #isPicking = false;
  /** What is done to those that are selected, in words. */
  #busy: string | null = null;
  /** Whether the bar had the focus before it went. */
  #barHadFocus = false;
  #telling: ReturnType<typeof setTimeout> | undefined;

  constructor() {
    super();
    // It tells of what is over: the list comes first.
    Promise.all([import('../parts/while-away.ts'), import('../parts/storage-notice.ts')]).catch(() =>
      announce(NOT_LOADED),
    );
    new Shortcuts(this, () => [
      { key: '/', label: 'Search', run: () => this.search?.focus() },
      { key: 'j', label: 'Next row', run: () => void this.#step(1) },
      { key: 'k', label: 'Row before', run: () => void this.#step(-1) },
      { key: 'x', label: 'Select the row', run: this.#pickFocused },
      ...(this.#selection.ids.size > 0
        ? [
            { key: 'r', label: 'Run the selected now', run: () => void this.#act('run') },
            { key: 'p', label: 'Pause the selected', run: () => void this.#act('pause') },
            { key: 't', label: 'Tag the selected', run: () => void this.#act('tag') },
          ]
        : [
            { key: 'r', label: 'Run the row now', run: () => this.#focused?.run() },
            { key: 'p', label: 'Pause or resume the row', run: () => this.#focused?.toggle() },
          ]),
      { key: 'e', label: 'Edit the row', run: this.#edit },
    ]);
    this.addEventListener(RowPicked.type, (event) => {
      const [row] = event.composedPath();
      if (!(row instanceof AutomationRow) || !(event instanceof RowPicked)) return;
      this.#pick(row.automation.id, event.range);
    });
    this.addEventListener(RowRemoved.type, (event) => {
      const [row] = event.composedPath();
      if (row instanceof AutomationRow) void this.#refocus(row.automation.id);
    });
    this.addEventListener(MenuRequest.type, (event) => {
      if (event instanceof MenuRequest) void this.menu.toggle(event.click, event.label, event.items);
    });
  }

  override connectedCallback(): void {
    super.connectedCallback();
    addEventListener('keydown', this.#keydown);
    if (measured !== null) this.#window.restore(measured);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    removeEventListener('keydown', this.#keydown);
    clearTimeout(this.#telling);
    measured = this.#window.measured;
  }

  /** The row with the focus is about to go: the focus goes to the one that takes its place. */
  async #refocus(id: AutomationId): Promise<void> {
    const at = this.#shown?.ids.indexOf(id) ?? -1;
    await this.#list.refresh();
    this.#release();
    await this.updateComplete;
    const left = this.#shown?.ids.length ?? 0;
    if (left > 0) await this.#focus(Math.min(Math.max(at, 0), left - 1));
    else this.renderRoot.querySelector('h1')?.focus();
  }

  protected override willUpdate(changed: PropertyValues): void {
    super.willUpdate(changed);
    const order = this.#list.value;
    if (order === null || order === this.#shown) return;
    const isOther = order.key !== this.#shown?.key;
    if (isOther || !this.#pointed || changeCount(this.#shown?.ids ?? [], order.ids) === 0) this.#release();
  }

  /** Shows the newest order. */
  #release(): void {
    const order = this.#list.value;
    if (order === null || order === this.#shown) return;
    const before = this.#shown;
    // Another list begins at its top; the same one stays where it is read.
    if (before?.key === order.key) this.#window.keepPlace();
    else if (before !== null) this.#window.goToTop();
    this.#shown = order;
    this.#select(kept(this.#selection, order.ids));
    this.requestUpdate();
  }

  /** Takes `selection` as what is selected, and has it announced how many these are. */
  #select(selection: Selection<AutomationId>): void {
    if (selection === this.#selection) return;
    const before = this.#selection.ids.size;
    this.#selection = selection;
    const { size } = selection.ids;
    if (before > 0 && size === 0) this.#barHadFocus = this.bar?.matches(':focus-within') === true;
    if (size > 0) void import('../parts/bulk-bar.ts').catch(() => announce(NOT_LOADED));
    clearTimeout(this.#telling);
    // Once for a range that grows row by row.
    if (size !== before) this.#telling = setTimeout(() => this.#tellSelected(before), TOLD_AFTER_MS);
    this.requestUpdate();
  }

  #tellSelected(before: number): void {
    const { size } = this.#selection.ids;
    if (size === 0) announce('Nothing is selected.');
    else
      announce(
        `${numberText(size)} selected.${before === 0 ? ' What can be done with them stands before the list.' : ''}`,
      );
  }

  #pick(id: AutomationId, range: boolean): void {
    const ids = this.#shown?.ids ?? [];
    this.#select(range ? extended(this.#selection, ids, id) : toggled(this.#selection, id));
  }

  readonly #pickFocused = (): void => {
    const row = this.#focused;
    if (row !== undefined) this.#pick(row.automation.id, false);
  };

  readonly #pickAll = (): void => {
    this.#select(allOf(this.#selection, this.#shown?.ids ?? []));
  };

  /** Lets go of all that is selected; the focus goes to the row where it began. */
  readonly #clear = (): void => {
    const { anchor } = this.#selection;
    const hadFocus = this.bar?.matches(':focus-within') === true;
    this.#isPicking = false;
    this.#select(NONE);
    this.#barHadFocus = false;
    this.requestUpdate();
    const at = anchor === null ? -1 : (this.#shown?.ids.indexOf(anchor) ?? -1);
    if (hadFocus) void this.#focus(Math.max(0, at));
  };

  /** Ranges by Shift and an arrow or Space, all by Ctrl or Cmd and A, none by Escape. */
  readonly #keydown = (event: KeyboardEvent): void => {
    if (event.defaultPrevented || event.altKey || isTyping(event)) return;
    const { key, shiftKey } = event;
    const isChord = event.ctrlKey || event.metaKey;
    if (isChord) {
      if (shiftKey || key.toLowerCase() !== 'a' || (this.#shown?.ids.length ?? 0) === 0) return;
      event.preventDefault();
      this.#pickAll();
    } else if (key === 'Escape' && !shiftKey) {
      if (this.#busy === null && (this.#isPicking || this.#selection.ids.size > 0)) this.#clear();
    } else if (shiftKey && (key === 'ArrowDown' || key === 'ArrowUp' || key === ' ')) {
      const row = this.#focused;
      if (row === undefined) return;
      event.preventDefault();
      const { id } = row.automation;
      if (key === ' ') this.#pick(id, true);
      else void this.#extend(id, key === 'ArrowDown' ? 1 : -1);
    }
  };

  /** Goes on by one row from that of `id`, and selects from where the range began to there. */
  async #extend(id: AutomationId, by: 1 | -1): Promise<void> {
    const ids = this.#shown?.ids ?? [];
    const to = ids.indexOf(id) + by;
    const next = ids[to];
    if (next === undefined) return;
    const from = this.#selection.anchor === null ? toggled(this.#selection, id) : this.#selection;
    this.#select(extended(from, ids, next));
    await this.#focus(to);
  }

  /** Does what the bar was asked for. */
  async #act(act: BulkAct): Promise<void> {
    if (act === 'all') this.#pickAll();
    else if (act === 'clear') this.#clear();
    else if (this.#busy === null) {
      const { ids } = this.#selection;
      const wanted = (this.#shown?.ids ?? []).filter((id) => ids.has(id));
      await saying(async () => this.#doTo(wanted, act));
      this.#busy = null;
      this.requestUpdate();
    }
  }

  async #doTo(ids: readonly AutomationId[], act: Exclude<BulkAct, 'all' | 'clear'>): Promise<void> {
    const bulk = await import('../bulk-commands.ts');
    const progress = (done: number): void => {
      // What is over at once need not be watched.
      if (done >= ids.length) return;
      this.#busy = `${numberText(done)} of ${numberText(ids.length)}`;
      this.requestUpdate();
    };
    switch (act) {
      case 'run':
        return bulk.runNow(this.host, ids, progress);
      case 'pause':
        return bulk.pause(this.host, ids, progress);
      case 'resume':
        return bulk.change(this.host, ids, { kind: 'resume' }, progress);
      case 'tag':
        return bulk.tag(this.host, ids, this.#list.value?.tags ?? [], progress);
      case 'export':
        return bulk.exportThem(this.host, ids);
      case 'remove':
        return bulk.remove(this.host, ids, progress);
    }
  }

  protected override updated(): void {
    // A list that goes from under the pointer does not say that the pointer has left it.
    if (this.list === null) this.#pointed = false;
    this.#window.place(this.list);
    if (this.#barHadFocus && this.bar === null) {
      // What it was about is gone from the list.
      this.#barHadFocus = false;
      this.renderRoot.querySelector('h1')?.focus();
    }
    void this.#fill();
  }

  /** Reads the rows that have come into view. Where the host has one no more, the order is an old one. */
  async #fill(): Promise<void> {
    try {
      const filled = await this.#rows.fill(this.#window.ids);
      if (filled !== 'whole') this.requestUpdate();
      if (filled === 'lacking') await this.#list.refresh();
    } catch {
      // Read again with the next hint, or with the next row that comes into view.
    }
  }

  readonly #enter = (event: PointerEvent): void => {
    this.#pointed = event.pointerType !== 'touch';
  };

  readonly #leave = (): void => {
    this.#pointed = false;
    this.#release();
  };

  get #view(): AutomationListView {
    const wanted = this.query.get('view');
    return VIEWS.find(({ view }) => view === wanted)?.view ?? 'all';
  }

  get #text(): string {
    return this.query.get('q') ?? '';
  }

  get #tag(): string {
    return this.query.get('tag') ?? '';
  }

  get #focused(): AutomationRow | undefined {
    return [...this.renderRoot.querySelectorAll('rota-automation-row')].find((row) =>
      row.matches(':focus-within'),
    );
  }

  async #step(by: 1 | -1): Promise<void> {
    const ids = this.#shown?.ids ?? [];
    const { pinned } = this.#window;
    const at = pinned === null ? -1 : ids.indexOf(pinned);
    const to = at === -1 ? (by === 1 ? 0 : ids.length - 1) : at + by;
    if (to >= 0 && to < ids.length) await this.#focus(to);
  }

  /** Puts the focus on the row at `index`, which may be far away. */
  async #focus(index: number): Promise<void> {
    const id = this.#shown?.ids[index];
    if (id === undefined) return;
    this.#window.pin(id);
    try {
      await this.#rows.fill([id]);
    } catch {
      // One that cannot be read now keeps what it was, or cannot have the focus.
    }
    this.requestUpdate();
    await this.updateComplete;
    const row = [...this.renderRoot.querySelectorAll('rota-automation-row')].find(
      ({ automation }) => automation.id === id,
    );
    await row?.updateComplete;
    row?.focus();
  }

  readonly #edit = (): void => {
    const row = this.#focused;
    if (row !== undefined) navigate(href.edit(row.automation.id));
  };

  #address(change: {
    readonly view?: string;
    readonly q?: string;
    readonly tag?: string;
  }): Record<string, string> {
    const view = change.view ?? this.#view;
    return {
      view: view === 'all' ? '' : view,
      q: change.q ?? this.#text,
      tag: change.tag ?? this.#tag,
    };
  }

  protected override render(): TemplateResult {
    const count = this.#list.value?.counts.all ?? null;
    return html`<rota-storage-notice .host=${this.host} .count=${count}></rota-storage-notice>
      ${count === 0 ? html`<rota-first-visit></rota-first-visit>` : this.#screen()}`;
  }

  #screen(): TemplateResult {
    return html`${pageHeader({
        title: 'Automations',
        actions: html`<a class="btn primary" href=${href.new()} aria-label="New automation"
          >${icon('plus')} New<span class="wide">automation</span> <kbd>N</kbd></a
        >`,
      })}
      <rota-while-away .host=${this.host}></rota-while-away>
      ${this.#toolbar()} ${this.#news()} ${this.#content()} <rota-menu></rota-menu>`;
  }

  #toolbar(): TemplateResult {
    const counts = this.#list.value?.counts;
    const tags = [...new Set([...(this.#list.value?.tags ?? []), this.#tag])]
      .filter((tag) => tag !== '')
      .sort();
    return html`<div class="tools">
      <nav class="views" aria-label="Views">
        ${VIEWS.map(
          ({ view, label }) =>
            html`<a
              class=${view === 'needs-you' && (counts?.[view] ?? 0) > 0 ? 'needs' : ''}
              href=${href.automations(this.#address({ view }))}
              aria-current=${view === this.#view ? 'page' : nothing}
              >${label}${counts === undefined ? nothing : html` <i>${numberText(counts[view])}</i>`}</a
            >`,
        )}
      </nav>
      <div class="filters" role="search">
        ${
          tags.length === 0
            ? nothing
            : html`<div class="choice">
                <select
                  class="field"
                  aria-label="Tag"
                  @change=${(event: Event) => {
                    replaceQuery(this.#address({ tag: valueOf(event) }));
                  }}
                >
                  <option value="">All tags</option>
                  ${tags.map((tag) => html`<option value=${tag} ?selected=${tag === this.#tag}>${tag}</option>`)}</select
                >${icon('chevron-down', 14)}
              </div>`
        }
        <div class="search">
          ${icon('magnifying-glass')}
          <input
            class="field"
            type="search"
            placeholder="Search"
            aria-label="Search automations"
            autocomplete="off"
            spellcheck="false"
            .value=${this.#text}
            @input=${(event: Event) => {
              replaceQuery(this.#address({ q: valueOf(event) }));
            }}
          /><kbd aria-hidden="true">/</kbd>
        </div>
        <button
          type="button"
          class="btn select"
          aria-pressed=${this.#isSelecting}
          @click=${this.#switchPicking}
        >
          ${icon('check-square')}Select
        </button>
      </div>
    </div>`;
  }

  #content(): TemplateResult {
    const { state } = this.#list;
    switch (state.kind) {
      case 'loading':
        return skeleton(8, 'Loading automations');
      case 'failed':
        return failed(state.problem, () => void this.#list.refresh());
      case 'ready': {
        const { ids } = this.#shown ?? state.value;
        const held = this.#shown === null ? 0 : changeCount(ids, state.value.ids);
        if (ids.length === 0 && held === 0) return this.#nothingLeft();
        return html`${this.#above(ids)}
          <div
            role="table"
            aria-label="Automations"
            aria-rowcount=${ids.length + 1}
            @pointerenter=${this.#enter}
            @pointerleave=${this.#leave}
            @focusin=${this.#pin}
            @focusout=${this.#pin}
          >
            <div class="head columns label" role="row" aria-rowindex="1" ?data-covered=${this.#isSelecting}>
              <span class="sr-only" role="columnheader">Selected</span>
              <span role="columnheader"><span class="sr-only">On</span></span>
              <span role="columnheader">Automation</span>
              <span role="columnheader">Next</span>
              <span role="columnheader">Last 30 runs</span>
              <span role="columnheader">Last result</span>
              <span role="columnheader"><span class="sr-only">Actions</span></span>
            </div>
            <div class="rows" role="rowgroup">
              ${repeat(
                this.#window.placed,
                ({ id }) => id,
                (placed) => this.#row(placed),
              )}
            </div>
          </div>`;
      }
    }
  }

  /** Rows are being selected, or can be by a touch. */
  get #isSelecting(): boolean {
    return this.#isPicking || this.#selection.ids.size > 0;
  }

  readonly #switchPicking = (): void => {
    if (this.#isSelecting) this.#clear();
    else {
      this.#isPicking = true;
      void import('../parts/bulk-bar.ts').catch(() => announce(NOT_LOADED));
      this.requestUpdate();
    }
  };

  /** What stands above the rows: the box that is for all of them, and what can be done with those that are selected. */
  #above(ids: readonly AutomationId[]): TemplateResult {
    const { size } = this.#selection.ids;
    const all = `Select all ${numberText(ids.length)}`;
    return html`<div class="above" ?data-picking=${this.#isSelecting}>
      <div class="pick">
        <label
          ><input
            type="checkbox"
            aria-label=${all}
            title=${all}
            .checked=${live(size > 0 && size === ids.length)}
            .indeterminate=${live(size > 0 && size < ids.length)}
            @click=${this.#switchAll}
        /></label>
      </div>
      ${
        this.#isSelecting
          ? html`<rota-bulk-bar
              .count=${size}
              .total=${ids.length}
              .busy=${this.#busy}
              @rota-bulk-asked=${this.#asked}
            ></rota-bulk-bar>`
          : html`<span class="every label" aria-hidden="true">${all}</span>`
      }
    </div>`;
  }

  readonly #asked = (event: Event): void => {
    if (event instanceof BulkAsked) void this.#act(event.act);
  };

  readonly #switchAll = (): void => {
    if (this.#selection.ids.size === this.#shown?.ids.length) this.#select(NONE);
    else this.#pickAll();
    this.requestUpdate();
  };

  #row({ id, index }: Placed<AutomationId>): TemplateResult {
    const automation = this.#rows.get(id);
    if (automation === null) {
      return html`<div class="bone" role="row" aria-rowindex=${index + 2} data-index=${index}>
        <span class="sr-only" role="cell">Loading</span><i></i><i></i>
      </div>`;
    }
    return html`<rota-automation-row
      aria-rowindex=${index + 2}
      data-index=${index}
      .host=${this.host}
      .automation=${automation}
      .selected=${this.#selection.ids.has(id)}
      .picking=${this.#isSelecting}
      .zone=${ownZone()}
    ></rota-automation-row>`;
  }

  #news(): TemplateResult {
    const order = this.#list.value;
    const held = this.#shown === null || order === null ? 0 : changeCount(this.#shown.ids, order.ids);
    return html`<div class="news">
      ${
        held === 0
          ? nothing
          : html`<button type="button" class="btn primary" @click=${() => this.#release()}>
              ${numberText(held)} changed · Show
            </button>`
      }
    </div>`;
  }

  /** The row with the focus stays in the page, however far it is scrolled away. */
  readonly #pin = (event: FocusEvent): void => {
    const row = event.type === 'focusin' ? event.target : event.relatedTarget;
    this.#window.pin(row instanceof AutomationRow ? row.automation.id : null);
  };

  #nothingLeft(): TemplateResult {
    const all = this.#list.value?.counts.all ?? 0;
    const everything = html`<a class="btn" href=${href.automations()}>Show all ${numberText(all)}</a>`;
    if (this.#text !== '' || this.#tag !== '') {
      const what = [
        this.#text === '' ? '' : `“${this.#text}”`,
        this.#tag === '' ? '' : `the tag ${this.#tag}`,
      ].filter((part) => part !== '');
      return empty(
        `None of ${countText(all, 'automation')} matches ${what.join(' and ')}.`,
        this.#view === 'all'
          ? 'The search looks at names, tags and addresses.'
          : 'Only one view is searched; the others may have it.',
        everything,
      );
    }
    return this.#view === 'needs-you'
      ? empty('Nothing needs you.', 'What fails, is missed for long or waits for you comes here.', everything)
      : empty('None is paused.', 'A paused automation keeps its place here until you resume it.', everything);
  }
}

function valueOf(event: Event): string {
  return event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement
    ? event.target.value
    : '';
}

declare global {
  interface HTMLElementTagNameMap {
    'rota-automations-page': AutomationsPage;
  }
}
