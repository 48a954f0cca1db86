import * as v from 'valibot';
import {
  type EpochMs,
  type HostId,
  type Presence,
  SCHEMA,
  extendPresence as extended,
  parseWith,
} from '../domain/index.ts';
import type { RotaDb } from './open.ts';
import { transact, view } from './transact.ts';

const KEY = 'presence';

const whole = v.pipe(v.number(), v.integer());
const presenceRow = v.looseObject({
  schema: v.pipe(whole, v.maxValue(SCHEMA)),
  spans: v.array(
    v.looseObject({
      from: whole,
      until: whole,
      before: v.picklist(['closed', 'asleep', 'unknown']),
      hosts: v.array(v.string()),
    }),
  ),
});

/**
 * The trace as stored. One that does not read is none, and the next host begins another: it is an account of the past
 * that nothing stands on, and nothing that a person made.
 */
function read(value: unknown): Presence {
  const parsed = parseWith(presenceRow, value);
  return parsed.kind === 'ok' ? (parsed.value.spans as unknown as Presence) : [];
}

/** When hosts were there, as far as is known. */
export async function getPresence(db: RotaDb): Promise<Presence> {
  return view(db, ['settings'] as const, getPresenceIn);
}

/** The same, inside a transaction that is open. */
export async function getPresenceIn(tx: {
  objectStore(name: 'settings'): { get(key: string): Promise<unknown> };
}): Promise<Presence> {
  return read(await tx.objectStore('settings').get(KEY));
}

/** Adds to the trace that `hosts` are there at `now`, and answers with all of it. */
export async function extendPresence(db: RotaDb, now: EpochMs, hosts: readonly HostId[]): Promise<Presence> {
  return transact(db, ['settings'] as const, async (tx) => {
    const store = tx.objectStore('settings');
    const value: unknown = await store.get(KEY);
    const presence = read(value);
    const spans = extended(presence, now, hosts);
    const isNewer =
      typeof value === 'object' && value !== null && Number(Reflect.get(value, 'schema')) > SCHEMA;
    if (spans !== presence && !isNewer) await store.put({ name: KEY, schema: SCHEMA, spans });
    return spans;
  });
}
