import type { AutomationId } from '../domain/index.ts';

/** Who keeps something of a connection's automations in memory, and is to be told which of them were written. */
const listeners = new WeakMap<object, (id: AutomationId) => void>();
/** The automations that a transaction has written or removed so far. */
const written = new WeakMap<object, Set<AutomationId>>();

/** Has `listener` called with each automation that a transaction of `db` has written or removed, once that is durable. */
export function onAutomationWritten(db: object, listener: (id: AutomationId) => void): void {
  listeners.set(db, listener);
}

/** The transaction `tx` writes the automation, or removes it. */
export function noteWritten(tx: object, id: AutomationId): void {
  const ids = written.get(tx);
  if (ids === undefined) written.set(tx, new Set([id]));
  else ids.add(id);
}

/** What the transaction `tx` of `db` has written is stored. */
export function tellWritten(db: object, tx: object): void {
  const listener = listeners.get(db);
  if (listener !== undefined) for (const id of written.get(tx) ?? []) listener(id);
}
