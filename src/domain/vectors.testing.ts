/**
 * What Rota makes of each vector of schedule.vectors.json, beside what the vector wants. The same code judges in Node and
 * in a page of every engine, with the engine's own Temporal and with the polyfill: e2e/vectors.
 */
import type { MissedRule } from './rules.ts';
import { parseCron } from './cron.ts';
import { planDue } from './due.ts';
import { decideRepair, decideSetEnabled } from './edit.ts';
import { nextAfter } from './instants.ts';
import { previewSchedule } from './preview.ts';
import { agendaRows, automation, automationAfter, dueRow, runIds, runRows } from './samples.testing.ts';
import { problemsOf } from './schedule-problems.ts';
import type { Schedule } from './schedule.ts';
import vectors from './schedule.vectors.json' with { type: 'json' };
import { type EpochMs, HOUR_MS, MINUTE_MS, SECOND_MS } from './time.ts';
import { resolveLocal } from './zone.ts';

/** The groups of the vectors. */
export const VECTOR_GROUPS = [
  'cron',
  'syntax',
  'interval',
  'calendarInterval',
  'oneOff',
  'dispatch',
] as const;
export type VectorGroup = (typeof VECTOR_GROUPS)[number];

/** One vector: what came out and what should have. They are equal when they are as JSON. */
export interface Judged {
  readonly id: string;
  readonly note: string;
  readonly got: unknown;
  readonly wanted: unknown;
  /** What the clock of a zone shows at the instants that are wanted, by the zone database that the vectors were made with. */
  readonly clock?: readonly ClockTime[];
}

/** The wall clock of `timeZone` shows `local` at `at`; both as ISO text, the first without an offset. */
export interface ClockTime {
  readonly timeZone: string;
  readonly at: string;
  readonly local: string;
}

type DispatchVector = (typeof vectors.dispatch)[number];

/** Each vector of `group`. Wants `prepareTime`. */
export function judge(group: VectorGroup): readonly Judged[] {
  switch (group) {
    case 'cron':
      return vectors.cron.map(({ id, note, expr, tz, from, n, expect, expectLocal }) => {
        const schedule: Schedule = { kind: 'cron', expression: expr, timeZone: tz };
        const refused = problemsOf(schedule).map(({ path }) => path);
        if (expect.length === 0) return { id, note, got: refused, wanted: ['schedule.expression'] };
        const shown = previewSchedule(schedule, instant(from), n, tz).map(({ local }) => local);
        return {
          id,
          note,
          got: [refused, next(schedule, from, n), shown],
          wanted: [[], expect, expectLocal.map((text) => `${text.replace(/Z$/, '+00:00')}[${tz}]`)],
          clock: expect.map((at, index) => ({
            timeZone: tz,
            at,
            local: String(expectLocal[index]).slice(0, 19),
          })),
        };
      });
    case 'syntax':
      return vectors.syntax.map(({ id, note, expr, verdict }) => {
        // Of the two that the vectors leave open, a backward range is refused and a question mark is a star.
        const refused = verdict.startsWith('reject') || expr.includes('FRI-MON');
        return { id, note, got: parseCron(expr).kind, wanted: refused ? 'invalid' : 'ok' };
      });
    case 'interval':
      return vectors.interval.map(({ id, note, every, anchor, from, n, expect: wanted }) => {
        const schedule: Schedule = { kind: 'every', everyMs: every * SECOND_MS, anchor: instant(anchor) };
        return { id, note, got: next(schedule, from, n), wanted };
      });
    case 'calendarInterval':
      return vectors.calendarInterval.map(({ id, note, anchorLocal, months, tz, n, expect: wanted }) => {
        const first = { first: anchorLocal, timeZone: tz, overflow: 'clamp' } as const;
        const schedule: Schedule = { kind: 'calendar', every: months, unit: 'months', ...first };
        return { id, note, got: next(schedule, '1970-01-01T00:00:00Z', n), wanted };
      });
    case 'oneOff':
      return vectors.oneOff.map((vector) => {
        const { id, note, tz, local, gapMinutes = 0 } = vector;
        const resolved = resolveLocal(tz, instant(`${local}Z`));
        const at = instant(vector.firstValid ?? vector.first);
        const jumpMs = gapMinutes * MINUTE_MS;
        const isMissing = jumpMs > 3 * HOUR_MS;
        const due = next({ kind: 'date', local, timeZone: tz }, '1970-01-01T00:00:00Z', 2);
        const wanted =
          jumpMs === 0 ? { kind: 'exact', at } : { kind: isMissing ? 'missing' : 'gap', at, jumpMs };
        return { id, note, got: [resolved, due], wanted: [wanted, isMissing ? [] : [textOf(at)]] };
      });
    case 'dispatch':
      return vectors.dispatch.map((vector) => ({ id: vector.id, note: vector.note, ...live(vector) }));
  }
}

