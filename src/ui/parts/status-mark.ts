/** The state of a run or an automation: always a shape and a word, in the colour that goes with them. */
import { css, html, nothing, svg, type SVGTemplateResult, type TemplateResult } from 'lit';
import { statusTone, statusWord, type StatusKind } from '../text/status.ts';

const SHAPES: Readonly<Record<StatusKind, SVGTemplateResult>> = {
  succeeded: svg`<path class="line" d="M3 8.6 6.4 12 13 4.6" />`,
  failed: svg`<path class="line" d="m4 4 8 8m0-8-8 8" />`,
  stopped: svg`<path class="line" d="M3.5 3.2h9M8 13V6.4M5 9.2l3-3 3 3" />`,
  'timed-out': svg`<circle class="line thin" cx="8" cy="8" r="5.6" /><path class="line thin" d="M8 4.8V8h2.6" />`,
  cancelled: svg`<rect class="line thin" x="3.6" y="3.6" width="8.8" height="8.8" rx="1.5" />`,
  interrupted: svg`<path class="line" d="M2.5 8h3.2m4.6 0h3.2M6.6 11.5l2.8-7" />`,
  'may-have-happened': svg`<path class="line" d="M5.4 6a2.6 2.6 0 1 1 3.9 2.3c-.9.5-1.3.9-1.3 1.8" /><circle class="solid" cx="8" cy="12.8" r="1.1" />`,
  missed: svg`<circle class="line thin dashed" cx="8" cy="8" r="5.4" />`,
  skipped: svg`<path class="line" d="m3.5 4 4.2 4-4.2 4M11.8 4v8" />`,
  running: svg`<circle class="line thin" cx="8" cy="8" r="5.4" /><path class="solid turn" d="M8 2.6a5.4 5.4 0 0 1 0 10.8z" />`,
  waiting: svg`<path class="line thin" d="M4.2 2.8h7.6M4.2 13.2h7.6M5 2.8c0 3 3 3.6 3 5.2s-3 2.2-3 5.2m6-10.4c0 3-3 3.6-3 5.2s3 2.2 3 5.2" />`,
  paused: svg`<path class="line" d="M5.6 3.6v8.8m4.8-8.8v8.8" />`,
  'not-run': svg`<path class="line" d="M4.5 8h7" />`,
};

/** The shape alone, where the word stands elsewhere. Hidden from screen readers. */
export function statusShape(kind: StatusKind, size = 14): TemplateResult {
  return html`<svg
    class="shape ${statusTone(kind)}"
    data-status=${kind}
    width=${size}
    height=${size}
    viewBox="0 0 16 16"
    aria-hidden="true"
  >
    ${SHAPES[kind]}
  </svg>`;
}

/** Shape and word; `word` replaces the usual one, as in `Waiting for the network`. */
export function statusMark(kind: StatusKind, word?: string | TemplateResult): TemplateResult {
  return html`<span class="status ${statusTone(kind)}" data-status=${kind}
    >${statusShape(kind)}<span class="word">${word ?? statusWord(kind)}</span></span
  >`;
}

/** A mark at the head of a screen, on a soft ground of its colour. */
export function statusBadge(kind: StatusKind, more?: TemplateResult): TemplateResult {
  return html`<span class="badge ${statusTone(kind)}">${statusMark(kind)}${more ?? nothing}</span>`;
}

/** Beside `shared` for what uses the marks above. */
export const statusStyles = css`
  .status {
    display: inline-flex;
    align-items: center;
    gap: 6px;
    min-width: 0;
    font-size: var(--size-s);
    font-weight: var(--weight-strong);
  }

  .status.quiet,
  .shape.quiet {
    color: var(--ink-2);
  }

  /* What went as it should stays quiet, so that what did not stands out. */
  .status.ok .word,
  .status.quiet .word {
    font-weight: 500;
  }

  .status.ok .word {
    color: var(--ink);
  }

  .status .word {
    min-width: 0;
    overflow: hidden;
    text-overflow: ellipsis;
    white-space: nowrap;
  }

  .shape {
    flex: none;
    overflow: visible;
  }

  .shape .line {
    fill: none;
    stroke: currentColor;
    stroke-width: 2.2;
    stroke-linecap: round;
    stroke-linejoin: round;
  }

  .shape .thin {
    stroke-width: 1.7;
  }

  .shape .dashed {
    stroke-dasharray: 2.6 2.25;
    stroke-linecap: butt;
  }

  .shape .solid {
    fill: currentColor;
  }

  .shape .turn {
    transform-origin: 8px 8px;
    animation: status-turn 1.6s linear infinite;
  }

  @keyframes status-turn {
    to {
      transform: rotate(1turn);
    }
  }

  .badge {
    display: inline-flex;
    align-items: center;
    gap: 8px;
    padding: 3px 10px 3px 8px;
    border-radius: 99px;
    background: var(--sunk);
  }

  .badge.ok {
    background: var(--ok-soft);
  }

  .badge.bad {
    background: var(--bad-soft);
  }

  .badge.warn {
    background: var(--warn-soft);
  }

  .badge.now {
    background: var(--now-soft);
  }

  @media (prefers-reduced-motion: reduce) {
    .shape .turn {
      animation: none;
    }
  }
`;
