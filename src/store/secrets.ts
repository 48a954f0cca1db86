/**
 * Secrets at rest: AES-GCM under a key that the browser keeps and does not export, so that a copy of the database, a
 * backup or a look into the storage shows no value. It is no protection from code that runs in Rota's own origin.
 *
 * Encryption takes turns of the event loop, which would end a transaction, so it happens before and after.
 */
import {
  type EpochMs,
  type OpenSecret,
  SCHEMA,
  type SecretInfo,
  type SecretInput,
  type SecretLack,
} from '../domain/index.ts';
import { once } from './command.ts';
import type { Command, SecretSaved } from './ledger.ts';
import type { RotaDb } from './open.ts';
import { NewerData } from './rows.ts';
import type { SecretKeyRow, SecretRow } from './schema.ts';
import { transact, view } from './transact.ts';

/** The row of the key. No secret can have this name. */
const KEY_NAME = '#key';
const ALGORITHM = 'AES-GCM';

/** What encrypts: the browser's `crypto`. */
export type Vault = Pick<Crypto, 'subtle' | 'getRandomValues'>;

/** All secrets without their values, by name. Those of a newer version are among them. */
export async function listSecrets(db: RotaDb): Promise<readonly SecretInfo[]> {
  const rows = await view(db, ['secrets'] as const, (tx) => tx.store.getAll());
  return rows.flatMap((row) => (isSecret(row) ? [infoOf(row)] : []));
}

/** Stores a secret, or changes where a stored one may be sent. */
export async function saveSecret(
  db: RotaDb,
  vault: Vault,
  command: Command & { readonly secret: SecretInput },
): Promise<SecretSaved> {
  const { name, value, origins } = command.secret;
  const sealed = value === undefined ? null : await seal(db, vault, name, value, command.now);
  return transact(db, ['secrets', 'commands'] as const, (tx) =>
    once(
      tx,
      command,
      async () => {
        const secrets = tx.objectStore('secrets');
        const stored = await secrets.get(name);
        if (stored !== undefined && stored.schema > SCHEMA) {
          throw new NewerData('A newer version of Rota wrote this secret.');
        }
        const before = stored !== undefined && isSecret(stored) ? stored : null;
        const data = sealed ?? (before === null ? null : { iv: before.iv, data: before.data });
        if (data === null) return { kind: 'no-value' as const };
        const { now } = command;
        const row = {
          name,
          schema: SCHEMA,
          origins,
          createdAt: before?.createdAt ?? now,
          updatedAt: now,
          ...data,
        };
        await secrets.put(row);
        return { kind: 'saved' as const, secret: infoOf(row) };
      },
      ({ kind }) => kind === 'saved',
    ),
  );
}

/** Forgets a secret. What names it fails from then on, and says so. */
export async function removeSecret(
  db: RotaDb,
  command: Command & { readonly name: string },
): Promise<{ readonly kind: 'done' } | { readonly kind: 'not-found' }> {
  return transact(db, ['secrets', 'commands'] as const, (tx) =>
    once(tx, command, async () => {
      const secrets = tx.objectStore('secrets');
      const row = await secrets.get(command.name);
      if (row === undefined || !isSecret(row)) return { kind: 'not-found' as const };
      await secrets.delete(command.name);
      return { kind: 'done' as const };
    }),
  );
}

/** The first of `names` that no secret has; `null` when all are there. */
export async function lackingSecret(db: RotaDb, names: readonly string[]): Promise<SecretLack | null> {
  const keys = new Set(await view(db, ['secrets'] as const, (tx) => tx.store.getAllKeys()));
  const secret = names.find((name) => !keys.has(name));
  return secret === undefined ? null : { for: 'secret', secret };
}

/**
 * The value of a secret and where it may go; `null` when there is none of that name. Rejects when it cannot be decrypted,
 * as when the browser has lost its key.
 */
export async function openSecret(db: RotaDb, vault: Vault, name: string): Promise<OpenSecret | null> {
  const [row, key] = await view(db, ['secrets'] as const, (tx) =>
    Promise.all([tx.store.get(name), tx.store.get(KEY_NAME)]),
  );
  if (row === undefined || !isSecret(row)) return null;
  if (key === undefined || isSecret(key))
    throw new Error('The key of the secrets is gone. Enter them again.');
  const data = await vault.subtle.decrypt(parametersOf(name, row.iv), key.key, row.data);
  return { value: new TextDecoder().decode(data), origins: row.origins };
}

async function seal(
  db: RotaDb,
  vault: Vault,
  name: string,
  value: string,
  now: EpochMs,
): Promise<Pick<SecretRow, 'iv' | 'data'>> {
  const key = await keyOf(db, vault, now);
  const iv = vault.getRandomValues(new Uint8Array(12));
  const data = await vault.subtle.encrypt(parametersOf(name, iv), key, new TextEncoder().encode(value));
  return { iv, data };
}

/** The name is authenticated too, so that no row's value can be put under another name. */
function parametersOf(name: string, iv: Uint8Array<ArrayBuffer>): AesGcmParams {
  return { name: ALGORITHM, iv, additionalData: new TextEncoder().encode(name) };
}

/** The key of this browser; the first to ask makes it, and whoever asks at the same time gets that one. */
async function keyOf(db: RotaDb, vault: Vault, now: EpochMs): Promise<CryptoKey> {
  const find = (row: SecretRow | SecretKeyRow | undefined): CryptoKey | null =>
    row === undefined || isSecret(row) ? null : row.key;
  const stored = find(await view(db, ['secrets'] as const, (tx) => tx.store.get(KEY_NAME)));
  if (stored !== null) return stored;
  const made = await vault.subtle.generateKey({ name: ALGORITHM, length: 256 }, false, [
    'encrypt',
    'decrypt',
  ]);
  return transact(db, ['secrets'] as const, async (tx) => {
    const first = find(await tx.store.get(KEY_NAME));
    if (first !== null) return first;
    await tx.store.put({ name: KEY_NAME, schema: SCHEMA, createdAt: now, key: made });
    return made;
  });
}

function isSecret(row: SecretRow | SecretKeyRow): row is SecretRow {
  return row.name !== KEY_NAME;
}

function infoOf({ name, origins, createdAt, updatedAt }: SecretRow): SecretInfo {
  return { name, origins, createdAt, updatedAt };
}
