import { MessageChannel } from 'node:worker_threads';
import { afterEach, expect, test } from 'vitest';
// eslint-disable-next-line no-restricted-imports -- The test is the other side of the seam.
import { releaseProxy, wrap } from 'comlink';
import { type AutomationId, SCHEMA } from '../domain/index.ts';
import type { CallName, Envelope } from '../rpc/index.ts';
import { NewerData, StorageUnavailable } from '../store/index.ts';
import { FakeBrowser, type FakeHost, getting, save } from './fake-world.testing.ts';
import type { Host } from './host.ts';
import { serve } from './serve.ts';

type Call = (...args: unknown[]) => Promise<Envelope<unknown>>;
type Wire = Record<CallName, Call>;
/** What Comlink sends. */
interface Message {
  readonly type: 'GET' | 'SET' | 'APPLY' | 'CONSTRUCT';
  readonly path: readonly string[];
  readonly argumentList?: readonly unknown[];
  readonly value?: unknown;
}

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

/** A port to `host`, as a tab has one: by Comlink, and by hand for messages that Comlink would not send. */
function connected(host: Pick<FakeHost, 'calls' | 'world'> & { readonly host: Pick<Host, 'phase'> }): {
  readonly wire: Wire;
  readonly send: (message: Message) => Promise<unknown>;
} {
  const { port1, port2 } = new MessageChannel();
  serve(host.calls, host.host, host.world, port2);
  const remote = wrap<Wire>(port1 as unknown as MessagePort);
  closers.push(() => {
    remote[releaseProxy]();
    port1.close();
    port2.close();
  });
  let sent = 0;
  return {
    wire: remote,
    send: ({ type, path, argumentList = [], value }) =>
      new Promise((resolve) => {
        const id = `by-hand-${(sent += 1)}`;
        port1.on('message', (answer: { readonly id: string }) => {
          if (answer.id === id) resolve(answer);
        });
        const raw = (one: unknown): unknown => ({ type: 'RAW', value: one });
        port1.postMessage({ id, type, path, argumentList: argumentList.map(raw), value: raw(value) });
      }),
  };
}

async function served(): Promise<{ readonly host: FakeHost } & ReturnType<typeof connected>> {
  const browser = new FakeBrowser();
  const host = await browser.start();
  return { host, ...connected(host) };
}

test('a call is answered with an envelope that names the host', async () => {
  const { host, wire } = await served();
  expect(await wire.version()).toEqual({
    ok: true,
    hostId: host.id,
    value: { build: 'one', protocol: 1, schema: SCHEMA },
  });
  const id = await save(host, getting('https://server.test/a'));
  expect(await wire.getAutomation(id)).toMatchObject({
    ok: true,
    value: { id, name: 'https://server.test/a' },
  });
  expect(await wire.runNow({ id })).toMatchObject({ ok: true, value: { kind: 'claimed' } });
});

const ID = '00000000-0000-4000-8000-000000000001';

