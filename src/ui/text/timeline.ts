/** Timelines in words and in places: which day, what it held, where its hours stand. */
import type { EpochMs, RunStatus } from '../../domain/index.ts';
import type { Timeline } from '../../rpc/index.ts';
import { numberText } from './counts.ts';
import { clockTime } from './dates.ts';
import { statusOf, tallyText } from './status.ts';

/** A date on the wall clock of the browser, from its first instant until just before the first of the next. */
export interface Day {
  /** `2026-12-24` */
  readonly date: string;
  readonly from: EpochMs;
  readonly until: EpochMs;
}

/** The day on which `at` falls, or the one that is `away` days from it. */
export function dayAt(at: EpochMs, away = 0): Day {
  const shown = new Date(at);
  const [year, month, day] = [shown.getFullYear(), shown.getMonth(), shown.getDate() + away];
  const from = new Date(year, month, day);
  const two = (value: number): string => String(value).padStart(2, '0');
  return {
    date: `${from.getFullYear()}-${two(from.getMonth() + 1)}-${two(from.getDate())}`,
    from: from.getTime(),
    until: new Date(year, month, day + 1).getTime(),
  };
}

/** The day that `text` names as `2026-12-24`; `null` when no calendar from 1970 to 2199 has it. */
export function dayOf(text: string): Day | null {
  const [, year, month, day] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text) ?? [];
  if (Number(year) < 1970 || Number(year) > 2199) return null;
  const found = dayAt(new Date(Number(year), Number(month) - 1, Number(day), 12).getTime());
  return found.date === text ? found : null;
}

/** Every third hour of the day by the wall clock, and where it stands: 0 at its begin, 1 at its end. */
export function hoursOf({ from, until }: Day): readonly { readonly label: string; readonly at: number }[] {
  return [0, 3, 6, 9, 12, 15, 18, 21].flatMap((hour) => {
    const shown = new Date(from);
    shown.setHours(hour, 0, 0, 0);
    // An hour that the clocks leave out has no place.
    if (shown.getHours() !== hour) return [];
    const at = (Math.max(from, shown.getTime()) - from) / (until - from);
    return [{ label: String(hour).padStart(2, '0'), at }];
  });
}

type Lane = Timeline['lanes'][number];

/** `61 ok, 2 failed, 7 missed, 38 to come`: what lanes hold. Empty when they hold nothing. */
export function lanesTally(lanes: readonly Lane[]): string {
  const marks = lanes.flatMap((lane) => lane.marks);
  const next = lanes.reduce((sum, lane) => sum + lane.next.length, 0);
  const more = lanes.some((lane) => lane.nextIsCut);
  const past = tallyText(marks);
  const future = next === 0 && !more ? '' : `${more ? 'more than ' : ''}${numberText(next)} to come`;
  return [past, future].filter((text) => text !== '').join(', ');
}

/** `closed 00:30 to 06:50 and 12:00 to 12:10`: when nobody was there; empty when somebody always was. */
export function gapsText({ gaps, from, until }: Pick<Timeline, 'gaps' | 'from' | 'until'>): string {
  const parts = (['closed', 'asleep'] as const).flatMap((why) => {
    const stretches = gaps
      .filter((gap) => gap.why === why)
      .map((gap) => `${clockTime(gap.from)} to ${gap.until >= until ? 'midnight' : clockTime(gap.until)}`);
    const [only] = gaps.filter((gap) => gap.why === why);
    if (only === undefined) return [];
    const who = why === 'closed' ? 'browser closed' : 'machine asleep';
    if (stretches.length === 1 && only.from <= from && only.until >= until) return [`${who} all day`];
    return [stretches.length > 3 ? `${who} ${stretches.length} times` : `${who} ${stretches.join(' and ')}`];
  });
  return parts.join('; ');
}

/** How many rows of each status a day has. */
export type DayCounts = Readonly<Partial<Record<RunStatus, number>>>;

/** How a day went, in the order in which it matters. */
export type DayLook = 'none' | 'bad' | 'missed' | 'ok' | 'low';

/** The worst of a day: something failed, something was missed, all went well, nothing but skipped or cancelled. */
export function dayLook(counts: DayCounts): DayLook {
  const any = (...statuses: readonly RunStatus[]): boolean =>
    statuses.some((status) => (counts[status] ?? 0) > 0);
  if (any('failed', 'timed-out')) return 'bad';
  if (any('missed', 'interrupted')) return 'missed';
  if (any('succeeded', 'running')) return 'ok';
  return any('skipped', 'cancelled') ? 'low' : 'none';
}

/** `12 ok, 1 failed`; empty without rows. */
export function countsTally(counts: DayCounts): string {
  return tallyText(
    (Object.entries(counts) as [RunStatus, number][]).map(([status, count]) => ({ status, count })),
  );
}

/** What a mark says when it is pointed at: `3 failed, 08:45`. */
export function markText(mark: Lane['marks'][number]): string {
  const from = clockTime(mark.from);
  const until = clockTime(mark.until);
  const when = from === until || statusOf(mark) === 'running' ? from : `${from} to ${until}`;
  return `${tallyText([mark])}, ${when}`;
}

/** The value below which `share` of `values` lie, by nearest rank. Not of an empty list. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(share * sorted.length) - 1))] ?? 0;
}
