/**
 * When a schedule was due, reckoned apart from the app: elapsed intervals by arithmetic, cron rules by croner in UTC,
 * where no clocks change. What a rule means in other zones is for the vectors of the schedule, and is not judged here.
 */
import { Cron } from 'croner';
import type { EpochMs, Schedule } from './record.ts';

/** Whether {@link instantsOf} knows the instants of `schedule`. */
export function isReckoned(schedule: Schedule): boolean {
  return schedule.kind !== 'cron' || schedule.timeZone === 'UTC';
}

/** The instants of `schedule` after `after` and up to `until`, oldest first. None where {@link isReckoned} is false. */
export function instantsOf(schedule: Schedule, after: EpochMs, until: EpochMs): readonly EpochMs[] {
  const instants: EpochMs[] = [];
  switch (schedule.kind) {
    case 'manual':
      break;
    case 'once':
      if (schedule.at > after && schedule.at <= until) instants.push(schedule.at);
      break;
    case 'every': {
      const { anchor, everyMs } = schedule;
      const steps = Math.max(0, Math.floor((after - anchor) / everyMs) + 1);
      for (let at = anchor + steps * everyMs; at <= until; at += everyMs) instants.push(at);
      break;
    }
    case 'cron': {
      if (!isReckoned(schedule)) break;
      const rule = new Cron(schedule.expression, { timezone: 'UTC', paused: true });
      let next = rule.nextRun(new Date(after));
      while (next !== null && next.getTime() <= until) {
        instants.push(next.getTime());
        next = rule.nextRun(next);
      }
      break;
    }
  }
  return instants;
}

/** Whether `at` is an instant of `schedule`. */
export function isInstantOf(schedule: Schedule, at: EpochMs): boolean {
  return instantsOf(schedule, at - 1, at).length === 1;
}

/** Whether `schedule` has an instant after `after`; looked for up to a year ahead. */
export function hasInstantAfter(schedule: Schedule, after: EpochMs): boolean {
  switch (schedule.kind) {
    case 'manual':
      return false;
    case 'once':
      return schedule.at > after;
    case 'every':
      return true;
    case 'cron':
      return (
        isReckoned(schedule) &&
        new Cron(schedule.expression, { timezone: 'UTC' }).nextRun(new Date(after)) !== null
      );
  }
}
