/** `npm start`: builds Rota when it was never built or its sources are newer than the build, and serves it. */
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { exit, stderr } from 'node:process';
import { serveForPerson } from './serve.mjs';
import { ROOT, runStep } from './steps.mjs';

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
  const build = { name: 'build', finds: '', command: ['vite', 'build', '--logLevel', 'warn'] };
  if (!(await runStep(build))) exit(1);
}
await serveForPerson(join(ROOT, 'dist'));
