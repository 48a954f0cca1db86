import { LitElement, css, html, nothing, svg, type SVGTemplateResult, type TemplateResult } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import type { Run } from '../../rpc/index.ts';
import { href, navigate } from '../router.ts';
import { namedDateTime } from '../text/dates.ts';
import { durationText } from '../text/durations.ts';
import { statusOf, statusTone, statusWord } from '../text/status.ts';
import { percentile } from '../text/timeline.ts';
import { drawingUnder, tableStyles } from './drawing.ts';
import { statusMark, statusStyles } from './status-mark.ts';
import { shared } from './styles.ts';

/** A run with how long it took. */
interface Timed {
  readonly run: Run;
  readonly took: number;
}

const WIDTH = 1_000;
const HEIGHT = 220;
/** Rows of the table. */
const TABLE_MOST = 50;

/** The runs of `runs` that have ended and were really run, oldest first, with how long they took. */
export function timedRuns(runs: readonly Run[]): readonly Timed[] {
  return runs
    .flatMap((run) =>
      run.startedAt === null || run.settledAt === null ? [] : [{ run, took: run.settledAt - run.startedAt }],
    )
    .reverse();
}

/** `Half of the last 200 runs took less than 214 ms, 95 of 100 less than 1.2 s; the longest took 9 s.` Not of an empty list. */
export function durationsText(timed: readonly Timed[]): string {
  const took = timed.map((one) => one.took);
  const [half, most, longest] = [0.5, 0.95, 1].map((share) => durationText(percentile(took, share)));
  if (timed.length === 1) return `The only run took ${longest ?? ''}.`;
  return `Of the last ${timed.length} runs half took at most ${half ?? ''} and 95 of 100 at most ${most ?? ''}; the longest took ${longest ?? ''}.`;
}

/**
 * How long the runs of one automation took, oldest on the left: `<rota-timeline-durations .runs=${runs}>`. Failed ones are
 * squares, the others round. A press opens the run. The table below has the same in numbers and links.
 */
@customElement('rota-timeline-durations')
export class TimelineDurations extends LitElement {
  static override styles = [
    shared,
    statusStyles,
    tableStyles,
    css`
      .chart {
        display: grid;
        grid-template-columns: auto minmax(0, 1fr);
        gap: 0 var(--space-3);
        padding: 0 var(--gutter);
      }

      .scale {
        position: relative;
        width: 9ch;
        color: var(--ink-3);
        font: var(--size-xs) / 1 var(--font-mono);
        text-align: end;
      }

      .scale span {
        position: absolute;
        inset-inline-end: 0;
        translate: 0 -50%;
      }

      .at-50 {
        top: 50%;
      }

      .at-100 {
        top: 100%;
      }

      svg {
        width: 100%;
        height: ${HEIGHT}px;
        overflow: visible;
        cursor: pointer;
      }

      .grid {
        stroke: var(--rule);
        vector-effect: non-scaling-stroke;
      }

      .grid.half {
        stroke: var(--edge);
        stroke-dasharray: 4 4;
      }

      path.dots {
        fill: none;
        stroke-width: 7;
        stroke-linecap: round;
        vector-effect: non-scaling-stroke;
      }

      path.bad,
      path.warn {
        stroke-linecap: square;
      }

      path.ok {
        stroke: var(--ok);
      }

      path.bad {
        stroke: var(--bad);
      }

      path.warn {
        stroke: var(--warn);
      }

      path.quiet {
        stroke: var(--idle);
      }

      th,
      td {
        white-space: nowrap;
      }

      @media (forced-colors: active) {
        path.dots {
          stroke: CanvasText;
        }
      }
    `,
  ];

  /** Newest first, as the ledger lists them. */
  @property({ attribute: false }) runs: readonly Run[] = [];

  constructor() {
    super();
    this.addEventListener('pointermove', this.#describe);
    this.addEventListener('click', this.#open);
  }

  protected override render(): TemplateResult | typeof nothing {
    const timed = timedRuns(this.runs);
    if (timed.length === 0) return nothing;
    const most = Math.max(1, ...timed.map(({ took }) => took));
    const half = percentile(
      timed.map(({ took }) => took),
      0.5,
    );
    const y = (took: number): number => HEIGHT - (took / most) * HEIGHT;
    const dots: Record<string, string> = {};
    timed.forEach(({ run, took }, index) => {
      const tone = statusTone(statusOf(run));
      dots[tone] = `${dots[tone] ?? ''}M${placeOf(index, timed.length)} ${y(took)}h0`;
    });
    return html`<div class="chart">
        <div class="scale" aria-hidden="true">
          <span class="at-0">${durationText(most)}</span>
          <span class="at-50">${durationText(most / 2)}</span>
          <span class="at-100">0</span>
        </div>
        <svg
          viewBox="0 0 ${WIDTH} ${HEIGHT}"
          preserveAspectRatio="none"
          role="img"
          aria-label=${durationsText(timed)}
        >
          ${[0, 0.5, 1].map((share) => svg`<path class="grid" d="M0 ${HEIGHT * share}H${WIDTH}" />`)}
          <path class="grid half" d="M0 ${y(half)}H${WIDTH}" />
          ${Object.entries(dots).map(
            ([tone, path]): SVGTemplateResult => svg`<path class="dots ${tone}" d=${path} />`,
          )}
        </svg>
      </div>
      <details>
        <summary>As a table</summary>
        <div class="table" tabindex="0" role="group" aria-label="Durations as a table">
          <table>
            <thead>
              <tr>
                <th scope="col">When</th>
                <th scope="col">State</th>
                <th scope="col">Took</th>
              </tr>
            </thead>
            <tbody>
              ${[...timed]
                .reverse()
                .slice(0, TABLE_MOST)
                .map(
                  ({ run, took }) =>
                    html`<tr>
                      <td><a href=${href.run(run.id)}>${namedDateTime(run.claimedAt, Date.now())}</a></td>
                      <td>${statusMark(statusOf(run))}</td>
                      <td>${durationText(took)}</td>
                    </tr>`,
                )}
            </tbody>
          </table>
        </div>
      </details>`;
  }

  #at(event: MouseEvent): Timed | null {
    const bounds = drawingUnder(event)?.getBoundingClientRect();
    if (bounds === undefined) return null;
    const timed = timedRuns(this.runs);
    const share = (event.clientX - bounds.left) / bounds.width;
    return timed[Math.min(timed.length - 1, Math.max(0, Math.floor(share * timed.length)))] ?? null;
  }

  readonly #describe = (event: PointerEvent): void => {
    const at = this.#at(event);
    drawingUnder(event)?.parentElement?.setAttribute('title', at === null ? '' : describe(at));
  };

  readonly #open = (event: MouseEvent): void => {
    const at = this.#at(event);
    if (at !== null) navigate(href.run(at.run.id));
  };
}

function placeOf(index: number, count: number): number {
  return Math.round(((index + 0.5) / count) * WIDTH * 10) / 10;
}

function describe({ run, took }: Timed): string {
  return `${statusWord(statusOf(run))}, ${durationText(took)}, ${namedDateTime(run.claimedAt, Date.now())}`;
}

declare global {
  interface HTMLElementTagNameMap {
    'rota-timeline-durations': TimelineDurations;
  }
}
