import { LitElement, type PropertyValues, type TemplateResult, css, html, nothing } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import { live } from 'lit/directives/live.js';
import type { AutomationId, EpochMs } from '../../domain/index.ts';
import { type AutomationView, SEARCH_MOST } from '../../rpc/index.ts';
import { runNow } from '../commands.ts';
import { icon } from '../icons/icon.ts';
import '../parts/automation-field.ts';
import type { AutomationChosen } from '../parts/automation-field.ts';
import { pageHeader } from '../parts/page-header.ts';
import { empty, placeholderStyles } from '../parts/placeholder.ts';
import { fieldStyles, shared } from '../parts/styles.ts';
import type { RemoteHost } from '../remote-host.ts';
import { href, nameScreen, navigate, replaceQuery } from '../router.ts';
import { Shortcuts } from '../shortcuts.ts';
import { namedDateTime, relativeTime } from '../text/dates.ts';
import { scheduleSentence } from '../text/schedule.ts';
import { Watched } from '../watched.ts';
import { type NamedAutomation, namedAutomation } from './named-automation.ts';
import { NewestWanted } from './run-list.ts';
import './run-list.ts';
import './run-search.ts';
import { ALL_RUNS, RUNS_VIEWS, type RunsFilter, filterOf, isView, queryOf } from './runs-filter.ts';

/** The history: every run, and everything that was due and did not run, newest first. */
@customElement('rota-runs-page')
export class RunsPage extends LitElement {
  static override styles = [
    shared,
    placeholderStyles,
    fieldStyles,
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

      .tools {
        display: flex;
        flex-wrap: wrap;
        gap: var(--space-2);
        align-items: center;
        padding: 5px 0;
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
        width: 230px;
        max-width: 100%;
        padding-inline-start: 30px;
      }

      .tools .btn[aria-pressed='true'] {
        border-color: var(--ink-2);
        background: var(--hover);
      }

      @media (max-width: 760px) {
        .tools,
        .search,
        .search input {
          width: 100%;
        }
      }
    `,
  ];

  @property({ attribute: false }) host!: RemoteHost;
  /** The query of the address: see `runs-filter.ts`. */
  @property({ attribute: false }) query: URLSearchParams = new URLSearchParams();
  #filter: RunsFilter = ALL_RUNS;

  /** The automation whose runs are shown, and, of one that was deleted, the name in its history. */
  readonly #automation = new Watched(this, {
    read: async (id: AutomationId | null): Promise<NamedAutomation> =>
      id === null ? { automation: null, name: null } : await namedAutomation(this.host, id),
    args: (): [AutomationId | null] => [this.#filter.automationId],
    topics: ['automations', 'runs'],
  });
  /** Whether there is anything to choose from. */
  readonly #isAny = new Watched(this, {
    read: async () => (await this.host.listAutomations({ limit: 1 })).counts.all > 0,
    topics: ['automations'],
  });

  constructor() {
    super();
    new Shortcuts(this, () => [
      {
        key: '/',
        label: 'Search',
        run: () => this.renderRoot.querySelector<HTMLElement>('[type=search]')?.focus(),
      },
    ]);
    this.addEventListener(NewestWanted.type, () => this.#show({ date: null }));
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    // Another object only when it is another filter: the list looks at it.
    if (changed.has('query')) this.#filter = filterOf(this.query);
  }

  protected override updated(): void {
    const automation = this.#automation.value?.automation ?? null;
    if (automation !== null) nameScreen(`Runs of ${automation.name}`);
  }

  /** Writes a change of the filter into the address, without a step to come back to. */
  #show(change: Partial<RunsFilter>): void {
    replaceQuery(queryOf({ ...this.#filter, ...change }));
  }

  protected override render(): TemplateResult {
    return html`${this.#head()} ${this.#filters()}
    ${
      this.#filter.text.trim() === ''
        ? html`<rota-run-list .host=${this.host} .filter=${this.#filter}
            ><div slot="empty">${this.#nothing()}</div></rota-run-list
          >`
        : html`<rota-run-search .host=${this.host} .filter=${this.#filter}></rota-run-search>`
    }`;
  }

  #head(): TemplateResult {
    const { automationId } = this.#filter;
    if (automationId === null) return pageHeader({ title: 'Runs' });
    const automation = this.#automation.value?.automation ?? null;
    const name = this.#automation.value?.name ?? 'Runs of one automation';
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
      <div class="tools">
        <div class="search" role="search">
          ${icon('magnifying-glass')}
          <input
            class="field"
            type="search"
            placeholder="Search runs and outputs"
            aria-label="Search runs and what they brought back"
            autocomplete="off"
            spellcheck="false"
            maxlength=${SEARCH_MOST}
            .value=${live(filter.text)}
            @input=${(event: Event) => this.#show({ text: (event.target as HTMLInputElement).value })}
          />
        </div>
        ${this.#which()}
        <input
          class="field"
          type="date"
          aria-label="Begin at a date"
          title="Begin at a date"
          .value=${live(filter.date ?? '')}
          max=${dateOf(Date.now())}
          @change=${(event: Event) => {
            const { value } = event.target as HTMLInputElement;
            this.#show({ date: value === '' ? null : value });
          }}
        />
        <button
          type="button"
          class="btn"
          aria-pressed=${filter.each ? 'true' : 'false'}
          @click=${() => this.#show({ each: !filter.each })}
        >
          Show each run
        </button>
      </div>
    </div>`;
  }

  #which(): TemplateResult | typeof nothing {
    const { automationId } = this.#filter;
    if (automationId === null && this.#isAny.value !== true) return nothing;
    const { value } = this.#automation;
    const isNamed = value !== null && automationId !== null;
    return html`<rota-automation-field
      .host=${this.host}
      .value=${automationId}
      .name=${isNamed ? (value.name ?? 'A deleted one') : null}
      .all=${'All automations'}
      @rota-automation-chosen=${(event: AutomationChosen) =>
        navigate(href.runs(queryOf({ ...this.#filter, automationId: event.automationId })))}
    ></rota-automation-field>`;
  }

  #nothing(): TemplateResult {
    const { automationId, statuses, date } = this.#filter;
    if (date !== null) {
      return empty(
        'Nothing is as old as that.',
        'What Rota keeps begins after this date.',
        html`<button type="button" class="btn" @click=${() => this.#show({ date: null })}>
          Go to the newest
        </button>`,
      );
    }
    if (statuses.length > 0) {
      return empty(
        'No run is like this.',
        'Missed and skipped times are rows, too: nothing that was due is left out.',
        html`<a class="btn" href=${href.runs(queryOf({ ...this.#filter, statuses: [] }))}>All runs</a>`,
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
}

/** `2026-03-03`, on the wall clock here. */
function dateOf(at: EpochMs): string {
  const date = new Date(at);
  const two = (value: number): string => String(value).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

function sentenceOf({ schedule, enabled, nextDueAt }: AutomationView, now: EpochMs): string {
  const sentence = `${scheduleSentence(schedule, now)}.`;
  if (!enabled) return `${sentence} Paused.`;
  if (nextDueAt === null) return sentence;
  const away = relativeTime(nextDueAt, now);
  return `${sentence} Next ${namedDateTime(nextDueAt, now)}${away === 'tomorrow' ? '' : `, ${away}`}.`;
}

declare global {
  interface HTMLElementTagNameMap {
    'rota-runs-page': RunsPage;
  }
}
