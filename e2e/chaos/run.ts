/**
 * Chaos: many tabs, many automations and a nemesis, over the built app and a real server, and then the history checker's
 * verdict on what is left.
 */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serve } from '../../scripts/serve.mjs';
import { ENGINES, type EngineName } from '../engines/index.ts';
import { HttpServer } from '../http-server.ts';
import { TOLERANCES, type Tolerances, type Verdict, checkHistory } from './history.ts';
import { effectsIn } from './hits.ts';
import { type Deeds, NEXT_PATH, Nemesis } from './nemesis.ts';
import { Faults } from './faults.ts';
import { PaceMeter } from './pace-meter.ts';
import { Rack } from './rack.ts';
import { Random } from './random.ts';
import { Recorder } from './recorder.ts';
import { sleep } from '../within.ts';

export interface ChaosOptions {
  readonly engine: EngineName;
  readonly seed: number;
  /** How many tabs are kept open. */
  readonly tabs: number;
  readonly durationMs: number;
  /** The folders of two builds made with ROTA_TEST=1, the second the newer one. */
  readonly dist: string;
  readonly distNext: string;
  /** Where the record is left: `app.json` and `server.json`. */
  readonly folder: string;
  readonly log: (line: string) => void;
  readonly tolerances?: Partial<Tolerances>;
}

export interface ChaosResult {
  readonly verdict: Verdict;
  readonly deeds: Deeds;
}

/** How many runs are active at once while nobody has chosen (src/store/ledger.ts). */
const MAX_CONCURRENT_AT_FIRST = 8;
/** How often the end of it is tried: what ends it may end as well. */
const ATTEMPTS_AT_LAST = 4;
/** How long what is due may take to be claimed once nobody is killed any more. */
const SETTLE_MOST_MS = 60_000;
/** What is no later than this counts as claimed in time: the next occurrences keep coming. */
const SETTLED_LATENESS_MS = 3_000;

/** Lets chaos rule for as long as `options` say, and judges. Rejects only when it could not be carried out. */
export async function runChaos(options: ChaosOptions): Promise<ChaosResult> {
  const { engine, seed, tabs, durationMs, dist, distNext, folder, log } = options;
  const server = await HttpServer.start({ keepAlive: false });
  const site = await serve({ mounts: { '/': dist, [NEXT_PATH]: distNext } });
  const profile = await mkdtemp(join(tmpdir(), 'rota-chaos-'));
  const rack = new Rack(ENGINES[engine], site.origin, profile);
  const recorder = new Recorder(rack);
  const faults = new Faults(rack, recorder);
  const meter = new PaceMeter(profile);
  const startedAt = Date.now();
  const nemesis = new Nemesis({
    random: new Random(seed),
    rack,
    recorder,
    faults,
    tabs,
    server: server.origin,
    deploy: (which) => site.mount('/', which === 'one' ? dist : distNext),
    log: (line) => log(`${((Date.now() - startedAt) / 1_000).toFixed(1).padStart(7)} s  ${line}`),
  });
  try {
    await nemesis.begin();
    recorder.start();
    await nemesis.haunt(Date.now() + durationMs);
    await nemesis.relent();
    // A driver that stops answering here costs one more browser, and not what has been recorded until now.
    const atLast = async <Result>(work: () => Promise<Result>): Promise<Result> => {
      for (let attempt = 1; ; attempt++) {
        try {
          await nemesis.revive();
          return await work();
        } catch (error) {
          if (attempt === ATTEMPTS_AT_LAST) throw error;
          log(`  ${error instanceof Error ? error.message : String(error)}`);
        }
      }
    };
    await atLast(() => settle(recorder, faults));
    await recorder.stop();
    const ledger = await atLast(async () => {
      const exported = await recorder.exportLedger();
      await recorder.lookAtHosts();
      return exported;
    });
    const app = recorder.record({
      ledger,
      engine,
      tabs,
      leftOut: nemesis.leftOut,
      slow: meter.slow,
      takesRequestsBack: rack.takesRequestsBack,
      maxConcurrentAtFirst: MAX_CONCURRENT_AT_FIRST,
      server: server.origin,
    });
    const hits = effectsIn(server.at('/effect'));
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'app.json'), JSON.stringify(app));
    await writeFile(join(folder, 'server.json'), JSON.stringify(hits));
    const tolerances = { ...TOLERANCES, ...options.tolerances };
    return { verdict: checkHistory({ ...app, hits }, tolerances), deeds: nemesis.deeds };
  } finally {
    await meter.stop();
    await recorder.stop();
    await rack.quit();
    await site.close();
    await server.close();
    await rm(profile, { recursive: true, force: true });
  }
}

/** Waits until nothing has been due for long, or for as long as that may take; then the checker says what still waits. */
async function settle(recorder: Recorder, { aheadMs }: Pick<Faults, 'aheadMs'>): Promise<void> {
  for (const until = Date.now() + SETTLE_MOST_MS; Date.now() < until;) {
    await sleep(1_000);
    const { at, agenda, automations, runs } = await recorder.exportLedger();
    const paused = new Set(automations.filter(({ enabled }) => enabled === false).map(({ id }) => id));
    // One that runs for longer than its period, and is to catch up with all that it missed, is late for ever: it has its turn.
    const turnSince = new Map<string, number>();
    for (const { automationId, status, claimedAt, settledAt = claimedAt } of runs) {
      const since = status === 'running' ? Infinity : settledAt;
      turnSince.set(automationId, Math.max(since, turnSince.get(automationId) ?? 0));
    }
    const late = agenda.filter(({ automationId, dueAt }) => {
      const since = Math.max(dueAt, turnSince.get(automationId) ?? 0);
      return !paused.has(automationId) && at + aheadMs - since > SETTLED_LATENESS_MS;
    });
    if (late.length === 0) return;
  }
}
