/**
 * How long nobody has looked at Rota. Any visible tab is a look; the time of the last one is kept for all tabs, and whoever
 * looks again after a while has been away. What happened meanwhile is told until it is said to have been read.
 */
import { type DurationMs, type EpochMs, MINUTE_MS } from '../domain/index.ts';

/** A stretch in which nobody looked, and that has not been read about yet. */
export interface AwayPeriod {
  readonly since: EpochMs;
  readonly back: EpochMs;
}

/** Shorter absences are a look at another window. */
export const AWAY_LEAST_MS: DurationMs = 10 * MINUTE_MS;
/** How often a tab that is looked at says so. */
const SEEN_EVERY_MS: DurationMs = 30_000;
const SEEN_KEY = 'rota:seen-at';
const AWAY_KEY = 'rota:away';

/** Where it is kept: `localStorage`, which all tabs share. */
export type AwayStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

/**
 * Somebody looks at Rota at `now`. Answers with what they have not read about yet. An absence that was not read about grows
 * by the next one.
 */
export function look(storage: AwayStorage, now: EpochMs): AwayPeriod | null {
  const seenAt = numberIn(storage.getItem(SEEN_KEY));
  const unread = readPeriod(storage);
  // A clock that went back was not away.
  if (seenAt === null || seenAt > now || now - seenAt >= SEEN_EVERY_MS)
    storage.setItem(SEEN_KEY, String(now));
  if (seenAt === null || now - seenAt < AWAY_LEAST_MS) return unread;
  const period: AwayPeriod = { since: Math.min(unread?.since ?? seenAt, seenAt), back: now };
  storage.setItem(AWAY_KEY, JSON.stringify(period));
  return period;
}

/** It has been read. */
export function forgetAway(storage: AwayStorage): void {
  storage.removeItem(AWAY_KEY);
}

/** Whether an event of `storage` is about this. */
export function isAboutAway({ key }: StorageEvent): boolean {
  return key === AWAY_KEY || key === null;
}

function readPeriod(storage: AwayStorage): AwayPeriod | null {
  try {
    const value: unknown = JSON.parse(storage.getItem(AWAY_KEY) ?? 'null');
    if (typeof value !== 'object' || value === null) return null;
    const since: unknown = Reflect.get(value, 'since');
    const back: unknown = Reflect.get(value, 'back');
    return typeof since === 'number' && typeof back === 'number' && since < back ? { since, back } : null;
  } catch {
    return null;
  }
}

function numberIn(text: string | null): number | null {
  const value = Number(text ?? Number.NaN);
  return Number.isFinite(value) && value > 0 ? value : null;
}
