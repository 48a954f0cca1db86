/** What this host has claimed and recovered lately, for a person who wants to see how it was decided. In memory only. */
import {
  type AutomationId,
  type ClaimResult,
  type DurationMs,
  type EpochMs,
  type Occurrence,
  type RecoverRequest,
  type RunId,
  partsOfKey,
  targetKey,
} from '../domain/index.ts';
import type { Ledger } from '../store/index.ts';
import type { World } from './world.ts';

/** How many notes of each kind are kept. */
const NOTES_MOST = 200;

/** One claim and what came of it. */
export interface ClaimNote {
  readonly at: EpochMs;
  readonly automationId: AutomationId;
  readonly occurrence: Occurrence;
  readonly outcome: ClaimResult['kind'];
  /** How long the transaction took. */
  readonly tookMs: DurationMs;
}

/** One run that this host ended for another. */
export interface RecoveryNote {
  readonly at: EpochMs;
  readonly runId: RunId;
  readonly automationId: AutomationId;
  readonly automationName: string;
  readonly proof: RecoverRequest['proof'];
}

export class Journal {
  readonly #claims: ClaimNote[] = [];
  readonly #recoveries: RecoveryNote[] = [];

  /** Newest first. */
  get claims(): readonly ClaimNote[] {
    return this.#claims.toReversed();
  }

  /** Newest first. */
  get recoveries(): readonly RecoveryNote[] {
    return this.#recoveries.toReversed();
  }

  /** `ledger`, with each claim and each recovery noted here. */
  watching(ledger: Ledger, world: Pick<World, 'monotonic'>): Ledger {
    return {
      ...ledger,
      tryClaim: async (request) => {
        const from = world.monotonic();
        const result = await ledger.tryClaim(request);
        const { automationId, occurrence } = partsOfKey(targetKey(request.target));
        const tookMs = world.monotonic() - from;
        keep(this.#claims, { at: request.now, automationId, occurrence, outcome: result.kind, tookMs });
        return result;
      },
      recover: async (request) => {
        const result = await ledger.recover(request);
        if (result.kind === 'recovered') {
          const { id: runId, automationId, automationName } = result.run;
          const { now: at, proof } = request;
          keep(this.#recoveries, { at, runId, automationId, automationName, proof });
        }
        return result;
      },
    };
  }
}

function keep<Note>(notes: Note[], note: Note): void {
  notes.push(note);
  if (notes.length > NOTES_MOST) notes.shift();
}
