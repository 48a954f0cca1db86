import { LitElement, css, html, nothing, svg, type SVGTemplateResult, type TemplateResult } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import { MINUTE_MS, type EpochMs } from '../../domain/index.ts';
import type { Timeline } from '../../rpc/index.ts';
import { href, navigate } from '../router.ts';
import { numberText } from '../text/counts.ts';
import { clockTime } from '../text/dates.ts';
import { statusOf, statusWord, tallyText, type RunKind } from '../text/status.ts';
import { type Day, gapsText, hoursOf, lanesTally, markText } from '../text/timeline.ts';
import { onTick } from './clock.ts';
import { drawingUnder, tableStyles } from './drawing.ts';
import { shared } from './styles.ts';

type Lane = Timeline['lanes'][number];
type Mark = Lane['marks'][number];

/** A track is drawn in these units, from its begin to its end, and then stretched to the room that there is. */
const WIDTH = 1_440;
const HEIGHT = 40;
/** No mark is narrower: what took no time is still there to be seen and pressed. */
const NARROWEST = 4;
/** How far beside a mark, as a share of the track, a press still means it. */
const NEAR = 0.008;

/** How tall a mark stands and how it looks: what failed stands out, what did not happen is hollow. */
const LOOKS: Readonly<Record<RunKind, { readonly look: string; readonly height: number }>> = {
  succeeded: { look: 'ok', height: 14 },
  running: { look: 'now', height: 14 },
  failed: { look: 'bad', height: 24 },
  'timed-out': { look: 'bad', height: 24 },
  interrupted: { look: 'hollow', height: 24 },
  'may-have-happened': { look: 'hollow', height: 24 },
  stopped: { look: 'hollow', height: 14 },
  missed: { look: 'hollow', height: 14 },
  skipped: { look: 'low', height: 4 },
  cancelled: { look: 'low', height: 4 },
};

/**
 * A day in lanes: `<rota-timeline-day .timeline=${timeline} .day=${day}>`. What ran stands as bars, what was missed hollow,
 * what is to come as ticks past the line of now, and where nobody was there is hatched. A press on a mark opens its run.
 * To screen readers each lane is one picture named by its tally; the table below has the same in numbers and links.
 */
@customElement('rota-timeline-day')
export class TimelineDay extends LitElement {
  static override styles = [
    shared,
    tableStyles,
    css`
      .scroll {
        overflow-x: auto;
        border-block: 1px solid var(--rule-strong);
      }

      .lanes {
        --name: 200px;
        position: relative;
        min-width: 760px;
        background: var(--sheet);
      }

      .lane {
        display: grid;
        grid-template-columns: var(--name) minmax(0, 1fr);
        align-items: center;
        border-top: 1px solid var(--rule);
      }

      .lane:first-child {
        border-top: 0;
      }

      .name {
        position: sticky;
        z-index: 2;
        inset-inline-start: 0;
        align-self: stretch;
        display: flex;
        align-items: center;
        min-width: 0;
        padding-inline: var(--gutter) var(--space-3);
        background: var(--sheet);
        color: var(--ink);
        font-size: var(--size-s);
        font-weight: 500;
        text-decoration: none;
      }

      .name span {
        overflow: hidden;
        text-overflow: ellipsis;
        white-space: nowrap;
      }

      a.name:hover {
        color: var(--act);
      }

      .name.gone {
        color: var(--ink-2);
        font-style: italic;
      }

      .hours,
      .hours .name {
        height: 30px;
        background: var(--sunk);
        color: var(--ink-3);
      }

      .hours .track span {
        position: absolute;
        top: 7px;
        font: var(--size-xs) / 1.3 var(--font-mono);
        translate: -50%;
      }

      .hours .track span:first-child {
        translate: 4px;
      }

      .track {
        position: relative;
        height: 100%;
        min-width: 0;
      }

      .track svg {
        width: 100%;
        height: ${HEIGHT}px;
        cursor: pointer;
      }

      .ok {
        fill: var(--ok);
      }

      .bad {
        fill: var(--bad);
      }

      .low {
        fill: var(--idle);
      }

      .now {
        fill: var(--now);
      }

      .hollow {
        fill: color-mix(in oklab, var(--warn) 12%, transparent);
        stroke: var(--warn);
        stroke-width: 1.5;
        vector-effect: non-scaling-stroke;
      }

      .next {
        fill: none;
        stroke: var(--edge);
        stroke-width: 1;
        vector-effect: non-scaling-stroke;
      }

      .more {
        fill: var(--rule);
      }

      /* Lies over the lanes and lets presses through. */
      .over {
        position: absolute;
        inset-block: 0;
        inset-inline: var(--name) 0;
        pointer-events: none;
      }

      .gap {
        position: absolute;
        inset-block: 30px 0;
        background: repeating-linear-gradient(135deg, transparent 0 6px, var(--rule-strong) 6px 7px);
        opacity: 0.75;
      }

      .line {
        position: absolute;
        z-index: 1;
        inset-block: 0;
        border-inline-start: 2px solid var(--now);
      }

      .line b {
        position: absolute;
        top: 6px;
        inset-inline-start: 0;
        padding: 0 5px;
        background: var(--sunk);
        color: var(--now);
        font: var(--weight-strong) var(--size-xs) / 1.5 var(--font-mono);
      }

      .line.late b {
        inset-inline: auto 2px;
      }

      table {
        min-width: 560px;
      }

      th,
      td {
        vertical-align: baseline;
      }

      .gaps {
        margin-top: var(--space-3);
      }

      .legend {
        display: flex;
        flex-wrap: wrap;
        gap: 4px var(--space-4);
        padding: var(--space-3) var(--gutter) 0;
        color: var(--ink-2);
        font-size: var(--size-xs);
      }

      .legend span {
        display: flex;
        align-items: center;
        gap: 6px;
      }

      .legend svg {
        width: 8px;
        height: 24px;
      }

      .legend i {
        width: 18px;
        height: 14px;
        background: repeating-linear-gradient(135deg, transparent 0 4px, var(--edge) 4px 5px);
      }

      @media (max-width: 760px) {
        .lanes {
          --name: 128px;
        }
      }

      @media (forced-colors: active) {
        .ok,
        .bad,
        .now {
          fill: CanvasText;
        }

        .low {
          fill: GrayText;
        }

        .hollow,
        .next {
          stroke: CanvasText;
        }
      }
    `,
  ];

