/** Rota's host on the ledger of this origin: its ticks, and what it does with much that is due at one instant. */
import * as v from 'valibot';
import {
  type ActiveRun,
  type AutomationId,
  type CommandId,
  type Ending,
  type HostId,
  definitionSchema,
  leaseName,
} from '../../src/domain/index.ts';
import type { BareOrder } from './bare-worker.ts';
import type { HostOrder } from './host-worker.ts';
import { newId, newRunId, openLedger } from './ledger.ts';
import { offer } from './offer.ts';

/** How long before they are due the host has to be there. */
const AHEAD_MS = 4_000;

/** Asks a worker for one thing, and answers with what it says. Not before it has answered the last. */
function order<Answer>(worker: Worker, message: HostOrder | BareOrder): Promise<Answer> {
  return new Promise((resolve, reject) => {
    worker.onmessage = ({ data }: MessageEvent<{ readonly value: Answer } | { readonly error: string }>) =>
      'error' in data ? reject(new Error(data.error)) : resolve(data.value);
    worker.onerror = ({ message: why }) => reject(new Error(why));
    worker.postMessage(message);
  });
}

const startHost = (): Worker => new Worker(new URL('./host-worker.ts', import.meta.url), { type: 'module' });

let ticking: Promise<Worker> | null = null;

/** Milliseconds of `rounds` looks of a host at a ledger in which nothing is due. The host is there from the first call on. */
async function measureTicks(rounds: number): Promise<readonly number[]> {
  ticking ??= (async () => {
    const worker = startHost();
    await order(worker, { kind: 'start' });
    return worker;
  })();
  return order(await ticking, { kind: 'ticks', rounds });
}

/** Brings in `count` automations, each due once, all at `at`, asking for `url`; their ids. */
async function importDue(
  count: number,
  at: number,
  url = 'https://example.test/health',
): Promise<readonly AutomationId[]> {
  const { ledger } = await openLedger();
  const result = await ledger.importAll({
    // What is due once has to be to come when it is brought in.
    now: Math.min(Date.now(), at - 1),
    newId: newRunId,
    commandId: newId() as CommandId,
    automations: Array.from({ length: count }, (_, n) => ({
      id: newId() as AutomationId,
      definition: v.parse(definitionSchema, {
        name: `Due ${n}`,
        schedule: { kind: 'once', at },
        action: { kind: 'http', method: 'GET', url },
      }),
    })),
    freshId: () => newId() as AutomationId,
  });
  if (result.kind !== 'imported') throw new Error(JSON.stringify(result));
  return result.ids;
}

/** Brings in an automation that is due at once, for the next host to claim, and asks for `url`; its id. */
async function bringInDue(url: string): Promise<AutomationId | undefined> {
  const [id] = await importDue(1, Date.now(), url);
  return id;
}

/** Milliseconds from the instant at which `count` occurrences are due until a host has claimed the last of them. */
async function measureBurst(count: number): Promise<number> {
  const { ledger } = await openLedger();
  const at = Date.now() + AHEAD_MS + count;
  await importDue(count, at);
  const worker = startHost();
  try {
    await order(worker, { kind: 'start' });
    if (Date.now() > at) throw new Error('The host was not there in time.');
    const claims = await order<readonly number[]>(worker, { kind: 'claims', count });
    const runs = await ledger.listRuns({ limit: count + 1 });
    const occurrences = new Set(runs.map(({ occurrence }) => occurrence));
    if (runs.length !== count || occurrences.size !== count || claims.length !== count)
      throw new Error(`${count} were due, there are ${runs.length} runs of ${occurrences.size}.`);
    return Math.max(...claims) - at;
  } finally {
    worker.terminate();
  }
}

/** The same by bare transactions of the shape of a claim and a settlement, on a database that was filled in the same way. */
async function measureBareBurst(count: number): Promise<number> {
  const { ledger, db } = await openLedger();
  const at = Date.now();
  await importDue(count + 1, at);
  const [first, ...rows] = await ledger.listDue(at, count + 1);
  if (first === undefined || rows.length !== count) throw new Error('Not all of them are due.');
  // The rows to be written are those that a claim and a settlement have really written.
  const hostId = newId() as HostId;
  const claimed = await ledger.tryClaim({
    target: { kind: 'row', key: first.key },
    host: { id: hostId, kind: 'tab-worker', build: 'bench' },
    now: at,
    lease: leaseName(first.automationId, 0),
    liveHosts: new Set([hostId]),
    missing: null,
    absence: 'closed',
    newId: newRunId,
    chance: 0.5,
  });
  if (claimed.kind !== 'claimed') throw new Error(`not claimed: ${claimed.kind}`);
  const { id: runId, fence } = claimed.run;
  const url = 'https://example.test/health';
  const ending: Ending = {
    kind: 'succeeded',
    summary: '204',
    output: {
      kind: 'http',
      request: { method: 'GET', url, headers: {} },
      response: {
        ...{ status: 204, statusText: '', url, headers: {}, contentType: '' },
        ...{ text: '', bytes: 0, truncated: false },
      },
      timing: { sentAt: at, headersMs: 1, totalMs: 1 },
    },
  };
  const settled = await ledger.settle({ runId, hostId, fence, ending, now: at, chance: 0.5 });
  if (settled.kind !== 'settled') throw new Error(`not settled: ${settled.kind}`);
  const active = rows.map(({ automationId, occurrence }): ActiveRun => ({
    ...claimed.run,
    id: newRunId(),
    automationId,
    occurrence,
    lease: leaseName(automationId, 0),
  }));
  const output = (await db.get('outputs', runId)) ?? null;
  const worker = new Worker(new URL('./bare-worker.ts', import.meta.url), { type: 'module' });
  try {
    return await order<number>(worker, {
      rows,
      active,
      settled: active.map(({ id, automationId, occurrence }) => ({
        ...settled.run,
        id,
        automationId,
        occurrence,
      })),
      output,
    });
  } finally {
    worker.terminate();
  }
}

offer({ bringInDue, measureTicks, measureBurst, measureBareBurst });
