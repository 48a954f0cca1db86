import { expect, test } from 'vitest';
import { type HostId, executorLock } from '../domain/index.ts';
import {
  EXECUTOR_END,
  type ExecutorKind,
  type ExecutorOffer,
  type Hint,
  type LendResult,
} from '../rpc/index.ts';
import { lendExecutors } from './lending.ts';
import type { Connection } from './remote-host.ts';

const HOST = '00000000-0000-4000-8000-000000000001' as HostId;
const OTHER = '00000000-0000-4000-8000-000000000002' as HostId;

function connectedTo(id: HostId): Connection {
  return { kind: 'ready', host: { id, kind: 'shared-worker', build: 'one' }, newerBuild: null };
}

/** Tabs of one origin: their locks, their workers and what they say to the host. */
class Tabs {
  readonly held = new Set<string>();
  /** Tabs whose browser has a model that can be asked. */
  readonly models = new Set<number>();
  readonly offers: ExecutorOffer<MessagePort>[] = [];
  readonly workers: { readonly tab: number; ended: boolean; breakDown(): void }[] = [];
  readonly #hints = new Set<(hint: Hint) => void>();
  readonly #listeners: Set<(connection: Connection) => void>[] = [];
  readonly #connections: Connection[] = [];
  answer: () => Promise<LendResult> = () => Promise.resolve({ kind: 'taken' });

  open(connection: Connection): void {
    const tab = this.#connections.push(connection) - 1;
    const listeners = new Set<(connection: Connection) => void>();
    this.#listeners.push(listeners);
    const connectionNow = (): Connection => this.#connections[tab] ?? connection;
    lendExecutors(
      {
        get connection() {
          return connectionNow();
        },
        subscribe: (listener) => {
          listeners.add(listener);
          return () => listeners.delete(listener);
        },
        onHint: (listener) => {
          this.#hints.add(listener);
          return () => this.#hints.delete(listener);
        },
        call: (_name, [offer]) => {
          this.offers.push(offer as ExecutorOffer<MessagePort>);
          return this.answer();
        },
      },
      {
        tryWith: async (lock, body) => {
          if (this.held.has(lock)) return;
          this.held.add(lock);
          await body().finally(() => this.held.delete(lock));
        },
        mayLend: (what) => what === 'script' || this.models.has(tab),
        start: () => {
          let breakDown = (): void => undefined;
          const broken = new Promise<void>((resolve) => (breakDown = resolve));
          const worker = { tab, ended: false, breakDown: () => breakDown() };
          this.workers.push(worker);
          return { port: new MessageChannel().port1, broken, end: () => void (worker.ended = true) };
        },
        channel: () => new MessageChannel(),
      },
    );
  }

  become(tab: number, connection: Connection): void {
    this.#connections[tab] = connection;
    for (const listener of [...(this.#listeners[tab] ?? [])]) listener(connection);
  }

  hint(id: string, what: ExecutorKind = 'script'): void {
    for (const hear of this.#hints) hear({ topic: 'executor', hostId: HOST, id, what });
  }
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('of all tabs of a host one lends what it asks for, and holds the lock for as long as the worker lives', async () => {
  const tabs = new Tabs();
  for (const host of [OTHER, HOST, HOST]) tabs.open(connectedTo(host));
  tabs.hint('a');
  await settled();
  expect(tabs.workers).toMatchObject([{ tab: 1, ended: false }]);
  expect(tabs.offers).toMatchObject([{ id: 'a' }]);
  expect([...tabs.held]).toEqual([executorLock('a')]);
  tabs.offers[0]?.tab.postMessage(EXECUTOR_END);
  await expect.poll(() => tabs.held.size).toBe(0);
  expect(tabs.workers).toMatchObject([{ ended: true }]);
});

test('a tab that knows no host, or another one, lends nothing', async () => {
  const tabs = new Tabs();
  tabs.open({ kind: 'restarting' });
  tabs.open(connectedTo(OTHER));
  tabs.hint('a');
  await settled();
  expect(tabs.workers).toEqual([]);
});

test('of all tabs one that can ask the model of its browser lends itself, and no other', async () => {
  const tabs = new Tabs();
  for (const host of [HOST, HOST]) tabs.open(connectedTo(host));
  tabs.hint('a', 'model');
  await settled();
  expect(tabs.workers).toEqual([]);
  tabs.models.add(1);
  tabs.hint('b', 'model');
  await settled();
  expect(tabs.workers).toMatchObject([{ tab: 1 }]);
});

test.each<[string, (tabs: Tabs) => void]>([
  ['its host has died', (tabs) => tabs.become(0, { kind: 'restarting' })],
  ['another host has come', (tabs) => tabs.become(0, connectedTo(OTHER))],
  ['its page is put away', (tabs) => tabs.become(0, { kind: 'connecting' })],
  ['its script could not be loaded', (tabs) => tabs.workers[0]?.breakDown()],
])('a worker is ended when %s', async (_what, happens) => {
  const tabs = new Tabs();
  tabs.open(connectedTo(HOST));
  tabs.hint('a');
  await settled();
  expect(tabs.held.size).toBe(1);
  happens(tabs);
  await settled();
  expect(tabs.workers).toMatchObject([{ ended: true }]);
  expect(tabs.held.size).toBe(0);
});

test.each<[string, () => Promise<LendResult>]>([
  ['does not want it any more', () => Promise.resolve({ kind: 'not-wanted' })],
  ['has gone', () => Promise.reject(new Error('host-lost'))],
])('a worker is ended at once when its host %s', async (_what, answer) => {
  const tabs = new Tabs();
  tabs.answer = answer;
  tabs.open(connectedTo(HOST));
  tabs.hint('a');
  await settled();
  expect(tabs.workers).toMatchObject([{ ended: true }]);
  expect(tabs.held.size).toBe(0);
});
