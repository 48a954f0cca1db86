/**
 * `npm test`: all that shows whether Rota works, on a machine that has Node and little else. Browsers are found or installed,
 * then come the checks with the unit tests, other builds, and the end-to-end tests on what was built.
 *
 * The tests need Chromium. Firefox and WebKitGTK are left out where they are not and cannot be installed, and the last lines
 * say so; with `--every-engine` that is a failure. The last line is `N passed, N failed`: the tests, and each other step that
 * failed as one more failure.
 */
import { mkdir, readFile, rm } from 'node:fs/promises';
import { argv, exit, stdout } from 'node:process';
import { ENGINE_NAMES, getBrowser } from './browsers.mjs';
import { buildPrevious, WHY_ABSENT } from './previous.mjs';
import { readE2eResults, readUnitResults } from './results.mjs';
import { CHECKS, ROOT, runStep, TEST_BUILDS, UNIT_RESULTS } from './steps.mjs';

const E2E_RESULTS = `${ROOT}.cache/e2e.json`;

const total = { passed: 0, failed: 0 };
/** @type {string[]} */
const failures = [];

/** @param {string} what */
function fail(what) {
  total.failed += 1;
  failures.push(what);
}

/**
 * Counts a step of tests by the results it left. A step that fails in another way than by its tests (a file that does not
 * load, a crash, no test at all) is one failure more.
 * @param {string} name
 * @param {boolean} ended whether the step ended well.
 * @param {string} file where it left its results.
 * @param {(text: string) => import('./results.mjs').Results} read
 */
async function countTests(name, ended, file, read) {
  /** @type {import('./results.mjs').Results} */
  let found;
  try {
    found = read(await readFile(file, 'utf8'));
  } catch (error) {
    stdout.write(`${String(error)}\n`);
    fail(`${name}: left no results`);
    return;
  }
  total.passed += found.passed;
  total.failed += found.failed;
  if (found.failed > 0) failures.push(`${name}: ${found.failed} tests`, ...found.failures);
  else if (!ended) fail([`${name}: failed outside of its tests`, ...found.failures].join('\n  '));
  else if (found.passed === 0) fail(`${name}: there are no tests`);
}

await mkdir(`${ROOT}.cache`, { recursive: true });
// Results of an earlier run must never be counted for this one.
await Promise.all([UNIT_RESULTS, E2E_RESULTS].map((file) => rm(file, { force: true })));

/** The engines that are here, which are Playwright's projects too. @type {string[]} */
const engines = [];
/** @type {string[]} */
const leftOut = [];
for (const name of ENGINE_NAMES) {
  const got = await getBrowser(name);
  if (got.kind === 'there') {
    engines.push(name);
    stdout.write(`${got.label}: ${got.path}\n`);
  } else {
    leftOut.push(`${got.label}: ${got.why}`);
    if (name === 'chromium' || argv.includes('--every-engine')) fail(`${got.label}: left out`);
  }
}

let built = true;
for (const step of CHECKS) {
  const outcome = await runStep(step);
  if (step.name === 'unit') await countTests('unit', outcome === 'passed', UNIT_RESULTS, readUnitResults);
  else if (outcome === 'not-checked') leftOut.push(`${step.name}: it could not be checked, see above`);
  else if (outcome === 'failed') {
    fail(step.name);
    if (step.name === 'build') built = false;
  }
}

if (built) {
  // Other builds beside the first: one as a deploy puts it on the same origin, and two with the points to be killed at.
  const others = [
    {
      name: 'build of the next version',
      finds: 'what cannot be built',
      command: ['vite', 'build', '--logLevel', 'warn'],
      env: { ROTA_OUT: 'dist-next', ROTA_BUILD: 'next' },
    },
    ...TEST_BUILDS,
  ];
  for (const step of others) {
    if ((await runStep(step)) === 'passed') continue;
    fail(step.name);
    built = false;
  }
}

try {
  stdout.write('\n── build of the previous release\n');
  if (buildPrevious() === null) leftOut.push(`the upgrade from the previous release: ${WHY_ABSENT}`);
} catch (error) {
  stdout.write(`${String(error)}\n`);
  fail('build of the previous release');
}

if (built && engines.includes('chromium')) {
  const outcome = await runStep({
    name: 'e2e',
    finds: 'wrong behaviour of the built app',
    command: [
      'playwright',
      'test',
      ...engines.map((engine) => `--project=${engine}`),
      '--reporter=list,json',
    ],
    env: { PLAYWRIGHT_JSON_OUTPUT_FILE: E2E_RESULTS },
  });
  await countTests('e2e', outcome === 'passed', E2E_RESULTS, readE2eResults);
} else fail('e2e: not run, for want of a build or a browser');

/** @param {string} title @param {readonly string[]} lines */
const list = (title, lines) =>
  lines.length === 0 ? '' : `${title}:\n${lines.map((what) => `  ${what}\n`).join('')}`;
stdout.write(`\n${list('Failed', failures)}${list('Left out', leftOut)}`);
stdout.write(`${total.passed} passed, ${total.failed} failed\n`);
exit(total.failed === 0 ? 0 : 1);
