/**
 * `npm run chaos`: makes the two builds that it needs, unless it is told where they are or only judges a record, and hands
 * over to e2e/chaos/main.ts, which says what it does and takes.
 */
import { argv, env, exit } from 'node:process';
import { runnerImport } from 'vite';
import { ROOT, TEST_BUILDS, runStep } from './steps.mjs';

const args = argv.slice(2);
const given = args.some((arg) => /^--(dist|check)(=|$)/.test(arg)) || env['ROTA_DIST'] !== undefined;
for (const step of given ? [] : TEST_BUILDS) {
  if ((await runStep(step)) !== 'passed') exit(2);
}

// It is TypeScript, and not every Node that Rota supports reads that.
const { module } =
  /** @type {{ module: { main: (args: readonly string[], root: string) => Promise<number> } }} */ (
    await runnerImport(`${ROOT}e2e/chaos/main.ts`, { configFile: false, root: ROOT, logLevel: 'error' })
  );
exit(await module.main(args, ROOT));
