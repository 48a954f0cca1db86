/**
 * `npm start`: builds Rota when it was never built or its sources are newer than the build, and serves it. Its one line on
 * stdout is the address; what the build says goes to stderr.
 */
import { spawnSync } from 'node:child_process';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { execPath, exit, stderr } from 'node:process';
import { serveForPerson } from './serve.mjs';
import { ROOT } from './steps.mjs';

/** All that a build is made of. */
const SOURCES = ['src', 'public', 'index.html', 'vite.config.ts', 'scripts/headers.mjs', 'package-lock.json'];

/**
 * When the newest file at or below a path was changed, in epoch ms; 0 where there is none.
 * @param {string} path
 * @returns {Promise<number>}
 */
async function changedAt(path) {
  const found = await stat(path).catch(() => null);
  if (found === null) return 0;
  if (!found.isDirectory()) return found.mtimeMs;
  const inside = await readdir(path);
  // The folder's own time tells of files that were removed.
  return Math.max(found.mtimeMs, ...(await Promise.all(inside.map((name) => changedAt(join(path, name))))));
}

const sources = await Promise.all(SOURCES.map((name) => changedAt(join(ROOT, name))));
// The build writes its service worker last.
const builtAt = await changedAt(join(ROOT, 'dist/service-worker.js'));
if (builtAt < Math.max(...sources)) {
  stderr.write('Building Rota…\n');
  const vite = join(ROOT, 'node_modules/vite/bin/vite.js');
  const { status } = spawnSync(execPath, [vite, 'build', '--logLevel', 'warn'], {
    cwd: ROOT,
    stdio: ['ignore', 2, 2],
  });
  if (status !== 0) exit(1);
}
await serveForPerson(join(ROOT, 'dist'));
