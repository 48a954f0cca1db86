/** Writes down what happens: what tabs asked and were told, which hosts lived when, rows as they were, and deaths. */
import { randomUUID } from 'node:crypto';
import type {
  AppRecord,
  EpochMs,
  HostLife,
  Jump,
  Kill,
  LedgerExport,
  Operation,
  RunRow,
  Sighting,
  Span,
} from './record.ts';
import type { ChaosTab, Rack } from './rack.ts';
import { sleep, within } from '../within.ts';

/** How often the hosts' locks are looked at. */
const HOSTS_EVERY_MS = 250;
/** How often rows are looked at, and how far back: a row is seen again and again while it is young, and in the export. */
const ROWS_EVERY_MS = 2_000;
const ROWS_BACK_MS = 20_000;
const LOOK_MOST_MS = 5_000;
const EXPORT_MOST_MS = 60_000;
/** How long an answer is waited for: more than a tab itself waits for its host. */
const ANSWER_MOST_MS = 15_000;
/** How soon a dead host's lock must be free. */
const LOCK_FREE_MOST_MS = 3_000;
/** How long it may take to find out. */
const LOOKED_MOST_MS = 60_000;

type Writable<Value> = { -readonly [Key in keyof Value]: Value[Key] };
/** An operation of some kind without what the recorder fills in. */
export type Asked = Operation extends infer One
  ? One extends Operation
    ? Omit<One, 'commandId' | 'sentAt' | 'answeredAt' | 'answer'>
    : never
  : never;

export class Recorder {
  readonly operations: Operation[] = [];
  readonly kills: Kill[] = [];
  readonly sightings: Sighting[] = [];
  readonly jumps: Writable<Jump>[] = [];
  readonly fullSpans: Span[] = [];
  readonly #rack: Pick<Rack, 'watcher'>;
  readonly #hosts = new Map<string, Writable<HostLife>>();
  readonly #lastSeen = new Map<string, string>();
  #running = false;
  #loops: Promise<unknown> = Promise.resolve();

  constructor(rack: Pick<Rack, 'watcher'>) {
    this.#rack = rack;
  }

