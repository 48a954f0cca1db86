import { expect, test } from 'vitest';
import { executorLock } from '../domain/index.ts';
import { EXECUTOR_END, type Hint } from '../rpc/index.ts';
import type { Executors } from './executors.ts';
import { FakeBrowser, type FakeHost, type FakeTab, save } from './fake-world.testing.ts';

type Asked = Extract<Hint, { topic: 'executor' }>;

interface LentByTest {
  readonly kind: string;
  /** What the host says to the tab. */
  readonly said: unknown[];
  /** Where the worker is. */
  readonly worker: MessagePort;
  close(): void;
}

const running = new AbortController().signal;

/** A host with a tab that hears what is asked for, and lends when the test says so. */
async function served(): Promise<{
  readonly browser: FakeBrowser;
  readonly host: FakeHost;
  readonly tab: FakeTab;
  readonly executors: Executors;
  readonly asked: () => readonly Asked[];
  readonly lend: (id: string) => Promise<LentByTest>;
}> {
  const browser = new FakeBrowser();
  const host = await browser.start();
  const tab = await browser.openTab(host);
  const executors = await (await host.host.ready).executors();
  return {
    browser,
    host,
    tab,
    executors,
    asked: () => tab.heard.filter((hint) => hint.topic === 'executor'),
    lend: async (id) => {
      const owner = {};
      const [worker, control] = [new MessageChannel(), new MessageChannel()];
      const said: unknown[] = [];
      control.port1.onmessage = ({ data }: MessageEvent<unknown>) => said.push(data);
      void browser.locks.request(owner, executorLock(id), {}, () => new Promise(() => undefined));
      await browser.quiet();
      const { kind } = await host.calls.lendExecutor({ id, port: worker.port2, tab: control.port2 });
      await browser.quiet();
      return {
        kind,
        said,
        worker: worker.port1,
        close: () => {
          browser.locks.free(owner);
          for (const port of [worker.port1, worker.port2, control.port1, control.port2]) port.close();
        },
      };
    },
  };
}

test('a host without tabs has nobody to ask, and says so at once', async () => {
  const browser = new FakeBrowser();
  const host = await browser.start();
  const executors = await (await host.host.ready).executors();
  expect(await executors.borrow('script', running)).toBeNull();
});

test('a worker is asked for by a hint that names the host, and given to whoever asked', async () => {
  const { executors, asked, lend, host } = await served();
  const borrowed = executors.borrow('script', running);
  expect(asked()).toMatchObject([{ hostId: host.id }]);
  const lent = await lend(asked()[0]?.id ?? '');
  expect(lent.kind).toBe('taken');
  expect((await borrowed)?.lost.aborted).toBe(false);
  lent.close();
});

test('one that is given back idle is lent again, and ended when nobody has used it for two minutes', async () => {
  const { browser, executors, asked, lend } = await served();
  const borrowed = executors.borrow('script', running);
  const lent = await lend(asked()[0]?.id ?? '');
  (await borrowed)?.release('idle');
  const again = await executors.borrow('script', running);
  expect(asked()).toHaveLength(1);
  await browser.advance(200_000);
  expect(lent.said).toEqual([]);
  again?.release('idle');
  await browser.advance(121_000);
  expect(lent.said).toEqual([EXECUTOR_END]);
  lent.close();
});

test('one that is given back spoiled is ended at once, and not lent again', async () => {
  const { browser, executors, asked, lend } = await served();
  const borrowed = executors.borrow('script', running);
  const lent = await lend(asked()[0]?.id ?? '');
  const executor = await borrowed;
  executor?.release('spoiled');
  executor?.release('spoiled');
  await browser.quiet();
  expect(lent.said).toEqual([EXECUTOR_END]);
  void executors.borrow('script', running);
  expect(asked()).toHaveLength(2);
  lent.close();
});

test('the end of its tab is told by its lock', async () => {
  const { browser, executors, asked, lend } = await served();
  const borrowed = executors.borrow('script', running);
  const lent = await lend(asked()[0]?.id ?? '');
  const executor = await borrowed;
  lent.close();
  await browser.quiet();
  expect(executor?.lost.aborted).toBe(true);
  executor?.release('spoiled');
});

test('tabs that do not answer, because they are frozen, are waited for a few seconds; what they lend later is refused', async () => {
  const { browser, executors, asked, lend } = await served();
  const borrowed = executors.borrow('script', running);
  await browser.advance(5_000);
  expect(await borrowed).toBeNull();
  const late = await lend(asked()[0]?.id ?? '');
  expect(late.kind).toBe('not-wanted');
  late.close();
});

test('what no host has asked for is refused', async () => {
  const { browser, lend } = await served();
  const foreign = await lend(crypto.randomUUID());
  expect(foreign.kind).toBe('not-wanted');
  foreign.close();
  await browser.quiet();
});

test('a fifth script waits until one of four is done, and a run that is stopped waits no longer', async () => {
  const { browser, executors, asked, lend } = await served();
  const first = [1, 2, 3, 4].map(() => executors.borrow('script', running));
  const lent = await Promise.all(asked().map(({ id }) => lend(id)));
  let fifth = false;
  const controller = new AbortController();
  const stopped = executors.borrow('script', controller.signal);
  void executors.borrow('script', running).then(() => (fifth = true));
  await browser.quiet();
  expect(asked()).toHaveLength(4);
  controller.abort(new Error('cancelled'));
  await expect(stopped).rejects.toThrow('cancelled');
  expect(fifth).toBe(false);
  (await first[2])?.release('idle');
  await browser.quiet();
  expect(fifth).toBe(true);
  for (const one of lent) one.close();
});

test('a run that is stopped while a tab is asked waits no longer', async () => {
  const { executors, asked, lend } = await served();
  const controller = new AbortController();
  const borrowed = executors.borrow('script', controller.signal);
  controller.abort(new Error('timed out'));
  await expect(borrowed).rejects.toThrow('timed out');
  const late = await lend(asked()[0]?.id ?? '');
  expect(late.kind).toBe('not-wanted');
  late.close();
});

test('a host whose last tab is closed asks nobody any more', async () => {
  const { browser, tab, executors, asked } = await served();
  tab.close();
  await browser.quiet();
  expect(await executors.borrow('script', running)).toBeNull();
  expect(asked()).toEqual([]);
});

test('a run whose tab is closed after a request that must not be repeated is interrupted, and a person decides', async () => {
  const { browser, host, asked, lend } = await served();
  const id = await save(host, {
    name: 'Post, then compute',
    schedule: { kind: 'manual' },
    action: {
      kind: 'script',
      source: 'await fetch("https://api.test/", { method: "POST" });',
      allow: ['fetch'],
      origins: ['https://api.test'],
    },
  });
  await host.calls.runNow({ id });
  await expect.poll(asked).toHaveLength(1);
  const lent = await lend(asked()[0]?.id ?? '');
  // A worker as far as the host can tell: it says what the script would.
  lent.worker.onmessage = ({ data }: MessageEvent<{ readonly kind: string; readonly run: number }>) => {
    const { kind, run } = data;
    const request = { url: 'https://api.test/', method: 'POST', headers: {}, body: null };
    if (kind === 'run')
      lent.worker.postMessage({ kind: 'ask', run, id: 1, name: 'fetch', text: JSON.stringify(request) });
    else lent.close();
  };
  await expect
    .poll(() => browser.quiet().then(() => browser.runs()))
    .toMatchObject([{ status: 'interrupted', mayHaveHappened: true, effect: 'sent' }]);
  expect(browser.server.hits).toHaveLength(1);
});
