import { MAX_CONCURRENT_DEFAULT, SCHEMA } from '../domain/index.ts';
import type { Command, LedgerSettings } from './ledger.ts';
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
  const maxConcurrent: unknown =
    found.kind === 'row' ? found.row.maxConcurrent : Reflect.get(found.value as object, 'maxConcurrent');
  return {
    maxConcurrent:
      typeof maxConcurrent === 'number' && maxConcurrent >= 1 ? maxConcurrent : MAX_CONCURRENT_DEFAULT,
  };
}

/** The settings of all hosts. */
export async function getSettings(db: RotaDb): Promise<LedgerSettings> {
  return view(db, ['settings'] as const, (tx) => getSettingsIn(tx));
}

/** Changes the settings given and keeps the others, and fields that this build does not know. */
export async function saveSettings(
  db: RotaDb,
  command: Command & { readonly settings: Partial<LedgerSettings> },
): Promise<LedgerSettings> {
  return healing(db, command.now, () =>
    transact(db, ['settings', 'commands'] as const, (tx) =>
      once(tx, command, async () => {
        const stored = useRow('settings', KEY, await tx.objectStore('settings').get(KEY));
        const settings = { ...(await getSettingsIn(tx)), ...command.settings };
        await tx.objectStore('settings').put({ ...stored, name: KEY, schema: SCHEMA, ...settings });
        return settings;
      }),
    ),
  );
}
