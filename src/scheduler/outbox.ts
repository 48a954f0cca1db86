import type { DurationMs, EpochMs, RunId, Showing, Told } from '../domain/index.ts';
import { NOTIFIER_LOCK } from '../rpc/index.ts';
import type { Ledger } from '../store/index.ts';
import { ALARM_MOST_MS } from './alarm.ts';
import type { World } from './world.ts';

/** How many rows are looked at to see whether there is anything new. */
const LOOKED_AT_MOST = 50;
/** How soon windows are asked again for what they have not shown; it doubles while they still have not. */
const ASK_AGAIN_FIRST_MS: DurationMs = 1_000;

/** How often windows are asked before the host shows it itself: a window may be frozen, and a person still waits. */
const ASK_MOST = 4;

/**
 * Delivers what runs asked to be shown, after their settlement. A window shows it best (a click can open the run, and
 * phones allow nothing else), so windows are asked by a hint; with no tab open, or none that answers, the host shows it
 * itself where it can. What is shown together is written down first, and its id is its tag, so delivering it twice shows
 * it once.
 */
export class Outbox {
  readonly #world: World;
  readonly #ledger: Ledger;
  readonly #countTabs: () => Promise<number>;
  /** What has waited longest, and how often windows were asked for it in vain. */
  #oldest: { readonly id: string; readonly asked: number } | null = null;
  /** What waited at the last look, so that lists of notifications are told of what is new. */
  #seen: ReadonlySet<string> = new Set();
  #gathersUntil: EpochMs | null = null;

  /** @param countTabs how many tabs are open on this origin, whichever host they talk to, or still will. */
  constructor(world: World, ledger: Ledger, countTabs: () => Promise<number>) {
    this.#world = world;
    this.#ledger = ledger;
    this.#countTabs = countTabs;
  }

  /** When what waits for others of its kind is shown; `null`: nothing does. */
  get gathersUntil(): EpochMs | null {
    return this.#gathersUntil;
  }

  /** What is to be shown now by whoever asks: under the lock {@link NOTIFIER_LOCK}, and when it may show anything. */
  async pending(): Promise<readonly Showing[]> {
    return (await this.#look(true)).showings;
  }

  /** Records that it was shown. */
  async confirm(id: string): Promise<void> {
    if (await this.#ledger.markShown(id, this.#world.now())) this.#tell();
  }

  /** Records what the person has read; says how many. */
  async read(which: { readonly ids?: readonly string[]; readonly runId?: RunId }): Promise<number> {
    const count = await this.#ledger.markRead({ ...which, now: this.#world.now() });
    if (count > 0) this.#tell();
    return count;
  }

  /**
   * Asks the windows to show what waits, or shows it here when there is none or when they were asked in vain. Answers when
   * to ask again, because a window may miss a hint, or die with what it was about to show; `null` when nothing waits.
   */
  async deliver(): Promise<DurationMs | null> {
    const rows = await this.#ledger.listOutbox(LOOKED_AT_MOST);
    this.#notice(rows.map(({ id }) => id));
    if (rows.length === 0) {
      this.#oldest = null;
      this.#gathersUntil = null;
      return null;
    }
    const { showings, again } = await this.#look(this.#world.mayNotify());
    const [oldest] = showings;
    const wait = again === null ? null : Math.max(1, again - this.#world.now());
    if (oldest === undefined) {
      this.#oldest = null;
      return wait;
    }
    const asked = this.#oldest?.id === oldest.id ? this.#oldest.asked + 1 : 0;
    this.#oldest = { id: oldest.id, asked };
    const hasWindow = (await this.#countTabs()) > 0;
    if (hasWindow) this.#tell();
    if (!hasWindow || asked >= ASK_MOST) {
      await this.#world.locks.tryWith(NOTIFIER_LOCK, async (lock) => {
        if (lock === null) return;
        // Read again under the lock: another host may have shown it meanwhile.
        for (const row of await this.pending()) if (await this.#world.notify(row)) await this.confirm(row.id);
      });
    }
    return Math.min(ALARM_MOST_MS, ASK_AGAIN_FIRST_MS * 2 ** asked, wait ?? Infinity);
  }

  async #look(seal: boolean): Promise<Told> {
    const { now, timeZone, online } = this.#world;
    const told = await this.#ledger.listShowings({ now: now(), zone: timeZone(), online: online(), seal });
    this.#gathersUntil = told.again;
    return told;
  }

  /** Tells the lists of notifications of what is new. */
  #notice(waiting: readonly string[]): void {
    const isNew = waiting.some((id) => !this.#seen.has(id));
    this.#seen = new Set(waiting);
    if (isNew) this.#tell();
  }

  #tell(): void {
    this.#world.hints.post({ topic: 'notifications' });
  }
}
