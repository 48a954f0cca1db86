import type { AutomationId } from './ids.ts';
import { scheduledOccurrence } from './occurrence.ts';
import { type Schedule, jitterOf } from './schedule.ts';
import type { EpochMs } from './time.ts';

/**
 * When the occurrence of `automation` at the scheduled instant `at` may be claimed: up to the jitter of its schedule later.
 * Computed from the occurrence's name alone, so that every host, and every build, puts it off by the same.
 */
export function dueAtOf(
  automation: { readonly id: AutomationId; readonly schedule: Schedule },
  at: EpochMs,
): EpochMs {
  const jitter = jitterOf(automation.schedule);
  return jitter === 0 ? at : at + Math.floor(share(scheduledOccurrence(automation.id, at)) * (jitter + 1));
}

/** A number in [0, 1) that `text` always gives: FNV-1a, then the mixing of MurmurHash3, so that neighbours differ. */
function share(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}
