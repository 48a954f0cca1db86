/**
 * Lighthouse on the list of automations. Its packages are many and none of Rota's, so it is fetched once, into `.cache`, in the
 * one version whose marks are comparable.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { platform } from 'node:process';
import { ROOT } from '../steps.mjs';
import { ask } from './stage.mjs';

const VERSION = '12.2.3';
const FOLDER = `${ROOT}.cache/lighthouse-${VERSION}`;
const PROGRAM = `${FOLDER}/node_modules/lighthouse/cli/index.js`;
/** How often it looks in each form: the middle one counts, as it advises. */
const LOOKS = 3;
/** A slow phone on a slow network, as it imitates them by default, and a desktop. */
const FORMS = { phone: [], desktop: ['--preset=desktop'] };
/** What is marked, from 0 to 100, and the target. */
const CATEGORIES = /** @type {const} */ ([
  ['performance', 'performance', 95],
  ['accessibility', 'accessibility', 100],
  ['best-practices', 'best practices', 100],
]);
/** How many automations the list has, and runs the history. */
const LEDGER = { automations: 1_000, runs: 10_000 };

/**
 * What is read of a report.
 * @typedef {object} Report
 * @property {Readonly<Record<string, { readonly score: number | null, readonly auditRefs: readonly { readonly id: string, readonly weight: number }[] }>>} categories
 * @property {{ readonly benchmarkIndex: number }} environment how fast it found the machine: a desktop has 1,500 and more
 * @property {Readonly<Record<string, { readonly title: string, readonly score: number | null, readonly numericValue?: number }>>} audits
 */

/** @type {import('./rows.mjs').Row} */
export const lighthouse = {
  name: 'lighthouse',
  says: `Lighthouse ${VERSION} on the list with ${LEDGER.automations.toLocaleString('en')} automations`,
  measure: async (stage) => {
    await fetchLighthouse();
    const port = await freePort();
    // Each look begins without a service worker and without what was fetched before; the automations stay.
    const browser = await stage.openBrowser({
      args: [`--remote-debugging-port=${port}`],
      serviceWorkers: 'allow',
    });
    const place = await stage.openPlace(browser);
    const bench = await place.openBench();
    await ask(bench, 'seed', LEDGER);
    await bench.close();
    const figures = [];
    for (const [form, options] of Object.entries(FORMS)) {
      /** @type {Report[]} */
      const reports = [];
      for (let n = 0; n < stage.count(LOOKS, 1); n++) {
        const path = `${FOLDER}/${form}-${n}.json`;
        await lookAt(`${place.origin}/`, port, path, options);
        reports.push(/** @type {Report} */ (JSON.parse(readFileSync(path, 'utf8'))));
      }
      const middle = middleOf(reports);
      for (const [id, name, least] of CATEGORIES) {
        const marks = reports.map((report) => markOf(report, id));
        figures.push({
          what: `Lighthouse, ${name} on a ${form}`,
          value: markOf(middle, id),
          unit: /** @type {const} */ (''),
          target: { least },
          sides: { marks },
          remark: `${complaints(middle, id)}; speed of the machine as it found it ${Math.round(middle.environment.benchmarkIndex)}`,
        });
      }
    }
    await browser.close();
    return figures;
  },
};

/** @param {Report} report @param {string} id */
function markOf(report, id) {
  return Math.round((report.categories[id]?.score ?? NaN) * 100);
}

/** @param {readonly Report[]} reports */
function middleOf(reports) {
  const sorted = [...reports].sort((a, b) => markOf(a, 'performance') - markOf(b, 'performance'));
  const middle = sorted[Math.floor(sorted.length / 2)];
  if (middle === undefined) throw new Error('Lighthouse looked at nothing.');
  return middle;
}

/**
 * What cost marks, with its time where it has one.
 * @param {Report} report
 * @param {string} id
 */
function complaints({ categories, audits }, id) {
  const found = (categories[id]?.auditRefs ?? []).flatMap((ref) => {
    const audit = audits[ref.id];
    if (audit === undefined || ref.weight === 0 || audit.score === null || audit.score >= 0.995) return [];
    const ms =
      audit.numericValue === undefined
        ? ''
        : ` ${audit.numericValue.toFixed(audit.numericValue < 10 ? 2 : 0)}`;
    return [`${audit.title}${ms}`];
  });
  return found.length === 0 ? 'nothing to mend' : found.join(', ');
}

async function fetchLighthouse() {
  if (existsSync(PROGRAM)) return;
  mkdirSync(FOLDER, { recursive: true });
  const npm = platform === 'win32' ? 'npm.cmd' : 'npm';
  const options = ['--prefix', FOLDER, '--no-save', '--no-audit', '--no-fund', '--ignore-scripts'];
  await run(npm, ['install', ...options, `lighthouse@${VERSION}`]);
}

/**
 * Looks once, in the browser at `port`.
 * @param {string} url
 * @param {number} port
 * @param {string} path where the report goes
 * @param {readonly string[]} options
 */
async function lookAt(url, port, path, options) {
  await run(process.execPath, [
    PROGRAM,
    url,
    `--port=${port}`,
    '--output=json',
    `--output-path=${path}`,
    `--only-categories=${CATEGORIES.map(([id]) => id).join(',')}`,
    '--no-enable-error-reporting',
    '--quiet',
    ...options,
  ]);
}

/**
 * @param {string} program
 * @param {readonly string[]} args
 * @returns {Promise<void>}
 */
async function run(program, args) {
  const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'], shell: platform === 'win32' });
  let said = '';
  child.stderr.on('data', (piece) => (said += String(piece)));
  /** @type {number | null} */
  const code = await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', resolve);
  });
  if (code !== 0)
    throw new Error(`${program} ${args[0] ?? ''}: ${said.trim().split('\n').slice(-3).join(' ')}`);
}

/** @returns {Promise<number>} */
async function freePort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('There is no free port.');
  return address.port;
}
