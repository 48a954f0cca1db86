import type { DurationMs } from '../domain/index.ts';
import { NOTIFIER_LOCK, type PendingNotification } from '../rpc/index.ts';
import type { Ledger } from '../store/index.ts';
import { ALARM_MOST_MS } from './alarm.ts';
import type { World } from './world.ts';

/** How many effects one round delivers. */
const OUTBOX_MOST = 50;
/** How soon windows are asked again for what they have not shown; it doubles while they still have not. */
const ASK_AGAIN_FIRST_MS: DurationMs = 1_000;

/**
 * Delivers what runs asked to be shown, after their settlement. A window shows it best (a click can open the run, and
 * phones allow nothing else), so windows are asked by a hint; with no tab left, the host shows it itself where it can.
 * The effect's id is its tag, so delivering it twice shows it once.
 */
export class Outbox {
  readonly #world: World;
  readonly #ledger: Ledger;
  /** What has waited longest, since when here, and how often it was asked for in vain. */
  #oldest: { readonly id: string; readonly since: DurationMs; readonly asked: number } | null = null;

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

  /**
   * Asks the windows to show what waits, or shows it here when `tabs` is 0. Answers when to ask again, because a window
   * may miss a hint, or die with what it was about to show; `null` when nothing waits.
   *
   * @param isAwaited the first tab is still to say that it is there, as with a worker that has just been started: it gets
   *   a moment for it.
   */
  async deliver(tabs: number, isAwaited: boolean): Promise<DurationMs | null> {
    const rows = await this.pending();
    const [oldest] = rows;
    if (oldest === undefined) {
      this.#oldest = null;
      return null;
    }
    const now = this.#world.monotonic();
    const before = this.#oldest?.id === oldest.id ? this.#oldest : null;
    const { since, asked } = { since: before?.since ?? now, asked: before === null ? 0 : before.asked + 1 };
    this.#oldest = { id: oldest.id, since, asked };
    if (tabs > 0) {
      this.#world.hints.post({ topic: 'notifications' });
    } else if (isAwaited && now - since < ASK_AGAIN_FIRST_MS) {
      return since + ASK_AGAIN_FIRST_MS - now;
    } else {
      await this.#world.locks.tryWith(NOTIFIER_LOCK, async (lock) => {
        if (lock === null) return;
        for (const row of rows) if (await this.#world.notify(row)) await this.confirm(row.id);
      });
    }
    return Math.min(ALARM_MOST_MS, ASK_AGAIN_FIRST_MS * 2 ** asked);
  }
}