function instant(text: string): EpochMs {
  return Date.parse(text);
}

/** As the vectors write it. */
function textOf(at: EpochMs): string {
  return new Date(at).toISOString().replace('.000Z', 'Z');
}

function next(schedule: Schedule, from: string, count: number): readonly string[] {
  const texts: string[] = [];
  let at = nextAfter(schedule, instant(from));
  while (at !== null && texts.length < count) {
    texts.push(textOf(at));
    at = nextAfter(schedule, at);
  }
  return texts;
}

interface DispatchStep {
  readonly at: string;
  readonly dispatched?: readonly string[];
  readonly coalesced?: number;
  readonly missed: number;
  readonly dispatchedCount?: number;
  readonly first?: string;
  readonly last?: string;
}

const RULES: Readonly<Record<string, MissedRule['kind']>> = { latest: 'once', all: 'all', skip: 'skip' };

/** Lets the steps of `vector` happen: wake-ups of a host, pauses, and a watermark that is lost. */
function live(vector: DispatchVector): Pick<Judged, 'got' | 'wanted'> {
  const end = 'endAt' in vector ? { end: vector.endAt.slice(0, 16) } : {};
  const schedule: Schedule = { kind: 'cron', expression: vector.expr, timeZone: vector.tz, ...end };
  const missed = {
    kind: RULES[vector.catchUp] ?? 'once',
    ...(vector.deadlineMs === null ? {} : { maxAgeMs: vector.deadlineMs }),
  };
  let of = automation({ schedule, rules: { missed } });
  let pending: EpochMs | null = nextAfter(schedule, instant(vector.start));
  /** Instants that have a row of their own key. */
  const ledger = new Set<EpochMs>();
  const newId = runIds();
  const expected = new Map((vector.expect as readonly DispatchStep[]).map((step) => [step.at, step]));
  const got: unknown[] = [];
  const wanted: unknown[] = [];

  for (const step of vector.steps) {
    const [command, text] = /^[A-Z]+:/.test(step)
      ? [step.slice(0, step.indexOf(':')), step.slice(step.indexOf(':') + 1)]
      : ['', step];
    const now = instant(text);
    const agenda = pending === null ? [] : [dueRow(pending)];
    if (command === 'RESET') {
      pending = nextAfter(schedule, now);
      continue;
    }
    if (command === 'PAUSE' || command === 'RESUME') {
      const state = { stored: of, agenda, decided: ledger };
      const { writes } = decideSetEnabled(state, command === 'RESUME', { now, newId });
      of = automationAfter(writes) ?? of;
      pending = agendaRows(writes)[0]?.scheduledFor ?? null;
      for (const row of runRows(writes)) ledger.add(row.scheduledFor);
      continue;
    }
    // A wake-up of a host: repair what a clock that went back has left, then claim until nothing is due.
    for (const row of agendaRows(decideRepair(of, agenda, now))) pending = row.scheduledFor;
    const dispatched: string[] = [];
    let unrun = 0;
    while (pending !== null && pending <= now) {
      const plan = planDue(dueRow(pending), of, now, ledger);
      for (const { covers } of plan.missed) {
        unrun += covers.count;
        ledger.add(covers.to);
      }
      if (plan.run !== null) {
        dispatched.push(textOf(plan.run.scheduledFor));
        ledger.add(plan.run.scheduledFor);
      }
      pending = plan.next;
    }
    const want = expected.get(text);
    if (want === undefined) throw new Error(`no expectation for ${text}`);
    const total = { at: text, unrun: (want.coalesced ?? 0) + want.missed };
    if (want.dispatched !== undefined) {
      got.push({ at: text, unrun, dispatched });
      wanted.push({ ...total, dispatched: want.dispatched });
    } else {
      const { dispatchedCount: count, first, last } = want;
      got.push({ at: text, unrun, count: dispatched.length, first: dispatched[0], last: dispatched.at(-1) });
      wanted.push({ ...total, count, first, last });
    }
  }
  return { got, wanted };
}
