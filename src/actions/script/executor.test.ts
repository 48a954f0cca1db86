import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import * as v from 'valibot';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import {
  type AutomationId,
  type DefinitionInput,
  definitionSchema,
  type RunId,
  scheduledOccurrence,
} from '../../domain/index.ts';
import type { ActionContext, EffectMark, Executor } from '../action-context.ts';
import { Interrupted } from '../interrupted.ts';
import { perform } from '../registry.ts';
import type { FromExecutor, ToExecutor } from './executor-messages.ts';
import { serveScripts } from './executor.ts';

type ScriptInput = Omit<Extract<DefinitionInput['action'], { kind: 'script' }>, 'kind'>;

const automationId = '6f1c0c1e-2b6d-4f0e-9d0a-5a1f3f0e7b11' as AutomationId;
const wasm = readFileSync(createRequire(import.meta.url).resolve('@jitl/quickjs-wasmfile-release-sync/wasm'));

/** A worker that a tab lends, but that it is in this thread. */
class Lent implements Executor {
  readonly port: MessagePort;
  readonly #tabClosed = new AbortController();
  readonly #there: MessagePort;
  back: 'idle' | 'spoiled' | null = null;

  constructor(serve: (port: MessagePort) => void = serveScripts) {
    const { port1, port2 } = new MessageChannel();
    this.port = port1;
    this.#there = port2;
    serve(port2);
  }

  get lost(): AbortSignal {
    return this.#tabClosed.signal;
  }

  release(how: 'idle' | 'spoiled'): void {
    if (this.back !== null) throw new Error('It was given back before.');
    this.back = how;
  }

  /** The tab is closed: nothing comes from there any more. */
  close(): void {
    this.#there.close();
    this.#tabClosed.abort();
  }
}

/** The tabs that lend: each of these once, in order. */
let tabs: Lent[];
let borrowed: Lent[];
let marks: EffectMark[];
let sent: string[];
/** What comes of a request; the tests change it. */
let respond: () => Promise<Response>;

beforeEach(() => {
  tabs = [];
  borrowed = [];
  marks = [];
  sent = [];
  respond = () => Promise.resolve(new Response('ok'));
  // Time passes with what is computed and not with what else this machine does.
  let now = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => (now += 0.2));
  vi.stubGlobal('fetch', () => Promise.resolve(new Response(wasm)));
});
afterEach(() => {
  for (const tab of borrowed) tab.close();
  vi.useRealTimers();
});

async function run(input: ScriptInput, more: Partial<ActionContext> = {}) {
  const definition = v.parse(definitionSchema, {
    name: 'Add things up',
    schedule: { kind: 'manual' },
    action: { kind: 'script', origins: ['https://api.test'], ...input },
  });
  const ending = await perform({
    run: {
      id: '0190a5d2-7c1e-7b3a-9f00-2c5d8e4b1a66' as RunId,
      automationId,
      automationName: 'Add things up',
      occurrence: scheduledOccurrence(automationId, 0),
      scheduledFor: 0,
      cause: 'manual',
      attempt: 1,
      definition,
    },
    signal: new AbortController().signal,
    now: () => 0,
    fetch: (url, init) => {
      sent.push(`${init?.method ?? 'GET'} ${new Request(url).url}`);
      return respond();
    },
    online: () => true,
    origin: 'https://rota.test',
    markEffect: (mark) => {
      marks.push(mark);
      return Promise.resolve();
    },
    recall: () => Promise.resolve(undefined),
    borrow: () => {
      const tab = tabs.shift() ?? null;
      if (tab !== null) borrowed.push(tab);
      return Promise.resolve(tab);
    },
    ...more,
  });
  const { output } = ending;
  return {
    failure: ending.kind === 'failed' ? ending.failure : null,
    value: output?.kind === 'script' ? output.value : undefined,
    log: output?.kind === 'script' ? output.log.map(({ text }) => text) : [],
  };
}

/** More than fits a stretch in the engine, and far less than a script may compute. */
const HEAVY = 'let n = 0;\nwhile (n < 3e5)\n  n = Math.max(n, n + 1);\nreturn n;';

