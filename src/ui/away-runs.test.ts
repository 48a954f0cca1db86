import { describe, expect, test } from 'vitest';
import type { RunId } from '../domain/index.ts';
import type { HostApi, Run } from '../rpc/index.ts';
import { AwayRuns } from './away-runs.ts';

const SINCE = 1_000_000;
const UNTIL = 2_000_000;

/** A ledger that counts what is read of it. */
class Ledger {
  readonly rows: Run[] = [];
  calls = 0;
  read = 0;

  readonly list: HostApi['listRuns'] = ({ limit = 50, before } = {}) => {
    const newest = this.rows.toSorted((a, b) => (a.id < b.id ? 1 : -1));
    const found = newest.filter(({ id }) => before === undefined || id < before);
    const items = found.slice(0, limit);
    this.calls += 1;
    this.read += items.length;
    const last = items.at(-1);
    return Promise.resolve({
      items,
      ...(found.length > limit && last !== undefined ? { next: last.id } : {}),
    });
  };

  add(claimedAt: number, change: Partial<Run> = {}): RunId {
    const id = `${String(claimedAt).padStart(12, '0')}-${this.rows.length}` as RunId;
    this.rows.push({ id, claimedAt, status: 'succeeded', ...change } as Run);
    return id;
  }

  change(id: RunId, change: Partial<Run>): void {
    const at = this.rows.findIndex((row) => row.id === id);
    const row = this.rows[at];
    if (row !== undefined) this.rows[at] = { ...row, ...change };
  }
}

function ledgerOf(before: number, within: number): Ledger {
  const ledger = new Ledger();
  for (let n = 0; n < before; n++) ledger.add(SINCE - 60_000 - n * 1_000);
  for (let n = 0; n < within; n++) ledger.add(SINCE + n * 1_000, { status: 'missed' });
  return ledger;
}

describe('the runs of a stretch', () => {
  test('are all read, and little of what was before it', async () => {
    const ledger = ledgerOf(5_000, 450);
    const rows = await new AwayRuns(ledger.list).read(SINCE, UNTIL, UNTIL);
    expect(rows).toHaveLength(450);
    expect(ledger.read).toBeLessThanOrEqual(600);
  });

  test('cost nothing once the stretch is over and none of them is open, whatever runs since', async () => {
    const ledger = ledgerOf(0, 300);
    const away = new AwayRuns(ledger.list);
    const first = await away.read(SINCE, UNTIL, UNTIL + 60_000);
    ledger.calls = 0;
    for (let n = 0; n < 100; n++) {
      ledger.add(UNTIL + 60_000 + n);
      expect(await away.read(SINCE, UNTIL, UNTIL + 70_000 + n)).toBe(first);
    }
    expect(ledger.calls).toBe(0);
  });

  test('that begin while the stretch goes on are found with one page', async () => {
    const ledger = ledgerOf(0, 900);
    const away = new AwayRuns(ledger.list);
    await away.read(SINCE, UNTIL, SINCE + 900_000);
    ledger.read = 0;
    // A host made its id before the last reading and stored it after.
    const late = ledger.add(SINCE + 899_500, { status: 'failed' });
    const fresh = ledger.add(SINCE + 901_000, { status: 'failed' });
    const rows = await away.read(SINCE, UNTIL, SINCE + 902_000);
    expect(rows).toHaveLength(902);
    expect(new Set(rows.map(({ id }) => id)).size).toBe(902);
    expect(rows.map(({ id }) => id)).toEqual(expect.arrayContaining([late, fresh]));
    expect(ledger.read).toBeLessThanOrEqual(200);
  });

  test('that are open are followed, from before what began since', async () => {
    const ledger = ledgerOf(0, 50);
    const running = ledger.add(SINCE + 60_000, { status: 'running' });
    const asked = ledger.add(SINCE + 70_000, { status: 'interrupted', mayHaveHappened: true });
    for (let n = 0; n < 2_000; n++) ledger.add(UNTIL + 20_000 + n);
    const away = new AwayRuns(ledger.list);
    await away.read(SINCE, UNTIL, UNTIL + 60_000);
    ledger.read = 0;
    for (let n = 0; n < 2_000; n++) ledger.add(UNTIL + 60_000 + n);
    ledger.change(running, { status: 'failed' });
    const then = await away.read(SINCE, UNTIL, UNTIL + 90_000);
    expect(then.find(({ id }) => id === running)?.status).toBe('failed');
    expect(ledger.read).toBeLessThanOrEqual(60);

    ledger.change(asked, { answer: { said: 'happened', at: UNTIL + 95_000 } });
    const answered = await away.read(SINCE, UNTIL, UNTIL + 100_000);
    expect(answered.find(({ id }) => id === asked)?.answer?.said).toBe('happened');
    ledger.calls = 0;
    expect(await away.read(SINCE, UNTIL, UNTIL + 110_000)).toBe(answered);
    expect(ledger.calls).toBe(0);
  });

  test('of another stretch are read anew', async () => {
    const ledger = ledgerOf(0, 10);
    const away = new AwayRuns(ledger.list);
    expect(await away.read(SINCE, UNTIL, UNTIL + 60_000)).toHaveLength(10);
    expect(await away.read(SINCE + 5_000, UNTIL, UNTIL + 60_000)).toHaveLength(5);
  });

  test('are no more than the newest that are looked through', async () => {
    const ledger = ledgerOf(0, 4_000);
    await new AwayRuns(ledger.list).read(0, 1e12, 1e12 + 60_000);
    expect(ledger.read).toBe(3_000);
  });
});
