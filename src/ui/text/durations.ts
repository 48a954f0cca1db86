import { DAY_MS, HOUR_MS, LATE_FROM_MS, MINUTE_MS, SECOND_MS, type DurationMs } from '../../domain/index.ts';

const whole = new Intl.NumberFormat('en-GB', { maximumFractionDigits: 0 });
const oneDigit = new Intl.NumberFormat('en-GB', { maximumFractionDigits: 1 });

/** A length of time in at most two units, as measured things are read: `86 ms`, `1.4 s`, `3 min 20 s`, `2 h 5 min`. */
export function durationText(ms: DurationMs): string {
  if (ms < SECOND_MS) return `${whole.format(Math.round(ms))} ms`;
  if (ms < 10 * SECOND_MS) return `${oneDigit.format(Math.floor(ms / 100) / 10)} s`;
  if (ms < MINUTE_MS) return `${whole.format(Math.floor(ms / SECOND_MS))} s`;
  if (ms < HOUR_MS) return twoUnits(ms, MINUTE_MS, 'min', SECOND_MS, 's');
  if (ms < DAY_MS) return twoUnits(ms, HOUR_MS, 'h', MINUTE_MS, 'min');
  return twoUnits(ms, DAY_MS, ms < 2 * DAY_MS ? 'day' : 'days', HOUR_MS, 'h');
}

function twoUnits(ms: DurationMs, big: number, bigName: string, small: number, smallName: string): string {
  const count = Math.floor(ms / big);
  const rest = Math.floor((ms % big) / small);
  const head = `${whole.format(count)} ${bigName}`;
  return rest === 0 ? head : `${head} ${rest} ${smallName}`;
}

/** Time passed so far, in whole seconds and without jitter in its width: `0 s`, `42 s`, `3 min 20 s`. */
export function elapsedText(ms: DurationMs): string {
  if (ms < MINUTE_MS) return `${Math.max(0, Math.floor(ms / SECOND_MS))} s`;
  return durationText(ms);
}

/** `6 h late`, or `null` when it was on time as people count it. */
export function latenessText(ms: DurationMs): string | null {
  return ms < LATE_FROM_MS ? null : `${durationText(ms)} late`;
}