test('a heavy script runs to its end in the worker of a tab, which is given back to be lent again', async () => {
  tabs = [new Lent()];
  expect(await run({ source: HEAVY })).toMatchObject({ failure: null, value: '300000' });
  expect(borrowed.map(({ back }) => back)).toEqual(['idle']);
});

test('without a tab a heavy script fails, and says why and what to do', async () => {
  // However quick the machine is, this is heavier than a slice.
  const { failure } = await run({ source: 'for (;;);' });
  expect(failure).toMatchObject({ class: 'limit', code: 'script-stretch' });
  expect(failure?.message).toMatch(/no open tab of Rota lent it a worker to do so/);
  expect(failure?.advice).toMatch(/keep one open and run it again/);
});

test('an endless loop in a worker ends at its limit, and what it logged is kept', async () => {
  tabs = [new Lent()];
  const { failure, log } = await run({ source: 'log("before");\nfor (;;)\n  Math.sqrt(2);', computeMs: 100 });
  expect(failure).toMatchObject({ class: 'limit', code: 'script-too-long' });
  expect(failure?.message).toMatch(/^The script was stopped after computing for 100 ms/);
  expect(log).toEqual(['before']);
});

test('a worker serves one script after the other, and an answer that comes too late is nobody’s', async () => {
  const tab = new Lent();
  tabs = [tab];
  let answer: (response: Response) => void = () => undefined;
  respond = () => new Promise((resolve) => (answer = resolve));
  expect(await run({ source: 'fetch("https://api.test/"); return 1;', allow: ['fetch'] })).toMatchObject({
    value: '1',
  });
  tab.back = null;
  tabs = [tab];
  const next = run({
    source: 'await null; return (await fetch("https://api.test/2")).status;',
    allow: ['fetch'],
  });
  await expect.poll(() => sent).toHaveLength(2);
  answer(new Response(null, { status: 204 }));
  expect(await next).toMatchObject({ value: '204' });
});

/** A script that waits in the middle; the request tells the test that it does. */
const WAITS = 'const { status } = await fetch("https://api.test/wait", OPTIONS);\nreturn status;';

test('a script whose tab is closed begins anew in another, as long as it has sent nothing that must not be repeated', async () => {
  const [first, second] = [new Lent(), new Lent()];
  tabs = [first, second];
  respond = () => {
    if (sent.length > 1) return Promise.resolve(new Response('ok'));
    first.close();
    return new Promise(() => undefined);
  };
  const { value } = await run({ source: WAITS.replace('OPTIONS', '{}'), allow: ['fetch'] });
  expect(value).toBe('200');
  expect(borrowed.map(({ back }) => back)).toEqual(['spoiled', 'idle']);
  expect(marks).toEqual([]);
});

test('what it logged, was notified of and remembered before that is not told twice', async () => {
  const [first, second] = [new Lent(), new Lent()];
  tabs = [first, second];
  respond = () => {
    if (sent.length === 1) first.close();
    return sent.length === 1 ? new Promise(() => undefined) : Promise.resolve(new Response('ok'));
  };
  const { log } = await run({
    source: `log("begins");\n${WAITS.replace('OPTIONS', '{}')}`,
    allow: ['fetch', 'log'],
  });
  expect(log).toEqual(['begins']);
});

test.each([
  ['under way', (): Promise<Response> => new Promise(() => undefined)],
  ['done', (): Promise<Response> => Promise.resolve(new Response('ok'))],
])(
  'a script whose tab is closed with a request %s that must not be repeated is interrupted, and not begun anew',
  async (state, response) => {
    const [first, second] = [new Lent(), new Lent()];
    tabs = [first, second];
    respond = () => {
      if (state === 'under way') first.close();
      return response();
    };
    const source =
      'await fetch("https://api.test/", { method: "POST" });\nlog("sent");\nfor (;;) await null;';
    const logged = vi.fn(() => {
      if (state === 'done') first.close();
      return 0;
    });
    await expect(run({ source, allow: ['fetch', 'log'] }, { now: logged })).rejects.toThrow(Interrupted);
    expect(sent).toEqual(['POST https://api.test/']);
    expect(marks[0]).toBe('sending');
    expect(tabs).toEqual([second]);
  },
);

