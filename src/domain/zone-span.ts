import type { EpochMs } from './time.ts';

/** A stretch of time in which a zone keeps one offset: `from` included, `until` not; infinite where it never changed. */
export interface ZoneSpan {
  readonly from: EpochMs;
  readonly until: EpochMs;
  /** Wall clock minus UTC. May be negative. */
  readonly offsetMs: number;
}

/**
 * Reads the span of a zone that holds `at`, or answers `null` where it cannot tell and Temporal must be asked.
 *
 * @param isStart whether the clocks are known to change at `at`, or a span of that zone to end there.
 */
export type SpanReader = (timeZone: string, at: EpochMs, isStart: boolean) => ZoneSpan | null;