  /** Looks at hosts and rows, until {@link stop}. */
  start(): void {
    this.#running = true;
    this.#loops = Promise.all([
      this.#repeat(HOSTS_EVERY_MS, () => this.lookAtHosts()),
      this.#repeat(ROWS_EVERY_MS, () => this.#lookAtRows()),
    ]);
  }

  async stop(): Promise<void> {
    this.#running = false;
    await this.#loops;
  }

  /**
   * Has `tab` make a changing call under a fresh command id, and writes down both ends of it. Resolves with the whole
   * answer, `null` when none came.
   */
  async ask(
    tab: ChaosTab,
    asked: Asked,
    call: string,
    argument: object,
    readAnswer: (answer: object) => Operation['answer'],
  ): Promise<object | null> {
    const operation = {
      ...asked,
      commandId: randomUUID(),
      sentAt: Date.now(),
      answeredAt: null as EpochMs | null,
      answer: null as Operation['answer'],
    };
    this.operations.push(operation);
    try {
      const { commandId } = operation;
      const answer = (await tab.call(call, { ...argument, commandId }, ANSWER_MOST_MS)) as object;
      operation.answeredAt = Date.now();
      operation.answer = readAnswer(answer);
      return answer;
    } catch {
      // The tab, its host or the browser died, or it took too long: the answer is unknown, and so is the outcome.
      return null;
    }
  }

  /** Writes down that a host said who it is. When it started is known from its lock: its own clock may have been set. */
  hostSaid({ id, build }: { readonly id: string; readonly build: string }): void {
    const known = this.#hosts.get(id);
    const at = Date.now();
    if (known === undefined)
      this.#hosts.set(id, { id, build, startedAt: at, lastSeenAt: at, retiredAt: null });
    else known.build = build;
  }

  hostRetires(id: string, at: EpochMs): void {
    const known = this.#hosts.get(id);
    if (known !== undefined) known.retiredAt ??= at;
  }

  /** The hosts that held their life-long lock when that was looked at last, however long ago. */
  get lastSeen(): ReadonlySet<string> {
    const dead = new Set(this.kills.flatMap((kill) => kill.hosts));
    // Who was gone before the browser was killed last is not in the list of that death, and does not live either.
    const since = this.kills.findLast(({ what }) => what === 'browser')?.doneBy ?? 0;
    const seen = [...this.#hosts.values()].filter(
      ({ id, lastSeenAt }) => !dead.has(id) && lastSeenAt > since,
    );
    const last = Math.max(0, ...seen.map(({ lastSeenAt }) => lastSeenAt));
    return new Set(seen.filter(({ lastSeenAt }) => lastSeenAt === last).map(({ id }) => id));
  }

  /** Looks which hosts hold their life-long lock now. */
  async lookAtHosts(): Promise<ReadonlySet<string>> {
    const watcher = await this.#rack.watcher();
    // A busy machine brings the answer late, and a host may have died on its way.
    const seenAt = Date.now();
    const names = await within(
      LOOK_MOST_MS,
      watcher.evaluate(async () => {
        const { held = [] } = await navigator.locks.query();
        return held.flatMap(({ name, mode }) => (name === undefined || mode !== 'exclusive' ? [] : [name]));
      }, null),
    );
    const at = Date.now();
    const ids = new Set(names.flatMap((name) => /^rota\/host\/(.+)$/.exec(name)?.[1] ?? []));
    for (const id of ids) {
      const known = this.#hosts.get(id);
      if (known === undefined) {
        this.#hosts.set(id, { id, build: 'unknown', startedAt: at, lastSeenAt: seenAt, retiredAt: null });
      } else known.lastSeenAt = seenAt;
    }
    return ids;
  }

  /**
   * Writes down a death of `expected` hosts of those that were `alive`: those whose lock is soon free. `doneBy` is when the
   * deed had certainly taken effect.
   */
  async killed(
    what: Kill['what'],
    at: EpochMs,
    doneBy: EpochMs,
    alive: ReadonlySet<string>,
    expected: number,
  ): Promise<Kill> {
    // A whole browser takes all its hosts along, and there is nobody left to look.
    const dead = what === 'browser' ? [...alive] : await this.#deadOf(alive, expected);
    const kill = { what, at, doneBy, hosts: dead };
    this.kills.push(kill);
    return kill;
  }

  /** Those of `alive` whose lock is free, when `expected` are or it has been looked for long enough. */
  async #deadOf(alive: ReadonlySet<string>, expected: number): Promise<string[]> {
    const startedAt = Date.now();
    let firstAt: number | null = null;
    let dead: string[] = [];
    for (;;) {
      const now = await this.lookAtHosts().catch(() => null);
      if (now !== null) {
        // The watcher may have died too, and another one takes its time.
        firstAt ??= Date.now();
        dead = [...alive].filter((id) => !now.has(id));
      } else if (firstAt === null && Date.now() > startedAt + LOOKED_MOST_MS) {
        throw new Error('Nobody could look which hosts have died.');
      }
      if (firstAt !== null && (dead.length >= expected || Date.now() > firstAt + LOCK_FREE_MOST_MS)) break;
      await sleep(20);
    }
    return dead;
  }

  /** Exports the ledger: all stores in one transaction. */
  async exportLedger(): Promise<LedgerExport> {
    const watcher = await this.#rack.watcher();
    const at = Date.now();
    const text = await within(
      EXPORT_MOST_MS,
      watcher.evaluate(async () => {
        const stores = ['automations', 'agenda', 'runs', 'commands', 'settings', 'quarantine'];
        const db = await new Promise<IDBDatabase>((resolve, reject) => {
          const opening = indexedDB.open('rota');
          // It is Rota's to make; a look at it must not.
          opening.onupgradeneeded = () => opening.transaction?.abort();
          opening.onsuccess = () => resolve(opening.result);
          opening.onerror = () => reject(new Error(String(opening.error)));
        });
        try {
          const transaction = db.transaction(stores, 'readonly');
          const entries = stores.map(
            (name) =>
              new Promise<[string, unknown[]]>((resolve, reject) => {
                const request = transaction.objectStore(name).getAll();
                request.onsuccess = () => resolve([name, request.result]);
                request.onerror = () => reject(new Error(String(request.error)));
              }),
          );
          return JSON.stringify(Object.fromEntries(await Promise.all(entries)));
        } finally {
          db.close();
        }
      }, null),
    );
    const { automations, agenda, runs, commands, settings, quarantine } = JSON.parse(text) as Omit<
      LedgerExport,
      'at' | 'quarantined'
    > & { readonly quarantine: readonly unknown[] };
    return {
      at,
      automations,
      agenda,
      runs,
      commands: commands.map((row) => ({ id: row.id, at: row.at })),
      settings,
      quarantined: quarantine.length,
    };
  }

  /** All that was written down, with what others know of it. */
  record(
    rest: Omit<AppRecord, 'operations' | 'sightings' | 'hosts' | 'kills' | 'jumps' | 'fullSpans'>,
  ): AppRecord {
    const { operations, sightings, kills, jumps, fullSpans } = this;
    return { ...rest, operations, sightings, hosts: [...this.#hosts.values()], kills, jumps, fullSpans };
  }

  async #lookAtRows(): Promise<void> {
    const watcher = await this.#rack.watcher();
    const time = (Date.now() + (this.jumps.at(-1)?.aheadMs ?? 0) - ROWS_BACK_MS)
      .toString(16)
      .padStart(12, '0');
    const from = `${time.slice(0, 8)}-${time.slice(8)}-`;
    const text = await within(
      LOOK_MOST_MS,
      watcher.evaluate(async (lower) => {
        const db = await new Promise<IDBDatabase>((resolve, reject) => {
          const opening = indexedDB.open('rota');
          opening.onupgradeneeded = () => opening.transaction?.abort();
          opening.onsuccess = () => resolve(opening.result);
          opening.onerror = () => reject(new Error(String(opening.error)));
        });
        try {
          const rows = await new Promise<object[]>((resolve, reject) => {
            const request = db
              .transaction('runs', 'readonly')
              .objectStore('runs')
              // After the clock was set back there are many that are later.
              .getAll(IDBKeyRange.lowerBound(lower), 1_000);
            request.onsuccess = () => resolve(request.result as object[]);
            request.onerror = () => reject(new Error(String(request.error)));
          });
          return JSON.stringify(rows.map((row) => ({ ...row, definition: undefined })));
        } finally {
          db.close();
        }
      }, from),
    );
    const at = Date.now();
    for (const row of JSON.parse(text) as readonly RunRow[]) {
      const now = JSON.stringify(row);
      if (this.#lastSeen.get(row.id) === now) continue;
      this.#lastSeen.set(row.id, now);
      this.sightings.push({ at, row });
    }
  }

  async #repeat(everyMs: number, work: () => Promise<unknown>): Promise<void> {
    while (this.#running) {
      // While the browser is down there is nothing to see.
      await work().catch(() => undefined);
      await sleep(everyMs);
    }
  }
}
