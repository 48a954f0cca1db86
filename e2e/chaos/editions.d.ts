/**
 * Which definition of an automation was in force when. It is put together from what tabs asked for (known to whoever
 * drove them, also where no answer came) and from the rows that Rota keeps of carried-out commands, which say whether and
 * when each was.
 */
import type { Definition, EpochMs, History } from './record.ts';
/** A definition of an automation, from an edit on and until the next. */
export interface Edition {
  /** As Rota counts: 1 for the first, one more with each edit. */
  readonly revision: number;
  readonly definition: Definition;
  readonly enabled: boolean;
  /** The instant that the edit reckoned with: instants up to it are by the definition before, later ones by this one. */
  readonly from: EpochMs;
  /** From here on nobody may use an older one: a tab had been told. Never, when no answer came. */
  readonly acknowledgedAt: EpochMs;
  readonly commandId: string;
  /** Whether each instant must be accounted for: since it was first enabled, also while it is paused. */
  readonly accounts: boolean;
}
/** The editions of each automation that was imported or created by a known operation, oldest first; and when it went. */
export interface Editions {
  readonly of: ReadonlyMap<string, readonly Edition[]>;
  readonly removedAt: ReadonlyMap<string, EpochMs>;
}
/** All editions of all automations. */
export declare function editionsIn({ operations, ledger }: Pick<History, 'operations' | 'ledger'>): Editions;
/** Whether `actual` says all that `wanted` says; it may say more, such as defaults that were left out. */
export declare function saysAllOf(actual: unknown, wanted: unknown): boolean;
