/** The calls that list automations, over the {@link Directory}. Loaded with the first of them: no claim needs them. */
import { type AutomationId, pausedUntil } from '../domain/index.ts';
import type { AutomationView, HostCalls } from '../rpc/index.ts';
import { Directory, type ListQuery, type Ordered } from './directory.ts';
import type { Engine } from './host.ts';
import { liveHosts } from './leases.ts';
import { automationView, needsYou } from './views.ts';
import type { World } from './world.ts';

/** Most rows in one answer. */
const PAGE_MOST = 1_000;

type ListCalls = Pick<HostCalls, 'listAutomations' | 'orderAutomations' | 'getAutomations'>;

/** Builds the calls; `watch` is how to hear which automations were written, here and elsewhere. */
export function automationListCalls(
  { ledger, dispatcher }: Engine,
  world: World,
  watch: (listener: (ids: readonly AutomationId[] | null) => void) => void,
): ListCalls {
  const directory = new Directory(ledger);
  watch((ids) => directory.touch(ids));

  async function order(query: ListQuery): Promise<Ordered> {
    await directory.read();
    const asking = dispatcher.waiting.filter((one) => needsYou({ failuresInARow: 0, recent: [] }, one));
    return directory.order(query, new Set(asking.map(({ row }) => row.automationId)));
  }

  async function viewsOf(ids: readonly AutomationId[]): Promise<readonly AutomationView[]> {
    const [stored, nextDue, active, { pauses = [] }] = await Promise.all([
      ledger.findAutomations(ids),
      ledger.listNextDue(ids),
      ledger.listActive(),
      ledger.getSettings(),
    ]);
    const waiting = new Map(dispatcher.waiting.map((one) => [one.row.automationId, one]));
    return stored.map((one) =>
      automationView(one, {
        nextDueAt: nextDue.get(one.automation.id) ?? null,
        active,
        waiting: waiting.get(one.automation.id) ?? null,
        pausedUntil: pausedUntil(pauses, world.now()),
      }),
    );
  }

  return {
    async listAutomations({ limit = PAGE_MOST, after, ...query } = {}) {
      // What another host wrote a moment ago may not be heard yet, and a script is to find it.
      if ((await liveHosts(world)).size > 1) directory.touch(null);
      for (;;) {
        const { ids, counts } = await order(query);
        const from = after === undefined ? 0 : ids.indexOf(after) + 1;
        const page = ids.slice(from, from + Math.min(limit, PAGE_MOST));
        const items = await viewsOf(page);
        // One that was removed meanwhile, or that turned out to be broken, is not in the next order.
        if (items.length < page.length && directory.isBehind) continue;
        const last = page.at(-1);
        const isMore = last !== undefined && from + page.length < ids.length;
        return { items, counts, ...(isMore ? { next: last } : {}) };
      }
    },

    async orderAutomations({ known, ...query } = {}) {
      const { ids, counts, tags, version } = await order(query);
      // Versions are counted by each host on its own.
      const named = `${world.host.id} ${version}`;
      return { version: named, counts, tags, ids: named === known ? null : ids };
    },

    async getAutomations({ ids }) {
      return { items: await viewsOf(ids.slice(0, PAGE_MOST)) };
    },
  };
}
