/**
 * The browsers that the tests and the pictures use, found on this machine or installed now:
 *
 * - Chromium: the one Playwright installs for itself where it is there, else one of the system. `ROTA_CHROMIUM` names another.
 * - Firefox: the system's, as people have it, else the one that Playwright installs. `ROTA_FIREFOX` names another.
 * - WebKitGTK: the system's, with what drives and shows it. Playwright's WebKit is another build and keeps nothing on a disk.
 *
 * `node scripts/browsers.mjs` gets all three.
 */
import { chromium, firefox } from '@playwright/test';
import { spawn, spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { argv, env, exit, getuid, stdout, stderr } from 'node:process';
import { fileURLToPath } from 'node:url';

/** What distributions call it. */
const CHROMIUM_NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const FIREFOX_NAMES = ['firefox-esr', 'firefox'];

/**
 * How to start Chromium, as Playwright's `launchOptions`.
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
  return (
    named('ROTA_CHROMIUM') ??
    [chromium.executablePath(), ...CHROMIUM_NAMES.flatMap(inPath)].find(starts) ??
    null
  );
}

/**
 * A Firefox that starts, as Playwright's `launchOptions`, or `null` when there is none. One that Playwright has not made
 * itself is driven as it is, through the protocol that every Firefox speaks.
 * @returns {{ executablePath: string, channel?: 'moz-firefox' } | null}
 */
export function findFirefox() {
  const stock = named('ROTA_FIREFOX') ?? FIREFOX_NAMES.flatMap(inPath).find(starts);
  if (stock !== undefined) return { executablePath: stock, channel: 'moz-firefox' };
  const own = firefox.executablePath();
  return starts(own) ? { executablePath: own } : null;
}

/**
 * What WebKitGTK takes to be driven, by path: the driver, the program that runs the tests' browser (e2e/engines), and the
 * display that nobody sees. `null` when something of it is not there.
 * @returns {{ driver: string, gjs: string, xvfb: string } | null}
 */
export function findWebKit() {
  const [driver, gjs, xvfb] = ['WebKitWebDriver', 'gjs', 'Xvfb'].map((name) => inPath(name).find(isProgram));
  if (driver === undefined || gjs === undefined || xvfb === undefined) return null;
  // Not loaded, as that takes a display; the library of its types is there or not.
  const look =
    "if (!imports.gi.GIRepository.Repository.get_default().enumerate_versions('WebKit2').includes('4.1')) throw 0";
  const { status } = spawnSync(gjs, ['-c', look], { stdio: 'ignore', timeout: 30_000 });
  return status === 0 ? { driver, gjs, xvfb } : null;
}

/**
 * An engine of the tests.
 * @typedef {'chromium' | 'firefox' | 'webkit'} EngineName
 */

/**
 * How to find each engine, by the path that tells most, and the commands that install it, tried in turn.
 * @type {Readonly<Record<EngineName, { readonly label: string, readonly find: () => string | null, readonly install: readonly (readonly string[])[], readonly hint: string }>>}
 */
const WAYS = {
  chromium: {
    label: 'Chromium',
    find: findChromium,
    install: [
      ['npx', 'playwright', 'install', '--with-deps', 'chromium'],
      // The browser alone, where nobody may install for the system but all it needs is there.
      ['npx', 'playwright', 'install', 'chromium'],
      ...apt(['chromium'], ['chromium-browser']),
    ],
    hint: 'install the package `chromium` (or Google Chrome), or set ROTA_CHROMIUM to its path',
  },
  firefox: {
    label: 'Firefox',
    find: () => findFirefox()?.executablePath ?? null,
    install: [
      ...apt(['firefox-esr']),
      ['npx', 'playwright', 'install', '--with-deps', 'firefox'],
      ['npx', 'playwright', 'install', 'firefox'],
    ],
    hint: 'install the package `firefox-esr` (or Firefox), or set ROTA_FIREFOX to its path',
  },
  webkit: {
    label: 'WebKitGTK',
    find: () => findWebKit()?.driver ?? null,
    install: apt(['webkit2gtk-driver', 'gjs', 'gir1.2-webkit2-4.1', 'xvfb']),
    hint: 'install the packages `webkit2gtk-driver`, `gjs`, `gir1.2-webkit2-4.1` and `xvfb`',
  },
};

/** @type {readonly EngineName[]} */
export const ENGINE_NAMES = ['chromium', 'firefox', 'webkit'];

/**
 * A browser that starts, by its path, installed now when there is none. Says on stderr what it does.
 * @param {EngineName} name
 * @returns {Promise<{ readonly label: string } & ({ readonly kind: 'there', readonly path: string } | { readonly kind: 'left-out', readonly why: string })>}
 */
export async function getBrowser(name) {
  const { label, find, install, hint } = WAYS[name];
  const found = find();
  if (found !== null) return { label, kind: 'there', path: found };
  for (const [command, ...args] of install) {
    if (command === undefined) continue;
    stderr.write(`No ${label} yet: ${[command, ...args].join(' ')}\n`);
    await run(command, args);
    const installed = find();
    if (installed !== null) return { label, kind: 'there', path: installed };
  }
  return { label, kind: 'left-out', why: `it is not here and could not be installed; ${hint}` };
}

/**
 * The commands by which Debian's and Ubuntu's packages are installed: the lists first, then each set of packages.
 * @param {readonly string[][]} sets
 * @returns {string[][]}
 */
function apt(...sets) {
  const root = getuid?.() === 0 ? [] : ['sudo', '-n'];
  return [
    [...root, 'apt-get', 'update'],
    ...sets.map((packages) => [...root, 'apt-get', 'install', '-y', '--no-install-recommends', ...packages]),
  ];
}

/**
 * What the environment names, `undefined` when it names nothing.
 * @param {string} name
 * @throws when what it names does not start.
 */
function named(name) {
  const path = env[name];
  if (path === undefined || path === '') return undefined;
  if (starts(path)) return path;
  throw new Error(`${name} is not a browser that starts: ${path}`);
}

/** @param {string} name */
function inPath(name) {
  return (env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, name));
}

/** @param {string} path */
function isProgram(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * There, and the browser itself: Ubuntu ships a `chromium-browser` and a `firefox` that only tell how to get one.
 * @param {string} path
 */
function starts(path) {
  if (!isProgram(path)) return false;
  const { status, stdout: said } = spawnSync(path, ['--version'], { encoding: 'utf8', timeout: 30_000 });
  return status === 0 && /\d+\.\d+/.test(said);
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

if (argv[1] === fileURLToPath(import.meta.url)) {
  let isOneLeftOut = false;
  for (const name of ENGINE_NAMES) {
    const got = await getBrowser(name);
    if (got.kind === 'left-out') isOneLeftOut = true;
    stdout.write(`${got.label}: ${got.kind === 'there' ? got.path : got.why}\n`);
  }
  exit(isOneLeftOut ? 1 : 0);
}
