import { cronRule, parseCron } from './cron.ts';
import { activeHours, lengthOf } from './hours.ts';
import { nextAfter, ruleOf } from './instants.ts';
import { firstInstantOf, lastInstantOf, readDateTime } from './local-time.ts';
import { type Problem, pathText } from './problem.ts';
import {
  type EverySchedule,
  type OnWallClock,
  type Repeating,
  type Schedule,
  dstOf,
  isRepeating,
  jitterOf,
  zoneOf,
} from './schedule.ts';
import {
  DAY_MS,
  type DurationMs,
  type EpochMs,
  HOUR_MS,
  LAST_INSTANT_MS,
  MINUTE_MS,
  SECOND_MS,
} from './time.ts';
import { nextOfRule } from './wall-next.ts';
import { isTimeZone, resolveLocal } from './zone.ts';

/**
 * Whether `nextAfter` can be asked of `schedule` here: its cron rule reads and its time zone is known. Less than
 * {@link problemsOf} asks of what is saved, because what is stored already may no longer be refused for its sense.
 */
export function isComputable(schedule: Schedule): boolean {
  return whyNotComputable(schedule) === null;
}

/** Why `schedule` cannot be computed in this browser, as a sentence; `null` when it can. */
export function whyNotComputable(schedule: Schedule): string | null {
  const zone = zoneOf(schedule);
  if (zone !== null && !isTimeZone(zone)) return unknownZone(zone);
  if (schedule.kind !== 'cron') return null;
  const parsed = parseCron(schedule.expression);
  return parsed.kind === 'ok' ? null : parsed.messages.join(' ');
}

function unknownZone(zone: string): string {
  return `"${zone}" is not a time zone that this browser knows; use an IANA name, such as Europe/Berlin.`;
}

/** The start of 2026, before any schedule was saved. Not now: what could be saved once can be imported ever after. */
const FIRST_SAVED_MS: EpochMs = 1_767_225_600_000;

/**
 * What is wrong with the meaning of a schedule whose shape is right: a rule that cannot be read or never runs, a time
 * zone that this browser does not know, bounds that leave nothing. Empty when it may be saved. Wants
 * {@link prepareTime}. Whether the automation that it follows is there, only a save can tell.
 *
 * @param at the keys that lead to the schedule.
 */
export function problemsOf(
  schedule: Schedule,
  at: readonly (string | number)[] = ['schedule'],
): readonly Problem[] {
  const problems: Problem[] = [];
  const refuse = (keys: readonly (string | number)[], message: string): void => {
    problems.push({ path: pathText([...at, ...keys]), message });
  };
  if (schedule.kind === 'cron') {
    const parsed = parseCron(schedule.expression);
    if (parsed.kind === 'invalid') for (const message of parsed.messages) refuse(['expression'], message);
  }
  const zone = zoneOf(schedule);
  if (zone !== null && !isTimeZone(zone)) refuse(['timeZone'], unknownZone(zone));
  if (problems.length > 0) return problems;
  if (schedule.kind === 'every') refuseInterval(schedule, refuse);
  if (problems.length === 0 && zone !== null && isRepeating(schedule)) refuseBounds(schedule, zone, refuse);
  if (problems.length === 0) refuseNever(schedule, refuse);
  if (problems.length === 0) refuseJitter(schedule, refuse);
  return problems;
}

type Refuse = (keys: readonly (string | number)[], message: string) => void;

function refuseInterval(schedule: EverySchedule, refuse: Refuse): void {
  const { hours, everyMs, timeZone } = schedule;
  const dated = (['hours', 'days', 'start', 'end', 'excluded'] as const).find(
    (key) => schedule[key] !== undefined,
  );
  if (timeZone === undefined) {
    if (dated !== undefined)
      refuse(['timeZone'], 'Choose the time zone that the active hours and the dates are meant in.');
    return;
  }
  if (hours !== undefined && hours.from === hours.until) {
    refuse(
      ['hours', 'until'],
      'The active hours begin and end at the same time. Use two times, or leave them out for the whole day.',
    );
    return;
  }
  const active = activeHours(schedule);
  if (active === null) return;
  const most = hours === undefined ? DAY_MS : lengthOf(active);
  if (everyMs > most) {
    refuse(
      ['everyMs'],
      `The interval is longer than the active hours of a day, and would miss most of them. Use at most ${lengthText(most)}, or "calendar" for every n days.`,
    );
  }
}

function refuseBounds(schedule: Repeating, zone: string, refuse: Refuse): void {
  const { start, end } = schedule;
  if (start === undefined || end === undefined) return;
  const first = firstInstantOf(start, zone) ?? 0;
  const last = lastInstantOf(end, zone) ?? 0;
  if (first > last) refuse(['end'], `The end is before the start. Use ${start} or later.`);
}

