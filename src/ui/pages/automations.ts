import { LitElement, css, html, nothing, type TemplateResult } from 'lit';
import { customElement, property, query } from 'lit/decorators.js';
import { repeat } from 'lit/directives/repeat.js';
import type { AutomationId } from '../../domain/index.ts';
import type { AutomationListView, AutomationView } from '../../rpc/index.ts';
import { icon } from '../icons/icon.ts';
import { announce } from '../parts/announcer.ts';
import '../parts/menu.ts';
import type { Menu } from '../parts/menu.ts';
import { pageHeader } from '../parts/page-header.ts';
import { empty, failed, placeholderStyles, skeleton } from '../parts/placeholder.ts';
import { shared, fieldStyles } from '../parts/styles.ts';
import type { RemoteHost } from '../remote-host.ts';
import { href, navigate, replaceQuery } from '../router.ts';
import { Shortcuts } from '../shortcuts.ts';
import { countText } from '../text/counts.ts';
import { ownZone } from '../text/dates.ts';
import { Watched } from '../watched.ts';
import { MenuRequest, RowRemoved, columns } from './automation-row.ts';
import './automation-row.ts';
import type { AutomationRow } from './automation-row.ts';
import './first-visit.ts';

/** Most automations read at once; a person with more narrows them down. */
const LISTED_MOST = 500;

/** A row as it was read, and its text, by which a change is told. */
interface Seen {
  readonly automation: AutomationView;
  readonly text: string;
}

const VIEWS: readonly { readonly view: AutomationListView; readonly label: string }[] = [
  { view: 'all', label: 'All' },
  { view: 'needs-you', label: 'Needs you' },
  { view: 'paused', label: 'Paused' },
];

/**
 * The list of automations, and on the first visit what stands in its place. View, text and tag are in the address, so
 * that each tab can differ and a reload keeps them.
 */
