import type { ReactiveController } from 'lit';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { HostId, HostRef } from '../domain/index.ts';
import type { Hint } from '../rpc/index.ts';
import type { Connection, RemoteHost } from './remote-host.ts';
import { Watched, type WatchedOptions, type WatchingElement } from './watched.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A host whose only call is answered by the test, question by question. */
class Asked {
  readonly asked: {
    args: readonly unknown[];
    answer: (value: string) => void;
    fail: (error: unknown) => void;
  }[] = [];
  readonly read = (...args: readonly unknown[]): Promise<string> =>
    new Promise((answer, fail) => {
      this.asked.push({ args, answer, fail });
    });
  async answer(index: number, value: string): Promise<void> {
    this.asked[index]?.answer(value);
    await vi.advanceTimersByTimeAsync(0);
  }
  async fail(index: number, error: unknown): Promise<void> {
    this.asked[index]?.fail(error);
    await vi.advanceTimersByTimeAsync(0);
  }
}

const ref = (id: string): HostRef => ({ id: id as HostId, kind: 'shared-worker', build: 'a' });
const ready = (id: string): Connection => ({ kind: 'ready', host: ref(id), newerBuild: null });

/** As much of an element and of a connection as the controller touches. */
class Element implements WatchingElement {
  readonly controllers: ReactiveController[] = [];
  updates = 0;
  connection: Connection = ready('one');
  readonly connectionListeners = new Set<(connection: Connection) => void>();
  readonly hintListeners = new Set<(hint: Hint) => void>();
  readonly updateComplete = Promise.resolve(true);
  readonly host: RemoteHost;

  constructor() {
    const host = {
      subscribe: (listener: (connection: Connection) => void) => {
        this.connectionListeners.add(listener);
        return () => this.connectionListeners.delete(listener);
      },
      onHint: (listener: (hint: Hint) => void) => {
        this.hintListeners.add(listener);
        return () => this.hintListeners.delete(listener);
      },
    };
    Object.defineProperty(host, 'connection', { get: () => this.connection });
    this.host = host as unknown as RemoteHost;
  }
  addController(controller: ReactiveController): void {
    this.controllers.push(controller);
  }
  removeController(): void {
    this.controllers.length = 0;
  }
  requestUpdate(): void {
    this.updates++;
  }
  update(): void {
    for (const controller of this.controllers) controller.hostUpdate?.();
  }
  disconnect(): void {
    for (const controller of this.controllers) controller.hostDisconnected?.();
  }
  hint(topic: 'automations' | 'runs'): void {
    for (const listener of this.hintListeners) listener({ topic });
  }
  connect(connection: Connection): void {
    this.connection = connection;
    for (const listener of this.connectionListeners) listener(connection);
  }
}

function watch(options: Partial<WatchedOptions<string, readonly unknown[]>> = {}) {
  const element = new Element();
  const host = new Asked();
  const watched = new Watched<string, readonly unknown[]>(element, {
    read: host.read,
    topics: ['runs'],
    ...options,
  });
  element.update();
  return { element, host, watched };
}

const LONG = 10_000;

test('it is loading until the first answer, and then has the value', async () => {
  const { host, watched, element } = watch();
  expect(watched.state).toEqual({ kind: 'loading' });
  await host.answer(0, 'a');
  expect(watched.state).toEqual({ kind: 'ready', value: 'a', problem: null });
  expect(element.updates).toBe(1);
});

test('a hint of its topic reads again and shows the old value meanwhile; another topic does not', async () => {
  const { element, host, watched } = watch();
  await host.answer(0, 'a');
  element.hint('automations');
  await vi.advanceTimersByTimeAsync(LONG);
  expect(host.asked).toHaveLength(1);
  element.hint('runs');
  await vi.advanceTimersByTimeAsync(LONG);
  expect(host.asked).toHaveLength(2);
  expect(watched.value).toBe('a');
  await host.answer(1, 'b');
  expect(watched.value).toBe('b');
});

test('a burst of hints costs one more read, and hints during a read cost one after it', async () => {
  const { element, host } = watch();
  await host.answer(0, 'a');
  for (let count = 0; count < 100; count++) element.hint('runs');
  await vi.advanceTimersByTimeAsync(LONG);
  expect(host.asked).toHaveLength(2);
  for (let count = 0; count < 100; count++) element.hint('runs');
  await vi.advanceTimersByTimeAsync(LONG);
  expect(host.asked, 'not while one is in flight').toHaveLength(2);
  await host.answer(1, 'b');
  await vi.advanceTimersByTimeAsync(LONG);
  expect(host.asked).toHaveLength(3);
});

