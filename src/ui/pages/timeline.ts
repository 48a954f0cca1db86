import { LitElement, type PropertyValues, type TemplateResult, css, html, nothing } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import type { AutomationId } from '../../domain/index.ts';
import { isUuid } from '../../domain/index.ts';
import { icon } from '../icons/icon.ts';
import '../parts/automation-field.ts';
import type { AutomationChosen } from '../parts/automation-field.ts';
import { pageHeader } from '../parts/page-header.ts';
import { empty, failed, placeholderStyles, skeleton } from '../parts/placeholder.ts';
import { fieldStyles, shared } from '../parts/styles.ts';
import '../parts/timeline-day.ts';
import '../parts/timeline-durations.ts';
import { durationsText, timedRuns } from '../parts/timeline-durations.ts';
import '../parts/timeline-year.ts';
import { type DayOfYear, sum, total } from '../parts/timeline-year.ts';
import type { RemoteHost } from '../remote-host.ts';
import { href, nameScreen, navigate } from '../router.ts';
import { Shortcuts } from '../shortcuts.ts';
import { countText } from '../text/counts.ts';
import { daysBetween, longDate, shortDate } from '../text/dates.ts';
import { type Day, countsTally, dayAt, dayLook, dayOf, gapsText, lanesTally } from '../text/timeline.ts';
import { Watched } from '../watched.ts';
import { type NamedAutomation, namedAutomation } from './named-automation.ts';

type View = 'day' | 'year' | 'durations';

const VIEWS: readonly { readonly view: View; readonly label: string }[] = [
  { view: 'day', label: 'Day' },
  { view: 'year', label: 'Year' },
  { view: 'durations', label: 'Durations' },
];

/** Days in the year that is shown, today the last of them. */
const YEAR_DAYS = 366;
/** Runs whose durations are shown. */
const DURATIONS_MOST = 200;

/** When everything ran, did not run and will run: a day in lanes, a year of days, and how long runs take. */
@customElement('rota-timeline-page')
export class TimelinePage extends LitElement {
  static override styles = [
    shared,
    placeholderStyles,
    fieldStyles,
    css`
      .views {
        display: flex;
        border: 1px solid var(--rule-strong);
        border-radius: var(--radius-s);
        background: var(--sheet);
        overflow: hidden;
      }

      .views a {
        display: grid;
        align-items: center;
        min-height: var(--target);
        padding: 0 14px;
        border-inline-start: 1px solid var(--rule);
        color: var(--ink-2);
        font-size: var(--size-s);
        text-decoration: none;
      }

      .views a:first-child {
        border: 0;
      }

      .views a:hover {
        background: var(--hover);
        color: var(--ink);
      }

      .views a[aria-current] {
        background: var(--act-soft);
        color: var(--act);
        font-weight: var(--weight-strong);
      }

      .views a:focus-visible {
        outline-offset: -2px;
      }

      .days {
        display: flex;
        flex-wrap: wrap;
        align-items: center;
        gap: var(--space-2);
        padding: 0 var(--gutter) var(--space-3);
      }

      .days h2 {
        margin-inline: var(--space-2);
        min-width: 0;
      }

      .sentence {
        padding: 0 var(--gutter) var(--space-4);
        color: var(--ink-2);
        text-wrap: pretty;
      }

      .sentence strong {
        color: var(--ink);
        font-weight: var(--weight-strong);
      }

      .more {
        padding: var(--space-3) var(--gutter);
        color: var(--ink-2);
        font-size: var(--size-s);
      }

      @media (max-width: 760px) {
        .days h2 {
          width: 100%;
          margin: 0;
          order: -1;
        }
      }

      @media (pointer: coarse) {
        .views a {
          min-height: 40px;
        }
      }
    `,
  ];

  @property({ attribute: false }) host!: RemoteHost;
  /** The query of the address: `view`, `day` and `automation`. */
  @property({ attribute: false }) query: URLSearchParams = new URLSearchParams();

