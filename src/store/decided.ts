import { type AutomationId, type EpochMs, type Occurrence, scheduledOccurrence } from '../domain/index.ts';

/** The index of runs by occurrence and attempt, as far as its keys go. */
interface ByOccurrence {
  openKeyCursor(range: IDBKeyRange): Promise<Cursor | null>;
}
interface Cursor {
  readonly key: readonly [Occurrence, number];
  continue(): Promise<Cursor | null>;
}

/**
 * The scheduled instants of `automation` from `from` to `now`, both included, that the ledger has a row of by their own
 * key. There are none, unless a clock went back: the agenda only moves forwards. Awaits requests of the index alone.
 */
export async function decidedInstants(
  byOccurrence: ByOccurrence,
  automation: AutomationId,
  from: EpochMs,
  now: EpochMs,
): Promise<ReadonlySet<EpochMs>> {
  const decided = new Set<EpochMs>();
  if (from > now) return decided;
  // Keys sort as text, and so by time only where they are of one length; else all of the automation's are looked at.
  const isText = String(from).length === String(now).length;
  const prefix = scheduledOccurrence(automation, 0).slice(0, -1);
  const range = isText
    ? IDBKeyRange.bound([`${prefix}${from}`, 1], [`${prefix}${now}`, 1])
    : IDBKeyRange.bound([prefix, 1], [`${prefix}\uffff`, 1]);
  let cursor = await byOccurrence.openKeyCursor(range);
  while (cursor !== null) {
    const [occurrence] = cursor.key;
    const at = Number(occurrence.slice(prefix.length));
    if (at >= from && at <= now) decided.add(at);
    cursor = await cursor.continue();
  }
  return decided;
}
