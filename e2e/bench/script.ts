/**
 * What a script costs from its start to its end, and how long one that never ends keeps others waiting, in the engine itself
 * and in a worker that a tab lends. The page stands for the engine. A page on its own; scripts/bench.mjs opens it.
 */
import * as v from 'valibot';
import { perform } from '../../src/actions/index.ts';
import {
  type AutomationId,
  definitionSchema,
  prepareTime,
  type RunId,
  scheduledOccurrence,
} from '../../src/domain/index.ts';
import { offer } from './offer.ts';

/** How long the script that never ends may compute. */
const ENDLESS_MS = 1_000;

/**
 * Milliseconds: of the first empty script, libraries and all, of each after it, and of the longest wait of others, while
 * nothing runs (what the machine itself lets them wait) and while a script runs that never ends.
 */
export interface ScriptSamples {
  readonly first: readonly number[];
  readonly again: readonly number[];
  readonly calm: readonly number[];
  readonly wait: readonly number[];
}

/** Measures `rounds` empty scripts, and a few that never end. */
async function measureScripts({
  where,
  rounds,
}: {
  readonly where: 'engine' | 'worker';
  readonly rounds: number;
}): Promise<ScriptSamples> {
  await prepareTime();
  const took: number[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    const startedAt = performance.now();
    await run(where, ';');
    took.push(performance.now() - startedAt);
  }
  const calm: number[] = [];
  const undo = watchWaits(calm);
  await new Promise((resolve) => setTimeout(resolve, ENDLESS_MS));
  undo();
  const wait: number[] = [];
  for (const source of [
    'for (;;);',
    'for (;;) await null;',
    'return [].indexOf.call({ length: 2 ** 53 - 1 }, 1);',
  ]) {
    const stop = watchWaits(wait);
    await run(where, source, ENDLESS_MS);
    stop();
  }
  return { first: took.slice(0, 1), again: took.slice(1), calm, wait };
}

/** Has something to do all the time, and notes into `waits` how long it had to wait for its turn at the longest. */
function watchWaits(waits: number[]): () => void {
  const { port1, port2 } = new MessageChannel();
  let longest = 0;
  let last = performance.now();
  const look = (): void => {
    longest = Math.max(longest, performance.now() - last);
    last = performance.now();
  };
  port1.onmessage = () => {
    look();
    port2.postMessage(null);
  };
  port2.postMessage(null);
  return () => {
    look();
    port1.close();
    waits.push(longest);
  };
}

/** The worker is started for the first script and kept, as a host keeps it. */
let lent: MessagePort | null = null;
function lend(): MessagePort {
  if (lent !== null) return lent;
  const worker = new Worker(new URL('../../src/actions/script/executor-worker.ts', import.meta.url), {
    type: 'module',
  });
  const { port1, port2 } = new MessageChannel();
  worker.postMessage(null, [port1]);
  lent = port2;
  return port2;
}

async function run(where: 'engine' | 'worker', source: string, computeMs = 10_000): Promise<void> {
  const automationId = crypto.randomUUID() as string as AutomationId;
  const ending = await perform({
    run: {
      id: crypto.randomUUID() as string as RunId,
      automationId,
      automationName: 'Empty',
      occurrence: scheduledOccurrence(automationId, 0),
      scheduledFor: 0,
      cause: 'schedule',
      attempt: 1,
      definition: v.parse(definitionSchema, {
        name: 'Empty',
        schedule: { kind: 'manual' },
        action: { kind: 'script', source, computeMs },
      }),
    },
    signal: new AbortController().signal,
    now: () => Date.now(),
    fetch: () => Promise.reject(new TypeError('There is no network.')),
    online: () => true,
    origin: location.origin,
    markEffect: () => Promise.resolve(),
    recall: () => Promise.resolve(undefined),
    borrow: () =>
      Promise.resolve(
        where === 'engine'
          ? null
          : { port: lend(), lost: new AbortController().signal, release: () => undefined },
      ),
  });
  const code = ending.kind === 'failed' ? ending.failure.code : 'none';
  if (!['none', 'script-too-long', 'script-stretch'].includes(code)) throw new Error(code);
}

offer({ measureScripts });
