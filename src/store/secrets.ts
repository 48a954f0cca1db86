/**
 * Secrets at rest: encrypted under a key that nobody can read, so that a copy of the database, a backup or a look into the
 * storage shows no value. It is no protection from code that runs in Rota's own origin. See secret-key.ts for the key, and
 * docs/decisions/0008-secrets.md for all of it.
 *
 * What is encrypted was read before the transaction that writes it. So each such transaction looks whether that still
 * stands, and where it does not, all begins anew.
 */
import {
  type KeyMessage,
  type OpenSecret,
  SCHEMA,
  type SecretInfo,
  type SecretInput,
  type SecretLack,
  SecretsLocked,
  type SecretsLock,
} from '../domain/index.ts';
import { once } from './command.ts';
import type { Command, SecretKeys, SecretsChange, SecretSaved } from './ledger.ts';
import type { RotaDb } from './open.ts';
import { NewerData } from './rows.ts';
import type { SealedKeyRow, SecretKeyRow, SecretRow } from './schema.ts';
import {
  type HeldKey,
  KEY_NAME,
  type Vault,
  isKeyOf,
  makeOpenKey,
  makeSealedKey,
  openValue,
  sealValue,
  unlockKey,
} from './secret-key.ts';
import { type RotaTransaction, transact, view } from './transact.ts';

/** How often others may change what was read before it is given up: nobody changes it so often. */
const TRIES_MOST = 10;

/** All secrets, as one host has them. The unlocked key lives in here, and is gone with it. */
export class Secrets {
  readonly #db: RotaDb;
  readonly #vault: Vault;
  readonly #channel: ReturnType<SecretKeys['connect']>;
  readonly #onUnlocked: () => void;
  #held: HeldKey | null = null;

  constructor(db: RotaDb, vault: Vault, { connect, onUnlocked }: SecretKeys) {
    this.#db = db;
    this.#vault = vault;
    this.#onUnlocked = onUnlocked;
    this.#channel = connect((message) => this.#hear(message));
  }

