/** Who is to be told that the browser took a connection away, for whoever finds it closed. */
const listeners = new WeakMap<object, () => void>();

/** Has `lost` called whenever the connection `db` is found closed. */
export function onConnectionLost(db: object, lost: () => void): void {
  listeners.set(db, lost);
}

/** The connection `db` was found closed. */
export function tellLost(db: object): void {
  listeners.get(db)?.();
}
