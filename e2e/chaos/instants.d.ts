import type { EpochMs, Schedule } from './record.ts';
/** Whether {@link instantsOf} knows the instants of `schedule`. */
export declare function isReckoned(schedule: Schedule): boolean;
/** The instants of `schedule` after `after` and up to `until`, oldest first. None where {@link isReckoned} is false. */
export declare function instantsOf(schedule: Schedule, after: EpochMs, until: EpochMs): readonly EpochMs[];
/** Whether `at` is an instant of `schedule`. */
export declare function isInstantOf(schedule: Schedule, at: EpochMs): boolean;
/** Whether `schedule` has an instant after `after`; looked for up to a year ahead. */
export declare function hasInstantAfter(schedule: Schedule, after: EpochMs): boolean;