/** Refuses a schedule that is due at no instant at all, and says which of its fields leaves none. */
function refuseNever(schedule: Schedule, refuse: Refuse): void {
  if (schedule.kind === 'manual' || schedule.kind === 'after' || schedule.kind === 'once') return;
  const from = schedule.kind === 'cron' ? FIRST_SAVED_MS : -1;
  if (nextAfter(schedule, from) !== null) return;
  if (schedule.kind !== 'every') {
    const message = whyRuleNeverDue(schedule);
    if (message !== null) {
      const field = { date: 'local', calendar: 'first', cron: 'expression' } as const;
      refuse([field[schedule.kind]], message);
      return;
    }
  }
  if (isRepeating(schedule)) refuseEmptyBounds(schedule, from, refuse);
}

/** Tells which of the bounds leaves a rule, that is due without them, without an instant. */
function refuseEmptyBounds(schedule: Repeating, from: EpochMs, refuse: Refuse): void {
  const { excluded: _excluded, ...included } = schedule;
  if (nextAfter(included, from) !== null) {
    refuse(['excluded'], 'Every time of this rule is on an excluded date. Leave one of them in.');
    return;
  }
  const { end: _end, ...endless } = included;
  if (nextAfter(endless, from) !== null) {
    const { start } = schedule;
    refuse(
      ['end'],
      start === undefined
        ? 'The end is before the first time of this rule. Use a later one.'
        : 'This rule has no time between the start and the end. Use a later end.',
    );
    return;
  }
  const { start: _start, ...unbounded } = endless;
  if (nextAfter(unbounded, from) !== null) {
    refuse(['start'], 'This rule has no time after the start. Use an earlier one.');
    return;
  }
  refuse(
    [schedule.kind === 'every' ? 'anchor' : 'timeZone'],
    'This rule runs only after the year 2199. Use an earlier time.',
  );
}

/** Why a rule that names times is due at no instant of its zone all the same; `null` when it is due at some. */
function whyRuleNeverDue(schedule: OnWallClock): string | null {
  const rule = ruleOf(schedule);
  const { timeZone } = schedule;
  const from = schedule.kind === 'cron' ? FIRST_SAVED_MS : -1;
  const first = nextOfRule(rule, timeZone, from, dstOf(schedule));
  if (first !== null) {
    return first <= LAST_INSTANT_MS ? null : 'This rule runs only after the year 2199. Use an earlier time.';
  }
  switch (schedule.kind) {
    case 'cron':
      if (cronRule(schedule.expression).nextLocal(FIRST_SAVED_MS) === null)
        return 'This rule names only times before 2026. Use a year to come, or leave the year out.';
      return `This rule never runs: in ${timeZone} the clocks skip every time that it names. Use another hour.`;
    case 'date': {
      const { kind } = resolveLocal(timeZone, readDateTime(schedule.local) ?? 0);
      return kind === 'missing'
        ? `This date does not exist in ${timeZone}: its calendar skipped it. Use another date.`
        : `This time does not exist in ${timeZone}: the clocks go forward over it. Use another time, or another choice for gaps.`;
    }
    case 'calendar':
      return `This rule never runs: in ${timeZone} the clocks skip every time that it names. Use another time.`;
  }
}

/** How many instants are looked at for the shortest time between two. */
const GAPS_LOOKED_AT = 12;

/** Refuses a jitter that would put an occurrence behind the next one. */
function refuseJitter(schedule: Schedule, refuse: Refuse): void {
  const jitter = jitterOf(schedule);
  if (jitter === 0 || !isRepeating(schedule)) return;
  let shortest = Infinity;
  let at = nextAfter(schedule, FIRST_SAVED_MS);
  for (let n = 0; n < GAPS_LOOKED_AT && at !== null; n++) {
    const next = nextAfter(schedule, at);
    if (next !== null) shortest = Math.min(shortest, next - at);
    at = next;
  }
  if (jitter < shortest) return;
  refuse(
    ['jitterMs'],
    `The jitter must be shorter than the time between two runs. Use less than ${lengthText(shortest)}.`,
  );
}

/** `8 hours`, `90 minutes`, `45 seconds`: the largest unit that says it in a whole number. */
function lengthText(ms: DurationMs): string {
  for (const [unit, name] of [
    [DAY_MS, 'day'],
    [HOUR_MS, 'hour'],
    [MINUTE_MS, 'minute'],
    [SECOND_MS, 'second'],
  ] as const) {
    if (ms % unit === 0) return ms === unit ? `1 ${name}` : `${ms / unit} ${name}s`;
  }
  return `${ms} ms`;
}
