/** Time zones as an iCalendar file has them: VTIMEZONE (RFC 5545, section 3.6.5), from what the browser knows of a zone. */
import { DAY_MS, type EpochMs, SECOND_MS } from '../../domain/index.ts';
import { offsetMs } from '../pages/editor-zone-time.ts';

/** How long after the first event a zone is described. Calendars that know it by its name go by their own rules. */
const DESCRIBED_MS = 10 * 366 * DAY_MS;
/** No zone changes its clocks twice in less (Morocco does within a month). */
const SCAN_MS = 7 * DAY_MS;

/** A change of clocks: from `at` on, the clocks are `to` ahead of UTC, and were `from` ahead before; in milliseconds. */
export interface Transition {
  readonly at: EpochMs;
  readonly from: number;
  readonly to: number;
}

/** The changes of clocks of `zone` in [`from`, `until`]. */
export function transitionsOf(zone: string, from: EpochMs, until: EpochMs): readonly Transition[] {
  const found: Transition[] = [];
  let before = offsetMs(from, zone);
  for (let at = from; at < until; at += SCAN_MS) {
    const after = offsetMs(at + SCAN_MS, zone);
    if (after === before) continue;
    let [low, high] = [at, at + SCAN_MS];
    while (high - low > SECOND_MS) {
      const middle = Math.floor((low + high) / 2 / SECOND_MS) * SECOND_MS;
      if (offsetMs(middle, zone) === before) low = middle;
      else high = middle;
    }
    found.push({ at: Math.ceil(high / SECOND_MS) * SECOND_MS, from: before, to: after });
    before = after;
  }
  return found;
}

/** The lines of a VTIMEZONE that tells the clocks of `zone` from `first` on. */
export function zoneLines(zone: string, first: EpochMs): readonly string[] {
  const transitions = transitionsOf(zone, first - 400 * DAY_MS, first + DESCRIBED_MS);
  const [earliest] = transitions;
  const standing = earliest?.from ?? offsetMs(first, zone);
  // What holds before the first change that is told, from a time that every event is later than.
  const lines = [
    'BEGIN:VTIMEZONE',
    `TZID:${zone}`,
    ...observance('STANDARD', standing, standing, ['19700101T000000']),
  ];
  const groups = new Map<string, readonly Transition[]>();
  for (const transition of transitions) {
    const key = `${transition.from} ${transition.to}`;
    groups.set(key, [...(groups.get(key) ?? []), transition]);
  }
  for (const group of groups.values()) {
    const [{ from, to } = { from: 0, to: 0 }] = group;
    const onsets = group.map(({ at }) => localText(at + from));
    lines.push(...observance(to > from ? 'DAYLIGHT' : 'STANDARD', from, to, onsets));
  }
  return [...lines, 'END:VTIMEZONE'];
}

function observance(
  kind: 'STANDARD' | 'DAYLIGHT',
  from: number,
  to: number,
  [first = '', ...others]: readonly string[],
): readonly string[] {
  return [
    `BEGIN:${kind}`,
    `DTSTART:${first}`,
    // One a line: some readers take only the first of several.
    ...others.map((other) => `RDATE:${other}`),
    `TZOFFSETFROM:${offsetText(from)}`,
    `TZOFFSETTO:${offsetText(to)}`,
    `END:${kind}`,
  ];
}

function offsetText(ms: number): string {
  const seconds = Math.abs(ms) / SECOND_MS;
  const two = (n: number): string => String(Math.floor(n)).padStart(2, '0');
  const rest = seconds % 60 === 0 ? '' : two(seconds % 60);
  return `${ms < 0 ? '-' : '+'}${two(seconds / 3600)}${two((seconds / 60) % 60)}${rest}`;
}

/** A wall-clock time, in milliseconds as if it were UTC, as `20260330T090000`. */
export function localText(local: number): string {
  return new Date(local).toISOString().replace(/[-:]|\.\d+Z$/g, '');
}

/** An instant as `20260330T070000Z`. */
export function utcText(at: EpochMs): string {
  return `${localText(at)}Z`;
}
