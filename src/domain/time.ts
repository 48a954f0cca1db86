/** Milliseconds since 1970-01-01T00:00:00Z, as `Date.now()` gives. Always an integer. */
export type EpochMs = number;

/** A length of time in milliseconds. Never negative. */
export type DurationMs = number;

export const SECOND_MS: DurationMs = 1_000;
export const MINUTE_MS: DurationMs = 60 * SECOND_MS;
export const HOUR_MS: DurationMs = 60 * MINUTE_MS;
export const DAY_MS: DurationMs = 24 * HOUR_MS;

/** The last instant a schedule may name: the end of the year 2199 (design, "Years to 2199"). */
export const LAST_INSTANT_MS: EpochMs = 7_258_118_399_999;
