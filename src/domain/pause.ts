/** Pauses of everything: when nothing is run by itself, on all hosts. Time that passes in one is not caught up. */
import type { EpochMs } from './time.ts';

/** From when until when nothing runs by itself; `from` is in it, `until` is not. */
export interface Pause {
  readonly from: EpochMs;
  readonly until: EpochMs;
}

/** How many pauses are remembered, to account for what was due in them. */
const PAUSES_KEPT = 20;

/** Until when all is paused at `now`; `null` when it is not. */
export function pausedUntil(pauses: readonly Pause[], now: EpochMs): EpochMs | null {
  return pauses.find(({ from, until }) => from <= now && now < until)?.until ?? null;
}

/** Whether `at` lies in one of `pauses`. */
export function isIn(pauses: readonly Pause[], at: EpochMs): boolean {
  return pauses.some(({ from, until }) => from <= at && at < until);
}

/** `pauses` after someone paused all until `until` at `now`, or, with `null`, ended the pause. Newest last. */
export function withPause(pauses: readonly Pause[], until: EpochMs | null, now: EpochMs): readonly Pause[] {
  const current = pauses.find((pause) => pause.from <= now && now < pause.until);
  const others = pauses.filter((pause) => pause !== current);
  const end = until ?? now;
  const from = current?.from ?? now;
  const pause = from < end ? [{ from, until: end }] : [];
  return [...others, ...pause].slice(-PAUSES_KEPT);
}
