/** What becomes of the agenda when another zone database answers than the one that planned it. */
import { afterAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Automation } from './automation.ts';
import { decideClaim } from './claim.ts';
import { planDue } from './due.ts';
import { decideRepair, decideSave } from './edit.ts';
import type { AgendaRow } from './occurrence.ts';
import {
  MONDAY,
  agendaRows,
  automationId,
  claimRequest,
  claimState,
  definition,
  runIds,
} from './samples.testing.ts';
import type { Schedule } from './schedule.ts';
import { prepareTime } from './temporal.ts';
import { DAY_MS, type EpochMs, HOUR_MS } from './time.ts';
import { temporalWithZone } from './zone-database.testing.ts';

const ZONE = 'Europe/Helsinki';
/** It is winter: Helsinki is two hours ahead of UTC; in the other database its clocks are those of London. */
const atHour = (hour: number): EpochMs => MONDAY + hour * HOUR_MS;
/** Due at 8, 9 and 11 by the first database, at 10, 11 and 13 by the other. */
const schedule: Schedule = { kind: 'cron', expression: '0 10,11,13 * * *', timeZone: ZONE };

const useDatabase = async (clocksOf: string): Promise<void> => {
  vi.stubGlobal('Temporal', temporalWithZone(ZONE, clocksOf));
  await prepareTime();
};

beforeEach(() => useDatabase(ZONE));
afterAll(() => {
  vi.unstubAllGlobals();
});

/** The automation as saved at `at`, and the row that is planned for it. */
function saved(at: EpochMs, of: Schedule = schedule) {
  const decision = decideSave(
    { stored: null, agenda: [], decided: new Set() },
    { id: automationId(1), definition: { ...definition(), schedule: of }, now: at, newId: runIds() },
  );
  if (decision.result.kind !== 'saved') throw new Error(decision.result.kind);
  return { stored: decision.result.automation, row: rowOf(decision.writes) };
}

function rowOf(writes: Parameters<typeof agendaRows>[0]): AgendaRow {
  const [row, ...others] = agendaRows(writes);
  if (row === undefined || others.length > 0) throw new Error('There is not one row.');
  return row;
}

describe('a row of the agenda that another zone database planned', () => {
  test('says after what it is the next one, where its schedule is in a zone', () => {
    expect(saved(atHour(9.5)).row).toMatchObject({ scheduledFor: atHour(11), plannedFrom: atHour(9.5) });
    const { row } = saved(atHour(9.5), { kind: 'every', everyMs: HOUR_MS, anchor: MONDAY });
    expect(row).not.toHaveProperty('plannedFrom');
    const { stored, row: due } = saved(atHour(8.5));
    const now = atHour(9.25);
    const state = claimState(due, stored, planDue(due, stored, now));
    const { writes } = decideClaim(state, claimRequest({ kind: 'row', key: due.key }, now));
    expect(rowOf(writes)).toMatchObject({
      scheduledFor: atHour(11),
      plannedFrom: atHour(9.25),
    });
  });

  test('gives way to an earlier instant, also where the schedule still names the one that it has', async () => {
    const { stored, row } = saved(atHour(9.5));
    await useDatabase('Europe/London');
    expect(rowOf(decideRepair(stored, [row], atHour(9.75)))).toMatchObject({
      scheduledFor: atHour(10),
      plannedFrom: atHour(9.5),
    });
    // A row that does not tell what it was planned from cannot know.
    const { plannedFrom: _, ...older } = row;
    expect(decideRepair(stored, [older], atHour(9.75))).toEqual([]);
  });

  test('gives way to an earlier instant that is past, which is then late by the rule for missed runs', async () => {
    const { stored, row } = saved(atHour(9.5));
    await useDatabase('Europe/London');
    for (const now of [atHour(10.5), atHour(11.5)]) {
      const repaired = rowOf(decideRepair(stored, [row], now));
      expect(repaired.scheduledFor).toBe(atHour(10));
      const all = { ...stored, rules: { ...stored.rules, missed: { kind: 'all', limit: 5 } as const } };
      expect(planDue(repaired, all, now)).toMatchObject({ run: { scheduledFor: atHour(10) }, missed: [] });
    }
  });

  test('gives way to a later instant where the schedule does not name the one that it has any more', async () => {
    const { stored, row } = saved(atHour(8.25));
    expect(row.scheduledFor).toBe(atHour(9));
    await useDatabase('Europe/London');
    const repaired = rowOf(decideRepair(stored, [row], atHour(8.5)));
    expect(repaired).toMatchObject({ scheduledFor: atHour(10), plannedFrom: atHour(8.25) });
    await useDatabase(ZONE);
    expect(rowOf(decideRepair(stored, [repaired], atHour(8.6)))).toEqual(row);
  });

  test('is kept once it is due, when the schedule does not name it any more: it was promised', async () => {
    const { stored, row } = saved(atHour(8.25));
    await useDatabase('Europe/London');
    expect(decideRepair(stored, [row], atHour(9))).toEqual([]);
    expect(planDue(row, stored, atHour(9)).run).toMatchObject({ scheduledFor: atHour(9) });
  });

  test('stays as it is with the same database, whatever the clock shows', () => {
    const { stored, row } = saved(atHour(9.5));
    for (const now of [atHour(7), atHour(9.5), atHour(10.9), atHour(11), atHour(30), MONDAY + 400 * DAY_MS])
      expect(decideRepair(stored, [row], now)).toEqual([]);
    // By more than three hours the clock went back over an instant that was past.
    expect(rowOf(decideRepair(stored, [row], atHour(5)))).toMatchObject({ scheduledFor: atHour(8) });
  });
});

