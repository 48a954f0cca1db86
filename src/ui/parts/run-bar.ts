import { LitElement, css, html, svg, type SVGTemplateResult, type TemplateResult } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import { RECENT_RUNS_MOST, type RecentRun, type RunId } from '../../domain/index.ts';
import { href, navigate } from '../router.ts';
import { namedDateTime } from '../text/dates.ts';
import { resultText, statusOf, statusWord, tallyText, type RunKind } from '../text/status.ts';

/** Cell and gap, in the units of the drawing, which are CSS pixels when there is room. */
const CELL = 6;
const STEP = 8;
const HEIGHT = 26;
const WIDTH = RECENT_RUNS_MOST * STEP - (STEP - CELL);

/** Height of a cell: what failed stands out, what did nothing lies low. */
const HEIGHTS: Readonly<Record<RunKind, number>> = {
  succeeded: 17,
  running: 17,
  missed: 17,
  stopped: 17,
  failed: 26,
  'timed-out': 26,
  interrupted: 26,
  'may-have-happened': 26,
  skipped: 5,
  cancelled: 5,
};

/** The cells' colours, for the bar and for what explains it. */
export const cellStyles = css`
  .none {
    fill: var(--rule-strong);
  }

  .succeeded {
    fill: var(--ok);
  }

  .failed {
    fill: var(--bad);
  }

  .low {
    fill: var(--idle);
  }

  .hollow {
    fill: none;
    stroke: var(--warn);
    stroke-width: 1.5;
  }

  .running {
    fill: var(--now);
    animation: breathe 1.5s ease-in-out infinite alternate;
  }

  @keyframes breathe {
    to {
      opacity: 0.3;
    }
  }

  @media (prefers-reduced-motion: reduce) {
    .running {
      animation: none;
    }
  }

  @media (forced-colors: active) {
    .succeeded,
    .failed,
    .running {
      fill: CanvasText;
    }

    .low,
    .none {
      fill: GrayText;
    }

    .hollow {
      stroke: CanvasText;
    }
  }
`;

/** The class of a cell: what looks the same is one path. */
const LOOKS: Readonly<Record<RunKind, 'succeeded' | 'failed' | 'low' | 'hollow' | 'running'>> = {
  succeeded: 'succeeded',
  running: 'running',
  failed: 'failed',
  'timed-out': 'failed',
  missed: 'hollow',
  stopped: 'hollow',
  interrupted: 'hollow',
  'may-have-happened': 'hollow',
  skipped: 'low',
  cancelled: 'low',
};

/** One cell alone, for a legend. Hidden from screen readers. */
export function runCell(kind: RunKind): TemplateResult {
  return html`<svg width=${CELL} height=${HEIGHT} viewBox="0 0 ${CELL} ${HEIGHT}" aria-hidden="true">
    <path class=${LOOKS[kind]} d=${cell(kind, 0)} />
  </svg>`;
}

/**
 * The last runs as a bar, newest on the right: `<rota-run-bar .runs=${recent} .active=${active}>`. Solid is what ran,
 * tall what failed, hollow what did not happen or may have, low what was skipped; what runs now breathes. To screen
 * readers it is one picture, named by its tally. A click on a cell opens that run; the history has the same runs as a list.
 *
 * One path a kind of cell, so that hundreds of bars stay cheap.
 */
@customElement('rota-run-bar')
export class RunBar extends LitElement {
  static override styles = [
    cellStyles,
    css`
      :host {
        display: block;
        width: ${WIDTH}px;
        max-width: 100%;
        line-height: 0;
      }

      svg {
        display: block;
        width: 100%;
        height: auto;
        overflow: visible;
        cursor: pointer;
      }
    `,
  ];

  /** Newest last. */
  @property({ attribute: false }) runs: readonly RecentRun[] = [];
  /** What runs now, to the right of them. */
  @property({ attribute: false }) active: readonly { readonly runId: RunId }[] = [];

  constructor() {
    super();
    this.addEventListener('pointermove', this.#describe);
    this.addEventListener('click', this.#open);
  }

  /** What stands in each cell, `null` where there is no run yet. */
  get #cells(): readonly ({ readonly id: RunId; readonly run: RecentRun | null } | null)[] {
    const active = this.active.slice(0, RECENT_RUNS_MOST).map(({ runId }) => ({ id: runId, run: null }));
    const room = RECENT_RUNS_MOST - active.length;
    const runs = this.runs.slice(-room).map((run) => ({ id: run.id, run }));
    return [
      ...Array.from({ length: room - runs.length }, () => null),
      ...(room === 0 ? [] : runs),
      ...active,
    ];
  }

  protected override render(): TemplateResult {
    const paths = { none: '', succeeded: '', failed: '', low: '', hollow: '', running: '' };
    this.#cells.forEach((at, index) => {
      const x = index * STEP;
      if (at === null) paths.none += box(x, 2);
      else {
        const kind = at.run === null ? 'running' : statusOf(at.run);
        paths[LOOKS[kind]] += cell(kind, x);
      }
    });
    return html`<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label=${this.#label()}>
      ${Object.entries(paths).map(([kind, path]): SVGTemplateResult | null =>
        path === '' ? null : svg`<path class=${kind} d=${path} />`,
      )}
    </svg>`;
  }

  #label(): string {
    const tally = tallyText(this.runs, this.active.length);
    return tally === '' ? 'No runs yet' : `Last ${RECENT_RUNS_MOST} runs: ${tally}`;
  }

  #cellAt(event: MouseEvent): { readonly id: RunId; readonly run: RecentRun | null } | null {
    const bounds = this.getBoundingClientRect();
    const at = ((event.clientX - bounds.left) / bounds.width) * WIDTH + (STEP - CELL) / 2;
    return this.#cells[Math.max(0, Math.min(RECENT_RUNS_MOST - 1, Math.floor(at / STEP)))] ?? null;
  }

  readonly #describe = (event: PointerEvent): void => {
    const cell = this.#cellAt(event);
    this.title = cell === null ? '' : cell.run === null ? 'Running' : describe(cell.run);
  };

  readonly #open = (event: MouseEvent): void => {
    const cell = this.#cellAt(event);
    if (cell !== null) navigate(href.run(cell.id));
  };
}

function describe(run: RecentRun): string {
  const when = namedDateTime(run.at, Date.now());
  const what = resultText(run);
  return `${statusWord(statusOf(run))}, ${when}${what === '' ? '' : `\n${what}`}`;
}

function cell(kind: RunKind, x: number): string {
  return box(x, HEIGHTS[kind], LOOKS[kind] === 'hollow' ? 0.75 : 0);
}

/** A cell that stands on the ground line, its corners a little rounded; `inset` leaves room for a stroke. */
function box(x: number, height: number, inset = 0): string {
  const r = Math.min(1.5, height / 2);
  const left = x + inset;
  const top = HEIGHT - height + inset;
  const w = CELL - 2 * inset - 2 * r;
  const h = height - 2 * inset - 2 * r;
  return `M${left} ${top + r}a${r} ${r} 0 0 1 ${r} ${-r}h${w}a${r} ${r} 0 0 1 ${r} ${r}v${h}a${r} ${r} 0 0 1 ${-r} ${r}h${-w}a${r} ${r} 0 0 1 ${-r} ${-r}z`;
}

declare global {
  interface HTMLElementTagNameMap {
    'rota-run-bar': RunBar;
  }
}
