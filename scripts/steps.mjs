/** The steps of `npm run check` and `npm test`, and how a step is run. */
import { spawn } from 'node:child_process';
import { delimiter } from 'node:path';
import { env, platform, stdout } from 'node:process';
import { fileURLToPath } from 'node:url';

/** The folder of the project, with a slash at its end. */
export const ROOT = fileURLToPath(new URL('../', import.meta.url));

/** Where the unit tests leave their results for `npm test` to count. */
export const UNIT_RESULTS = `${ROOT}.cache/unit.json`;

/** The exit code of a step that could not look, such as for want of a network: it neither passed nor failed. */
export const NOT_CHECKED = 75;

/**
 * One command of the checks.
 * @typedef {{ readonly name: string, readonly finds: string, readonly command: readonly string[], readonly env?: Readonly<Record<string, string>> }} Step
 */

/** @type {readonly Step[]} */
export const CHECKS = [
  { name: 'format', finds: 'text that Prettier would set otherwise', command: ['prettier', '--check', '.'] },
  {
    name: 'types',
    finds: 'what does not type, and the use of another realm',
    command: ['tsc', '-b', '--pretty'],
  },
  {
    name: 'lint',
    finds: 'what the house forbids',
    // Without a cache: what a type in another file makes wrong here, a cache does not see.
    command: ['eslint', '.', '--max-warnings', '0'],
  },
  {
    name: 'rooms',
    finds: 'imports from the wrong room, by a side door, or in a circle',
    command: ['depcruise', '--config', '.dependency-cruiser.cjs', '--output-type', 'err-long', 'src'],
  },
  { name: 'unused', finds: 'files, exports and packages that nothing uses', command: ['knip'] },
  {
    name: 'licences',
    finds: 'packages whose licence keeps them from being shipped',
    command: ['node', 'scripts/dependencies.mjs', 'licences'],
  },
  {
    name: 'audit',
    finds: 'packages that are shipped and have grave faults that are known',
    command: ['node', 'scripts/dependencies.mjs', 'audit'],
  },
  {
    name: 'unit',
    finds: 'wrong behaviour of the parts',
    command: ['vitest', 'run', '--reporter=default', '--reporter=json', `--outputFile.json=${UNIT_RESULTS}`],
  },
  { name: 'build', finds: 'what cannot be built', command: ['vite', 'build', '--logLevel', 'warn'] },
  { name: 'size', finds: 'a first load that grew too large', command: ['size-limit'] },
];

/**
 * Two builds with what only tests use in them: the points to be killed at, a clock that can be set. The second is the newer.
 * @type {readonly Step[]}
 */
export const TEST_BUILDS = [
  {
    name: 'build with pause points',
    finds: 'what cannot be built',
    command: ['vite', 'build', '--logLevel', 'warn'],
    env: { ROTA_OUT: 'dist-test', ROTA_BUILD: 'test', ROTA_TEST: '1' },
  },
  {
    name: 'build of the next version with pause points',
    finds: 'what cannot be built',
    command: ['vite', 'build', '--logLevel', 'warn'],
    env: { ROTA_OUT: 'dist-test-next', ROTA_BUILD: 'test-next', ROTA_TEST: '1' },
  },
];

const MARKS = { passed: '✓', failed: '✗', 'not-checked': '– not checked:' };

/**
 * Runs one step with its output on the terminal as it comes.
 * @param {Step} step
 * @returns {Promise<'passed' | 'failed' | 'not-checked'>}
 */
export async function runStep({ name, command, env: added }) {
  const [program = '', ...args] = command;
  stdout.write(`\n── ${name}: ${command.join(' ')}\n`);
  const startedAt = performance.now();
  /** @type {number | null} */
  const code = await new Promise((/** @type {(code: number | null) => void} */ done) => {
    const child = spawn(program, args, {
      cwd: ROOT,
      stdio: ['ignore', 'inherit', 'inherit'],
      shell: platform === 'win32',
      env: { ...env, ...added, PATH: `${ROOT}node_modules/.bin${delimiter}${env['PATH'] ?? ''}` },
    });
    child.once('error', (error) => {
      stdout.write(`${String(error)}\n`);
      done(1);
    });
    child.once('exit', done);
  });
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  const outcome = code === 0 ? 'passed' : code === NOT_CHECKED ? 'not-checked' : 'failed';
  stdout.write(`${MARKS[outcome]} ${name}, ${seconds} s\n`);
  return outcome;
}
