import { expect, test, vi } from 'vitest';
import type { KeyMessage } from '../domain/index.ts';
import { FakeBrowser, type FakeHost, MONDAY, getting, save, statuses } from './fake-world.testing.ts';

const ORIGIN = 'https://server.test';
const MINUTE = 60_000;
const HOUR = 3_600_000;
const once = { kind: 'once', at: MONDAY + MINUTE } as const;
const keyed = (schedule: Parameters<typeof getting>[1]) =>
  getting(`${ORIGIN}/?key={{ secrets.API_KEY }}`, schedule);
const secret = { name: 'API_KEY', value: 'sesame-1234-open', origins: [ORIGIN] };

test('what names a secret that is not stored is not claimed, says what it waits for, and runs when it is there', async () => {
  const browser = new FakeBrowser();
  const host = await browser.start();
  const id = await save(host, keyed({ schedule: once }));
  await browser.advance(MINUTE + 10_000);
  expect(await browser.runs()).toEqual([]);
  expect(host.storage.calls.get('tryClaim')).toBe(undefined);
  const waits = { for: 'secret', secret: 'API_KEY' };
  expect((await host.calls.status()).waiting).toMatchObject([{ automationId: id, ...waits }]);
  const view = { waitingFor: 'secret', waitingForSecret: 'API_KEY' };
  expect(await host.calls.getAutomation(id)).toMatchObject(view);
  const asking = await host.calls.listAutomations({ view: 'needs-you' });
  expect(asking).toMatchObject({ items: [view], counts: { 'needs-you': 1 } });

  await host.calls.saveSecret(secret);
  await browser.quiet();
  expect(await statuses(browser)).toEqual(['succeeded']);
  expect(browser.server.hits.map(({ url }) => url)).toEqual([`${ORIGIN}/?key=sesame-1234-open`]);
  expect((await host.calls.listAutomations()).counts['needs-you']).toBe(0);
});

test('it waits for one secret after the other, each by its name', async () => {
  const browser = new FakeBrowser();
  const host = await browser.start();
  const url = `${ORIGIN}/{{ secrets.API_KEY }}/{{ secrets.OTHER }}`;
  const id = await save(host, getting(url, { schedule: once }));
  await browser.advance(2 * MINUTE);
  await host.calls.saveSecret(secret);
  await browser.quiet();
  expect(await host.calls.getAutomation(id)).toMatchObject({ waitingForSecret: 'OTHER' });
  await host.calls.saveSecret({ ...secret, name: 'OTHER' });
  await browser.quiet();
  expect(await statuses(browser)).toEqual(['succeeded']);
});

test('Run now without the secret is kept, says what it waits for, and runs once it is stored through another host', async () => {
  const browser = new FakeBrowser();
  const [host, other] = [await browser.start(), await browser.start()];
  const id = await save(host, keyed({}));
  expect(await host.calls.runNow({ id })).toEqual({ kind: 'waiting', for: 'secret', secret: 'API_KEY' });
  await browser.quiet();
  await other.calls.saveSecret(secret);
  await browser.quiet();
  expect(await browser.runs()).toMatchObject([{ status: 'succeeded', cause: 'manual' }]);
});

test('a retry waits too, and what falls due meanwhile follows the rule for missed runs', async () => {
  const browser = new FakeBrowser();
  const host = await browser.start();
  await host.calls.saveSecret(secret);
  await save(host, keyed({ schedule: { kind: 'every', everyMs: HOUR, anchor: MONDAY } }));
  await host.calls.removeSecret({ name: 'API_KEY' });
  await browser.advance(3 * HOUR + 1_000);
  expect(await browser.runs()).toEqual([]);
  await host.calls.saveSecret(secret);
  await browser.quiet();
  const rows = await browser.runs();
  expect(rows.map(({ status, scheduledFor }) => [status, (scheduledFor - MONDAY) / HOUR])).toEqual([
    ['missed', 2],
    ['succeeded', 3],
  ]);
  expect(rows[0]).toMatchObject({ reason: 'waiting', covers: { count: 2 } });
});

