/** How the checker names things in its sentences. */
import type { EpochMs, Hit, RunRow } from './record.ts';
/** A time of day in UTC with milliseconds, and the epoch ms that files hold: `12:00:01.250 (1764504001250)`. */
export declare function at(time: EpochMs): string;
/** A run or a row without one, so that it can be found: `run 0190… (succeeded, attempt 1 at …@…)`. */
export declare function the(run: RunRow): string;
/** A request at the server, by the run that it names. */
export declare function theHit(hit: Hit): string;
