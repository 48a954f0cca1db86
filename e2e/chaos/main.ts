/**
 * `npm run chaos -- --seed 1 --minutes 30 --browser firefox`: sixteen tabs, fifty automations, and whatever can go wrong, by
 * a seed; then the history checker judges what is left. Ends with 1 on a violation. The record is left in `.cache/chaos`. The
 * browser is `chromium` unless it is said; what an engine has no means for is left out, and the verdict names it. `--tabs` keeps
 * another number of them open.
 *
 * `--dist` and `--dist-next`, or `ROTA_DIST` and `ROTA_DIST_NEXT`, name the folders of two builds made with ROTA_TEST=1, the
 * second the newer one; without them scripts/chaos.mjs makes the two.
 * `--recovery-ms` is how long a dead host's run may stay active while a host lives, and `--abort-ms` how long a request may
 * be on its way after its run was ended; a machine that is busy with other things needs more than a quiet one, on which the
 * protocol promises recovery within a second.
 *
 * `--check APP SERVER` judges a record that was left before and does nothing else.
 */
import { env, stdout } from 'node:process';
import { parseArgs } from 'node:util';
import { ENGINE_NAMES } from '../../scripts/browsers.mjs';
import { checkFiles, verdictText } from './check-history.ts';
import { TOLERANCES, type Verdict } from './history.ts';
import { runChaos } from './run.ts';

/** Does what the command line says. `root` is the folder of the project, with a slash at its end. */
export async function main(args: readonly string[], root: string): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      seed: { type: 'string', default: '1' },
      tabs: { type: 'string', default: '16' },
      minutes: { type: 'string', default: '2' },
      browser: { type: 'string', default: 'chromium' },
      dist: { type: 'string', default: env['ROTA_DIST'] ?? `${root}dist-test` },
      'dist-next': { type: 'string', default: env['ROTA_DIST_NEXT'] ?? `${root}dist-test-next` },
      record: { type: 'string', default: `${root}.cache/chaos` },
      'recovery-ms': { type: 'string', default: String(TOLERANCES.recoveryMs) },
      'abort-ms': { type: 'string', default: String(TOLERANCES.abortMs) },
      check: { type: 'boolean', default: false },
    },
  });
  const tolerances = {
    ...TOLERANCES,
    recoveryMs: Number(values['recovery-ms']),
    abortMs: Number(values['abort-ms']),
  };
  if (values.check) {
    const [app = `${values.record}/app.json`, server = `${values.record}/server.json`] = positionals;
    return conclude(await checkFiles(app, server, tolerances));
  }
  const seed = Number(values.seed);
  const minutes = Number(values.minutes);
  const tabs = Number(values.tabs);
  if (!Number.isSafeInteger(seed) || !(minutes > 0) || !(Number.isSafeInteger(tabs) && tabs > 0)) {
    stdout.write('The seed is a whole number, and the minutes and the tabs are more than none.\n');
    return 2;
  }
  const engine = ENGINE_NAMES.find((name) => name === values.browser);
  if (engine === undefined) {
    stdout.write(`The browser is one of ${ENGINE_NAMES.join(', ')}; not ${values.browser}.\n`);
    return 2;
  }
  const { verdict, deeds } = await runChaos({
    engine,
    seed,
    tabs,
    durationMs: minutes * 60_000,
    dist: values.dist,
    distNext: values['dist-next'],
    folder: values.record,
    tolerances,
    log: (line) => void stdout.write(`${line}\n`),
  });
  stdout.write(`\nSeed ${seed}, ${minutes} minutes, ${tabs} tabs of ${engine}:\n`);
  for (const [deed, count] of Object.entries(deeds).sort(([, a], [, b]) => b - a)) {
    stdout.write(`${String(count).padStart(6)}  ${deed}\n`);
  }
  return conclude(verdict);
}

function conclude(verdict: Verdict): number {
  stdout.write(`\n${verdictText(verdict)}`);
  return verdict.violations.length === 0 ? 0 : 1;
}
