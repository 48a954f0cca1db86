/**
 * Places where a test stops a host dead, to kill it there (protocol, section 10). Only in builds made with ROTA_TEST=1:
 * the workers' entries reach this file behind `__ROTA_TEST__`, so that no other build holds a line of it.
 *
 * A host that reaches the point that is armed says so on a channel of its own and then spins for ever, in the middle of
 * whatever it does: an open transaction stays open, a lease stays held, and only its process's end frees them.
 */
import type { Ledger } from '../store/index.ts';
import type { World } from './world.ts';

/** The channel on which tests arm a point and hosts say that they have reached it. */
const PAUSE_CHANNEL = 'rota-test';

/** `now` is wherever the host is when it hears it. */
export type PausePoint = 'now' | 'claim-commit' | 'claimed' | 'settle-commit' | 'settled' | 'outbox';

export type PauseMessage =
  { readonly arm: PausePoint } | { readonly reached: PausePoint; readonly hostId: string };

/** `world` with a host in it that stops where it is told to. */
export function withPausePoints(world: World): World {
  let armed: PausePoint | null = null;
  const channel = new BroadcastChannel(PAUSE_CHANNEL);
  const reach = (point: PausePoint): void => {
    if (armed !== point) return;
    channel.postMessage({ reached: point, hostId: world.host.id } satisfies PauseMessage);
    for (;;);
  };
  channel.addEventListener('message', ({ data }: MessageEvent<PauseMessage>) => {
    if (!('arm' in data)) return;
    armed = data.arm;
    reach('now');
  });

  // eslint-disable-next-line @typescript-eslint/unbound-method -- Called on the transaction that it is asked of.
  const { commit } = IDBTransaction.prototype;
  IDBTransaction.prototype.commit = function (this: IDBTransaction) {
    const stores = this.objectStoreNames;
    // What was written is with the browser, and the word that makes it count is not.
    if (stores.contains('runs') && stores.contains('settings')) reach('claim-commit');
    if (stores.contains('runs') && stores.contains('outputs')) reach('settle-commit');
    commit.call(this);
  };
  return { ...world, openLedger: async (events) => pausing(await world.openLedger(events), reach) };
}

function pausing(ledger: Ledger, reach: (point: PausePoint) => void): Ledger {
  return {
    ...ledger,
    tryClaim: async (request) => {
      const result = await ledger.tryClaim(request);
      if (result.kind === 'claimed') reach('claimed');
      return result;
    },
    settle: async (request) => {
      const result = await ledger.settle(request);
      reach('settled');
      return result;
    },
    listOutbox: async (limit) => {
      const rows = await ledger.listOutbox(limit);
      if (rows.length > 0) reach('outbox');
      return rows;
    },
  };
}
