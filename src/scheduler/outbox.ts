import type { DurationMs } from '../domain/index.ts';
import { NOTIFIER_LOCK, type PendingNotification } from '../rpc/index.ts';
import type { Ledger } from '../store/index.ts';
import { ALARM_MOST_MS } from './alarm.ts';
import type { World } from './world.ts';

/** How many effects one round delivers. */
const OUTBOX_MOST = 50;
/** How soon windows are asked again for what they have not shown; it doubles while they still have not. */
const ASK_AGAIN_FIRST_MS: DurationMs = 1_000;

/** How often windows are asked before the host shows it itself: a window may be frozen, and a person still waits. */
const ASK_MOST = 4;

/**
 * Delivers what runs asked to be shown, after their settlement. A window shows it best (a click can open the run, and
 * phones allow nothing else), so windows are asked by a hint; with no tab open, or none that answers, the host shows it
 * itself where it can. The effect's id is its tag, so delivering it twice shows it once.
 */
export class Outbox {
  readonly #world: World;
  readonly #ledger: Ledger;
  readonly #countTabs: () => Promise<number>;
  /** What has waited longest, and how often windows were asked for it in vain. */
  #oldest: { readonly id: string; readonly asked: number } | null = null;

  /** @param countTabs how many tabs are open on this origin, whichever host they talk to, or still will. */
  constructor(world: World, ledger: Ledger, countTabs: () => Promise<number>) {
    this.#world = world;
    this.#ledger = ledger;
    this.#countTabs = countTabs;
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

  /**
   * Asks the windows to show what waits, or shows it here when there is none or when they were asked in vain. Answers when
   * to ask again, because a window may miss a hint, or die with what it was about to show; `null` when nothing waits.
   */
  async deliver(): Promise<DurationMs | null> {
    const [oldest] = await this.pending();
    if (oldest === undefined) {
      this.#oldest = null;
      return null;
    }
    const asked = this.#oldest?.id === oldest.id ? this.#oldest.asked + 1 : 0;
    this.#oldest = { id: oldest.id, asked };
    const hasWindow = (await this.#countTabs()) > 0;
    if (hasWindow) this.#world.hints.post({ topic: 'notifications' });
    if (!hasWindow || asked >= ASK_MOST) {
      await this.#world.locks.tryWith(NOTIFIER_LOCK, async (lock) => {
        if (lock === null) return;
        // Read again under the lock: another host may have shown it meanwhile.
        for (const row of await this.pending()) if (await this.#world.notify(row)) await this.confirm(row.id);
      });
    }
    return Math.min(ALARM_MOST_MS, ASK_AGAIN_FIRST_MS * 2 ** asked);
  }
}
