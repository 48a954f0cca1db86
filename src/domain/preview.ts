import { type CronRule, cronRule } from './cron.ts';
import { type Schedule, nextAfter } from './schedule.ts';
import { temporal } from './temporal.ts';
import { DAY_MS, type EpochMs, MINUTE_MS, SECOND_MS } from './time.ts';
import { type LocalMs, resolveLocal, spanAt } from './zone.ts';

/** One of the next instants of a schedule. */
export interface PreviewInstant {
  readonly at: EpochMs;
  /** RFC 9557 text with offset and zone, such as `2026-03-29T03:00:00+02:00[Europe/Berlin]`. */
  readonly local: string;
  /** What daylight saving does to it: `moved from 02:30, clocks go forward`. */
  readonly remark?: string;
}

/**
 * The next `count` instants of `schedule` strictly after `from`; fewer when it ends before. What is said of an instant
 * depends on nothing but the instant, so that a later preview says the same. The same conditions as {@link nextAfter}.
 *
 * @param timeZone the zone to show a schedule in that has none of its own (`once`, `every`).
 */
export function previewSchedule(
  schedule: Schedule,
  from: EpochMs,
  count: number,
  timeZone: string,
): readonly PreviewInstant[] {
  const zone = schedule.kind === 'cron' ? schedule.timeZone : timeZone;
  const rule = schedule.kind === 'cron' ? cronRule(schedule.expression) : null;
  const instants: PreviewInstant[] = [];
  let at = nextAfter(schedule, from);
  while (at !== null && instants.length < count) {
    const remark = remarkOn(rule, zone, at);
    instants.push({ at, local: localText(zone, at), ...(remark === null ? {} : { remark }) });
    at = nextAfter(schedule, at);
  }
  return instants;
}

/** `at` as RFC 9557 text, with the zone's name as it was typed. */
function localText(timeZone: string, at: EpochMs): string {
  const zoned = temporal().Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(timeZone);
  return `${zoned.toString({ timeZoneName: 'never' })}[${timeZone}]`;
}

function remarkOn(rule: CronRule | null, timeZone: string, at: EpochMs): string | null {
  const span = spanAt(timeZone, at);
  const local = at + span.offsetMs;
  const resolved = resolveLocal(timeZone, local);
  if (resolved.kind === 'overlap') {
    return `clocks go back, ${at === resolved.at ? 'first' : 'second'} ${timeText(local)}`;
  }
  return rule === null ? null : remarkOnGap(rule, timeZone, at);
}

/** What became of the times in the gap that opened the span of `at`, when `at` is the first instant after it. */
function remarkOnGap(rule: CronRule, timeZone: string, at: EpochMs): string | null {
  const span = spanAt(timeZone, at);
  if (span.from === -Infinity || at - span.from > 366 * DAY_MS) return null;
  const opens = span.from - 1 + spanAt(timeZone, span.from - 1).offsetMs;
  const closes = span.from + span.offsetMs;
  if (closes - opens <= SECOND_MS) return null;
  const first = rule.nextLocal(opens);
  if (first === null || first >= closes) return null;
  const resolved = resolveLocal(timeZone, first);
  if (rule.fixedTime && resolved.kind === 'gap') {
    return at === resolved.at ? `moved from ${gapText(rule, first, closes)}, clocks go forward` : null;
  }
  const following = rule.nextLocal(closes - 1);
  if (following !== at + span.offsetMs) return null;
  return `${gapText(rule, first, closes)} left out, ${resolved.kind === 'gap' ? 'clocks go forward' : 'the calendar skips it'}`;
}

/** The times of `rule` from `first` until a gap closes, in words that stay short. */
function gapText(rule: CronRule, first: LocalMs, closes: LocalMs): string {
  const times: LocalMs[] = [];
  let last = first;
  for (let local: LocalMs | null = first; local !== null && local < closes; local = rule.nextLocal(local)) {
    if (times.length < 3) times.push(local);
    last = local;
  }
  const text = (local: LocalMs): string => timeText(local);
  if (times.length === 1) return text(first);
  if (times.length === 2) return `${text(first)} and ${text(last)}`;
  return `${text(first)} to ${text(last)}`;
}

/** `02:30`, with the seconds where there are any. */
function timeText(local: LocalMs): string {
  return new Date(local).toISOString().slice(11, local % MINUTE_MS === 0 ? 16 : 19);
}
