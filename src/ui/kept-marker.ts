/**
 * Whether the browser has removed what was stored. What was there is noted where the database is not, so that an empty
 * database can be told from a lost one. A person who clears all data of the site clears the note too, and knows it.
 */
import type { EpochMs } from '../domain/index.ts';

/** What was there when a tab looked last. */
export interface KeptMarker {
  /** The database. */
  readonly ledger: string;
  readonly automations: number;
  readonly at: EpochMs;
}

/** What a look comes to: `lost` is what was there and is not any more; else there is something to note, or nothing. */
export type KeptLook =
  | { readonly kind: 'lost'; readonly lost: KeptMarker }
  | { readonly kind: 'note'; readonly marker: KeptMarker };

const KEY = 'rota:kept';

/** Where it is noted: `localStorage`, which all tabs share. */
export type MarkerStorage = Pick<Storage, 'getItem' | 'setItem'>;

/** What was noted; `null`: nothing, or nothing that can be read. */
export function readMarker(storage: MarkerStorage): KeptMarker | null {
  try {
    const value: unknown = JSON.parse(storage.getItem(KEY) ?? 'null');
    if (typeof value !== 'object' || value === null) return null;
    const field = (name: string): unknown => Reflect.get(value, name);
    const [ledger, automations, at] = [field('ledger'), field('automations'), field('at')];
    return typeof ledger === 'string' && typeof automations === 'number' && typeof at === 'number'
      ? { ledger, automations, at }
      : null;
  } catch {
    return null;
  }
}

/** Notes what is there. What cannot be noted is noted at the next look. */
export function noteKept(storage: MarkerStorage, marker: KeptMarker): void {
  try {
    storage.setItem(KEY, JSON.stringify(marker));
  } catch {
    // Where site data is blocked, nothing is kept in any case.
  }
}

/** Whether `count` automations are news to what was noted. Only then need it be asked which database they are in. */
export function isNews(marker: KeptMarker | null, count: number): boolean {
  return marker === null ? count > 0 : marker.automations !== count;
}

/** Compares what was noted with what is here. */
export function lookAtKept(noted: KeptMarker | null, here: KeptMarker): KeptLook {
  const isLost = noted !== null && noted.ledger !== here.ledger && here.automations < noted.automations;
  return isLost ? { kind: 'lost', lost: noted } : { kind: 'note', marker: here };
}
