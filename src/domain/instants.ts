import { assert, assertNever } from './assert.ts';
import { calendarRule, singleRule } from './calendar.ts';
import { cronRule } from './cron.ts';
import { activeHours, nextActive } from './hours.ts';
import { dateAt, firstInstantOf, lastInstantOf } from './local-time.ts';
import { type EverySchedule, type OnWallClock, type Repeating, type Schedule, dstOf } from './schedule.ts';
import { type EpochMs, LAST_INSTANT_MS } from './time.ts';
import { type WallClockRule, nextOfRule } from './wall-next.ts';

/** How often one search steps over what is not active or excluded. A rule that has found nothing by then never will. */
const STEPS_MOST = 2_000;

/**
 * The first instant of `schedule` strictly after `after`, or `null` when none is left before the end of the year 2199.
 * Wants {@link prepareTime}. Asserts that the schedule is computable (`isComputable`), which whoever reads one has asked.
 * How many runs it may have, and by how much an occurrence is put off, is not looked at here.
 */
export function nextAfter(schedule: Schedule, after: EpochMs): EpochMs | null {
  const next = candidateAfter(schedule, after);
  if (next === null || next > LAST_INSTANT_MS) return null;
  // A next that is not later is what makes schedulers loop for ever at a change of the clocks.
  assert(next > after, 'the next instant must be later than the last');
  return next;
}

function candidateAfter(schedule: Schedule, after: EpochMs): EpochMs | null {
  switch (schedule.kind) {
    case 'manual':
    case 'after':
      return null;
    case 'once':
      return schedule.at > after ? schedule.at : null;
    case 'date':
      return nextOnWallClock(schedule, after);
    case 'every':
    case 'calendar':
    case 'cron':
      return nextWithin(schedule, after);
    default:
      return assertNever(schedule);
  }
}

/** The next instant between start and end that is on no excluded date. */
function nextWithin(schedule: Repeating, after: EpochMs): EpochMs | null {
  const { start, end, excluded } = schedule;
  const zone = schedule.timeZone;
  const search = (from: EpochMs): EpochMs | null =>
    schedule.kind === 'every' ? nextEvery(schedule, from) : nextOnWallClock(schedule, from);
  if (zone === undefined) return search(after);
  const last = end === undefined ? Infinity : (lastInstantOf(end, zone) ?? Infinity);
  let from = after;
  if (start !== undefined) from = Math.max(from, (firstInstantOf(start, zone) ?? 0) - 1);
  for (let step = 0; step < STEPS_MOST; step++) {
    const next = search(from);
    if (next === null || next > last) return null;
    if (excluded === undefined) return next;
    const date = dateAt(zone, next);
    if (!excluded.includes(date)) return next;
    from = Math.max(next, lastInstantOf(date, zone) ?? next);
  }
  return null;
}

function nextEvery(schedule: EverySchedule, after: EpochMs): EpochMs | null {
  const hours = activeHours(schedule);
  let next = nextOfInterval(schedule, after);
  if (hours === null) return next;
  for (let step = 0; step < STEPS_MOST && next <= LAST_INSTANT_MS; step++) {
    const active = nextActive(hours, next);
    if (active === null || active === next) return active;
    next = nextOfInterval(schedule, active - 1);
  }
  return null;
}

function nextOfInterval({ anchor, everyMs }: EverySchedule, after: EpochMs): EpochMs {
  return after < anchor ? anchor : anchor + (Math.floor((after - anchor) / everyMs) + 1) * everyMs;
}

function nextOnWallClock(schedule: OnWallClock, after: EpochMs): EpochMs | null {
  return nextOfRule(ruleOf(schedule), schedule.timeZone, after, dstOf(schedule));
}

/** The times of the wall clock that `schedule` names, as if there were no zones. */
export function ruleOf(schedule: OnWallClock): WallClockRule {
  switch (schedule.kind) {
    case 'date':
      return singleRule(schedule.local);
    case 'calendar':
      return calendarRule(schedule);
    case 'cron':
      return cronRule(schedule.expression);
    default:
      return assertNever(schedule);
  }
}

/** The instants of a schedule in a stretch of time, oldest first; `more` when there are others after the last of them. */
export interface DueInstants {
  readonly instants: EpochMs[];
  readonly more: boolean;
}

/**
 * The instants of `schedule` from `from` to `until`, both included, the oldest `most` of them. The same conditions as
 * {@link nextAfter}.
 */
export function dueInstants(schedule: Schedule, from: EpochMs, until: EpochMs, most: number): DueInstants {
  assert(most >= 1, 'a limit of instants must be at least one');
  const instants: EpochMs[] = [];
  let next = nextAfter(schedule, from - 1);
  while (next !== null && next <= until) {
    if (instants.length === most) return { instants, more: true };
    instants.push(next);
    next = nextAfter(schedule, next);
  }
  return { instants, more: false };
}
