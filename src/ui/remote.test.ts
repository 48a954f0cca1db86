import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { AutomationId, HostId, TabId } from '../domain/index.ts';
import type { CallName, Envelope, Hint, RemoteErrorCode } from '../rpc/index.ts';
import type { Connection } from './remote-host.ts';
import { type Link, Remote, type TabPlatform, publicCalls, remoteHost } from './remote.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

type Answer = (args: readonly unknown[]) => Promise<Envelope<unknown>>;

const silent: Answer = () => new Promise(() => undefined);

/** A worker with its host. It answers `hello` and `version`, and what the test gives it to answer. */
class FakeWorker {
  readonly calls: { readonly name: CallName; readonly args: readonly unknown[] }[] = [];
  readonly answers = new Map<CallName, Answer>();
  readonly died: Promise<void>;
  newerBuild: string | null = null;
  /** WebKit runs the script again behind the same ports: the same worker is another host. */
  id: HostId;
  die: () => void = () => undefined;
  break: () => void = () => undefined;
  readonly broken: Promise<void>;
  closed = 0;

  constructor(id: string) {
    this.id = id as HostId;
    this.died = new Promise((resolve) => (this.die = resolve));
    this.broken = new Promise((resolve) => (this.break = resolve));
    this.answers.set('hello', () =>
      this.ok({
        host: { id: this.id, kind: 'shared-worker', build: 'one' },
        startedAt: 0,
        newerBuild: this.newerBuild,
      }),
    );
    this.answers.set('version', () => this.ok({ build: 'one', protocol: 1, schema: 1 }));
  }

  ok(value: unknown): Promise<Envelope<unknown>> {
    return Promise.resolve({ ok: true, hostId: this.id, value });
  }

  refuse(code: RemoteErrorCode, message: string = code, details?: unknown): Answer {
    return () => Promise.resolve({ ok: false, hostId: this.id, code, message, details });
  }

  link(): Link {
    return {
      call: (name, args) => {
        this.calls.push({ name, args });
        return (this.answers.get(name) ?? silent)(args);
      },
      broken: this.broken,
      close: () => {
        this.closed += 1;
      },
    };
  }
}

interface Setting {
  readonly remote: Remote;
  /** Every worker asked for, with the generation and the time. */
  readonly starts: { readonly generation: number; readonly at: number }[];
  readonly states: Connection[];
  readonly hint: (hint: Hint) => void;
}