test('the first hint after a rest is read at once, and those that come right after it once, a little later', async () => {
  const { element, host } = watch();
  await host.answer(0, 'a');
  await vi.advanceTimersByTimeAsync(LONG);
  element.hint('runs');
  await vi.advanceTimersByTimeAsync(1);
  expect(host.asked).toHaveLength(2);
  await host.answer(1, 'b');
  for (let count = 0; count < 100; count++) element.hint('runs');
  await vi.advanceTimersByTimeAsync(50);
  expect(host.asked).toHaveLength(2);
  await vi.advanceTimersByTimeAsync(50);
  expect(host.asked).toHaveLength(3);
});

test('of two reads in flight the later one counts, whichever answers last', async () => {
  let id = 1;
  const { element, host, watched } = watch({ args: () => [id] });
  id = 2;
  element.update();
  expect(host.asked.map(({ args }) => args)).toEqual([[1], [2]]);
  await host.answer(1, 'of two');
  await host.answer(0, 'of one');
  expect(watched.value).toBe('of two');
});

test('other arguments are loading anew, so that nothing of one thing is shown as of another', async () => {
  let id = 1;
  const { element, host, watched } = watch({ args: () => [id] });
  await host.answer(0, 'of one');
  element.update();
  expect(host.asked, 'the same arguments ask nothing').toHaveLength(1);
  id = 2;
  element.update();
  expect(watched.state).toEqual({ kind: 'loading' });
});

test('with keep, the old value stays while other arguments are read', async () => {
  let text = 'a';
  const { element, host, watched } = watch({ args: () => [text], keep: true });
  await host.answer(0, 'list of a');
  text = 'ab';
  element.update();
  expect(watched.value).toBe('list of a');
});

test('a first read that fails says why; a later one keeps the value and says why', async () => {
  const { element, host, watched } = watch();
  const storage = Object.assign(new Error('disk full'), { code: 'storage' });
  await host.fail(0, storage);
  expect(watched.state).toEqual({ kind: 'failed', problem: { code: 'storage', message: 'disk full' } });
  void watched.refresh();
  await host.answer(1, 'a');
  expect(watched.value).toBe('a');
  element.hint('runs');
  await vi.advanceTimersByTimeAsync(LONG);
  await host.fail(2, 'odd');
  expect(watched.state).toEqual({
    kind: 'ready',
    value: 'a',
    problem: { code: 'internal', message: 'odd' },
  });
});

test('another host is read again; the same one, and the first one that answers, is not', async () => {
  const { element, host } = watch();
  await host.answer(0, 'a');
  element.connect({ kind: 'restarting' });
  element.connect(ready('two'));
  await vi.advanceTimersByTimeAsync(LONG);
  expect(host.asked).toHaveLength(2);
  await host.answer(1, 'b');
  element.connect({ ...ready('two'), newerBuild: 'b' } as Connection);
  await vi.advanceTimersByTimeAsync(LONG);
  expect(host.asked).toHaveLength(2);
});

test('the same host is read again by a page that was put away, which has missed its hints', async () => {
  const { element, host } = watch();
  await host.answer(0, 'a');
  const { connection } = element;
  element.connect({ kind: 'connecting' });
  element.connect(connection);
  await vi.advanceTimersByTimeAsync(LONG);
  expect(host.asked).toHaveLength(2);
});

test('a read that waited for the first host is not asked twice', async () => {
  const element = new Element();
  element.connection = { kind: 'connecting' };
  const host = new Asked();
  const watched = new Watched<string, readonly unknown[]>(element, { read: host.read, topics: [] });
  element.update();
  element.connect(ready('one'));
  await host.answer(0, 'a');
  await vi.advanceTimersByTimeAsync(LONG);
  expect(watched.value).toBe('a');
  expect(host.asked).toHaveLength(1);
});

test('nothing is read while nobody looks, and once when somebody does', async () => {
  const page = Object.assign(new EventTarget(), { visibilityState: 'hidden' });
  vi.stubGlobal('document', page);
  const { element, host } = watch();
  await host.answer(0, 'a');
  element.hint('runs');
  element.hint('runs');
  await vi.advanceTimersByTimeAsync(LONG);
  expect(host.asked).toHaveLength(1);
  page.visibilityState = 'visible';
  page.dispatchEvent(new Event('visibilitychange'));
  await vi.advanceTimersByTimeAsync(LONG);
  expect(host.asked).toHaveLength(2);
});

test('an element that was taken out hears nothing, and its refresh does not hang', async () => {
  const { element, host, watched } = watch();
  await host.answer(0, 'a');
  const refreshed = watched.refresh();
  element.disconnect();
  await refreshed;
  expect(element.hintListeners.size + element.connectionListeners.size).toBe(0);
  await host.answer(1, 'late');
  expect(watched.value).toBe('a');
});
