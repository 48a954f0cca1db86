/**
 * The host of last resort (protocol, section 7): one that lives for one event of the service worker, while every page is
 * closed or beside those that are open. It claims like any other; all that is its own is when it goes.
 */
import type { DurationMs } from '../domain/index.ts';
import { soonest } from './alarm.ts';
import { STAND_BY_MS } from './courtesy.ts';
import type { Engine, Host } from './host.ts';
import type { World } from './world.ts';

/**
 * How long it claims. With what it gives its runs to finish it stays well below the three minutes that Chromium allows a
 * sync event (blink, kMaxSyncEventDuration).
 */
export const CLAIMS_FOR_MS: DurationMs = 30_000;
/** How long what it runs may take to finish then, before it is interrupted and left to the next host. */
export const FINISHES_FOR_MS: DurationMs = 90_000;
/** What falls due within so long is waited for; a retry of what has just failed, say. */
const LINGERS_MS: DurationMs = 5_000;

/**
 * Recovers, accounts for what was missed, claims what is due, and waits until it has settled; then `host` retires and is
 * gone. Never rejects, and takes a little over {@link CLAIMS_FOR_MS} and {@link FINISHES_FOR_MS} at most.
 */
export async function attend(host: Host, world: World): Promise<void> {
  const until = world.monotonic() + CLAIMS_FOR_MS;
  const within = (most: DurationMs, work?: Promise<void>): Promise<void> =>
    new Promise((resolve) => {
      const undo = world.setTimer(most, resolve);
      work?.then(() => {
        undo();
        resolve();
      }, resolve);
    });
  try {
    const engine = await host.readyWithin(CLAIMS_FOR_MS);
    for (;;) {
      await host.tick();
      await within(Math.max(0, until - world.monotonic()), engine.runner.idle());
      const wait = soonest(await nextWait(engine, world), gatherWait(engine, world));
      if (wait === null || wait > LINGERS_MS || world.monotonic() + wait >= until) break;
      await within(wait);
    }
  } catch {
    // It has no database, or has lost it. It has said so; there is nothing here that it could do.
  }
  await host.retire(FINISHES_FOR_MS);
}

/** How long until what waits for others to be shown with is shown; `null` when nothing does. */
function gatherWait({ outbox: { gathersUntil } }: Engine, world: World): DurationMs | null {
  return gathersUntil === null ? null : Math.max(1, gathersUntil - world.now());
}

/** How long until there may be something to claim; `null` for nothing in sight. */
async function nextWait({ ledger }: Engine, world: World): Promise<DurationMs | null> {
  const now = world.now();
  const dueAt = await ledger.nextDueAfter(now - STAND_BY_MS);
  return dueAt === null ? null : Math.max(0, dueAt + STAND_BY_MS - now);
}
