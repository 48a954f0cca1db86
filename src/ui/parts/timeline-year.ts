import { LitElement, css, html, nothing, svg, type SVGTemplateResult, type TemplateResult } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import { href, navigate } from '../router.ts';
import { countText, numberText } from '../text/counts.ts';
import { monthText, shortDate } from '../text/dates.ts';
import { type Day, type DayCounts, countsTally, dayLook } from '../text/timeline.ts';
import { drawingUnder, tableStyles } from './drawing.ts';
import { shared } from './styles.ts';

/** A day with what it held. */
export type DayOfYear = Day & { readonly counts: DayCounts };

/** Side of a day and its step, in pixels. */
const CELL = 13;
const STEP = 16;
const TOP = 18;
const LEFT = 34;

/**
 * A year of days, a column a week: `<rota-timeline-year .days=${days}>`, oldest first, all of them in a row. The more ran on a
 * day the fuller its square, a day on which something failed has a notch besides its colour, and one on which something was
 * missed a frame. A press opens the day. To screen readers it is one picture; the table below has it month by month.
 */
@customElement('rota-timeline-year')
export class TimelineYear extends LitElement {
  static override styles = [
    shared,
    tableStyles,
    css`
      .scroll {
        overflow-x: auto;
        padding: 0 var(--gutter) var(--space-3);
      }

      svg {
        cursor: pointer;
      }

      text {
        fill: var(--ink-3);
        font: var(--size-xs) var(--font);
      }

      .none {
        fill: var(--rule);
      }

      .ok {
        fill: var(--ok);
      }

      .bad {
        fill: var(--bad);
      }

      .low {
        fill: var(--idle);
        fill-opacity: 0.5;
      }

      .missed {
        fill: color-mix(in oklab, var(--warn) 18%, var(--paper));
        stroke: var(--warn);
        stroke-width: 1.5;
      }

      .notch {
        fill: var(--paper);
      }

      .today {
        fill: none;
        stroke: var(--now);
        stroke-width: 2;
      }

      details {
        padding-top: var(--space-2);
      }

      @media (forced-colors: active) {
        .ok,
        .bad {
          fill: CanvasText;
        }

        .low,
        .none {
          fill: GrayText;
        }
      }
    `,
  ];

  @property({ attribute: false }) days: readonly DayOfYear[] = [];