test('a secret that is removed while a failed run waits for its retry keeps the retry waiting', async () => {
  const browser = new FakeBrowser();
  const host = await browser.start();
  await host.calls.saveSecret(secret);
  browser.server.respond = () => Promise.resolve(new Response('', { status: 500 }));
  const id = await save(host, keyed({ rules: { retry: { attempts: 2, firstDelayMs: 1_000, factor: 1 } } }));
  await host.calls.runNow({ id });
  await browser.quiet();
  expect(await statuses(browser)).toEqual(['failed']);
  await host.calls.removeSecret({ name: 'API_KEY' });
  await browser.advance(MINUTE);
  expect(await host.calls.getAutomation(id)).toMatchObject({ waitingForSecret: 'API_KEY' });
  browser.server.respond = () => Promise.resolve(new Response(''));
  await host.calls.saveSecret(secret);
  await browser.quiet();
  expect(await browser.runs()).toMatchObject([{ attempt: 1 }, { attempt: 2, status: 'succeeded' }]);
});

test('one that waits keeps no other from running', async () => {
  const browser = new FakeBrowser();
  const host = await browser.start();
  await save(host, keyed({ schedule: once }));
  await save(host, getting(`${ORIGIN}/plain`, { schedule: once }));
  await browser.advance(MINUTE);
  expect(browser.server.hits.map(({ url }) => url)).toEqual([`${ORIGIN}/plain`]);
});

const PASSPHRASE = 'correct horse battery';

/** Waits until `host` may use secrets, or may not: keys travel and are tried in turns that nobody counts. */
async function isLocked(browser: FakeBrowser, host: FakeHost, lock: string): Promise<void> {
  await expect
    .poll(async () => {
      await browser.quiet();
      return (await host.calls.listSecrets()).lock;
    })
    .toBe(lock);
  await browser.quiet();
}

async function underPassphrase(host: FakeHost): Promise<void> {
  await host.calls.saveSecret(secret);
  expect(await host.calls.setPassphrase({ next: PASSPHRASE })).toEqual({ kind: 'done' });
}

test('locked, what names a secret waits on all hosts, and unlocking one of them lets it run once', async () => {
  const browser = new FakeBrowser();
  const [host, other] = [await browser.start(), await browser.start()];
  await underPassphrase(host);
  await isLocked(browser, other, 'unlocked');
  const id = await save(host, keyed({ schedule: once }));
  expect(await other.calls.lockSecrets()).toEqual({ kind: 'locked' });
  await browser.advance(2 * MINUTE);
  expect(await browser.runs()).toEqual([]);
  for (const one of [host, other]) {
    expect((await one.calls.status()).waiting).toMatchObject([{ automationId: id, for: 'unlock' }]);
    expect((await one.calls.listAutomations()).counts['needs-you']).toBe(1);
  }
  expect(await other.calls.unlockSecrets({ passphrase: 'something else' })).toEqual({
    kind: 'invalid',
    problems: [{ path: 'passphrase', message: 'That is not the passphrase.' }],
  });
  expect(await other.calls.unlockSecrets({ passphrase: PASSPHRASE })).toEqual({ kind: 'unlocked' });
  await isLocked(browser, host, 'unlocked');
  await browser.advance(5_000);
  expect(await statuses(browser)).toEqual(['succeeded']);
  expect(browser.server.hits.map(({ url }) => url)).toEqual([`${ORIGIN}/?key=sesame-1234-open`]);
});

test('the host that comes after one that died has the key from another host, and runs what is due', async () => {
  const browser = new FakeBrowser();
  const [host, other] = [await browser.start(), await browser.start()];
  await underPassphrase(host);
  await isLocked(browser, other, 'unlocked');
  await save(host, keyed({ schedule: { ...once, at: MONDAY + HOUR } }));
  host.kill();
  const next = await browser.start();
  await isLocked(browser, next, 'unlocked');
  other.kill();
  await browser.advance(HOUR);
  expect(await statuses(browser)).toEqual(['succeeded']);
});

test('the only host comes back with the key that a tab remembers; with no tab, it waits for the passphrase', async () => {
  const browser = new FakeBrowser();
  const host = await browser.start();
  let remembered: KeyMessage<CryptoKey> | null = null;
  const say = browser.shareKeys({}, (message) => {
    if (message.kind === 'key') remembered = message;
    if (message.kind === 'wanted' && remembered !== null) say(remembered);
  });
  await underPassphrase(host);
  await browser.quiet();
  host.kill();
  const next = await browser.start();
  await isLocked(browser, next, 'unlocked');
  remembered = null;
  next.kill();
  const last = await browser.start();
  await isLocked(browser, last, 'locked');
  const id = await save(last, keyed({}));
  expect(await last.calls.runNow({ id })).toEqual({ kind: 'waiting', for: 'unlock' });
});

