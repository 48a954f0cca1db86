/** The lines of a list of runs: one run, or so many that said nothing new. */
import { css, html, nothing, type TemplateResult } from 'lit';
import type { EpochMs, FoundIn, RunLine, RunMatch } from '../../domain/index.ts';
import type { Run } from '../../rpc/index.ts';
import { icon } from '../icons/icon.ts';
import { statusMark } from '../parts/status-mark.ts';
import '../parts/time.ts';
import { durationTime } from '../parts/time.ts';
import { href } from '../router.ts';
import { numberText } from '../text/counts.ts';
import {
  clockTime,
  clockTimeSeconds,
  daysBetween,
  fullDateTime,
  isoDateTime,
  shortDate,
} from '../text/dates.ts';
import { latenessText } from '../text/durations.ts';
import { causeText, resultText, statusOf } from '../text/status.ts';

/** What a row of a list that is `width` wide is high in px before it was measured: as it folds, see {@link runRowStyles}. */
export function rowEstimate(width: number): number {
  return width > 1100 ? 46 : width > 760 ? 62 : 88;
}

/** How a row stands in its list. */
export interface RowLook {
  /** Whether it says whose run it is. */
  readonly named: boolean;
  /** It is one of those of the line above it. */
  readonly child?: boolean;
  /** What was found in it stands in place of what came of it. */
  readonly found?: RunMatch;
}

const FOUND_IN: Readonly<Record<FoundIn, string>> = {
  name: 'In its name',
  result: 'In its result',
  error: 'In its error',
  response: 'In the response',
  answer: 'In the answer',
  page: 'In what is watched',
  value: 'In what it returned',
  log: 'In its log',
  message: 'In the message',
};

/** What was found with what stands around it, as text. */
function excerpt({ in: place, before, match, after }: RunMatch): TemplateResult {
  return html`<span class="in">${FOUND_IN[place]}:</span> ${before}<mark>${match}</mark>${after}`;
}

/** The row of one run, a link to it. */
export function runRow(run: Run, { named, child = false, found }: RowLook): TemplateResult {
  const why = whyText(run);
  return html`<a class="row ${named ? '' : 'nameless'} ${child ? 'child' : ''}" href=${href.run(run.id)}>
    <span class="at mono ${isOtherDay(run) ? 'other-day' : ''}">${atText(run)}</span>
    <span class="mark">${statusMark(statusOf(run))}</span>
    <span class="who">
      ${named ? html`<b class="clip">${run.automationName}</b>` : nothing}
      <span class="${found === undefined ? 'clip' : 'excerpt'} quiet"
        >${run.cancelling === true ? 'being cancelled' : found === undefined ? resultOf(run) : excerpt(found)}</span
      >
    </span>
    ${why === null ? nothing : html`<span class="why ${why.late ? 'late' : ''}">${why.text}</span>`}
    <span class="took mono">${tookText(run)}</span>
  </a>`;
}

/** The row of a line of many, a button that shows or hides them. */
export function foldRow(
  { run, count, oldest }: RunLine<Run>,
  { named, open, toggle }: RowLook & { readonly open: boolean; readonly toggle: () => void },
): TemplateResult {
  return html`<button
    type="button"
    class="row fold ${named ? '' : 'nameless'}"
    aria-expanded=${open ? 'true' : 'false'}
    @click=${toggle}
  >
    <span class="at mono">${atText(run)}</span>
    <span class="mark">${statusMark(statusOf(run))}</span>
    <span class="who">
      ${named ? html`<b class="clip">${run.automationName}</b>` : nothing}
      <span class="clip"><span class="count">${numberText(count)} ×</span> ${run.repeats ?? ''}</span>
    </span>
    <span class="why">${stretchText(oldest.claimedAt, run.claimedAt)}</span>
    <span class="took">${icon(open ? 'chevron-down' : 'chevron-right', 14)}</span>
  </button>`;
}

/** `04:10 to 08:42`, and the dates where they are two. */
function stretchText(from: EpochMs, until: EpochMs): string {
  if (daysBetween(from, until) === 0) return `${clockTime(from)} to ${clockTime(until)}`;
  return `${shortDate(from, until)} ${clockTime(from)} to ${shortDate(until, until)} ${clockTime(until)}`;
}

/** What came of it, in one line. */
function resultOf({ status, summary, reason, covers }: Run): string {
  return resultText({
    status: status === 'running' ? 'succeeded' : status,
    ...(summary === undefined ? {} : { summary }),
    ...(reason === undefined ? {} : { reason }),
    ...(covers === undefined ? {} : { count: covers.count }),
  });
}

/** `Today Mon 30 Nov` */
export function dayHeading(at: EpochMs, now: EpochMs): TemplateResult {
  const date = shortDate(at, now);
  const away = daysBetween(now, at);
  if (away === 0) return html`Today <span>${date}</span>`;
  return away === -1 ? html`Yesterday <span>${date}</span>` : html`${date}`;
}

/** Something missed is written down when Rota is open again, which may be on another day than it was due. */
function isOtherDay(run: Run): boolean {
  return run.startedAt === null && daysBetween(run.claimedAt, run.scheduledFor) !== 0;
}

