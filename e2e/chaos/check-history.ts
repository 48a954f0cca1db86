/**
 * Judges a record of Rota's life that was written to two files: what the app left (the exported ledger, what tabs were
 * told, what died when) and what the receiving server saw. Prints the verdict.
 */
import { readFile } from 'node:fs/promises';
import { type Tolerances, type Verdict, checkHistory } from './history.ts';
import type { AppRecord, Hit } from './record.ts';

/** How many violations are printed of each invariant; the count says how many there are. */
const PRINTED_MOST = 20;

/** Reads the two files and judges them. Rejects when one is not there or is no JSON. */
export async function checkFiles(
  appFile: string,
  serverFile: string,
  tolerances: Tolerances,
): Promise<Verdict> {
  const [app, hits] = await Promise.all([readFile(appFile, 'utf8'), readFile(serverFile, 'utf8')]);
  return checkHistory(
    { ...(JSON.parse(app) as AppRecord), hits: JSON.parse(hits) as readonly Hit[] },
    tolerances,
  );
}

/** The verdict as text: what was judged, then each violation in a sentence. */
export function verdictText({
  violations,
  unjudged,
  engine,
  leftOut,
  allowed,
  pace,
  judged,
}: Verdict): string {
  const { runs, unrun, instants, hits, kills, operations, sightings, recoveriesMs } = judged;
  const lines = [
    `Judged: ${runs} runs, ${unrun} missed or skipped rows, ${instants} scheduled instants, ${hits} requests at the server,`,
    `        ${operations} operations of tabs, ${sightings} earlier sightings of rows, ${kills} deaths.`,
    `Recovery of ${recoveriesMs.length} runs of dead hosts, from when a host was there: ${quantiles(recoveriesMs)}.`,
    `Measured beside Rota, the machine did ${(pace * 100).toFixed(0)} % of what it does at best; bounds are of the time that it had.`,
    ...leftOut.map((what) => `Never done in ${engine}, which has no means for it: ${what}`),
    ...allowed.map((what) => `No violation: ${what}`),
    ...unjudged.map((what) => `Not judged: ${what}`),
  ];
  for (const invariant of new Set(violations.map((violation) => violation.invariant))) {
    const broken = violations.filter((violation) => violation.invariant === invariant);
    lines.push('', `Invariant ${invariant} is broken ${broken.length} times:`);
    lines.push(...broken.slice(0, PRINTED_MOST).map(({ what }) => `  ${what}`));
    if (broken.length > PRINTED_MOST) lines.push(`  … and ${broken.length - PRINTED_MOST} more.`);
  }
  lines.push('', `${violations.length} violations.`);
  return `${lines.join('\n')}\n`;
}

function quantiles(samples: readonly number[]): string {
  if (samples.length === 0) return 'none';
  const sorted = [...samples].sort((a, b) => a - b);
  const at = (share: number): number => sorted[Math.floor((sorted.length - 1) * share)] ?? NaN;
  return `p50 ${at(0.5)} ms, p95 ${at(0.95)} ms, most ${at(1)} ms`;
}
