import type { CronRule } from './cron.ts';
import { DAY_MS, type EpochMs, LAST_INSTANT_MS } from './time.ts';
import { type LocalMs, resolveLocal, spanAt } from './zone.ts';

/**
 * The first instant strictly after `after` at which `rule` is due in `timeZone`, by the one rule for daylight saving
 * (design, "Time"): a fixed time in a gap is due when the clocks have jumped, in an overlap at the first pass; any other
 * rule is due whenever the wall clock matches. May be past what a schedule may name; `null` when there is none at all.
 */
export function nextOfCron(rule: CronRule, timeZone: string, after: EpochMs): EpochMs | null {
  return rule.fixedTime ? nextFixed(rule, timeZone, after) : nextMatching(rule, timeZone, after);
}

function nextFixed(rule: CronRule, timeZone: string, after: EpochMs): EpochMs | null {
  let local: LocalMs | null = highestLocal(timeZone, after);
  while ((local = rule.nextLocal(local)) !== null) {
    const resolved = resolveLocal(timeZone, local);
    if (resolved.kind !== 'missing') return resolved.at;
    // Straight to the end of what the calendar leaves out: a rule can name every second of a missing day.
    local = resolved.at + spanAt(timeZone, resolved.at).offsetMs - 1;
  }
  return null;
}

/**
 * The latest wall-clock time that `timeZone` has shown up to `after`. Between the passes of an overlap that is the end of
 * the first, so that a search from there does not give the second pass of a fixed time.
 */
function highestLocal(timeZone: string, after: EpochMs): LocalMs {
  const span = spanAt(timeZone, after);
  const local = after + span.offsetMs;
  if (after - span.from > DAY_MS) return local;
  return Math.max(local, span.from - 1 + spanAt(timeZone, span.from - 1).offsetMs);
}

function nextMatching(rule: CronRule, timeZone: string, after: EpochMs): EpochMs | null {
  let at = after + 1;
  while (at <= LAST_INSTANT_MS) {
    const span = spanAt(timeZone, at);
    const local = rule.nextLocal(at + span.offsetMs - 1);
    const next = local === null ? Infinity : local - span.offsetMs;
    if (next < span.until) return next;
    if (span.until === Infinity) return null;
    // Only clocks that go back within a day can show again what is past; without them nothing comes before `next`.
    at = span.until - at > DAY_MS ? Math.max(span.until, next - 2 * DAY_MS) : span.until;
  }
  return null;
}
