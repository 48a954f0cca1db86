/** What the checker reads off rows of the ledger. */
import type { TimedRow } from './clock.ts';
import type { Definition, EpochMs, RunRow } from './record.ts';

/** How long a run may take whose definition does not say. */
const TIMEOUT_DEFAULT_MS = 30 * 60_000;
/** How much longer than its timeout a run may hold its lease before its host counts as hung (protocol, section 6). */
const LEASE_GRACE_MS = 60_000;

/** A row that a claim made: it had a host and the right to act. */
export type ClaimedRow = TimedRow &
  Required<Pick<RunRow, 'startedAt' | 'host' | 'fence' | 'revision' | 'definition'>>;

/** Whether `row` was claimed, and did not merely get counted as missed or skipped. */
export function isClaimed(row: TimedRow): row is ClaimedRow {
  return row.status !== 'missed' && row.status !== 'skipped';
}

/** When a run ended, at the earliest; never, while it is active. */
export function endedAt(row: TimedRow): EpochMs {
  return row.settledAt ?? Infinity;
}

/** When a run ended, at the latest; never, while it is active. */
export function endedBy(row: TimedRow): EpochMs {
  return row.settledAt === undefined ? Infinity : row.settledBy;
}

/** How many runs of one automation its overlap rule allows at a time. */
export function parallelLimit({ rules }: Definition): number {
  return rules?.overlap?.kind === 'parallel' ? (rules.overlap.limit ?? 1) : 1;
}

/** Whether what `definition` does may be done again without asking a person (protocol, section 5). */
export function isRepeatable({ action }: Definition): boolean {
  const { kind, method = 'GET', idempotencyKey = false, repeatable = false } = action;
  return kind !== 'http' || method === 'GET' || method === 'HEAD' || idempotencyKey || repeatable;
}

/**
 * Whether a run was ended by fence because its host hung, as far as the hosts' clock can tell: what it had begun may go on,
 * by protocol.
 */
export function wasHung({ status, stored, definition }: ClaimedRow): boolean {
  const timeoutMs = definition.rules?.timeoutMs ?? TIMEOUT_DEFAULT_MS;
  const { startedAt = 0, settledAt = 0 } = stored;
  return status === 'timed-out' && settledAt > startedAt + timeoutMs + LEASE_GRACE_MS;
}

/** The rows of each automation. */
export function byAutomation<Row extends Pick<RunRow, 'automationId'>>(
  rows: readonly Row[],
): ReadonlyMap<string, readonly Row[]> {
  return grouped(rows, (row) => row.automationId);
}

/** `items` by what `keyOf` says of each, in their order. */
export function grouped<Item>(
  items: readonly Item[],
  keyOf: (item: Item) => string,
): ReadonlyMap<string, readonly Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}
