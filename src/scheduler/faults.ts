/**
 * What tests do to hosts besides killing them: they set the clock of all of them, and take their database connections away.
 * Only in builds made with ROTA_TEST=1, like pause-points.ts.
 *
 * All hosts of a machine have one clock, so how far it is ahead is stored, and a host that starts finds it there. Ids that
 * hosts make meanwhile end in the time of the machine, and so does the order of what happened stay known.
 */
import type { DurationMs } from '../domain/index.ts';
import type { World } from './world.ts';

/** The channel on which tests command, and hosts say that it is done. */
const FAULT_CHANNEL = 'rota-test-faults';
/** The database of one store, `clock`, with one value, under the key `ahead`. Tests write it before they command. */
const CLOCK_DATABASE = 'rota-test-clock';
/** How many bytes at the end of an id hold the time of the machine. */
const TIME_BYTES = 6;

export type FaultMessage =
  /** From now on the hosts' wall clocks are ahead of the machine's by so much. */
  | { readonly ahead: DurationMs }
  /** Closes the connection to the database, with the event that tells of it or without, as WebKit does either. */
  | { readonly lose: 'told' | 'untold' }
  | { readonly done: 'ahead' | 'lose'; readonly hostId: string };

/** `world` with a clock that can be set, and a database that can be taken away. */
export function withFaults(world: World): World {
  let ahead: DurationMs | null = null;
  const connections = new Set<IDBDatabase>();
  const channel = new BroadcastChannel(FAULT_CHANNEL);
  const done = (what: 'ahead' | 'lose'): void =>
    channel.postMessage({ done: what, hostId: world.host.id } satisfies FaultMessage);

  channel.addEventListener('message', ({ data }: MessageEvent<FaultMessage>) => {
    if ('ahead' in data) {
      ahead = data.ahead;
      done('ahead');
    } else if ('lose' in data) {
      for (const connection of connections) {
        connection.close();
        if (data.lose === 'told') connection.dispatchEvent(new Event('close'));
      }
      connections.clear();
      done('lose');
    }
  });

  // eslint-disable-next-line @typescript-eslint/unbound-method -- Called on the connection that it is asked of.
  const { transaction } = IDBDatabase.prototype;
  IDBDatabase.prototype.transaction = function (this: IDBDatabase, ...args) {
    if (this.name !== CLOCK_DATABASE) connections.add(this);
    return transaction.apply(this, args);
  };

  return {
    ...world,
    now: () => world.now() + (ahead ?? 0),
    randomBytes: (count) => {
      const bytes = world.randomBytes(count);
      for (let index = 1, time = world.now(); index <= TIME_BYTES && index <= count; index++) {
        bytes[count - index] = time % 256;
        time = Math.floor(time / 256);
      }
      return bytes;
    },
    openLedger: async (events) => {
      const stored = await storedAhead();
      // What was commanded meanwhile is newer.
      ahead ??= stored;
      return world.openLedger(events);
    },
  };
}

function storedAhead(): Promise<DurationMs> {
  return new Promise((resolve, reject) => {
    const opening = indexedDB.open(CLOCK_DATABASE, 1);
    opening.onupgradeneeded = () => void opening.result.createObjectStore('clock');
    opening.onerror = () => reject(opening.error ?? new Error('no clock'));
    opening.onsuccess = () => {
      const db = opening.result;
      const reading = db.transaction('clock').objectStore('clock').get('ahead') as IDBRequest<
        number | undefined
      >;
      reading.onsuccess = () => resolve(reading.result ?? 0);
      reading.onerror = () => reject(reading.error ?? new Error('no clock'));
      reading.transaction?.addEventListener('complete', () => db.close());
    };
  });
}
