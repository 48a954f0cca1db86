/**
 * A worker with Rota's own host in it, as `src/scheduler/tab-worker.ts` makes it, but that it can be asked for a tick and says
 * when it has claimed; what its runs fetch is answered from memory, so that no network is measured.
 */
import { workerWorld } from '../../src/scheduler/browser-world.ts';
import { Host, type World } from '../../src/scheduler/index.ts';

/** What the page asks for. */
export type HostOrder =
  | { readonly kind: 'start' }
  | { readonly kind: 'ticks'; readonly rounds: number }
  /** When the first `count` claims were durable, epoch ms with fractions. */
  | { readonly kind: 'claims'; readonly count: number };

const claims: number[] = [];
let waits: { readonly count: number; readonly resolve: () => void } | null = null;

function noteClaim(): void {
  claims.push(performance.timeOrigin + performance.now());
  if (waits !== null && claims.length >= waits.count) waits.resolve();
}

const real = workerWorld(globalThis, 'tab-worker');
const world: World = {
  ...real,
  fetch: () => Promise.resolve(new Response(null, { status: 204 })),
  openLedger: async (events) => {
    const ledger = await real.openLedger(events);
    return {
      ...ledger,
      tryClaim: async (request) => {
        const result = await ledger.tryClaim(request);
        if (result.kind === 'claimed') noteClaim();
        return result;
      },
    };
  },
};
let host: Host | null = null;

async function carryOut(order: HostOrder): Promise<readonly number[]> {
  switch (order.kind) {
    case 'start':
      host = new Host(world);
      await host.ready;
      await host.tick();
      return [];
    case 'ticks': {
      const samples: number[] = [];
      for (let n = 0; n < order.rounds; n++) {
        const startedAt = performance.now();
        await host?.tick();
        samples.push(performance.now() - startedAt);
      }
      return samples;
    }
    case 'claims':
      await new Promise<void>((resolve) => {
        if (claims.length >= order.count) resolve();
        else waits = { count: order.count, resolve };
      });
      return claims;
  }
}

globalThis.addEventListener('message', ({ data }: MessageEvent<HostOrder>) => {
  carryOut(data).then(
    (value) => postMessage({ value }),
    (error: unknown) => postMessage({ error: String(error) }),
  );
});
