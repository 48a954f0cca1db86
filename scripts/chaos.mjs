/** `npm run chaos`: e2e/chaos/main.ts, which says what it does and takes. */
import { argv, exit } from 'node:process';
import { runnerImport } from 'vite';
import { ROOT } from './steps.mjs';

// It is TypeScript, and not every Node that Rota supports reads that.
const { module } =
  /** @type {{ module: { main: (args: readonly string[], root: string) => Promise<number> } }} */ (
    await runnerImport(`${ROOT}e2e/chaos/main.ts`, { configFile: false, root: ROOT, logLevel: 'error' })
  );
exit(await module.main(argv.slice(2), ROOT));
