/** Which process to kill. */
import { readFileSync, readdirSync } from 'node:fs';

/**
 * The one renderer with a SharedWorker in it: Chromium names their threads, and the kernel cuts names to 15 characters.
 * @param {import('@playwright/test').CDPSession} devTools
 * @returns {Promise<number>}
 */
export async function processWithSharedWorker(devTools) {
  const { processInfo } = await devTools.send('SystemInfo.getProcessInfo');
  const pids = processInfo.filter(({ type }) => type === 'renderer').map(({ id }) => id);
  const [pid, ...others] = pids.filter((candidate) =>
    readdirSync(`/proc/${candidate}/task`).some((thread) =>
      readFileSync(`/proc/${candidate}/task/${thread}/comm`, 'utf8').startsWith('SharedWorker'),
    ),
  );
  if (pid === undefined || others.length > 0) throw new Error('There must be one SharedWorker.');
  return pid;
}
