/** The next instants of a schedule as a timetable: weekday and date, time, offset, and what the clocks do to them. */
import { type TemplateResult, css, html, nothing } from 'lit';
import type { EpochMs } from '../../domain/index.ts';
import type { PreviewInstant } from '../../rpc/index.ts';
import { localTextOf, offsetMs, offsetText } from '../pages/editor-zone-time.ts';
import { clockTime, clockTimeSeconds, fullDateTime, isoDateTime, shortDate } from '../text/dates.ts';

/** What the table needs besides the instants. */
export interface NextRunsOptions {
  /** The zone whose clock the schedule follows; the table is set in it. */
  readonly zone: string;
  /** The zone of the person: shown beside, where it reads differently. */
  readonly ownZone: string;
  readonly now: EpochMs;
}

/** The table of `instants`. The first one is the colour of *now* to come. */
export function nextRuns(instants: readonly PreviewInstant[], options: NextRunsOptions): TemplateResult {
  const { zone, ownZone, now } = options;
  const seconds = instants.some(({ at }) => at % 60_000 !== 0);
  const clock = seconds ? clockTimeSeconds : clockTime;
  const years = instants.some(({ at }) => /\d{4}/.test(shortDate(at, now, zone)));
  return html`<ol class="next-runs ${seconds ? 'seconds' : ''} ${years ? 'years' : ''}">
    ${instants.map(({ at, remark }, index) => {
      const date = shortDate(at, now, zone);
      const before = instants[index - 1];
      // The date is said once for a run of times on one day.
      const repeated = before !== undefined && shortDate(before.at, now, zone) === date;
      const elsewhere = localTextOf(at, zone) !== localTextOf(at, ownZone);
      return html`<li>
        <time datetime=${isoDateTime(at)} title=${fullDateTime(at, zone)}
          ><span class="date ${repeated ? 'repeated' : ''}">${date}</span>
          <span class="clock">${clock(at, zone)}</span></time
        >
        <span class="beside">
          ${
            remark === undefined
              ? html`<span class="offset">${offsetText(offsetMs(at, zone))}</span>`
              : html`<span class="remark">${remark}</span>`
          }
          ${elsewhere ? html`<span class="own">${clock(at, ownZone)} here</span>` : nothing}
        </span>
      </li>`;
    })}
  </ol>`;
}

/** How the table looks. */
export const nextRunsStyles = css`
  .next-runs > li {
    display: grid;
    grid-template-columns: auto minmax(0, 1fr);
    gap: var(--space-3);
    align-items: baseline;
    padding: 6px 0;
    border-bottom: 1px solid var(--rule);
    font-size: var(--size-s);
  }

  .next-runs time {
    display: grid;
    grid-template-columns: var(--date, 104px) var(--clock, 46px);
    gap: var(--space-2);
    align-items: baseline;
  }

  .next-runs.seconds {
    --clock: 66px;
  }

  .next-runs.years {
    --date: 116px;
  }

  .next-runs .repeated {
    color: transparent;
  }

  .next-runs .clock {
    font-family: var(--font-mono);
    letter-spacing: -0.01em;
  }

  .next-runs > li:first-child .clock {
    color: var(--now);
    font-weight: var(--weight-strong);
  }

  .next-runs .beside {
    display: flex;
    flex-wrap: wrap;
    gap: 0 var(--space-3);
    justify-content: space-between;
  }

  .next-runs .offset,
  .next-runs .own {
    color: var(--ink-3);
  }

  .next-runs .remark {
    color: var(--warn);
  }
`;
