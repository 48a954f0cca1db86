/**
 * Measures, beside what it is for, how fast the machine is: a process of its own does a little again and again
 * (scripts/pace-probe.mjs), and this process looks when it could not look at all. What is judged by a time is judged by the
 * time that the machine had for it, so that one that is busy with other things makes no violations, and none is overlooked on
 * a quiet one.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { execPath } from 'node:process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { ended } from '../engines/webdriver.ts';
import type { EpochMs, Slow } from './record.ts';

const PROBE = fileURLToPath(new URL('../../scripts/pace-probe.mjs', import.meta.url));
/** How often this process looks whether it can, and how late it may be. */
const LOOK_EVERY_MS = 50;
const LOOK_LATE_MS = 50;
/** What takes so many times as long as it took at best is slow. */
const SLOW_TIMES = 2;

/** When one probe was to begin, and when it was done. */
export type Probe = readonly [from: EpochMs, until: EpochMs];

/** The stretches that were slow, each by how much: what took twice {@link SLOW_TIMES} as long as the best is at half pace. */
export function slowIn(probes: readonly Probe[]): readonly Slow[] {
  const took = probes.map(([from, until]) => until - from).sort((a, b) => a - b);
  // Not the very best: the clock may have been put right in between.
  const best = took[Math.floor(took.length / 100)] ?? 0;
  return probes.flatMap(([from, until], index) => {
    const pace = (SLOW_TIMES * best) / (until - from);
    // It stands for the time since the last one, too, in which nobody looked.
    return pace < 1 ? [{ from: probes[index - 1]?.[1] ?? from, until, pace }] : [];
  });
}

export class PaceMeter {
  readonly #process: ChildProcess;
  readonly #probes: Probe[] = [];
  readonly #stalls: Slow[] = [];
  readonly #looking: NodeJS.Timeout;

  /** @param folder where it may keep a file. */
  constructor(folder: string) {
    this.#process = spawn(execPath, [PROBE, join(folder, 'pace')], { stdio: ['pipe', 'pipe', 'inherit'] });
    if (this.#process.stdout !== null) {
      createInterface(this.#process.stdout).on('line', (line) => {
        this.#probes.push(JSON.parse(line) as Probe);
      });
    }
    let due = Date.now() + LOOK_EVERY_MS;
    this.#looking = setInterval(() => {
      const now = Date.now();
      // Whatever this process dates, it dates when it can look: what came in between has no time of its own.
      if (now > due + LOOK_LATE_MS) this.#stalls.push({ from: due, until: now, pace: 0 });
      due = now + LOOK_EVERY_MS;
    }, LOOK_EVERY_MS);
  }

  /** What was slow until now. */
  get slow(): readonly Slow[] {
    return [...slowIn(this.#probes), ...this.#stalls];
  }

  async stop(): Promise<void> {
    clearInterval(this.#looking);
    await ended(this.#process);
  }
}
