/**
 * The previous release, really built: the commit in previous-release.json, out of the repository's own history, with the
 * packages at hand. The upgrade story runs it beside the present build. It is built once and kept in `.cache/releases`.
 *
 * As a program it builds it and exits with 0; with {@link ABSENT} where the history does not reach so far back.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { argv, env, execPath, exit, stderr } from 'node:process';
import { fileURLToPath } from 'node:url';
import { ROOT } from './steps.mjs';

/** The exit code that says that this clone does not have the commit. */
const ABSENT = 3;

/** @type {{ readonly version: string, readonly commit: string }} */
const release = JSON.parse(readFileSync(new URL('previous-release.json', import.meta.url), 'utf8'));

/** What that release calls itself. */
export const PREVIOUS_BUILD = `${release.version}+${release.commit.slice(0, 7)}`;

/** Why there is no previous release to test with, in a sentence. */
export const WHY_ABSENT = `this clone does not have commit ${release.commit.slice(0, 7)}, release ${release.version}; a full clone does (git fetch --unshallow)`;

/**
 * The folder of the previous release as it is served, built now where it was not; `null` where this clone does not have it.
 * @returns {string | null}
 * @throws when it cannot be built.
 */
export function buildPrevious() {
  const releases = join(ROOT, '.cache', 'releases');
  const folder = join(releases, release.commit);
  if (existsSync(folder)) return folder;
  const git = (/** @type {string[]} */ ...args) => spawnSync('git', args, { cwd: ROOT, encoding: 'utf8' });
  if (git('cat-file', '-e', `${release.commit}^{commit}`).status !== 0) return null;
  const builtAt = Number(git('log', '-1', '--format=%ct', release.commit).stdout) * 1000;
  mkdirSync(releases, { recursive: true });
  const work = mkdtempSync(join(releases, 'building-'));
  try {
    const tree = join(work, 'tree');
    mkdirSync(tree);
    must(git('archive', '--format=tar', '-o', join(work, 'tree.tar'), release.commit));
    must(spawnSync('tar', ['-xf', join(work, 'tree.tar'), '-C', tree], { encoding: 'utf8' }));
    symlinkSync(join(ROOT, 'node_modules'), join(tree, 'node_modules'), 'junction');
    const vite = join(ROOT, 'node_modules/vite/bin/vite.js');
    must(
      spawnSync(execPath, [vite, 'build', '--logLevel', 'warn'], {
        cwd: tree,
        encoding: 'utf8',
        env: {
          ...env,
          ROTA_BUILD: PREVIOUS_BUILD,
          ROTA_BUILT_AT: String(builtAt),
          ROTA_OUT: 'dist',
          ROTA_TEST: '0',
        },
      }),
    );
    // Whole or not at all: a build that was broken off must not be found here.
    renameSync(join(tree, 'dist'), folder);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  return folder;
}

/** @param {{ readonly status: number | null, readonly stdout: string, readonly stderr: string }} result */
function must({ status, stdout, stderr: errors }) {
  if (status !== 0) throw new Error(`Release ${release.version} could not be built.\n${stdout}\n${errors}`);
}

if (
  argv[1] !== undefined &&
  resolve(argv[1]) === fileURLToPath(import.meta.url) &&
  buildPrevious() === null
) {
  stderr.write(`No previous release: ${WHY_ABSENT}.\n`);
  exit(ABSENT);
}