describe('the time from which a paused automation owes, by another zone database', () => {
  /** The automation as paused at `at`, with what it owes from. */
  const paused = (at: EpochMs) => {
    const { stored, row } = saved(at);
    const decision = decideSave(
      { stored, agenda: [row], decided: new Set() },
      { id: stored.id, definition: { ...definition(), schedule, enabled: false }, now: at, newId: runIds() },
    );
    if (decision.result.kind !== 'saved') throw new Error(decision.result.kind);
    return decision.result.automation;
  };
  const owedFrom = (of: Automation, now: EpochMs): (EpochMs | undefined)[] =>
    decideRepair(of, [], now).map((write) =>
      write.op === 'put' && write.store === 'automations' ? write.row.pausedFrom : undefined,
    );

  test('gives way to a later one and to an earlier one, which may be past', async () => {
    const soon = paused(atHour(8.25));
    expect(soon.pausedFrom).toBe(atHour(9));
    await useDatabase('Europe/London');
    const later = paused(atHour(11.5));
    expect(later.pausedFrom).toBe(atHour(13));
    expect(owedFrom(soon, atHour(8.5))).toEqual([atHour(10)]);
    // Paused on Sunday night, it owes from the first of Monday.
    const early = paused(atHour(-1));
    expect(early.pausedFrom).toBe(atHour(10));
    await useDatabase('Asia/Tokyo');
    for (const now of [atHour(0), atHour(1.5), atHour(30)]) expect(owedFrom(early, now)).toEqual([atHour(1)]);
  });

  test('is not before what it was, where it was edited since', async () => {
    const edited = { ...paused(atHour(8.25)), updatedAt: atHour(12) };
    await useDatabase('Europe/London');
    expect(owedFrom(edited, atHour(12.5))).toEqual([atHour(10)]);
  });

  test('is decided once, and stays as it is with the same database, whatever the clock shows', async () => {
    const stored = paused(atHour(8.25));
    for (const now of [atHour(7), atHour(9), atHour(30), MONDAY + 400 * DAY_MS])
      expect(decideRepair(stored, [], now)).toEqual([]);
    await useDatabase('Europe/London');
    const repaired = { ...stored, pausedFrom: atHour(10) };
    for (const now of [atHour(9), atHour(30)]) expect(decideRepair(repaired, [], now)).toEqual([]);
  });
});
