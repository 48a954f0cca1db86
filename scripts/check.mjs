/**
 * `npm run check`: every check but the end-to-end tests, all of them even when one fails. `npm run check -- lint types` runs
 * only those named.
 */
import { argv, exit, stderr, stdout } from 'node:process';
import { CHECKS, runStep } from './steps.mjs';

const wanted = argv.slice(2);
const unknown = wanted.filter((name) => !CHECKS.some((step) => step.name === name));
if (unknown.length > 0) {
  stderr.write(
    `There is no check ${unknown.join(', ')}. There are: ${CHECKS.map((step) => step.name).join(', ')}.\n`,
  );
  exit(2);
}

const failed = [];
const unchecked = [];
for (const step of CHECKS) {
  if (wanted.length > 0 && !wanted.includes(step.name)) continue;
  const outcome = await runStep(step);
  if (outcome === 'failed') failed.push(step);
  if (outcome === 'not-checked') unchecked.push(step);
}
if (unchecked.length > 0) stdout.write('\nNot checked, for want of an answer:\n');
for (const { name, finds } of unchecked) stdout.write(`  ${name} (${finds})\n`);
stdout.write(
  failed.length === 0
    ? unchecked.length === 0
      ? '\nAll checks passed.\n'
      : '\nAll other checks passed.\n'
    : '\nFailed:\n',
);
for (const { name, finds } of failed) stdout.write(`  ${name} (${finds})\n`);
exit(failed.length === 0 ? 0 : 1);