@customElement('rota-automations-page')
export class AutomationsPage extends LitElement {
  static override styles = [
    shared,
    fieldStyles,
    placeholderStyles,
    columns,
    css`
      :host {
        container: list / inline-size;
      }

      .wide {
        margin-left: -3px;
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
        margin-left: 4px;
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
        left: 9px;
        top: 0;
        height: 100%;
        color: var(--ink-3);
        pointer-events: none;
      }

      .search input {
        width: 220px;
        max-width: 100%;
        padding-left: 30px;
      }

      .search kbd {
        position: absolute;
        right: 8px;
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
        padding-right: 28px;
        appearance: none;
        text-overflow: ellipsis;
      }

      .choice .icon {
        position: absolute;
        right: 8px;
        top: 0;
        height: 100%;
        color: var(--ink-3);
        pointer-events: none;
      }

      .head {
        min-height: 32px;
        border-bottom: 1px solid var(--rule);
      }

      .more {
        padding: var(--space-4) var(--gutter);
        color: var(--ink-2);
        font-size: var(--size-s);
      }

      .problem {
        padding: 8px var(--gutter);
        background: var(--warn-soft);
        color: var(--ink);
        font-size: var(--size-s);
      }

      @container list (max-width: 1020px) {
        .head {
          display: none;
        }
      }

      @container list (max-width: 540px) {
        .filters,
        .search {
          flex: 1 1 100%;
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

  /** Tags that were seen, so that the choice does not shrink to what the filter leaves. */
  readonly #tags = new Set<string>();

  readonly #list = new Watched(this, {
    read: async (view: AutomationListView, text: string, tag: string) => {
      const list = await this.host.listAutomations({
        view,
        limit: LISTED_MOST,
        ...(text === '' ? {} : { text }),
        ...(tag === '' ? {} : { tag }),
      });
      for (const automation of list.items) for (const name of automation.tags) this.#tags.add(name);
      return { ...list, items: this.#kept(list.items) };
    },
    // That one waits, and for what, is told as news of the hosts.
    topics: ['automations', 'runs', 'settings', 'hosts'],
    args: (): [AutomationListView, string, string] => [this.#view, this.#text, this.#tag],
    keep: true,
  });

  constructor() {
    super();
    // It tells of what is over: the list comes first.
    void import('../parts/while-away.ts').catch(() => announce('A part of this screen could not be loaded.'));
    new Shortcuts(this, () => [
      { key: '/', label: 'Search', run: () => this.search?.focus() },
      { key: 'j', label: 'Next row', run: () => this.#step(1) },
      { key: 'k', label: 'Row before', run: () => this.#step(-1) },
      { key: 'r', label: 'Run the row now', run: () => this.#focused?.run() },
      { key: 'p', label: 'Pause or resume the row', run: () => this.#focused?.toggle() },
      { key: 'e', label: 'Edit the row', run: this.#edit },
    ]);
    this.addEventListener(RowRemoved.type, (event) => void this.#refocus(event.composedPath()[0] ?? null));
    this.addEventListener(MenuRequest.type, (event) => {
      if (event instanceof MenuRequest) void this.menu.toggle(event.click, event.label, event.items);
    });
  }

  /** The row with the focus is about to go: the focus goes to the one that takes its place. */
  async #refocus(row: EventTarget | null): Promise<void> {
    const at = this.#rows.findIndex((one) => one === row);
    await this.#list.refresh();
    await this.updateComplete;
    const rows = this.#rows;
    const next = rows[Math.min(at, rows.length - 1)];
    if (next !== undefined) next.focus();
    else this.renderRoot.querySelector('h1')?.focus();
  }

  /**
   * `items` with the very objects of the list before where nothing changed: every row crosses from the worker anew, and
   * only those that differ are to be rendered again.
   */
  #kept(items: readonly AutomationView[]): readonly AutomationView[] {
    const before = this.#seen;
    this.#seen = new Map(
      items.map((automation) => [automation.id, { automation, text: JSON.stringify(automation) }]),
    );
    for (const [id, now] of this.#seen) {
      const old = before.get(id);
      if (old?.text === now.text) this.#seen.set(id, old);
    }
    return [...this.#seen.values()].map(({ automation }) => automation);
  }

  #seen = new Map<AutomationId, Seen>();

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

  get #rows(): readonly AutomationRow[] {
    return [...this.renderRoot.querySelectorAll('rota-automation-row')];
  }

  get #focused(): AutomationRow | undefined {
    return this.#rows.find((row) => row.matches(':focus-within'));
  }

  #step(by: 1 | -1): void {
    const rows = this.#rows;
    const at = rows.findIndex((row) => row.matches(':focus-within'));
    const to = at === -1 ? (by === 1 ? 0 : rows.length - 1) : at + by;
    rows[to]?.focus();
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
    const { state } = this.#list;
    if (state.kind === 'ready' && state.value.counts.all === 0) {
      return html`<rota-first-visit></rota-first-visit>`;
    }
    return html`${pageHeader({
        title: 'Automations',
        actions: html`<a class="btn primary" href=${href.new()} aria-label="New automation"
          >${icon('plus')} New<span class="wide">automation</span> <kbd>N</kbd></a
        >`,
      })}
      <rota-while-away .host=${this.host}></rota-while-away>
      ${this.#toolbar()} ${this.#content()} <rota-menu></rota-menu>`;
  }

  #toolbar(): TemplateResult {
    const counts = this.#list.value?.counts;
    const tags = [...new Set([...this.#tags, this.#tag])].filter((tag) => tag !== '').sort();
    return html`<div class="tools">
      <nav class="views" aria-label="Views">
        ${VIEWS.map(
          ({ view, label }) =>
            html`<a
              class=${view === 'needs-you' && (counts?.[view] ?? 0) > 0 ? 'needs' : ''}
              href=${href.automations(this.#address({ view }))}
              aria-current=${view === this.#view ? 'page' : nothing}
              >${label}${counts === undefined ? nothing : html`<i>${counts[view]}</i>`}</a
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
        const { items, next } = state.value;
        if (items.length === 0) return this.#nothingLeft();
        return html`<div role="table" aria-label="Automations" aria-rowcount=${items.length + 1}>
            <div class="head columns label" role="row">
              <span role="columnheader"><span class="sr-only">On</span></span>
              <span role="columnheader">Automation</span>
              <span role="columnheader">Next</span>
              <span role="columnheader">Last 30 runs</span>
              <span role="columnheader">Last result</span>
              <span role="columnheader"><span class="sr-only">Actions</span></span>
            </div>
            ${repeat(
              items,
              (automation) => automation.id,
              (automation: AutomationView) =>
                html`<rota-automation-row
                  .host=${this.host}
                  .automation=${automation}
                  .zone=${ownZone()}
                ></rota-automation-row>`,
            )}
          </div>
          ${
            next === undefined
              ? nothing
              : html`<p class="more">
                  These are the first ${LISTED_MOST}. Search or choose a tag to see the others.
                </p>`
          }`;
      }
    }
  }

  #nothingLeft(): TemplateResult {
    const all = this.#list.value?.counts.all ?? 0;
    const everything = html`<a class="btn" href=${href.automations()}>Show all ${all}</a>`;
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
