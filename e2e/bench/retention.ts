/** What a claim costs while history is forgotten beside it, in the same worker and by the same steps as in a host. */
import { type CommandId, DEFAULT_KEEP } from '../../src/domain/index.ts';
import { workerWorld } from '../../src/scheduler/browser-world.ts';
import { Upkeep } from '../../src/scheduler/upkeep.ts';
import { claim, newId, newRunId, nextDue, openLedger, settle, timed } from './ledger.ts';
import { offer } from './offer.ts';

/** Most of a year of history goes, and the newest of each automation stay. */
const KEEP = { ...DEFAULT_KEEP, runs: { days: 45, most: null } };

/** Between two claims there are so many ms and up to twice as many: they fall anywhere in the steps of a sweep. */
const GAP_MS = 15;

/** Milliseconds of each measured step, unsorted. */
interface Samples {
  readonly claim: readonly number[];
  readonly settle: readonly number[];
}

interface RetentionSamples {
  readonly quiet: Samples;
  readonly busy: Samples;
  /** How many rows went meanwhile. */
  readonly forgotten: number;
}

/** A claim is under way, for which a sweep rests, as it does in a host. */
let isClaiming = false;

async function claimNowAndThen(rounds: number): Promise<Samples> {
  const samples = { claim: [] as number[], settle: [] as number[] };
  for (let n = 0; n < rounds; n++) {
    await new Promise((resolve) => setTimeout(resolve, GAP_MS * (1 + Math.random())));
    const row = await nextDue();
    isClaiming = true;
    const claimed = await timed(samples.claim, () => claim(row));
    isClaiming = false;
    await timed(samples.settle, () => settle(claimed));
  }
  return samples;
}

/** Measures `rounds` claims in quiet, and as many while a sweep goes on, which ends with them. */
async function measureRetention(rounds: number): Promise<RetentionSamples> {
  const { ledger, db } = await openLedger();
  const command = { commandId: newId() as CommandId, now: Date.now(), newId: newRunId };
  await ledger.saveSettings({ ...command, settings: { keep: KEEP } });
  const quiet = await claimNowAndThen(rounds);
  let isOver = false;
  // A page has what a worker's world is made of, but for its end.
  const scope = globalThis as unknown as Parameters<typeof workerWorld>[0];
  const upkeep = new Upkeep(workerWorld(scope, 'tab-worker'), ledger, {
    isClaiming: () => isClaiming,
    hasLeft: () => isOver,
    onChange: () => undefined,
    tick: () => Promise.resolve(),
  });
  const before = await db.count('runs');
  const sweeping = upkeep.sweep();
  const busy = await claimNowAndThen(rounds);
  if (!upkeep.isSweeping) throw new Error('The sweep was done before the claims: it needs more history.');
  isOver = true;
  await sweeping;
  const claimed = busy.claim.length;
  return { quiet, busy, forgotten: before + claimed - (await db.count('runs')) };
}

offer({ measureRetention });
