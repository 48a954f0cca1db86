import type { AppRecord, EpochMs, Kill, LedgerExport, Operation, Sighting } from './record.ts';
import type { ChaosTab, Rack } from './rack.ts';
/** An operation of some kind without what the recorder fills in. */
export type Asked = Operation extends infer One
  ? One extends Operation
    ? Omit<One, 'commandId' | 'sentAt' | 'answeredAt' | 'answer'>
    : never
  : never;
export declare class Recorder {
  #private;
  readonly operations: Operation[];
  readonly kills: Kill[];
  readonly sightings: Sighting[];
  constructor(rack: Rack);
  /** Looks at hosts and rows, until {@link stop}. */
  start(): void;
  stop(): Promise<void>;
  /**
   * Has `tab` make a changing call under a fresh command id, and writes down both ends of it. Resolves with the whole
   * answer, `null` when none came.
   */
  ask(
    tab: ChaosTab,
    asked: Asked,
    call: string,
    argument: object,
    readAnswer: (answer: object) => Operation['answer'],
  ): Promise<object | null>;
  /** Writes down that a host said who it is. */
  hostSaid({
    id,
    build,
    startedAt,
  }: {
    readonly id: string;
    readonly build: string;
    readonly startedAt: EpochMs;
  }): void;
  hostRetires(id: string, at: EpochMs): void;
  /** Looks which hosts hold their life-long lock now. */
  lookAtHosts(): Promise<ReadonlySet<string>>;
  /**
   * Writes down a death of `expected` hosts of those that were `alive`: those whose lock is soon free. `doneBy` is when the
   * deed had certainly taken effect.
   */
  killed(
    what: Kill['what'],
    at: EpochMs,
    doneBy: EpochMs,
    alive: ReadonlySet<string>,
    expected: number,
  ): Promise<Kill>;
  /** Exports the ledger: all stores in one transaction. */
  exportLedger(): Promise<LedgerExport>;
  /** All that was written down, with the ledger as it is at the end. */
  record(ledger: LedgerExport, maxConcurrentAtFirst: number, server: string): AppRecord;
}