test.each<[CallName, readonly unknown[], readonly { path: string; message: string }[]]>([
  ['getAutomation', [], [{ path: '', message: 'An id is text.' }]],
  ['getAutomation', ['x'], [{ path: '', message: 'An id is a UUID in lower case.' }]],
  ['getAutomation', [ID, ID], [{ path: '', message: 'This call takes one argument.' }]],
  ['getAutomation', [{ toString: 1 }], [{ path: '', message: 'An id is text.' }]],
  ['status', [1], [{ path: '', message: 'This call takes no argument.' }]],
  ['runNow', [], [{ path: '', message: 'This must be an object.' }]],
  ['runNow', [[]], [{ path: 'id', message: 'This field is missing.' }]],
  ['runNow', [{}], [{ path: 'id', message: 'This field is missing.' }]],
  ['runNow', [{ id: ID, now: true }], [{ path: 'now', message: 'Rota does not know this field.' }]],
  [
    'runNow',
    [{ id: ID, commandId: 'x' }],
    [{ path: 'commandId', message: 'An id is a UUID in lower case.' }],
  ],
  ['listRuns', [{ limit: 0 }], [{ path: 'limit', message: 'A count is at least 1.' }]],
  ['listRuns', [{ limit: 'ten' }], [{ path: 'limit', message: 'A count is a number.' }]],
  ['listRuns', [{ limit: 1.5 }], [{ path: 'limit', message: 'A count is a whole number.' }]],
  [
    'listRuns',
    [{ status: ['failed', 'lost'] }],
    [{ path: 'status[1]', message: expect.stringContaining('A status is one of running,') as string }],
  ],
  ['listRuns', [null], [{ path: '', message: 'This must be an object.' }]],
  ['listAutomations', [{ view: 'all', tag: 3 }], [{ path: 'tag', message: 'Must be text.' }]],
  ['listAutomations', [{}, {}], [{ path: '', message: 'This call takes one argument.' }]],
  [
    'setEnabled',
    [{ ids: ID, enabled: 1 }],
    [
      { path: 'ids', message: 'Ids are a list.' },
      { path: 'enabled', message: 'enabled is true or false.' },
    ],
  ],
  [
    'saveSettings',
    [{ settings: { maxConcurrent: '3' } }],
    [{ path: 'settings.maxConcurrent', message: 'Must be a number.' }],
  ],
  ['hello', [{ tabId: ID, build: 'one' }], [{ path: 'protocol', message: 'This field is missing.' }]],
])('%s(%j) is refused with the field and the reason', async (name, args, problems) => {
  const { host, wire } = await served();
  const answer = await wire[name](...args);
  expect(answer).toMatchObject({ ok: false, hostId: host.id, code: 'bad-call' });
  expect(answer).toMatchObject({ details: problems });
  expect(host.storage.calls.get('tryClaim')).toBe(undefined);
});

test.each<[CallName, readonly unknown[]]>([
  ['listRuns', []],
  ['listRuns', [undefined]],
  ['listRuns', [{}]],
  ['listRuns', [{ status: 'failed', limit: 3 }]],
  ['listRuns', [{ status: ['failed', 'missed'] }]],
  ['listAutomations', [{ view: 'paused', text: 'tea' }]],
  ['exportFile', []],
])('%s(%j) is taken', async (name, args) => {
  const { wire } = await served();
  expect(await wire[name](...args)).toMatchObject({ ok: true });
});

test('a definition that is wrong is refused as a value, with its path, and one that goes in circles too', async () => {
  const { wire } = await served();
  const circle: Record<string, unknown> = { name: 'x' };
  circle['itself'] = circle;
  const wrong = await wire.saveAutomation({ automation: { name: '', schedule: { kind: 'manual' } } });
  expect(wrong).toMatchObject({ ok: true, value: { kind: 'invalid' } });
  expect(await wire.saveAutomation({ automation: circle })).toMatchObject({
    ok: true,
    value: { kind: 'invalid' },
  });
});

test('errors cross with their code, their words and their details', async () => {
  const { host, wire } = await served();
  const failing = (error: Error): void => {
    host.storage.works();
    host.storage.fails('getSettings', { error });
  };
  failing(new NewerData('A newer version of Rota wrote this row.'));
  expect(await wire.getSettings()).toEqual({
    ok: false,
    hostId: host.id,
    code: 'newer-data',
    message: 'A newer version of Rota wrote this row.',
  });
  failing(new DOMException('The disk is full.', 'QuotaExceededError'));
  expect(await wire.getSettings()).toMatchObject({
    code: 'storage',
    message: 'QuotaExceededError: The disk is full.',
  });
  failing(new Error('a bug'));
  expect(await wire.getSettings()).toMatchObject({ code: 'internal', message: 'a bug' });
  expect(host.complaints).toHaveLength(1);
});

test('a host without its database says so to each call, and that it has stopped once it has', async () => {
  const browser = new FakeBrowser();
  const host = browser.open({ refuses: new StorageUnavailable('blocked', 'An older tab keeps it open.') });
  const { wire } = connected(host);
  expect(await wire.status()).toMatchObject({
    code: 'storage',
    message: 'An older tab keeps it open.',
    details: { code: 'blocked' },
  });
  await browser.advance(1_000);
  expect(await wire.version()).toMatchObject({ ok: false, code: 'retired' });
});