  @property({ attribute: false }) timeline!: Timeline;
  @property({ attribute: false }) day!: Day;
  @state() private now: EpochMs = Date.now();
  #stop: (() => void) | null = null;

  constructor() {
    super();
    this.addEventListener('pointermove', this.#describe);
    this.addEventListener('click', this.#open);
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.#stop = onTick((now) => {
      // The line moves by less than a pixel in between.
      if (Math.floor(now / MINUTE_MS) !== Math.floor(this.now / MINUTE_MS)) this.now = now;
    });
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#stop?.();
  }

  /** Opens with what matters: the line of now, a little left of the middle, where the lanes do not fit. */
  protected override firstUpdated(): void {
    const scroll = this.renderRoot.querySelector('.scroll');
    if (scroll === null) return;
    scroll.scrollLeft = Math.max(0, this.#place(this.now) * scroll.scrollWidth - scroll.clientWidth / 2);
  }

  /** Where `at` lies on a track: 0 at the begin of the day, 1 at its end. */
  #place(at: EpochMs): number {
    const { from, until } = this.day;
    return Math.min(1, Math.max(0, (at - from) / (until - from)));
  }

  protected override render(): TemplateResult {
    const { timeline, day, now } = this;
    const isToday = now >= day.from && now < day.until;
    const place = this.#place(now);
    return html`<div class="scroll" tabindex="0" role="group" aria-label="Lanes of the day">
        <div class="lanes">
          <div class="lane hours" aria-hidden="true">
            <span class="name"></span>
            <div class="track">
              ${hoursOf(day).map(({ label, at }) => html`<span .style=${`inset-inline-start:${at * 100}%`}>${label}</span>`)}
            </div>
          </div>
          ${timeline.lanes.map((lane, index) => this.#lane(lane, index))}
          <div class="over" aria-hidden="true">
            ${timeline.gaps.map(({ from, until }) => {
              const start = this.#place(from);
              return html`<div
                class="gap"
                .style=${`inset-inline-start:${start * 100}%;width:${(this.#place(until) - start) * 100}%`}
              ></div>`;
            })}
            ${
              isToday
                ? html`<div
                    class="line ${place > 0.9 ? 'late' : ''}"
                    .style=${`inset-inline-start:${place * 100}%`}
                  >
                    <b>${clockTime(now)}</b>
                  </div>`
                : nothing
            }
          </div>
        </div>
      </div>
      ${this.#legend()} ${this.#table()}`;
  }

  #lane(lane: Lane, index: number): TemplateResult {
    const paths: Record<string, string> = {};
    for (const mark of lane.marks) {
      const { look, height } = LOOKS[statusOf(mark)];
      paths[look] = (paths[look] ?? '') + this.#box(mark, height);
    }
    const next = lane.next.map((at) => `M${round(this.#place(at) * WIDTH)} 14v12`).join('');
    const last = lane.next.at(-1);
    const more = lane.nextIsCut ? round(this.#place(last ?? this.now) * WIDTH) : null;
    const tally = lanesTally([lane]);
    const label = `${lane.automationName}: ${tally === '' ? 'nothing' : tally}`;
    const name = html`<span>${lane.automationName}</span>`;
    return html`<div class="lane">
      ${
        lane.isGone
          ? html`<span class="name gone" title="Deleted">${name}</span>`
          : html`<a class="name" href=${href.automation(lane.automationId)}>${name}</a>`
      }
      <div class="track">
        <svg
          viewBox="0 0 ${WIDTH} ${HEIGHT}"
          preserveAspectRatio="none"
          role="img"
          aria-label=${label}
          data-lane=${index}
        >
          ${Object.entries(paths).map(([look, path]): SVGTemplateResult => svg`<path class=${look} d=${path} />`)}
          ${next === '' ? nothing : svg`<path class="next" d=${next} />`}
          ${more === null ? nothing : svg`<path class="more" d="M${more} 17H${WIDTH}v6H${more}z" />`}
        </svg>
      </div>
    </div>`;
  }

