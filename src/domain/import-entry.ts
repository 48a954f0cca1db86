/**
 * What a file holds that may be brought in, whatever its form: automations with their history, each by itself, so that a
 * good one is offered beside a bad one. Nothing of it is stored yet.
 */
import type { Definition } from './definition.ts';
import type { AutomationId } from './ids.ts';
import type { Problem } from './problem.ts';
import type { EpochMs } from './time.ts';

/**
 * Where something comes from: a file of Rota's own, one automation of VS Code (`.automation.md`), VS Code's ledger, or the
 * lines of a crontab.
 */
export const IMPORT_SOURCES = ['rota', 'vscode-automation', 'vscode-ledger', 'crontab'] as const;
export type ImportSource = (typeof IMPORT_SOURCES)[number];

/** Most automations that one import may hold. */
export const IMPORT_ENTRIES_MOST = 10_000;
/** Most rows of history that one import may hold. */
export const IMPORT_RUNS_MOST = 20_000;

/** A run of somewhere else, as far as a file tells of it. It has ended, and is never due. */
export interface ImportedRun {
  /** What tells it from other runs of its automation; the same each time that the file is read. */
  readonly key: string;
  readonly status: 'succeeded' | 'failed' | 'interrupted';
  readonly cause: 'schedule' | 'manual';
  readonly startedAt: EpochMs;
  /** Not before it started. */
  readonly settledAt: EpochMs;
  /** What it said of its failure; `null`: nothing. */
  readonly message: string | null;
}

/** An automation that can be brought in. */
export interface ImportEntry {
  /** Where it stands in its file: `automations[3]`, `line 12`. */
  readonly place: string;
  /** The same one each time that the file is read. */
  readonly id: AutomationId;
  /** Always paused: nothing starts by being brought in. */
  readonly definition: Definition;
  /**
   * What the file says of it, as paths: `name`, `schedule`, `action`, or a field of that (`action.url`). Of one that is here
   * already, the rest stays as it is. `null`: the file says all.
   */
  readonly said: readonly string[] | null;
  /** What was left out, or is other than where it comes from, in sentences. */
  readonly notes: readonly string[];
  /** Its history. */
  readonly runs: readonly ImportedRun[];
}

/** Something in a file: an automation, or why it is none. */
export type ReadEntry =
  | { readonly kind: 'good'; readonly entry: ImportEntry }
  | {
      readonly kind: 'bad';
      readonly place: string;
      /** As far as it can be read; else its place. */
      readonly name: string;
      readonly problems: readonly Problem[];
    };

/** What a backup is of. */
export interface BackupMark {
  /** The database that it was made of. */
  readonly ledger: string;
  readonly at: EpochMs;
}

/** What came of reading one file. */
export interface ImportReading {
  /** How the person knows it: its name, or `The pasted text`. */
  readonly file: string;
  /** What it is, by its content; `null` when it is nothing that is known, or cannot be read. */
  readonly source: ImportSource | null;
  readonly entries: readonly ReadEntry[];
  /** What is wrong with the file as a whole. */
  readonly problems: readonly Problem[];
  /** What was left out of it as a whole, in sentences. */
  readonly notes: readonly string[];
  /** It is a backup, and of what. */
  readonly backup?: BackupMark;
}

/** What came of the steps of one call: all of them, or none. `added` and `replaced` count automations, `runs` rows. */
export type ImportStepsResult =
  | {
      readonly kind: 'imported';
      readonly ids: readonly AutomationId[];
      readonly added: number;
      readonly replaced: number;
      readonly runs: number;
    }
  /** One was edited, removed or made since it was looked at; `id` is which. */
  | { readonly kind: 'changed'; readonly id: AutomationId }
  /** Paths begin with the step: `steps[3].schedule.expression`. */
  | { readonly kind: 'invalid'; readonly problems: readonly Problem[] };
