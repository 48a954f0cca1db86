/**
 * Which definition of an automation was in force when. It is put together from what tabs asked for (known to whoever
 * drove them, also where no answer came) and from the rows that Rota keeps of carried-out commands, which say whether and
 * when each was.
 */
import type { TimedHistory, TimedRow } from './clock.ts';
import type { Definition, EpochMs } from './record.ts';

/** A definition of an automation, from an edit on and until the next. */
export interface Edition {
  /** As Rota counts: 1 for the first, one more with each edit. */
  readonly revision: number;
  readonly definition: Definition;
  readonly enabled: boolean;
  /** When the edit was made. */
  readonly from: EpochMs;
  /**
   * The instant that the edit reckoned with, by the hosts' clock: instants up to it are by the definition before, later
   * ones by this one.
   */
  readonly instant: EpochMs;
  /** From here on nobody may use an older one: a tab had been told. Never, when no answer came. */
  readonly acknowledgedAt: EpochMs;
  readonly commandId: string;
  /** Whether each instant must be accounted for: since it was first enabled, also while it is paused. */
  readonly accounts: boolean;
  /** Whether it is no edit, but the agenda planned anew because the clock was set back by hours. */
  readonly isRestart: boolean;
  /** Whether it is no edit, but the automation paused itself after failures, as its runs in the ledger tell. */
  readonly isOwnPause: boolean;
}

/** The editions of each automation that was imported or created by a known operation, oldest first; and when it went. */
export interface Editions {
  readonly of: ReadonlyMap<string, readonly Edition[]>;
  readonly removedAt: ReadonlyMap<string, EpochMs>;
}

/** All editions of all automations. */
export function editionsIn({ operations, ledger }: Pick<TimedHistory, 'operations' | 'ledger'>): Editions {
  const of = new Map<string, Edition[]>();
  const removedAt = new Map<string, EpochMs>();
  const doneAt = new Map(ledger.commands.map((row) => [row.id, row]));
  const done = operations
    .flatMap((operation) => {
      const row = doneAt.get(operation.commandId);
      return row === undefined ? [] : [{ operation, from: row.at, instant: row.storedAt }];
    })
    .sort((a, b) => a.from - b.from || a.operation.sentAt - b.operation.sentAt);

  /** In a row, of those that may pause themselves. */
  const failures = new Map<string, number>();
  const add = (
    id: string,
    { operation, from, instant }: (typeof done)[number],
    definition: Definition,
  ): void => {
    const editions = of.get(id) ?? [];
    const last = editions.at(-1);
    const enabled = definition.enabled ?? true;
    // Who is resumed after it had paused itself begins anew.
    if (last?.isOwnPause === true && enabled) failures.set(id, 0);
    const mayOwe = last?.accounts === true && definition.schedule.kind !== 'manual';
    editions.push({
      revision: (last?.revision ?? 0) + 1,
      definition,
      enabled,
      from,
      instant,
      acknowledgedAt: operation.answeredAt ?? Infinity,
      commandId: operation.commandId,
      accounts: enabled || mayOwe,
      isRestart: false,
      isOwnPause: false,
    });
    of.set(id, editions);
  };

  const carryOut = (one: (typeof done)[number]): void => {
    const { operation, from } = one;
    switch (operation.kind) {
      case 'import':
        for (const { id, definition } of operation.automations) add(id, one, definition);
        break;
      case 'save':
        add(operation.automationId, one, operation.definition);
        break;
      case 'set-enabled':
        for (const id of operation.automationIds) {
          const last = of.get(id)?.at(-1);
          // One that is in that state already is left as it is.
          if (last === undefined || last.enabled === operation.enabled) continue;
          add(id, one, { ...last.definition, enabled: operation.enabled });
        }
        break;
      case 'remove':
        removedAt.set(operation.automationId, from);
        break;
      case 'run-now':
      case 'answer':
      case 'save-settings':
        break;
    }
  };

  const settle = (run: EndedRow): void => {
    const last = of.get(run.automationId)?.at(-1);
    const rule = last?.definition.rules?.autoPause;
    if (last === undefined || rule?.kind !== 'after') return;
    const before = failures.get(run.automationId) ?? 0;
    const count = failuresAfter(run, before);
    failures.set(run.automationId, count);
    if (!last.enabled || count === before || count < (rule.failures ?? Infinity)) return;
    of.get(run.automationId)?.push({
      ...last,
      enabled: false,
      from: run.settledAt,
      instant: run.stored.settledAt ?? run.settledAt,
      acknowledgedAt: run.settledBy,
      commandId: '',
      isOwnPause: true,
    });
  };

  const ended = endedIn(ledger.runs);
  for (const one of done) {
    while (ended[0] !== undefined && ended[0].settledAt < one.from) settle(ended.shift() as EndedRow);
    carryOut(one);
  }
  ended.forEach(settle);
  return { of, removedAt };
}

/** A row of a run that has ended. */
type EndedRow = TimedRow & { readonly settledAt: EpochMs };

/** The runs that have ended of automations that may pause themselves, in the order in which they did. */
function endedIn(rows: readonly TimedRow[]): EndedRow[] {
  return rows
    .filter(
      (row): row is EndedRow =>
        row.settledAt !== undefined && row.definition?.rules?.autoPause?.kind === 'after',
    )
    .sort((a, b) => a.settledAt - b.settledAt || (a.fence ?? 0) - (b.fence ?? 0));
}

/** How many failures in a row there are after `run`, of an automation that had so many `before`. */
function failuresAfter({ status, reason, retryAt }: EndedRow, before: number): number {
  switch (status) {
    case 'succeeded':
      return 0;
    case 'failed':
    case 'timed-out':
    case 'interrupted':
      // An attempt that is repeated has not failed yet, and a limit that a person set is no failure.
      return retryAt === undefined && reason !== 'limit' ? before + 1 : before;
    default:
      return before;
  }
}

/** Whether `actual` says all that `wanted` says; it may say more, such as defaults that were left out. */
export function saysAllOf(actual: unknown, wanted: unknown): boolean {
  if (wanted === undefined) return true;
  if (typeof wanted !== 'object' || wanted === null) return actual === wanted;
  if (typeof actual !== 'object' || actual === null) return false;
  if (Array.isArray(wanted)) {
    return (
      Array.isArray(actual) &&
      actual.length === wanted.length &&
      wanted.every((item, index) => saysAllOf(actual[index], item))
    );
  }
  return Object.entries(wanted).every(([key, value]) => saysAllOf(Reflect.get(actual, key), value));
}
