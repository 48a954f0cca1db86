/**
 * When hosts were there. Each host extends one trace while it lives, so that what nobody ran can later be told apart:
 * *closed* when no host lived, *asleep* when one lived through it and was not woken. An account for people, never a proof:
 * nothing is claimed or recovered by it.
 */
import type { HostId } from './ids.ts';
import { DAY_MS, type DurationMs, type EpochMs, MINUTE_MS } from './time.ts';

/** Hosts were there from `from` to `until`, at least so exactly as {@link PRESENCE_GAP_MS} says. */
export interface PresenceSpan {
  readonly from: EpochMs;
  readonly until: EpochMs;
  /** What the time before it was; `unknown` before the first. */
  readonly before: Absence | 'unknown';
  /** Who was there at its end. */
  readonly hosts: readonly HostId[];
}

export type Absence = 'closed' | 'asleep';

/** Oldest first, none overlapping. */
export type Presence = readonly PresenceSpan[];

/** How long a host may say nothing and still have been there: its alarm sleeps for half a minute at most. */
export const PRESENCE_GAP_MS: DurationMs = 90_000;
/** How much newer than the trace the time must be for it to be written again. */
export const PRESENCE_WRITE_MS: DurationMs = 20_000;
/** How far back the trace goes. */
export const PRESENCE_KEPT_MS: DurationMs = 40 * DAY_MS;
/** Most spans that are kept. */
const SPANS_MOST = 1_000;
/** Most hosts that a span names. */
const HOSTS_MOST = 20;

/**
 * `presence` with the knowledge that `hosts` are there at `now`, or `presence` itself when that is nothing new. A gap
 * was sleep when somebody who is there now was there before it. A clock that went back makes the spans after `now` a
 * mistake of that clock: they are cut.
 */
export function extendPresence(presence: Presence, now: EpochMs, hosts: readonly HostId[]): Presence {
  const past = presence
    .filter(({ from }) => from <= now)
    .map((span) => (span.until > now ? { ...span, until: now } : span));
  const last = past.at(-1);
  const known = hosts.slice(0, HOSTS_MOST);
  if (last === undefined) return [{ from: now, until: now, before: 'unknown', hosts: known }];
  if (now - last.until <= PRESENCE_GAP_MS) {
    const isSame = past.length === presence.length && known.every((host) => last.hosts.includes(host));
    if (isSame && now - last.until < PRESENCE_WRITE_MS) return presence;
    return [...past.slice(0, -1), { ...last, until: now, hosts: known }];
  }
  const before = last.hosts.some((host) => hosts.includes(host)) ? 'asleep' : 'closed';
  const kept = past.filter(({ until }) => until >= now - PRESENCE_KEPT_MS);
  return [...kept, { from: now, until: now, before, hosts: known } satisfies PresenceSpan].slice(-SPANS_MOST);
}

/** Why nobody was there at `at`: `null` when somebody was, `unknown` before anything was recorded. */
export function absenceAt(presence: Presence, at: EpochMs): Absence | 'unknown' | null {
  // The newest span that begins at or before it; almost always one of the last.
  const index = presence.findLastIndex(({ from }) => from <= at);
  const span = presence[index];
  const next = presence[index + 1];
  if (span === undefined) return 'unknown';
  if (at <= span.until) return null;
  // After the last trace nobody knows yet: a host that is there now has not written for a moment.
  if (next === undefined) return null;
  return next.before;
}

/** What the trace says of an instant at which nothing ran: nobody came, somebody was there and could not, or nothing. */
export type Attendance = Absence | 'present' | 'unknown';

/** A host that is there notices within so long what is due, or is gone before it does. */
const NOTICED_WITHIN_MS: DurationMs = 30_000;

/**
 * What became of the instant `at`, which nothing has run by `now`. `present` only when hosts were there for long enough
 * afterwards that it must have waited for something; who was there at `at` and gone a moment later counts as absent. In the
 * stretch that goes on now, what waits has waited since `since` or since the stretch began: a sleep or a restart that
 * is shorter than {@link PRESENCE_GAP_MS} leaves no gap.
 */
export function attendanceAt(
  presence: Presence,
  at: EpochMs,
  { since, now }: { readonly since: EpochMs; readonly now: EpochMs },
): Attendance {
  const index = presence.findLastIndex(({ from }) => from <= at);
  const span = presence[index];
  const next = presence[index + 1];
  if (span === undefined) return 'unknown';
  if (next === undefined) return now - Math.max(since, span.from) > PRESENCE_GAP_MS ? 'present' : 'unknown';
  return span.until - at > NOTICED_WITHIN_MS ? 'present' : next.before;
}

/** Whether {@link attendanceAt} says the same of all instants from `from` to `to`, as it does of these two. */
export function isOneStretch(presence: Presence, from: EpochMs, to: EpochMs): boolean {
  return !presence.some((span) => span.from > from && span.from <= to);
}

/** A stretch without a host. */
export interface Gap {
  readonly from: EpochMs;
  readonly until: EpochMs;
  readonly why: Absence;
}

/** The stretches between `from` and `until` in which nobody was there, oldest first. */
export function gapsBetween(presence: Presence, from: EpochMs, until: EpochMs): readonly Gap[] {
  return presence.flatMap((span, index) => {
    const previous = presence[index - 1];
    if (previous === undefined || span.before === 'unknown') return [];
    const gap = {
      from: Math.max(from, previous.until),
      until: Math.min(until, span.from),
      why: span.before,
    };
    return gap.from < gap.until ? [gap] : [];
  });
}

/** How many weeks {@link isUsuallyAbsent} looks back, and how many days where there are not as many weeks. */
const WEEKS_ASKED = 4;
const DAYS_ASKED = 7;
/** How many of them must be known, and how many of those without a host, before *usually* may be said. */
const KNOWN_LEAST = 3;
const ABSENT_LEAST = 0.75;

/**
 * Whether nobody is usually there at the time of day of `at`: by the same weekday of the last four weeks, else by the
 * last seven days. `false` while too little is known. By the clock of UTC, so that it is an hour off for a while after
 * clocks change.
 */
export function isUsuallyAbsent(presence: Presence, at: EpochMs, now: EpochMs): boolean {
  for (const [step, count] of [
    [7 * DAY_MS, WEEKS_ASKED],
    [DAY_MS, DAYS_ASKED],
  ] as const) {
    const newest = at - Math.ceil(Math.max(0, at - now + MINUTE_MS) / step) * step;
    const asked = Array.from({ length: count }, (_, index) => newest - index * step);
    const known = asked.map((one) => absenceAt(presence, one)).filter((one) => one !== 'unknown');
    if (known.length < KNOWN_LEAST) continue;
    return known.filter((one) => one !== null).length >= ABSENT_LEAST * known.length;
  }
  return false;
}
