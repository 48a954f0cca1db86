/**
 * Which Chromium the tests and the pictures use: the one Playwright installs for itself where it is there, else one of the
 * system. `ROTA_CHROMIUM` names another.
 */
import { chromium } from '@playwright/test';
import { spawn, spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { argv, env, getuid, stderr } from 'node:process';
import { fileURLToPath } from 'node:url';

/** What distributions call it. */
const SYSTEM_NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/**
 * How to start it, as Playwright's `launchOptions`.
 * @param {string} executablePath
 * @returns {{ executablePath: string, args: string[] }}
 */
export function launchOptions(executablePath) {
  return {
    executablePath,
    args: [
      // Nothing on the wire but what the tests send.
      '--disable-background-networking',
      // Chromium refuses to sandbox when root starts it, as in most containers.
      ...(getuid?.() === 0 ? ['--no-sandbox'] : []),
    ],
  };
}

/**
 * The path of a Chromium that starts, or `null` when there is none.
 * @returns {string | null}
 */
export function findChromium() {
  const named = env['ROTA_CHROMIUM'];
  if (named !== undefined && named !== '') {
    if (starts(named)) return named;
    throw new Error(`ROTA_CHROMIUM is not a browser that starts: ${named}`);
  }
  const system = (env['PATH'] ?? '')
    .split(delimiter)
    .flatMap((folder) => SYSTEM_NAMES.map((name) => join(folder, name)));
  return [chromium.executablePath(), ...system].find(starts) ?? null;
}

/**
 * A Chromium that starts, installed now when there is none: Playwright's own with what it needs of the system, else the
 * system's package. Says on stderr what it does.
 * @returns {Promise<string>}
 * @throws when there is none and none can be installed.
 */
export async function getChromium() {
  const found = findChromium();
  if (found !== null) return found;
  for (const [command, ...args] of waysToInstall()) {
    if (command === undefined) continue;
    stderr.write(`No Chromium yet: ${[command, ...args].join(' ')}\n`);
    await run(command, args);
    const installed = findChromium();
    if (installed !== null) return installed;
  }
  throw new Error(
    'The tests need a Chromium and could not install one. Install the package `chromium` (or Google Chrome), or set ROTA_CHROMIUM to its path.',
  );
}

/** @returns {string[][]} */
function waysToInstall() {
  const root = getuid?.() === 0 ? [] : ['sudo', '-n'];
  return [
    ['npx', 'playwright', 'install', '--with-deps', 'chromium'],
    // The browser alone, where nobody may install for the system but all it needs is there.
    ['npx', 'playwright', 'install', 'chromium'],
    [...root, 'apt-get', 'update'],
    [...root, 'apt-get', 'install', '-y', '--no-install-recommends', 'chromium'],
    [...root, 'apt-get', 'install', '-y', '--no-install-recommends', 'chromium-browser'],
  ];
}

/**
 * There, and the browser itself: Ubuntu ships a `chromium-browser` that only tells how to get one.
 * @param {string} path
 */
function starts(path) {
  try {
    accessSync(path, constants.X_OK);
  } catch {
    return false;
  }
  const { status, stdout } = spawnSync(path, ['--version'], { encoding: 'utf8', timeout: 30_000 });
  return status === 0 && /\d+\.\d+\.\d+/.test(stdout);
}

/**
 * @param {string} command
 * @param {string[]} args
 * @returns {Promise<boolean>} whether it ended well; `false` also when there is no such command.
 */
function run(command, args) {
  return new Promise((done) => {
    const child = spawn(command, args, {
      stdio: ['ignore', 'inherit', 'inherit'],
      env: { ...env, DEBIAN_FRONTEND: 'noninteractive' },
    });
    child.once('error', () => done(false));
    child.once('exit', (code) => done(code === 0));
  });
}

if (argv[1] === fileURLToPath(import.meta.url)) stderr.write(`${await getChromium()}\n`);