test('a call that the end of its host cuts short is told as such and not as a fault of storage', async () => {
  const browser = new FakeBrowser();
  const { calls, world } = await browser.start();
  let cut: (error: Error) => void = () => undefined;
  const getSettings = (): Promise<never> => new Promise((_, reject) => (cut = reject));
  const host: { phase: Host['phase'] } = { phase: 'running' };
  const { wire } = connected({ calls: { ...calls, getSettings }, world, host });
  const answer = wire.getSettings();
  await wire.version();
  host.phase = 'gone';
  cut(new DOMException('The connection is closing.', 'InvalidStateError'));
  expect(await answer).toMatchObject({ ok: false, code: 'retired' });
});

test('a host that is leaving tells who wants to start something to ask the next one', async () => {
  const browser = new FakeBrowser();
  browser.server.holds();
  const host = await browser.start();
  const { wire } = connected(host);
  const id = await save(host, getting('https://server.test/a'));
  await wire.runNow({ id });
  void host.host.retire(10_000);
  expect(await wire.runNow({ id })).toMatchObject({ ok: false, code: 'retired' });
  expect(await wire.hello({ tabId: ID, build: 'one', protocol: 1 })).toMatchObject({ code: 'retired' });
  expect(await wire.listRuns()).toMatchObject({ ok: true });
});

const rejected = { type: 'HANDLER', name: 'throw' };

test.each<[string, Message]>([
  ['the prototype of the calls', { type: 'GET', path: ['__proto__', 'constructor', 'name'] }],
  ['their constructor', { type: 'APPLY', path: ['constructor'], argumentList: ['return 1'] }],
  ['what every object has', { type: 'APPLY', path: ['toString'] }],
  ['what every object can look up', { type: 'APPLY', path: ['__lookupGetter__'], argumentList: ['x'] }],
  [
    'the constructor of a call',
    { type: 'APPLY', path: ['version', 'constructor'], argumentList: ['return 1'] },
  ],
  [
    'it by way of a name',
    { type: 'APPLY', path: ['version', 'name', 'constructor', 'constructor'], argumentList: ['return 1'] },
  ],
  [
    'it by way of a length',
    { type: 'APPLY', path: ['version', 'length', 'constructor', 'constructor'], argumentList: ['return 1'] },
  ],
  [
    'it by way of apply',
    { type: 'APPLY', path: ['version', 'apply', 'constructor'], argumentList: ['return 1'] },
  ],
  ['what every function has', { type: 'APPLY', path: ['version', 'bind'] }],
  ['a call as a class', { type: 'CONSTRUCT', path: ['version'] }],
  [
    'a class by way of a call',
    { type: 'CONSTRUCT', path: ['version', 'constructor'], argumentList: ['return 1'] },
  ],
  ['what no call is named', { type: 'APPLY', path: ['ledger'] }],
  ['the calls themselves', { type: 'GET', path: [] }],
  ['a call itself', { type: 'GET', path: ['version'] }],
  ['a new call', { type: 'SET', path: ['version'], value: 1 }],
  ['something beside the calls', { type: 'SET', path: ['more'], value: 1 }],
  ['something inside a call', { type: 'SET', path: ['version', 'more'], value: 1 }],
  [
    'something for all objects',
    { type: 'SET', path: ['version', '__proto__', '__proto__', 'polluted'], value: 1 },
  ],
  ['another prototype', { type: 'SET', path: ['__proto__'], value: {} }],
])('%s cannot be reached through a port', async (_, message) => {
  const { send, wire } = await served();
  const answer = await send(message);
  if (message.path.length === 1 && message.path[0] === '__proto__') expect(answer).toBeDefined();
  else expect(answer).toMatchObject(rejected);
  expect(Reflect.get({}, 'polluted')).toBe(undefined);
  expect(await wire.version()).toMatchObject({ ok: true, value: { build: 'one' } });
});

test('an id that is a name of the language finds nothing', async () => {
  const { wire } = await served();
  expect(await wire.getAutomation(ID as AutomationId)).toMatchObject({ ok: true, value: null });
  for (const id of ['__proto__', 'constructor', 'toString']) {
    expect(await wire.getAutomation(id)).toMatchObject({ ok: false, code: 'bad-call' });
  }
});
