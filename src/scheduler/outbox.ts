import { NOTIFIER_LOCK, type PendingNotification } from '../rpc/index.ts';
import type { Ledger } from '../store/index.ts';
import type { World } from './world.ts';

/** How many effects one round delivers. */
const OUTBOX_MOST = 50;

/**
 * Delivers what runs asked to be shown, after their settlement. A window shows it best (a click can open the run, and
 * phones allow nothing else), so windows are asked by a hint; with no tab left, the host shows it itself where it can.
 * The effect's id is its tag, so delivering it twice shows it once.
 */
export class Outbox {
  readonly #world: World;
  readonly #ledger: Ledger;

  constructor(world: World, ledger: Ledger) {
    this.#world = world;
    this.#ledger = ledger;
  }

  /** What waits to be shown by a window. */
  async pending(): Promise<readonly PendingNotification[]> {
    const rows = await this.#ledger.listOutbox(OUTBOX_MOST);
    return rows.map(({ id, title, body, runId }) => ({ id, title, body, runId }));
  }

  /** Forgets what was shown. */
  async confirm(id: string): Promise<void> {
    await this.#ledger.removeFromOutbox(id);
  }

  /** Asks the windows to show what waits, or shows it here when `tabs` is 0. */
  async deliver(tabs: number): Promise<void> {
    const rows = await this.pending();
    if (rows.length === 0) return;
    if (tabs > 0) {
      this.#world.hints.post({ topic: 'notifications' });
      return;
    }
    await this.#world.locks.tryWith(NOTIFIER_LOCK, async (lock) => {
      if (lock === null) return;
      for (const { id, title, body } of rows) {
        if (this.#world.notify({ tag: id, title, body })) await this.confirm(id);
      }
    });
  }
}
