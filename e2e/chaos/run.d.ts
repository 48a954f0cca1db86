import { type Verdict } from './history.ts';
import { type Deeds } from './nemesis.ts';
export interface ChaosOptions {
  readonly seed: number;
  readonly durationMs: number;
  /** The folders of two builds, the second the newer one. */
  readonly dist: string;
  readonly distNext: string;
  /** Where the record is left: `app.json` and `server.json`. */
  readonly folder: string;
  readonly log: (line: string) => void;
}
export interface ChaosResult {
  readonly verdict: Verdict;
  readonly deeds: Deeds;
}
/** Lets chaos rule for as long as `options` say, and judges. Rejects only when it could not be carried out. */
export declare function runChaos(options: ChaosOptions): Promise<ChaosResult>;