test('a key that was unlocked before a lock, or is another, is not accepted from whoever still has it', async () => {
  const browser = new FakeBrowser();
  const host = await browser.start();
  const heard: KeyMessage<CryptoKey>[] = [];
  const say = browser.shareKeys({}, (message) => void heard.push(message));
  await underPassphrase(host);
  await browser.quiet();
  const old = heard.find((message) => message.kind === 'key');
  if (old === undefined) throw new Error('the key was not shared');
  expect(old.key.extractable).toBe(false);
  await host.calls.lockSecrets();
  say(old);
  await isLocked(browser, host, 'locked');
  await host.calls.unlockSecrets({ passphrase: PASSPHRASE });
  await browser.quiet();
  const { seal } = heard.findLast((message) => message.kind === 'key') ?? old;
  const foreign = await crypto.subtle.generateKey({ name: 'AES-GCM', length: 256 }, false, ['decrypt']);
  const late = await browser.start();
  say({ kind: 'key', seal, key: foreign });
  await isLocked(browser, late, 'unlocked');
  await expect(late.ledger?.openSecret('API_KEY')).resolves.toMatchObject({ value: secret.value });
});

test('locked while a run is under way, before it read its secret: nothing is sent, and its retry waits', async () => {
  const browser = new FakeBrowser();
  const host = await browser.start();
  await underPassphrase(host);
  const rules = { retry: { attempts: 2, firstDelayMs: 1_000, factor: 1 } };
  const id = await save(host, keyed({ rules }));
  const opening = host.storage.holds('openSecret');
  const running = host.calls.runNow({ id });
  await opening.reached;
  await host.calls.lockSecrets();
  opening.release();
  await running;
  await browser.advance(MINUTE);
  expect(browser.server.hits).toEqual([]);
  expect(await browser.runs()).toMatchObject([
    { status: 'failed', failure: { code: 'secrets-locked' }, attempt: 1 },
  ]);
  expect(await host.calls.getAutomation(id)).toMatchObject({ waitingFor: 'unlock' });
  await host.calls.unlockSecrets({ passphrase: PASSPHRASE });
  await isLocked(browser, host, 'unlocked');
  expect(await browser.runs()).toMatchObject([{ attempt: 1 }, { attempt: 2, status: 'succeeded' }]);
});

test.each([
  ['too short', { next: 'short' }, 'next'],
  ['set over another without that one', { next: 'another passphrase' }, 'current'],
  ['changed with a wrong one', { current: 'wrong one here', next: 'another passphrase' }, 'current'],
])('a passphrase that is %s is refused at its field', async (_what, request, path) => {
  const browser = new FakeBrowser();
  const host = await browser.start();
  await underPassphrase(host);
  expect(await host.calls.setPassphrase(request)).toMatchObject({ kind: 'invalid', problems: [{ path }] });
});

/** Kills `host` in the middle of the next call of `method`. */
function killsAt<Name extends string>(
  host: FakeHost,
  of: Readonly<Record<Name, (...args: never[]) => unknown>>,
  method: Name,
): Promise<void> {
  const original = of[method] as (this: unknown, ...args: unknown[]) => unknown;
  return new Promise((resolve) => {
    vi.spyOn(of as unknown as Record<string, (...args: unknown[]) => unknown>, method).mockImplementationOnce(
      function (this: unknown, ...args) {
        const result = original.apply(this, args);
        host.kill();
        resolve();
        return result;
      },
    );
  });
}

test.each([
  ['while it encrypts', () => crypto.subtle, 'encrypt'],
  ['while it writes', () => IDBObjectStore.prototype, 'put'],
] as const)(
  'a host that dies %s leaves the passphrase as it was, and every secret',
  async (_when, of, method) => {
    const browser = new FakeBrowser();
    const host = await browser.start();
    await underPassphrase(host);
    await browser.quiet();
    const killed = killsAt(host, of() as never, method);
    void host.calls.setPassphrase({ current: PASSPHRASE, next: 'another passphrase' });
    await killed;
    vi.restoreAllMocks();
    await browser.quiet();
    const next = await browser.start();
    expect(await next.calls.unlockSecrets({ passphrase: 'another passphrase' })).toMatchObject({
      kind: 'invalid',
    });
    expect(await next.calls.unlockSecrets({ passphrase: PASSPHRASE })).toEqual({ kind: 'unlocked' });
    await expect(next.ledger?.openSecret('API_KEY')).resolves.toMatchObject({ value: secret.value });
  },
);
