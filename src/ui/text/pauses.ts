/** Pauses in words: how one that is on reads. What a new one can be is in `text/pause-choices.ts`. */
import { type EpochMs, LAST_INSTANT_MS } from '../../domain/index.ts';
import type { AutomationView } from '../../rpc/index.ts';
import { countText } from './counts.ts';
import { namedDateTime, shortDate } from './dates.ts';

/** When a pause of everything ends that ends only when somebody says so: no schedule has an instant after it. */
export const UNTIL_RESUMED: EpochMs = LAST_INSTANT_MS;

/** `until today 18:00`, or `until you resume` for one that does not end by itself. */
export function untilText(until: EpochMs | undefined, now: EpochMs): string {
  return until === undefined || until >= UNTIL_RESUMED
    ? 'until you resume'
    : `until ${namedDateTime(until, now)}`;
}

/** Why an automation is paused, or since when and until when, in a few words: `until today 18:00`, `10 failures in a row`. */
export function pausedText(
  {
    pausedBecause,
    pausedUntil,
    pausedFrom,
  }: Pick<AutomationView, 'pausedBecause' | 'pausedUntil' | 'pausedFrom'>,
  now: EpochMs,
): string {
  if (pausedBecause?.kind === 'failures') return `${countText(pausedBecause.count, 'failure')} in a row`;
  if (pausedBecause !== undefined) return 'schedule not readable';
  if (pausedUntil !== undefined) return untilText(pausedUntil, now);
  // The first time that it left out, which may still be to come.
  return pausedFrom === undefined || pausedFrom > now ? '' : `since ${shortDate(pausedFrom, now)}`;
}