  #box(mark: Mark, height: number): string {
    const start = Math.min(WIDTH - NARROWEST, this.#place(mark.from) * WIDTH);
    const width = Math.max(NARROWEST, this.#place(mark.until) * WIDTH - start);
    return `M${round(start)} ${(HEIGHT - height) / 2}h${round(width)}v${height}h${round(-width)}z`;
  }

  /** The mark that a pointer means: the one that it is on, or the nearest beside it. */
  #markAt(event: MouseEvent): { readonly track: SVGElement; readonly mark: Mark | null } | null {
    const track = drawingUnder(event);
    const lane = this.timeline.lanes[Number(track?.dataset['lane'])];
    if (track === null || lane === undefined) return null;
    const bounds = track.getBoundingClientRect();
    const at = (event.clientX - bounds.left) / bounds.width;
    const distance = ({ from, until }: Mark): number => {
      const start = this.#place(from);
      return Math.max(0, start - at, at - Math.max(this.#place(until), start + NARROWEST / WIDTH));
    };
    const [first, ...others] = lane.marks;
    if (first === undefined) return { track, mark: null };
    const nearest = others.reduce((best, mark) => (distance(mark) <= distance(best) ? mark : best), first);
    return { track, mark: distance(nearest) <= NEAR ? nearest : null };
  }

  readonly #describe = (event: PointerEvent): void => {
    const found = this.#markAt(event);
    if (found === null) return;
    const { track, mark } = found;
    track.style.cursor = mark === null ? 'default' : '';
    track.parentElement?.setAttribute('title', mark === null ? '' : markText(mark));
  };

  readonly #open = (event: MouseEvent): void => {
    const mark = this.#markAt(event)?.mark ?? null;
    if (mark !== null) navigate(href.run(mark.runId));
  };

  #legend(): TemplateResult {
    const present = new Set(this.timeline.lanes.flatMap(({ marks }) => marks.map(statusOf)));
    const kinds = (Object.keys(LOOKS) as RunKind[]).filter((kind) => present.has(kind));
    return html`<p class="legend" aria-hidden="true">
      ${kinds.map((kind) => {
        const { look, height } = LOOKS[kind];
        return html`<span
          ><svg viewBox="0 0 8 24">
            ${svg`<path class=${look} d="M1 ${(24 - height) / 2 + 1}h6v${height - 2}h-6z" />`}</svg
          >${statusWord(kind)}</span
        >`;
      })}
      ${this.timeline.gaps.length > 0 ? html`<span><i></i>Nobody there to run anything</span>` : nothing}
    </p>`;
  }

  #table(): TemplateResult | typeof nothing {
    const { timeline } = this;
    if (timeline.lanes.length === 0) return nothing;
    const gaps = gapsText(timeline);
    return html`<details>
      <summary>As a table</summary>
      <div class="table" tabindex="0" role="group" aria-label="The day as a table">
        <table>
          <thead>
            <tr>
              <th scope="col">Automation</th>
              <th scope="col">What ran and what did not</th>
              <th scope="col">To come</th>
              <th scope="col">Needs a look</th>
            </tr>
          </thead>
          <tbody>
            ${timeline.lanes.map((lane) => this.#row(lane))}
          </tbody>
        </table>
      </div>
      ${gaps === '' ? nothing : html`<p class="quiet gaps">Nobody was there: ${gaps}.</p>`}
    </details>`;
  }

  #row(lane: Lane): TemplateResult {
    const [next] = lane.next;
    const count = `${lane.nextIsCut ? 'more than ' : ''}${numberText(lane.next.length)}`;
    const wrong = lane.marks.filter(
      (mark) => !['succeeded', 'running', 'skipped', 'cancelled'].includes(mark.status),
    );
    return html`<tr>
      <th scope="row">
        ${
          lane.isGone
            ? lane.automationName
            : html`<a href=${href.runs({ automation: lane.automationId })}>${lane.automationName}</a>`
        }
      </th>
      <td>${tallyText(lane.marks) || '–'}</td>
      <td>${next === undefined ? '–' : `${count}, first at ${clockTime(next)}`}</td>
      <td>
        ${
          wrong.length === 0
            ? '–'
            : wrong
                .slice(-3)
                .map(
                  (mark, index) =>
                    html`${index === 0 ? '' : '; '}<a href=${href.run(mark.runId)}>${markText(mark)}</a>`,
                )
        }
      </td>
    </tr>`;
  }
}

/** A hundredth of a unit is finer than any screen. */
function round(value: number): number {
  return Math.round(value * 100) / 100;
}

declare global {
  interface HTMLElementTagNameMap {
    'rota-timeline-day': TimelineDay;
  }
}
