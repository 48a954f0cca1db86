import type { ChaosTab, Rack } from './rack.ts';
import type { Random } from './random.ts';
import type { Recorder } from './recorder.ts';
/** How many tabs are kept open. */
export declare const TABS = 16;
/** What the nemesis did, for the summary. */
export type Deeds = Record<string, number>;
export interface Deploy {
  /** Puts the build `which` at `/`. */
  (which: 'one' | 'next'): void;
}
export declare class Nemesis {
  #private;
  readonly deeds: Deeds;
  constructor(world: {
    readonly random: Random;
    readonly rack: Rack;
    readonly recorder: Recorder;
    readonly server: string;
    readonly deploy: Deploy;
    readonly log: (line: string) => void;
  });
  /** Opens the tabs and imports what is to run. */
  begin(): Promise<void>;
  /** Does one thing after another until `until`. */
  haunt(until: number): Promise<void>;
  /** Wakes what sleeps, opens what is missing, and waits for all calls to end. */
  relent(): Promise<void>;
}
/** The paths at which builds must be served. */
export declare const NEXT_PATH: '/next/';
export type { ChaosTab };
