/** The lines of a list of runs that are open: which runs they stand for. */
import type { RunId, RunLine } from '../../domain/index.ts';
import type { Run } from '../../rpc/index.ts';
import type { RunsPage } from './runs-feed.ts';

/** Runs of a line that are read at once. */
const RUNS_AT_ONCE = 50;

/** An open line. */
export interface OpenFold {
  /** The newest of the line when it was read. */
  readonly newest: RunId;
  /** Those that are shown, newest first. */
  readonly runs: readonly Run[];
  readonly state: 'reading' | 'read' | 'failed';
}

/** Asks for the `limit` runs that are next older than the newest of a line, of its automation. */
export type AskForRuns = (line: RunLine<Run>, limit: number) => Promise<RunsPage>;

/** Which lines are open, and what is in them. A line is known by the id that its list gives it. */
export class OpenFolds {
  readonly #ask: AskForRuns;
  readonly #changed: () => void;
  #open: ReadonlyMap<string, OpenFold> = new Map();

  constructor(ask: AskForRuns, changed: () => void) {
    this.#ask = ask;
    this.#changed = changed;
  }

  /** All that are open; another map after each change. */
  get all(): ReadonlyMap<string, OpenFold> {
    return this.#open;
  }

  /** Opens those of a list that was shown before, or none. */
  restore(open: ReadonlyMap<string, OpenFold>): void {
    this.#open = open;
  }

  /** Opens the line, or closes it. */
  toggle(id: string, line: RunLine<Run>): void {
    if (!this.#open.has(id)) return void this.#read(id, line, RUNS_AT_ONCE);
    const left = new Map(this.#open);
    left.delete(id);
    this.#open = left;
    this.#changed();
  }

  /** Shows more of the line. */
  async more(id: string, line: RunLine<Run>): Promise<void> {
    await this.#read(id, line, (this.#open.get(id)?.runs.length ?? 0) + RUNS_AT_ONCE);
  }

  /** To be called with each open line as it is now: what has joined it since is read. */
  follow(id: string, line: RunLine<Run>): void {
    const fold = this.#open.get(id);
    if (fold === undefined || fold.newest === line.run.id || fold.state === 'reading') return;
    void this.#read(id, line, Math.max(fold.runs.length, RUNS_AT_ONCE));
  }

  async #read(id: string, line: RunLine<Run>, count: number): Promise<void> {
    const before = this.#open.get(id)?.runs ?? [line.run];
    this.#put(id, { newest: line.run.id, runs: before, state: 'reading' });
    try {
      const { items } = await this.#ask(line, count - 1);
      const runs = [line.run, ...items.filter((run) => run.id >= line.oldest.id)];
      if (this.#open.has(id)) this.#put(id, { newest: line.run.id, runs, state: 'read' });
    } catch {
      if (this.#open.has(id)) this.#put(id, { newest: line.run.id, runs: before, state: 'failed' });
    }
  }

  #put(id: string, fold: OpenFold): void {
    this.#open = new Map(this.#open).set(id, fold);
    this.#changed();
  }
}
