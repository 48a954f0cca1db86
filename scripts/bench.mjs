/**
 * `npm run bench`: what Rota costs, each figure as a ratio of two sides that are measured in turn in one run in Chromium, with
 * its target and whether it was met. Prints a Markdown table; with `--json FILE` it writes every sample too. `--only NAME`,
 * more than once if need be, measures those rows alone; `--short` gives a quick and rough look; `--list` says which rows there
 * are. Nothing fails for being slow: a machine that has other things to do makes figures that say little.
 */
import { writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { exit, platform, stdout } from 'node:process';
import { parseArgs } from 'node:util';
import { isMet, tableOf } from './bench/figures.mjs';
import { ROWS } from './bench/rows.mjs';
import { Stage } from './bench/stage.mjs';

const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true },
    json: { type: 'string' },
    short: { type: 'boolean', default: false },
    list: { type: 'boolean', default: false },
  },
});
const { only, json, short, list } = values;

if (list) {
  for (const { name, says } of ROWS) stdout.write(`${name.padEnd(12)} ${says}\n`);
  exit(0);
}
const unknown = only?.filter((name) => !ROWS.some((row) => row.name === name)) ?? [];
if (unknown.length > 0) throw new Error(`There is no row ${unknown.join(', ')}: see --list.`);
const rows = ROWS.filter((row) => only?.includes(row.name) ?? true);

/** @type {{ row: string, seconds: number, figures: readonly import('./bench/figures.mjs').Figure[], error?: string }[]} */
const measured = [];
const stage = new Stage({ short });
const [loadBefore = 0] = loadavg();
try {
  for (const { name, says, on, measure } of rows) {
    if (on !== undefined && on !== platform) continue;
    stdout.write(`\n── ${name}: ${says}\n`);
    const startedAt = performance.now();
    const seconds = () => Math.round((performance.now() - startedAt) / 100) / 10;
    // One row that cannot be measured does not keep the others from it.
    try {
      const figures = await measure(stage);
      measured.push({ row: name, seconds: seconds(), figures });
      stdout.write(`${tableOf(figures)}\n${seconds()} s\n`);
    } catch (error) {
      measured.push({ row: name, seconds: seconds(), figures: [], error: String(error) });
      stdout.write(`not measured: ${String(error)}\n`);
    }
  }
} finally {
  await stage.close();
}

const figures = measured.flatMap((row) => row.figures);
const judged = figures.filter((figure) => isMet(figure) !== null);
const met = judged.filter((figure) => isMet(figure) === true).length;
const broken = measured.filter(({ error }) => error !== undefined);
const [loadAfter = 0] = loadavg();
const machine = `${cpus().length} cores, on average ${loadBefore.toFixed(1)} processes that wanted one before and ${loadAfter.toFixed(1)} after`;
stdout.write(`\n${tableOf(figures)}\n\n${met} of ${judged.length} targets met; ${machine}.\n`);
for (const { row, error } of broken) stdout.write(`Not measured: ${row}: ${error}\n`);
if (json !== undefined) {
  const text = { short, machine, rows: measured.map((row) => ({ ...row, figures: row.figures.map(judge) })) };
  writeFileSync(json, `${JSON.stringify(text, null, 2)}\n`);
}
if (broken.length > 0) exit(1);

/** @param {import('./bench/figures.mjs').Figure} figure */
function judge(figure) {
  return { ...figure, met: isMet(figure) };
}
