import {
  type EpochMs,
  KEEP_ALL,
  MAX_CONCURRENT_DEFAULT,
  type Pause,
  SCHEMA,
  withPause,
} from '../domain/index.ts';
import type { Command, LedgerSettings, SettingsChange } from './ledger.ts';
import { once } from './command.ts';
import type { RotaDb } from './open.ts';
import { healing, useRow } from './quarantine.ts';
import { checkRow } from './rows.ts';
import { transact, view } from './transact.ts';

const KEY = 'settings';

/** A transaction that has the store of settings among its stores. */
interface WithSettings {
  objectStore(name: 'settings'): { get(name: string): Promise<unknown> };
}

/** The settings inside a transaction; the defaults where none are stored or they do not parse. */
export async function getSettingsIn(tx: WithSettings): Promise<LedgerSettings> {
  const value: unknown = await tx.objectStore('settings').get(KEY);
  if (value === undefined) return { maxConcurrent: MAX_CONCURRENT_DEFAULT };
  const found = checkRow('settings', value);
  const field = (name: string): unknown =>
    found.kind === 'row' ? Reflect.get(found.row, name) : Reflect.get(found.value as object, name);
  const maxConcurrent = field('maxConcurrent');
  const pauses = field('pauses');
  return {
    maxConcurrent:
      typeof maxConcurrent === 'number' && maxConcurrent >= 1 ? maxConcurrent : MAX_CONCURRENT_DEFAULT,
    // Of a row that does not parse, or a newer one, only what surely is the same is used.
    ...(found.kind === 'row' && Array.isArray(pauses) ? { pauses: pauses as readonly Pause[] } : {}),
    ...(found.kind === 'row' && found.row.quiet !== undefined ? { quiet: found.row.quiet } : {}),
    // And nothing is forgotten by defaults that somebody may have changed.
    ...(found.kind !== 'row'
      ? { keep: KEEP_ALL }
      : found.row.keep === undefined
        ? {}
        : { keep: found.row.keep }),
  };
}

/** The settings of all hosts. */
export async function getSettings(db: RotaDb): Promise<LedgerSettings> {
  return view(db, ['settings'] as const, (tx) => getSettingsIn(tx));
}

/** Changes the settings given and keeps the others, and fields that this build does not know. */
export async function saveSettings(
  db: RotaDb,
  command: Command & { readonly settings: SettingsChange },
): Promise<LedgerSettings> {
  return healing(db, command.now, () =>
    transact(db, ['settings', 'commands'] as const, (tx) =>
      once(tx, command, async () => {
        const stored = useRow('settings', KEY, await tx.objectStore('settings').get(KEY));
        const { quiet, ...given } = command.settings;
        const { quiet: before, ...kept } = await getSettingsIn(tx);
        const quietAfter = quiet === undefined ? before : (quiet ?? undefined);
        const settings = { ...kept, ...given, ...(quietAfter === undefined ? {} : { quiet: quietAfter }) };
        const { quiet: _, ...others } = stored ?? {};
        await tx.objectStore('settings').put({ ...others, name: KEY, schema: SCHEMA, ...settings });
        return settings;
      }),
    ),
  );
}

/** Pauses everything until `until`, or ends the pause, and answers with the settings. */
export async function pauseAll(
  db: RotaDb,
  command: Command & { readonly until: EpochMs | null },
): Promise<LedgerSettings> {
  return healing(db, command.now, () =>
    transact(db, ['settings', 'commands'] as const, (tx) =>
      once(tx, command, async () => {
        const stored = useRow('settings', KEY, await tx.objectStore('settings').get(KEY));
        const before = await getSettingsIn(tx);
        const settings = { ...before, pauses: withPause(before.pauses ?? [], command.until, command.now) };
        await tx.objectStore('settings').put({ ...stored, name: KEY, schema: SCHEMA, ...settings });
        return settings;
      }),
    ),
  );
}
