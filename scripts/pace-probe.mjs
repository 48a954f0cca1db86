/**
 * How fast the machine is for a process that has a little to do ten times a second: wake, reckon for a few milliseconds, and
 * have the disk keep a page, which is what a recovery is made of too. `node scripts/pace-probe.mjs FILE` prints a line for
 * each time, `[from, until]` in epoch ms with fractions: when it was to begin, and when it was done. It ends with its input.
 */
import { fsyncSync, openSync, writeSync } from 'node:fs';
import { argv, exit, stdin, stdout } from 'node:process';

const EVERY_MS = 100;
/** Some five milliseconds on a quiet machine. */
const STEPS = 1_000_000;
const page = new Uint8Array(4_096);
const file = openSync(argv[2] ?? '', 'w');
let state = 1;

/** A step of work that no compiler leaves out. */
function reckon() {
  for (let step = 0; step < STEPS; step++) state = (Math.imul(state, 31) + step) | 0;
  page[0] = state;
}

function probe(/** @type {number} */ due) {
  reckon();
  writeSync(file, page, 0, page.length, 0);
  fsyncSync(file);
  const done = performance.now();
  stdout.write(`${JSON.stringify([performance.timeOrigin + due, performance.timeOrigin + done])}\n`);
  const next = done + EVERY_MS;
  setTimeout(probe, EVERY_MS, next);
}

stdin.on('end', () => exit(0)).resume();
setTimeout(probe, EVERY_MS, performance.now() + EVERY_MS);