  /** All without their values, by name, and whether they can be used here. Those of a newer version are among them. */
  async list(): Promise<{ readonly items: readonly SecretInfo[]; readonly lock: SecretsLock }> {
    const { rows, key } = await this.#read();
    const lock = isSealed(key) ? (this.#heldFor(key) === null ? 'locked' : 'unlocked') : 'none';
    return { items: rows.map(infoOf), lock };
  }

  /** What keeps those that name `names` waiting; `null`: nothing. */
  async lacking(names: readonly string[]): Promise<SecretLack | null> {
    const { rows, key } = await this.#read();
    if (isSealed(key) && this.#heldFor(key) === null) return { for: 'unlock' };
    const secret = names.find((name) => rows.every((row) => row.name !== name));
    return secret === undefined ? null : { for: 'secret', secret };
  }

  /**
   * The value of a secret and where it may go; `null` when there is none of that name. Rejects with {@link SecretsLocked}, and when it cannot be decrypted, as when the browser has lost its key.
   */
  async open(name: string): Promise<OpenSecret | null> {
    const { rows, key } = await this.#read();
    const row = rows.find((one) => one.name === name);
    if (row === undefined) return null;
    if (key === null) throw new Error('The key of the secrets is gone. Enter them again.');
    const usable = isSealed(key) ? this.#heldFor(key)?.key : key.key;
    if (usable === undefined) throw new SecretsLocked();
    return { value: await openValue(this.#vault, usable, row), origins: row.origins };
  }

  /** Stores a secret, or changes where a stored one may be sent. */
  async save(command: Command & { readonly secret: SecretInput }): Promise<SecretSaved> {
    const { now, secret } = command;
    return this.#untilItStands<SecretSaved | Changed>(async (found) => {
      const before = found.rows.find((row) => row.name === secret.name);
      if (before !== undefined && before.schema > SCHEMA)
        throw new NewerData('A newer version of Rota wrote this secret.');
      const keyRow = found.key ?? (await makeOpenKey(this.#vault, now));
      const key = isSealed(keyRow) ? this.#heldFor(keyRow)?.key : keyRow.key;
      if (key === undefined) return { kind: 'locked' };
      const value = secret.value ?? (before === undefined ? null : await openValue(this.#vault, key, before));
      const { name, origins } = secret;
      const row =
        value === null
          ? null
          : {
              name,
              schema: SCHEMA,
              origins,
              createdAt: before?.createdAt ?? now,
              updatedAt: now,
              ...(await sealValue(this.#vault, key, value, secret)),
            };
      return this.#keeping((tx) =>
        once(
          tx,
          command,
          async () => {
            const store = tx.objectStore('secrets');
            if (!isSame(found, foundIn(await store.getAll()))) return { kind: 'changed' as const };
            if (row === null) return { kind: 'no-value' as const };
            if (found.key === null) await store.put(keyRow);
            await store.put(row);
            return { kind: 'saved' as const, secret: infoOf(row) };
          },
          ({ kind }) => kind === 'saved',
        ),
      );
    });
  }

  /** Forgets a secret. What names it waits from then on, and says so. */
  async remove(
    command: Command & { readonly name: string },
  ): Promise<{ readonly kind: 'done' } | { readonly kind: 'not-found' }> {
    return transact(this.#db, ['secrets', 'commands'] as const, (tx) =>
      once(tx, command, async () => {
        const store = tx.objectStore('secrets');
        const row = await store.get(command.name);
        if (row === undefined || !isSecret(row)) return { kind: 'not-found' as const };
        await store.delete(command.name);
        return { kind: 'done' as const };
      }),
    );
  }

  /** Forgets all of them and their key: the only way on without a passphrase that is lost. */
  async removeAll(command: Command): Promise<{ readonly kind: 'done'; readonly count: number }> {
    const done = await transact(this.#db, ['secrets', 'commands'] as const, (tx) =>
      once(tx, command, async () => {
        const store = tx.objectStore('secrets');
        const { rows } = foundIn(await store.getAll());
        await store.clear();
        return { kind: 'done' as const, count: rows.length };
      }),
    );
    this.#forget();
    return done;
  }

  /** Makes them usable on all hosts until they are locked or no host and no tab is left that remembers. */
  async unlock(passphrase: string): Promise<'unlocked' | 'wrong-passphrase' | 'no-passphrase'> {
    const { key } = await this.#read();
    if (!isSealed(key)) return 'no-passphrase';
    const held = await unlockKey(this.#vault, key, passphrase);
    if (held === null) return 'wrong-passphrase';
    this.#hold(held);
    return 'unlocked';
  }

  /** Takes the key from all hosts and tabs. Its row says so: who did not hear of it holds a key that nobody accepts. */
  async lock(command: Command): Promise<'locked' | 'no-passphrase'> {
    const { kind } = await transact(this.#db, ['secrets', 'commands'] as const, (tx) =>
      once(tx, command, async () => {
        const store = tx.objectStore('secrets');
        const row = await store.get(KEY_NAME);
        if (row === undefined || isSecret(row) || !isSealed(row)) return { kind: 'no-passphrase' as const };
        await store.put({ ...row, seal: this.#vault.randomUUID() });
        return { kind: 'locked' as const };
      }),
    );
    if (kind === 'locked') this.#forget();
    return kind;
  }

  /**
   * Encrypts all of them under a new key: one that the passphrase `next` opens, or one without. `current` must be the
   * passphrase that is set, if one is. It happens in one transaction, so a death on the way changes nothing.
   */
  async setPassphrase(
    command: Command & { readonly current?: string; readonly next: string | null },
  ): Promise<SecretsChange> {
    const { now, current, next } = command;
    const after = { held: null as HeldKey | null };
    const result = await this.#untilItStands<SecretsChange | Changed>(async (found) => {
      const old = await this.#keyBy(found.key, current);
      // A repeat of a change that was made knows the old passphrase.
      if (old === 'wrong') {
        const done = await view(this.#db, ['commands'] as const, (tx) => tx.store.get(command.commandId));
        return (done?.result as SecretsChange | undefined) ?? { kind: 'wrong-passphrase' };
      }
      const made =
        next === null
          ? { row: await makeOpenKey(this.#vault, now), held: null }
          : await makeSealedKey(this.#vault, next, now);
      const key = made.held?.key ?? made.row.key;
      after.held = made.held;
      const rows = old === null || key === undefined ? [] : await this.#resealed(found.rows, old, key);
      return this.#keeping((tx) =>
        once(
          tx,
          command,
          async () => {
            const store = tx.objectStore('secrets');
            if (!isSame(found, foundIn(await store.getAll()))) return { kind: 'changed' as const };
            // Without a secret there is nothing to keep a key for.
            if (next === null && rows.length === 0) await store.delete(KEY_NAME);
            else for (const row of [made.row, ...rows]) await store.put(row);
            return { kind: 'done' as const };
          },
          ({ kind }) => kind === 'done',
        ),
      );
    });
    if (result.kind === 'done') {
      if (after.held === null) this.#forget();
      else this.#hold(after.held);
    }
    return result;
  }

  /** `rows` under another key. What cannot be read, because its key is long gone, stays as it is. */
  async #resealed(rows: readonly SecretRow[], old: CryptoKey, key: CryptoKey): Promise<readonly SecretRow[]> {
    const resealed = rows.map(async (row) => {
      let value: string;
      try {
        value = await openValue(this.#vault, old, row);
      } catch {
        return row;
      }
      return { ...row, ...(await sealValue(this.#vault, key, value, row)) };
    });
    return Promise.all(resealed);
  }

  /** The key that `row` stands for: `null` when there is none yet, and `wrong` when the passphrase is not its own. */
  async #keyBy(
    row: SecretKeyRow | null,
    passphrase: string | undefined,
  ): Promise<CryptoKey | null | 'wrong'> {
    if (row === null) return null;
    if (!isSealed(row)) return row.key;
    const held = passphrase === undefined ? null : await unlockKey(this.#vault, row, passphrase);
    return held?.key ?? 'wrong';
  }

  /** The key that is held for `row`. Where there is none, whoever has it is asked, and it comes a moment later or never. */
  #heldFor(row: SealedKeyRow): HeldKey | null {
    if (this.#held?.seal === row.seal) return this.#held;
    this.#held = null;
    this.#channel({ kind: 'wanted' });
    return null;
  }

  #hold(held: HeldKey): void {
    this.#held = held;
    this.#channel({ kind: 'key', ...held });
    this.#onUnlocked();
  }

  #forget(): void {
    this.#held = null;
    this.#channel({ kind: 'forget' });
  }

  #hear(message: KeyMessage<CryptoKey>): void {
    switch (message.kind) {
      case 'wanted':
        if (this.#held !== null) this.#channel({ kind: 'key', ...this.#held });
        break;
      case 'forget':
        this.#held = null;
        break;
      case 'key':
        void this.#take(message).catch(() => undefined);
    }
  }

  /** Keeps a key that another has unlocked, if it is the one that is stored. */
  async #take({ seal, key }: HeldKey): Promise<void> {
    if (this.#held?.seal === seal) return;
    const { key: row } = await this.#read();
    if (!isSealed(row) || row.seal !== seal || !(await isKeyOf(this.#vault, row, key))) return;
    this.#held = { seal, key };
    this.#onUnlocked();
  }

  /** One transaction that may store a key as it is, which WebKitGTK cannot: it has nothing to protect it with. */
  async #keeping<Result>(
    body: (tx: RotaTransaction<readonly ['secrets', 'commands'], 'readwrite'>) => Promise<Result>,
  ): Promise<Result | { readonly kind: 'no-key' }> {
    try {
      return await transact(this.#db, ['secrets', 'commands'] as const, body);
    } catch (error) {
      if (error instanceof DOMException && error.name === 'DataCloneError') return { kind: 'no-key' };
      throw error;
    }
  }

  #read(): Promise<Found> {
    return view(this.#db, ['secrets'] as const, async (tx) => foundIn(await tx.store.getAll()));
  }

  /** Does `work` with what is stored, until nobody has changed it meanwhile. */
  async #untilItStands<Result extends { readonly kind: string }>(
    work: (found: Found) => Promise<Result>,
  ): Promise<Exclude<Result, { readonly kind: 'changed' }>> {
    for (let tries = 1; ; tries++) {
      const result = await work(await this.#read());
      if (result.kind !== 'changed') return result as Exclude<Result, { readonly kind: 'changed' }>;
      if (tries === TRIES_MOST) throw new Error('The secrets are being changed elsewhere. Try again.');
    }
  }
}

/** Somebody was faster: nothing was written. */
interface Changed {
  readonly kind: 'changed';
}

/** What is stored at one moment. */
interface Found {
  readonly rows: readonly SecretRow[];
  readonly key: SecretKeyRow | null;
}

function foundIn(all: readonly (SecretRow | SecretKeyRow)[]): Found {
  return { rows: all.filter(isSecret), key: all.find((row): row is SecretKeyRow => !isSecret(row)) ?? null };
}

/** Whether it is the same: what is encrypted has another beginning each time. */
function isSame(a: Found, b: Found): boolean {
  return (
    a.key?.seal === b.key?.seal &&
    a.rows.length === b.rows.length &&
    a.rows.every((row, n) => {
      const other = b.rows[n];
      return row.name === other?.name && row.iv.join() === other.iv.join();
    })
  );
}

function isSecret(row: SecretRow | SecretKeyRow): row is SecretRow {
  return row.name !== KEY_NAME;
}

function isSealed(row: SecretKeyRow | null): row is SealedKeyRow {
  return row !== null && row.key === undefined;
}

function infoOf({ name, origins, createdAt, updatedAt }: SecretRow): SecretInfo {
  return { name, origins, createdAt, updatedAt };
}
