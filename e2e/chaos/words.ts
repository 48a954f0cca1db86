/** How the checker names things in its sentences. */
import type { EpochMs, Hit, RunRow } from './record.ts';

/** A time of day in UTC with milliseconds, and the epoch ms that files hold: `12:00:01.250 (1764504001250)`. */
export function at(time: EpochMs): string {
  return `${new Date(time).toISOString().slice(11, 23)} (${time})`;
}

/** A run or a row without one, so that it can be found: `run 0190… (succeeded, attempt 1 at …@…)`. */
export function the(run: RunRow): string {
  return `run ${run.id} (${run.status}, attempt ${run.attempt} at ${run.occurrence})`;
}

/** A request at the server, by the run that it names. */
export function theHit(hit: Hit): string {
  return `the request of run ${hit.runId} that reached the server at ${at(hit.startedAt)}`;
}