/** A tab whose next worker is what `worker` gives. */
function open(
  worker: (generation: number) => FakeWorker,
  present: () => Promise<void> = () => Promise.resolve(),
): Setting {
  const starts: Setting['starts'] = [];
  const workers = new Set<FakeWorker>();
  const listeners = new Set<(hint: Hint) => void>();
  const begun = Date.now();
  let ids = 0;
  const platform: TabPlatform = {
    tabId: 'tab' as TabId,
    build: 'one',
    present,
    startWorker: (generation) => {
      starts.push({ generation, at: Date.now() - begun });
      const started = worker(generation);
      workers.add(started);
      return started.link();
    },
    whenFree: (lock, signal) => {
      const found = [...workers].find(({ id }) => lock === `rota/host/${id}`);
      const left = new Promise<never>((_, reject) => {
        signal.addEventListener('abort', () => reject(new Error('left')));
      });
      return found === undefined ? Promise.resolve() : Promise.race([found.died, left]);
    },
    setTimer: (delay, fire) => {
      const id = setTimeout(fire, delay);
      return () => clearTimeout(id);
    },
    newId: () => `command-${(ids += 1)}`,
    onHint: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  const remote = new Remote(platform);
  const states: Connection[] = [];
  remote.subscribe((connection) => states.push(connection));
  return { remote, starts, states, hint: (hint) => listeners.forEach((listener) => listener(hint)) };
}

const pass = (ms: number): Promise<unknown> => vi.advanceTimersByTimeAsync(ms);
const id = 'a' as AutomationId;

test('the worker is started at once, and hello said to it when hosts can see that the tab is there', async () => {
  const worker = new FakeWorker('h1');
  let arrive: () => void = () => undefined;
  const { remote, starts } = open(
    () => worker,
    () => new Promise((resolve) => (arrive = resolve)),
  );
  await pass(100);
  expect(starts).toHaveLength(1);
  expect(worker.calls).toEqual([]);
  arrive();
  await pass(0);
  expect(worker.calls[0]?.name).toBe('hello');
  expect(remote.connection.kind).toBe('ready');
});

test('a call is answered with the value of its envelope', async () => {
  const { remote, states } = open(() => new FakeWorker('h1'));
  expect(remote.connection).toEqual({ kind: 'connecting' });
  expect(await remote.call('version', [])).toEqual({ build: 'one', protocol: 1, schema: 1 });
  expect(states).toMatchObject([{ kind: 'ready', host: { id: 'h1' }, newerBuild: null }]);
});

test('a call that is not answered in ten seconds rejects with the code deadline', async () => {
  const { remote } = open(() => new FakeWorker('h1'));
  const call = remote.call('status', []);
  const told = expect(call).rejects.toMatchObject({ name: 'RemoteError', code: 'deadline' });
  await pass(10_000);
  await told;
});

test('a call waits for a host, and is not sent any more once its caller has been told of the deadline', async () => {
  const workers = [new FakeWorker('h1'), new FakeWorker('h2')];
  const first = workers[0];
  first?.answers.set('hello', silent);
  let asked = 0;
  const { remote } = open(() => workers[asked++ < 4 ? 0 : 1] ?? new FakeWorker('h3'));
  const call = remote.call('runNow', [{ id }]);
  const told = expect(call).rejects.toMatchObject({ code: 'deadline' });
  await pass(30_000);
  await told;
  expect(remote.connection).toMatchObject({ kind: 'ready', host: { id: 'h2' } });
  expect(workers.flatMap(({ calls }) => calls.filter(({ name }) => name === 'runNow'))).toEqual([]);
});

test('error envelopes keep their code, their message and their details', async () => {
  const worker = new FakeWorker('h1');
  const problems = [{ path: 'limit', message: 'A count is at least 1.' }];
  worker.answers.set('listRuns', worker.refuse('bad-call', 'limit: A count is at least 1.', problems));
  const { remote } = open(() => worker);
  await expect(remote.call('listRuns', [{ limit: 0 }])).rejects.toMatchObject({
    name: 'RemoteError',
    code: 'bad-call',
    message: 'limit: A count is at least 1.',
    details: problems,
  });
});

test('what cannot cross is the caller’s fault when it is an argument, and Rota’s when it is an answer', async () => {
  const worker = new FakeWorker('h1');
  worker.answers.set('listRuns', () =>
    Promise.reject(new DOMException('() => 1 could not be cloned', 'DataCloneError')),
  );
  worker.answers.set('status', () => Promise.reject(new TypeError('Unserializable return value')));
  const { remote } = open(() => worker);
  await expect(remote.call('listRuns', [{ limit: () => 1 }])).rejects.toMatchObject({ code: 'bad-call' });
  await expect(remote.call('status', [])).rejects.toMatchObject({ code: 'internal' });
});

test('when the host’s lock is granted, pending reads reject with host-lost', async () => {
  const worker = new FakeWorker('h1');
  const { remote, states } = open(() => (worker.closed === 0 ? worker : new FakeWorker('h2')));
  await pass(0);
  const read = expect(remote.call('status', [])).rejects.toMatchObject({ code: 'host-lost' });
  await pass(5_000);
  worker.die();
  await read;
  await pass(0);
  expect(worker.closed).toBe(1);
  expect(states.map(({ kind }) => kind)).toEqual(['ready', 'restarting', 'ready']);
});

test('when the host’s lock is granted, pending commands are repeated with the same id and answered once', async () => {
  const [one, two] = [new FakeWorker('h1'), new FakeWorker('h2')];
  two.answers.set('runNow', () => two.ok({ kind: 'claimed' }));
  const { remote } = open(() => (one.closed === 0 ? one : two));
  const answers: unknown[] = [];
  const command = remote.call('runNow', [{ id }]).then((answer) => answers.push(answer));
  await pass(100);
  one.die();
  await pass(60_000);
  await command;
  const sent = [...one.calls, ...two.calls].filter(({ name }) => name === 'runNow');
  expect(sent.map(({ args }) => args)).toEqual([
    [{ id, commandId: 'command-1' }],
    [{ id, commandId: 'command-1' }],
  ]);
  expect(answers).toEqual([{ kind: 'claimed' }]);
});

test('a command keeps the id that its caller gave it, and two commands have two', async () => {
  const worker = new FakeWorker('h1');
  worker.answers.set('runNow', () => worker.ok(null));
  const { remote } = open(() => worker);
  await remote.call('runNow', [{ id, commandId: 'mine' }]);
  await remote.call('runNow', [{ id, commandId: undefined }]);
  await remote.call('runNow', [{ id }]);
  const ids = worker.calls.filter(({ name }) => name === 'runNow').map(({ args }) => args[0]);
  expect(ids).toMatchObject([{ commandId: 'mine' }, { commandId: 'command-2' }, { commandId: 'command-3' }]);
});

test('a command is repeated within its deadline and not beyond it', async () => {
  // Each host dies half a second after it was asked.
  let count = 0;
  const { remote } = open(() => {
    const worker = new FakeWorker(`h${(count += 1)}`);
    worker.answers.set('runNow', () => {
      setTimeout(worker.die, 500);
      return silent([]);
    });
    return worker;
  });
  const told = expect(remote.call('runNow', [{ id }])).rejects.toMatchObject({ code: 'deadline' });
  await pass(10_000);
  await told;
  const before = count;
  await pass(60_000);
  expect(count).toBeLessThanOrEqual(before + 1);
});

test('an answer with another host’s id is a new host: commands are repeated there, and reads reject', async () => {
  const worker = new FakeWorker('h1');
  worker.answers.set('runNow', () => worker.ok({ kind: 'claimed' }));
  const { remote, states } = open(() => worker);
  await pass(0);
  worker.id = 'h2' as HostId;
  await expect(remote.call('version', [])).rejects.toMatchObject({ code: 'host-lost' });
  const command = remote.call('runNow', [{ id }]);
  await pass(100);
  expect(await command).toEqual({ kind: 'claimed' });
  expect(states).toMatchObject([
    { kind: 'ready', host: { id: 'h1' } },
    { kind: 'restarting' },
    { kind: 'ready', host: { id: 'h2' } },
  ]);
});

test('a host that is found to be another when it is asked who is newer is a new host too', async () => {
  const worker = new FakeWorker('h1');
  const { states, hint } = open(() => worker);
  await pass(0);
  worker.id = 'h2' as HostId;
  hint({ topic: 'hosts' });
  await pass(100);
  expect(states.at(-1)).toMatchObject({ kind: 'ready', host: { id: 'h2' } });
});

test('three hellos without an answer lead to another name', async () => {
  const wedged = new FakeWorker('h1');
  wedged.answers.set('hello', silent);
  const { remote, starts } = open((generation) => (generation === 0 ? wedged : new FakeWorker('h2')));
  await pass(8_999);
  expect(starts.map(({ generation }) => generation)).toEqual([0, 0, 0]);
  await pass(1_000);
  expect(starts.map(({ generation }) => generation)).toEqual([0, 0, 0, 1]);
  expect(remote.connection).toMatchObject({ kind: 'ready', host: { id: 'h2' } });
  expect(wedged.closed).toBe(3);
});

test('one hello without an answer leads to another name after a death, whose name a browser may keep for the dead', async () => {
  const first = new FakeWorker('h1');
  const { remote, starts } = open((generation) => (generation === 0 ? first : new FakeWorker('h2')));
  await vi.advanceTimersByTimeAsync(4_000);
  first.answers.set('hello', silent);
  const read = remote.call('version', []);
  first.answers.set('version', silent);
  first.die();
  await read.catch(() => undefined);
  await vi.advanceTimersByTimeAsync(3_000);
  await vi.advanceTimersByTimeAsync(100);
  expect(starts.map(({ generation }) => generation)).toEqual([0, 0, 1]);
  expect(remote.connection).toMatchObject({ kind: 'ready', host: { id: 'h2' } });
});

test('a worker whose script cannot be loaded counts as one that does not answer, without the wait', async () => {
  const broken = new FakeWorker('h1');
  broken.answers.set('hello', silent);
  broken.break();
  const { remote, starts } = open((generation) => (generation === 0 ? broken : new FakeWorker('h2')));
  await pass(1_000);
  expect(starts.map(({ generation }) => generation)).toEqual([0, 0, 0, 1]);
  expect(remote.connection.kind).toBe('ready');
});

test('where no worker can be started at all, the tab says so and goes on asking', async () => {
  let works = false;
  const { remote } = open(() => {
    if (!works) throw new DOMException('blocked by policy', 'SecurityError');
    return new FakeWorker('h1');
  });
  await pass(10_000);
  expect(remote.connection).toEqual({
    kind: 'unavailable',
    missing: 'shared-worker',
    detail: 'blocked by policy',
  });
  works = true;
  await pass(3_000);
  expect(remote.connection.kind).toBe('ready');
});

test('it is asked again ever more rarely, up to every three seconds', async () => {
  const failing = new FakeWorker('h1');
  failing.answers.set('hello', failing.refuse('storage', 'full'));
  const { starts } = open(() => failing);
  await pass(20_000);
  const gaps = starts.slice(1).map(({ at }, index) => at - (starts[index]?.at ?? 0));
  expect(gaps.slice(0, 8)).toEqual([50, 100, 200, 400, 800, 1_600, 3_000, 3_000]);
});

test('hosts that die as soon as they have answered are asked ever more rarely too', async () => {
  let count = 0;
  const { starts } = open(() => {
    const worker = new FakeWorker(`h${(count += 1)}`);
    worker.die();
    return worker;
  });
  await pass(20_000);
  expect(starts.length).toBeLessThan(15);
});

test('a host that is lost after it has served for a while is replaced at once', async () => {
  const workers = [new FakeWorker('h1'), new FakeWorker('h2')];
  let asked = 0;
  const { starts } = open(() => workers[asked++] ?? new FakeWorker('h3'));
  await pass(60_000);
  workers[0]?.die();
  await pass(0);
  expect(starts.map(({ at }) => at)).toEqual([0, 60_000]);
});

test('without storage the tab says what the browser said, once, and is ready again when storage is back', async () => {
  const worker = new FakeWorker('h1');
  const hello = worker.answers.get('hello') ?? silent;
  worker.answers.set('hello', worker.refuse('storage', 'An older tab keeps the database open.'));
  const { remote, states } = open(() => worker);
  await pass(10_000);
  expect(states).toEqual([
    { kind: 'unavailable', missing: 'storage', detail: 'An older tab keeps the database open.' },
  ]);
  const call = remote.call('version', []);
  worker.answers.set('hello', hello);
  await pass(3_000);
  expect(await call).toMatchObject({ build: 'one' });
  expect(states.map(({ kind }) => kind)).toEqual(['unavailable', 'ready']);
});

test.each([
  ['blocked', 'storage-blocked'],
  ['newer-database', 'newer-storage'],
  ['refused', 'storage'],
] as const)(
  'storage that is %s is told as %s, and asked for again until it is there',
  async (code, missing) => {
    const worker = new FakeWorker('h1');
    const hello = worker.answers.get('hello') ?? silent;
    worker.answers.set('hello', worker.refuse('storage', 'It cannot be had.', { code }));
    const { states } = open(() => worker);
    await pass(1_000);
    expect(states).toEqual([{ kind: 'unavailable', missing, detail: 'It cannot be had.' }]);
    worker.answers.set('hello', hello);
    await pass(3_000);
    expect(states.at(-1)).toMatchObject({ kind: 'ready' });
  },
);

test('a host that is leaving is left, and asked with patience until the next one answers', async () => {
  const [leaving, next] = [new FakeWorker('h1'), new FakeWorker('h2')];
  next.answers.set('runNow', () => next.ok({ kind: 'claimed' }));
  let gone = false;
  const { remote, starts } = open(() => (gone ? next : leaving));
  await pass(5_000);
  leaving.answers.set('hello', leaving.refuse('retired'));
  leaving.answers.set('runNow', leaving.refuse('retired'));
  const command = remote.call('runNow', [{ id }]);
  await pass(2_000);
  expect(starts.length).toBeLessThan(9);
  gone = true;
  await pass(3_000);
  expect(await command).toEqual({ kind: 'claimed' });
});

test('a host that answers nothing any more, though it lives, is left for one of another name', async () => {
  const wedged = new FakeWorker('h1');
  const { remote, starts } = open((generation) => (generation === 0 ? wedged : new FakeWorker('h2')));
  await pass(0);
  wedged.answers.set('hello', silent);
  const told = expect(remote.call('status', [])).rejects.toMatchObject({ code: 'deadline' });
  await pass(10_000);
  await told;
  expect(remote.connection).toMatchObject({ host: { id: 'h1' } });
  await pass(10_000);
  expect(remote.connection).toMatchObject({ kind: 'ready', host: { id: 'h2' } });
  expect(starts.map(({ generation }) => generation)).toEqual([0, 1]);
});

test('one slow call does not cost a host that answers', async () => {
  const worker = new FakeWorker('h1');
  const { remote, states } = open(() => worker);
  const told = expect(remote.call('status', [])).rejects.toMatchObject({ code: 'deadline' });
  await pass(30_000);
  await told;
  expect(states.map(({ kind }) => kind)).toEqual(['ready']);
});

test('a hint about hosts asks who is newer, and only a change is told', async () => {
  const worker = new FakeWorker('h1');
  const { states, hint } = open(() => worker);
  await pass(0);
  hint({ topic: 'hosts' });
  await pass(0);
  expect(states).toHaveLength(1);
  worker.newerBuild = 'two';
  hint({ topic: 'hosts' });
  hint({ topic: 'runs' });
  await pass(0);
  expect(states).toMatchObject([{ newerBuild: null }, { newerBuild: 'two' }]);
  expect(worker.calls.filter(({ name }) => name === 'hello')).toHaveLength(3);
});

test('many hints about hosts at once cost two questions, and the last change is seen', async () => {
  const worker = new FakeWorker('h1');
  const { states, hint } = open(() => worker);
  await pass(0);
  for (let n = 0; n < 50; n++) hint({ topic: 'hosts' });
  worker.newerBuild = 'two';
  await pass(0);
  expect(worker.calls.filter(({ name }) => name === 'hello').length).toBeLessThanOrEqual(3);
  expect(states.at(-1)).toMatchObject({ newerBuild: 'two' });
  worker.newerBuild = null;
  hint({ topic: 'hosts' });
  await pass(0);
  expect(states.at(-1)).toMatchObject({ newerBuild: null });
});

test('an answer is not kept once its caller has it', async () => {
  const worker = new FakeWorker('h1');
  const { remote } = open(() => worker);
  const kept: WeakRef<object>[] = [];
  worker.answers.set('listRuns', () => {
    const value = { items: [] };
    kept.push(new WeakRef(value));
    return worker.ok(value);
  });
  for (let n = 0; n < 10; n++) await remote.call('listRuns', []);
  vi.useRealTimers();
  await new Promise((resolve) => setImmediate(resolve));
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  // The last one may still be on somebody's stack.
  expect(kept.filter((ref) => ref.deref() !== undefined).length).toBeLessThanOrEqual(1);
});

test('who stops listening hears nothing more', async () => {
  const worker = new FakeWorker('h1');
  const { remote } = open(() => worker);
  const heard: string[] = [];
  const stop = remote.subscribe(({ kind }) => heard.push(kind));
  await pass(0);
  stop();
  stop();
  worker.die();
  await pass(100);
  expect(heard).toEqual(['ready']);
});

test('a listener that fails costs neither the others nor the connection, and its error is reported', async () => {
  const reports: (() => void)[] = [];
  vi.stubGlobal('queueMicrotask', (report: () => void) => reports.push(report));
  const workers = [new FakeWorker('h1'), new FakeWorker('h2')];
  let asked = 0;
  const { remote, states } = open(() => workers[asked++] ?? new FakeWorker('h3'));
  remote.subscribe(() => {
    throw new Error('a screen is broken');
  });
  remote.subscribe((connection) => states.push(connection));
  await pass(0);
  workers[0]?.die();
  await pass(100);
  expect(remote.connection).toMatchObject({ kind: 'ready', host: { id: 'h2' } });
  expect(states).toHaveLength(6);
  expect(reports).toHaveLength(3);
  expect(reports[0]).toThrow('a screen is broken');
});

test('the calls for screens and console are those of the contract, frozen', async () => {
  const worker = new FakeWorker('h1');
  const { remote } = open(() => worker);
  const calls = publicCalls(remote);
  expect(Object.isFrozen(calls)).toBe(true);
  expect(Object.keys(calls)).not.toContain('hello');
  expect(await calls.version()).toMatchObject({ build: 'one' });
  const host = remoteHost(remote);
  expect(host.connection).toBe(remote.connection);
  expect(await host.version()).toMatchObject({ build: 'one' });
});

test('a page that is put away leaves its host, and says hello to the next one when it is back', async () => {
  const first = new FakeWorker('one');
  const second = new FakeWorker('two');
  let worker = first;
  const { remote, states, starts } = open(() => worker);
  await pass(0);
  const read = remote.call('status', []);
  const told = expect(read).rejects.toMatchObject({ code: 'host-lost' });
  const command = remote.call('runNow', [{ id }]);
  await pass(0);
  remote.rest();
  await told;
  expect(first.closed).toBe(1);
  // The host dies meanwhile, and nobody here asks for another.
  first.die();
  await pass(6_000);
  expect(starts).toHaveLength(1);

  worker = second;
  second.answers.set('runNow', () => second.ok({ kind: 'not-found' }));
  remote.wake();
  await pass(0);
  expect(states.map(({ kind }) => kind)).toEqual(['ready', 'connecting', 'ready']);
  await expect(command).resolves.toEqual({ kind: 'not-found' });
  expect(second.calls.find(({ name }) => name === 'runNow')?.args).toEqual(
    first.calls.find(({ name }) => name === 'runNow')?.args,
  );
});

test('a page that is put away before it had a host leaves the one it asked, and says hello anew when it is back', async () => {
  const first = new FakeWorker('one');
  let answer: (envelope: Envelope<unknown>) => void = () => undefined;
  first.answers.set('hello', () => new Promise((resolve) => (answer = resolve)));
  const second = new FakeWorker('two');
  let worker = first;
  const { remote, starts, states } = open(() => worker);
  await pass(0);
  remote.rest();
  expect(first.closed).toBe(1);
  // Nobody is asked meanwhile.
  await pass(20_000);
  expect(starts).toHaveLength(1);

  worker = second;
  remote.wake();
  // To this one the tab has gone: it saw that the tab's lock was free.
  answer({ ok: true, hostId: first.id, value: { host: { id: first.id }, newerBuild: null } });
  await pass(0);
  expect(remote.connection).toMatchObject({ kind: 'ready', host: { id: 'two' } });
  expect(starts).toHaveLength(2);
  expect(second.closed).toBe(0);
  expect(states.map(({ kind }) => kind)).toEqual(['connecting', 'ready']);
});

test('a page that is put away while it waits to ask again asks once when it is back', async () => {
  const retires = new FakeWorker('one');
  retires.answers.set('hello', retires.refuse('retired'));
  let worker = retires;
  const { remote, starts } = open(() => worker);
  await pass(0);
  remote.rest();
  await pass(10_000);
  expect(starts).toHaveLength(1);
  worker = new FakeWorker('two');
  remote.wake();
  remote.wake();
  await pass(10_000);
  expect(remote.connection.kind).toBe('ready');
  expect(starts).toHaveLength(2);
});