/** When it started; for what never did, when it was due. */
function atText(run: Run): TemplateResult {
  const at = run.startedAt ?? run.scheduledFor;
  const text = isOtherDay(run) ? `${shortDate(at, run.claimedAt)} ${clockTime(at)}` : clockTimeSeconds(at);
  return html`<time datetime=${isoDateTime(at)} title=${fullDateTime(at)}>${text}</time>`;
}

function tookText(run: Run): TemplateResult | typeof nothing {
  if (run.startedAt === null) return nothing;
  return run.settledAt === null
    ? html`<rota-time .at=${run.startedAt} form="elapsed"></rota-time>`
    : durationTime(run.settledAt - run.startedAt);
}

/** Why it ran, where that is not its schedule, and how late where that is worth telling. */
function whyText(run: Run): { readonly text: string; readonly late: boolean } | null {
  if (run.cause === 'retry') return { text: `retry, attempt ${run.attempt}`, late: false };
  if (run.cause === 'manual') return { text: causeText(run.cause), late: false };
  const late = run.latenessMs === null ? null : latenessText(run.latenessMs);
  if (late === null) return null;
  const sameDay = daysBetween(run.scheduledFor, run.claimedAt) === 0;
  const date = sameDay ? '' : `${shortDate(run.scheduledFor, run.claimedAt)} `;
  return { text: `due ${date}${clockTime(run.scheduledFor)}, ${late}`, late: true };
}

/** Beside `shared` and the styles of marks, for a list of these rows. */
export const runRowStyles = css`
  .day {
    padding: var(--space-4) var(--gutter) 6px;
    border-bottom: 1px solid var(--rule-strong);
    background: var(--paper);
    font-size: var(--size-s);
  }

  .day span {
    color: var(--ink-3);
    font-weight: var(--weight);
  }

  .row {
    display: grid;
    grid-template-columns: 68px 166px minmax(0, 1fr) auto 76px;
    gap: 2px var(--space-4);
    align-items: center;
    width: 100%;
    min-height: 46px;
    padding: 6px var(--gutter);
    border: 0;
    border-bottom: 1px solid var(--rule);
    background: none;
    color: inherit;
    font-size: var(--size-s);
    text-align: start;
    text-decoration: none;
    cursor: pointer;
  }

  .row:hover {
    background: var(--hover);
    color: inherit;
  }

  .row:focus-visible {
    outline-offset: -2px;
    border-radius: 0;
  }

  .at {
    color: var(--ink-2);
  }

  .at.other-day {
    white-space: normal;
    line-height: 1.25;
  }

  .who {
    display: flex;
    align-items: baseline;
    gap: var(--space-3);
    min-width: 0;
  }

  .who b {
    flex: none;
    max-width: 50%;
    font-size: var(--size-m);
    font-weight: var(--weight-strong);
  }

  .count {
    font-weight: var(--weight-strong);
    font-variant-numeric: tabular-nums;
  }

  .excerpt {
    min-width: 0;
    overflow-wrap: anywhere;
  }

  .in {
    color: var(--ink-3);
  }

  mark {
    border-radius: 2px;
    background: color-mix(in srgb, var(--warn) 26%, transparent);
    color: var(--ink);
    font-weight: var(--weight-strong);
  }

  .why {
    color: var(--ink-3);
  }

  .why.late {
    color: var(--warn);
  }

  .took {
    grid-column: -2;
    color: var(--ink-2);
    text-align: end;
    white-space: nowrap;
  }

  .took svg {
    margin-inline-start: auto;
  }

  .child {
    padding-inline-start: calc(var(--gutter) + 20px);
    background: var(--hover);
  }

  .rest {
    display: flex;
    align-items: center;
    gap: var(--space-3);
    padding: 6px var(--gutter) 6px calc(var(--gutter) + 20px);
    border-bottom: 1px solid var(--rule);
    background: var(--hover);
    color: var(--ink-2);
    font-size: var(--size-s);
  }

  @media (max-width: 1100px) {
    .row {
      grid-template-columns: 68px 166px minmax(0, 1fr) 76px;
    }

    .who,
    .who > * {
      display: block;
      max-width: 100%;
    }

    .who > b {
      max-width: 100%;
    }

    .why {
      grid-column: 3 / -1;
    }
  }

  @media (max-width: 760px) {
    .row {
      grid-template-columns: auto minmax(0, 1fr) auto;
      gap: 3px var(--space-3);
      padding-block: 10px;
    }

    .row .who {
      display: contents;
    }

    .row .who > b {
      grid-area: 1 / 1 / auto / 3;
    }

    .row .who > span {
      grid-area: 2 / 2;
    }

    .row .at {
      grid-area: 1 / 3;
      text-align: end;
    }

    .row .mark {
      grid-area: 2 / 1;
    }

    .row .took {
      grid-area: 2 / 3;
    }

    .row .why {
      grid-area: 3 / 1 / auto / -1;
    }

    /* Without a name to begin with, the state does. */
    .row.nameless .mark {
      grid-area: 1 / 1;
    }

    .row.nameless .who > span {
      grid-area: 2 / 1 / auto / 3;
    }

    .row .who > .excerpt,
    .row.nameless .who > .excerpt {
      grid-area: 4 / 1 / auto / -1;
    }
  }
`;