  readonly #timeline = new Watched(this, {
    read: async (from: number | null, until: number | null) =>
      from === null || until === null ? null : await this.host.timeline({ from, until }),
    args: (): [number | null, number | null] =>
      this.#view === 'day' ? [this.#day.from, this.#day.until] : [null, null],
    topics: ['runs', 'automations', 'settings'],
    keep: true,
  });
  readonly #year = new Watched(this, {
    read: async (last: string | null): Promise<readonly DayOfYear[] | null> => {
      if (last === null) return null;
      const now = Date.now();
      const days = Array.from({ length: YEAR_DAYS }, (_, index) => dayAt(now, index + 1 - YEAR_DAYS));
      const bounds = [...days.map(({ from }) => from), days.at(-1)?.until ?? now];
      const { items } = await this.host.countRuns({ bounds });
      return days.map((day, index) => ({ ...day, counts: items[index] ?? {} }));
    },
    args: (): [string | null] => [this.#view === 'year' ? dayAt(Date.now()).date : null],
    topics: ['runs'],
  });
  /** The first there is: its durations are shown where none is asked for. */
  readonly #first = new Watched(this, {
    read: async () => (await this.host.listAutomations({ limit: 1 })).items[0]?.id ?? null,
    topics: ['automations'],
  });
  readonly #named = new Watched(this, {
    read: async (id: AutomationId | null): Promise<NamedAutomation | null> =>
      id === null ? null : await namedAutomation(this.host, id),
    args: (): [AutomationId | null] => [this.#view === 'durations' ? this.#automationId : null],
    topics: ['automations'],
  });
  readonly #runs = new Watched(this, {
    read: async (automationId: AutomationId | null) =>
      automationId === null
        ? null
        : (await this.host.listRuns({ automationId, limit: DURATIONS_MOST, status: [...TIMED] })).items,
    args: (): [AutomationId | null] => [this.#view === 'durations' ? this.#automationId : null],
    topics: ['runs'],
  });

  constructor() {
    super();
    const go = (away: number) => () => {
      if (this.#view === 'day') navigate(this.#hrefOf(dayAt(this.#day.from, away)));
    };
    new Shortcuts(this, () => [
      { key: 'j', label: 'Next day', run: go(1) },
      { key: 'k', label: 'Previous day', run: go(-1) },
    ]);
  }

  get #view(): View {
    return VIEWS.find(({ view }) => view === this.query.get('view'))?.view ?? 'day';
  }

  get #day(): Day {
    return dayOf(this.query.get('day') ?? '') ?? dayAt(Date.now());
  }

  /** The one whose durations are shown: the one in the address, else the first there is. */
  get #automationId(): AutomationId | null {
    const asked = this.query.get('automation');
    if (asked !== null && isUuid(asked)) return asked as AutomationId;
    return this.#first.value;
  }

  #hrefOf(day: Day): string {
    return day.date === dayAt(Date.now()).date ? href.timeline() : href.timeline({ day: day.date });
  }

  protected override updated(changed: PropertyValues<this>): void {
    if (!changed.has('query')) return;
    const label = this.#view === 'day' ? longDate(this.#day.from, Date.now()) : this.#view;
    nameScreen(`Timeline, ${label}`);
  }

  protected override render(): TemplateResult {
    const view = this.#view;
    return html`${pageHeader({
      title: 'Timeline',
      actions: html`<nav class="views" aria-label="What the timeline shows">
        ${VIEWS.map(
          (entry) =>
            html`<a
              href=${href.timeline(entry.view === 'day' ? {} : { view: entry.view })}
              aria-current=${entry.view === view ? 'true' : nothing}
              >${entry.label}</a
            >`,
        )}
      </nav>`,
    })}
    ${view === 'day' ? this.#dayView() : view === 'year' ? this.#yearView() : this.#durationsView()}`;
  }

  #dayView(): TemplateResult {
    const day = this.#day;
    const now = Date.now();
    const [before, after] = [dayAt(day.from, -1), dayAt(day.from, 1)];
    const away = daysBetween(now, day.from);
    const name = { [-1]: 'Yesterday, ', 0: 'Today, ', 1: 'Tomorrow, ' }[away] ?? '';
    return html`<div class="days">
        <a class="btn icon" href=${this.#hrefOf(before)} aria-label="The day before" title="The day before"
          >${icon('chevron-left')}</a
        >
        <a class="btn icon" href=${this.#hrefOf(after)} aria-label="The day after" title="The day after"
          >${icon('chevron-right')}</a
        >
        <h2 aria-live="polite">${name}${longDate(day.from, now)}</h2>
        ${away === 0 ? nothing : html`<a class="btn" href=${href.timeline()}>Today</a>`}
      </div>
      ${this.#dayBody(day)}`;
  }

  #dayBody(day: Day): TemplateResult {
    const { state } = this.#timeline;
    if (state.kind === 'failed') {
      return failed(state.problem, () => {
        void this.#timeline.refresh();
      });
    }
    const timeline = this.#timeline.value;
    if (timeline === null) return skeleton(6, 'Loading the day');
    // While another day is on its way, the lanes of the one before would stand under the wrong date.
    if (timeline.from !== day.from) return skeleton(6, 'Loading the day');
    const tally = lanesTally(timeline.lanes);
    const gaps = gapsText(timeline);
    if (timeline.lanes.length === 0) {
      return empty(
        'Nothing on this day.',
        gaps === '' ? 'No automation ran, missed a time or is due.' : `Nobody was there: ${gaps}.`,
        html`<a class="btn primary" href=${href.new()}>New automation</a>`,
      );
    }
    return html`<p class="sentence">
        <strong>${tally === '' ? 'Nothing ran' : tally}</strong>${gaps === '' ? '' : ` (${gaps})`}.
      </p>
      <rota-timeline-day .timeline=${timeline} .day=${day}></rota-timeline-day>
      ${
        timeline.lanesLeftOff > 0
          ? html`<p class="more">${countText(timeline.lanesLeftOff, 'more automation')} not shown here.</p>`
          : nothing
      }
      ${
        timeline.isCut
          ? html`<p class="more">
              More ran on this day than is drawn here; <a href=${href.runs()}>the list of runs</a> has all of
              it.
            </p>`
          : nothing
      }`;
  }

  #yearView(): TemplateResult {
    const { state } = this.#year;
    if (state.kind === 'failed') {
      return failed(state.problem, () => {
        void this.#year.refresh();
      });
    }
    const days = this.#year.value;
    if (days === null) return skeleton(4, 'Loading the year');
    const counts = sum(days);
    if (total(counts) === 0) {
      return empty('Nothing has run in this year.', 'Each day on which something runs gets a square here.');
    }
    const bad = days.filter((day) => dayLook(day.counts) === 'bad');
    const worst = bad.reduce<DayOfYear | null>(
      (most, day) => (most === null || failures(day) > failures(most) ? day : most),
      null,
    );
    return html`<p class="sentence">
        <strong>The last twelve months: ${countsTally(counts)}.</strong>
        ${
          worst === null
            ? 'No day had a failure.'
            : html`${countText(bad.length, 'day')} had a failure, most of all
                <a href=${href.timeline({ day: worst.date })}>${shortDate(worst.from, Date.now())}</a> with
                ${failures(worst)}.`
        }
        What was missed in one stretch counts once.
      </p>
      <rota-timeline-year .days=${days}></rota-timeline-year>`;
  }

  #durationsView(): TemplateResult {
    const id = this.#automationId;
    if (id === null) {
      const { state } = this.#first;
      if (state.kind === 'failed') {
        return failed(state.problem, () => {
          void this.#first.refresh();
        });
      }
      if (state.kind === 'loading') return skeleton(4, 'Loading the automations');
      return empty(
        'There is no automation yet.',
        'How long its runs take will stand here.',
        html`<a class="btn primary" href=${href.new()}>New automation</a>`,
      );
    }
    const named = this.#named.value;
    return html`<div class="days">
        <rota-automation-field
          .host=${this.host}
          .value=${id}
          .name=${named === null ? null : (named.name ?? 'A deleted one')}
          @rota-automation-chosen=${({ automationId }: AutomationChosen) => {
            if (automationId !== null)
              navigate(href.timeline({ view: 'durations', automation: automationId }));
          }}
        ></rota-automation-field>
      </div>
      ${this.#durations()}`;
  }

  #durations(): TemplateResult {
    const { state } = this.#runs;
    if (state.kind === 'failed') {
      return failed(state.problem, () => {
        void this.#runs.refresh();
      });
    }
    const runs = this.#runs.value;
    if (runs === null) return skeleton(4, 'Loading its runs');
    const timed = timedRuns(runs);
    if (timed.length === 0) return empty('It has not run yet.', 'How long its runs take will stand here.');
    return html`<p class="sentence">${durationsText(timed)}</p>
      <rota-timeline-durations .runs=${runs}></rota-timeline-durations>`;
  }
}

/** Runs that were really run and have ended; those that died have no end of their own. */
const TIMED = ['succeeded', 'failed', 'timed-out', 'cancelled'] as const;

function failures({ counts }: DayOfYear): number {
  return (counts.failed ?? 0) + (counts['timed-out'] ?? 0);
}

declare global {
  interface HTMLElementTagNameMap {
    'rota-timeline-page': TimelinePage;
  }
}