test('where the person says that a repeat does no harm, it begins anew with its request', async () => {
  const [first, second] = [new Lent(), new Lent()];
  tabs = [first, second];
  respond = () => {
    if (sent.length > 1) return Promise.resolve(new Response('ok'));
    first.close();
    return new Promise(() => undefined);
  };
  const source = WAITS.replace('OPTIONS', '{ method: "POST" }');
  expect(await run({ source, allow: ['fetch'], repeatable: true })).toMatchObject({ value: '200' });
  expect(sent).toHaveLength(2);
});

test('after two workers that were gone it runs in the engine', async () => {
  const all = [new Lent(), new Lent(), new Lent()];
  tabs = [...all];
  for (const tab of all) tab.close();
  expect(await run({ source: 'return 7;' })).toMatchObject({ value: '7' });
  expect(tabs).toHaveLength(1);
});

test('a cancelled script has its worker ended, whatever it computes', async () => {
  const tab = new Lent();
  tabs = [tab];
  const controller = new AbortController();
  respond = () => {
    controller.abort(new Error('cancelled'));
    return new Promise(() => undefined);
  };
  await expect(
    run({ source: 'await fetch("https://api.test/");', allow: ['fetch'] }, { signal: controller.signal }),
  ).rejects.toThrow('cancelled');
  expect(tab.back).toBe('spoiled');
});

test('a worker that cannot load QuickJS is left for the engine', async () => {
  const unable = (port: MessagePort): void => {
    port.onmessage = ({ data }: MessageEvent<ToExecutor>) =>
      port.postMessage({ kind: 'unable', run: data.run } satisfies FromExecutor);
  };
  tabs = [new Lent(unable), new Lent(unable)];
  expect(await run({ source: 'return 7;' })).toMatchObject({ value: '7' });
});

test('a worker that says nothing for longer than its script may compute is given up', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const tab = new Lent(() => undefined);
  tabs = [tab];
  const ended = run({ source: 'return 7;', computeMs: 1_000 });
  await vi.advanceTimersByTimeAsync(15_900);
  expect(tab.back).toBeNull();
  await vi.advanceTimersByTimeAsync(200);
  expect(tab.back).toBe('spoiled');
  vi.useRealTimers();
  expect(await ended).toMatchObject({ value: '7' });
});

test('what another script’s worker says, or asks without being allowed, has no effect', async () => {
  const lying = (port: MessagePort): void => {
    port.onmessage = ({ data }: MessageEvent<ToExecutor>) => {
      if (data.kind !== 'run') return;
      const { run: number } = data;
      const say = (message: FromExecutor): void => port.postMessage(message);
      say({ kind: 'ended', run: number - 1, ending: { kind: 'returned', text: '"old"', computedMs: 0 } });
      say({ kind: 'tell', run: number - 1, name: 'log', text: '"old"' });
      say({ kind: 'ask', run: number, id: 1, name: 'fetch', text: '{"url":"https://evil.test/"}' });
    };
  };
  const tab = new Lent(lying);
  tabs = [tab];
  expect(await run({ source: 'return 1;', allow: ['log'] })).toMatchObject({
    failure: { class: 'denied', code: 'script-not-allowed' },
    log: [],
  });
  expect(sent).toEqual([]);
  expect(tab.back).toBe('spoiled');
});

test('a script that never stops saying things is cut off before the host drowns in them', async () => {
  const heard: FromExecutor[] = [];
  const { port1, port2 } = new MessageChannel();
  serveScripts(port2);
  const over = new Promise<void>((resolve) => {
    port1.onmessage = ({ data }: MessageEvent<FromExecutor>) => {
      heard.push(data);
      if (data.kind === 'overrun' || data.kind === 'ended') resolve();
    };
  });
  const message: ToExecutor = {
    kind: 'run',
    run: 1,
    script: { source: 'for (;;) log("x");', allow: ['log'], previous: null, steps: null },
    limits: { stretchMs: null, totalMs: 60_000, memoryBytes: 64 * 1024 * 1024, textMost: 1_000 },
  };
  port1.postMessage(message);
  await over;
  port1.close();
  expect(heard.at(-1)?.kind).toBe('overrun');
  expect(heard.length).toBeLessThan(3_000);
});