  constructor() {
    super();
    this.addEventListener('pointermove', this.#describe);
    this.addEventListener('click', this.#open);
  }

  /** Where the week of the first day begins: weeks are columns from Monday on. */
  get #lead(): number {
    const [first] = this.days;
    return first === undefined ? 0 : (new Date(first.from).getDay() + 6) % 7;
  }

  protected override firstUpdated(): void {
    const scroll = this.renderRoot.querySelector('.scroll');
    if (scroll !== null) scroll.scrollLeft = scroll.scrollWidth;
  }

  protected override render(): TemplateResult {
    const { days } = this;
    const lead = this.#lead;
    const weeks = Math.ceil((days.length + lead) / 7);
    const most = Math.max(1, ...days.map(({ counts }) => total(counts)));
    const now = Date.now();
    const busy = days.filter(({ counts }) => total(counts) > 0).length;
    return html`<div class="scroll" tabindex="0" role="group" aria-label="The year">
        <svg
          width=${LEFT + weeks * STEP}
          height=${TOP + 7 * STEP}
          role="img"
          aria-label="${countText(busy, 'day')} with runs; below, month by month"
        >
          ${['Mon', 'Wed', 'Fri', 'Sun'].map(
            (name, index) => svg`<text x="0" y=${TOP + index * 2 * STEP + 11}>${name}</text>`,
          )}
          ${days.map((day, index): SVGTemplateResult => {
            const [x, y] = [LEFT + Math.floor((index + lead) / 7) * STEP, TOP + ((index + lead) % 7) * STEP];
            const isFirst = new Date(day.from).getDate() === 1;
            const look = dayLook(day.counts);
            const share = look === 'ok' ? 0.3 + 0.7 * Math.sqrt(total(day.counts) / most) : 1;
            return svg`${isFirst ? svg`<text x=${x} y="10">${monthText(day.from)}</text>` : nothing}
              <rect class=${look} x=${x} y=${y} width=${CELL} height=${CELL} rx="2" fill-opacity=${share} />
              ${look === 'bad' ? svg`<path class="notch" d="M${x + CELL} ${y}v6l-6 -6z" />` : nothing}
              ${
                now >= day.from && now < day.until
                  ? svg`<rect class="today" x=${x - 1} y=${y - 1} width=${CELL + 2} height=${CELL + 2} rx="3" />`
                  : nothing
              }`;
          })}
        </svg>
      </div>
      ${this.#table()}`;
  }

  #dayAt(event: MouseEvent): DayOfYear | null {
    const bounds = drawingUnder(event)?.getBoundingClientRect();
    if (bounds === undefined) return null;
    const week = Math.floor((event.clientX - bounds.left - LEFT) / STEP);
    const weekday = Math.floor((event.clientY - bounds.top - TOP) / STEP);
    if (week < 0 || weekday < 0 || weekday > 6) return null;
    return this.days[week * 7 + weekday - this.#lead] ?? null;
  }

  readonly #describe = (event: PointerEvent): void => {
    const day = this.#dayAt(event);
    const tally = day === null ? '' : countsTally(day.counts);
    const title =
      day === null ? '' : `${shortDate(day.from, Date.now())}: ${tally === '' ? 'nothing' : tally}`;
    drawingUnder(event)?.parentElement?.setAttribute('title', title);
  };

  readonly #open = (event: MouseEvent): void => {
    const day = this.#dayAt(event);
    if (day !== null) navigate(href.timeline({ day: day.date }));
  };

  #table(): TemplateResult {
    const months = new Map<string, DayOfYear[]>();
    for (const day of this.days) {
      const month = day.date.slice(0, 7);
      months.set(month, [...(months.get(month) ?? []), day]);
    }
    return html`<details>
      <summary>As a table</summary>
      <div class="table" tabindex="0" role="group" aria-label="The year as a table">
        <table>
          <thead>
            <tr>
              <th scope="col">Month</th>
              <th scope="col">Rows</th>
              <th scope="col">How they went</th>
              <th scope="col">Days with a failure</th>
            </tr>
          </thead>
          <tbody>
            ${[...months.values()].reverse().map((days) => {
              const counts = sum(days);
              const bad = days.filter((day) => dayLook(day.counts) === 'bad');
              return html`<tr>
                <th scope="row">${monthText(days[0]?.from ?? 0)} ${days[0]?.date.slice(0, 4)}</th>
                <td>${numberText(total(counts))}</td>
                <td>${countsTally(counts) || '–'}</td>
                <td>
                  ${
                    bad.length === 0
                      ? '–'
                      : bad
                          .slice(-7)
                          .map(
                            (day, index) =>
                              html`${index === 0 ? '' : ', '}<a href=${href.timeline({ day: day.date })}
                                  >${shortDate(day.from, Date.now())}</a
                                >`,
                          )
                  }${bad.length > 7 ? html` and ${bad.length - 7} before` : nothing}
                </td>
              </tr>`;
            })}
          </tbody>
        </table>
      </div>
    </details>`;
  }
}

/** How many rows there are. */
export function total(counts: DayCounts): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

/** The counts of all of `days`. */
export function sum(days: readonly DayOfYear[]): DayCounts {
  const all: Record<string, number> = {};
  for (const { counts } of days) {
    for (const [status, count] of Object.entries(counts)) all[status] = (all[status] ?? 0) + count;
  }
  return all;
}

declare global {
  interface HTMLElementTagNameMap {
    'rota-timeline-year': TimelineYear;
  }
}
