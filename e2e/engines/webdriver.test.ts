import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { env, execPath } from 'node:process';
import { afterEach, expect, test } from 'vitest';
import { WebDriver } from './webdriver.ts';

let started: { readonly driver: WebDriver; readonly folder: string } | null = null;

afterEach(async () => {
  await started?.driver.stop();
  if (started !== null) await rm(started.folder, { recursive: true });
  started = null;
});

/** A driver that starts a session, has one window, and does `onWindow` when it is asked to turn to it. */
async function start(onWindow: string, most: number): Promise<WebDriver> {
  const folder = await mkdtemp(join(tmpdir(), 'rota-driver-'));
  const command = join(folder, 'driver.cjs');
  await writeFile(
    command,
    `#!${execPath}
require('node:http').createServer((request, response) => {
  const say = (value) => response.end(JSON.stringify({ value }));
  if (request.url === '/status') say({ ready: true });
  else if (request.url === '/session') say({ sessionId: 'one' });
  else if (request.url === '/session/one/window') { ${onWindow} }
  else say(['window']);
}).listen(Number(process.argv[2].slice('--port='.length)), '127.0.0.1');
`,
  );
  await chmod(command, 0o700);
  const driver = await WebDriver.start(command, {}, env, () => undefined, most);
  started = { driver, folder };
  return driver;
}

test('A driver that answers is not stuck', async () => {
  const driver = await start(`say(null);`, 30_000);
  expect(await driver.in('window', 'POST', '/execute/sync')).toEqual(['window']);
  expect(driver.isStuck).toBe(false);
});

test('A driver that leaves one command without an answer is stuck, and what waited behind that is told at once', async () => {
  const driver = await start(``, 1_000);
  const asked = [driver.in('window', 'POST', '/url'), driver.windows(), driver.windows()];
  const outcomes = await Promise.allSettled(asked);
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  expect(String(outcomes[2]?.status === 'rejected' ? outcomes[2].reason : '')).toContain(
    'has stopped answering',
  );
  expect(driver.isStuck).toBe(true);
});

test('A driver that has ended is stuck', async () => {
  const driver = await start(`process.exit(3);`, 30_000);
  await expect(driver.in('window', 'POST', '/url')).rejects.toThrow();
  await expect.poll(() => driver.isStuck, { timeout: 20_000 }).toBe(true);
  await expect(driver.windows()).rejects.toThrow('has stopped answering');
});
