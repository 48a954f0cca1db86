/** Whether the editor's choices and a cron rule say the same, both ways, and what one cannot show is not lost by it. */
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { type EpochMs, type Schedule, nextAfter, prepareTime, problemsOf } from '../../domain/index.ts';
import vectors from '../../domain/schedule.vectors.json' with { type: 'json' };
import { type EditorForm, emptyForm, readSchedule } from './editor-form.ts';
import { type ScheduleChoice, carriedOver, whenOf } from './editor-when-form.ts';

const context = { now: Date.parse('2026-11-29T14:52:10Z'), zone: 'Europe/Paris' };
const STARTS = ['2026-02-27T12:00Z', '2026-10-24T12:00Z', '2028-02-27T00:00Z'].map((text) =>
  Date.parse(text),
);
const CRON_CHOICES = ['days', 'month', 'cron'] as const satisfies readonly ScheduleChoice[];
beforeAll(() => prepareTime());

const cron = (expression: string, timeZone = 'America/New_York'): Schedule => ({
  kind: 'cron',
  expression,
  timeZone,
});

function opened(schedule: Schedule): EditorForm {
  return { ...emptyForm(context), ...whenOf(schedule, context.zone) };
}

/** As a press on another choice changes the form. */
function chosen(form: EditorForm, scheduleKind: ScheduleChoice): EditorForm {
  return { ...form, scheduleKind, ...carriedOver(form, scheduleKind) };
}

function said(form: EditorForm): Schedule {
  const read = readSchedule(form, context);
  if (read.kind !== 'ok') throw new Error(JSON.stringify(read.problems));
  return read.value;
}

function instants(schedule: Schedule): readonly (EpochMs | null)[] {
  return STARTS.flatMap((from) => {
    const at: (EpochMs | null)[] = [];
    let next: EpochMs | null = from;
    for (let n = 0; n < 6 && next !== null; n += 1) {
      next = nextAfter(schedule, next);
      at.push(next);
    }
    return at;
  });
}

/** Everything that must hold of `expression`; answers with the choice that it is opened as. */
function hold(expression: string): ScheduleChoice {
  const schedule = cron(expression);
  const form = opened(schedule);
  const kind = form.scheduleKind;
  expect(said(form), `${expression} as ${kind}`).toEqual(schedule);
  expect(said(chosen(form, 'cron')), `${expression}, seen as a rule`).toEqual(schedule);
  for (const other of ['manual', 'every', 'once', 'calendar', 'days', 'month', 'cron'] as const) {
    const back = chosen(chosen(form, other), kind);
    expect(said(back), `${expression}, by ${other} and back`).toEqual(schedule);
  }
  if (kind !== 'cron') {
    // Without the words of the rule only the choices speak.
    const anew = said({ ...form, expression: '* * * * *' });
    expect(instants(anew), `${expression} as ${kind}`).toEqual(instants(schedule));
    // And what the choices wrote is opened as the same choices.
    expect(opened(anew)).toMatchObject({ scheduleKind: kind, [kind]: form[kind as 'days' | 'month'] });
  }
  return kind;
}

describe('a cron rule is opened, shown in each way and saved as it was:', () => {
  test.each([...new Set(vectors.cron.map(({ expr }) => expr))])('%s', (expression) => {
    // A rule that can never run is never opened: it was not saved.
    if (problemsOf(cron(expression)).length > 0) return;
    expect(CRON_CHOICES).toContain(hold(expression));
  });

  test('any, those with choices of their own among them', () => {
    const whole = (least: number, most: number) => fc.integer({ min: least, max: most }).map(String);
    const day = fc.constantFrom('0', '1', '5', '7', 'SUN', 'mon', 'Fri', 'sat');
    const expression = fc
      .tuple(
        fc.oneof(whole(0, 59), fc.constantFrom('00', '05', '*/15', '*')),
        fc.oneof(whole(0, 23), fc.constantFrom('00', '09', '*/6', '9-17')),
        fc.oneof(
          { weight: 4, arbitrary: fc.constantFrom('*', '?') },
          whole(1, 31),
          fc.constantFrom('01', 'L', 'l', 'LW', '15W', 'L-2', '1,15'),
        ),
        fc.oneof({ weight: 4, arbitrary: fc.constant('*') }, fc.constantFrom('6-8', 'jan', '2')),
        fc.oneof(
          { weight: 2, arbitrary: fc.constant('*') },
          day,
          fc.array(day, { minLength: 2, maxLength: 3 }).map((days) => days.join(',')),
          fc.constantFrom(
            '1-5',
            'mon-fri',
            '5-7',
            '0-6',
            '0-7',
            'sun-sat',
            '*/2',
            '1#1',
            'FRI#L',
            '5L',
            'mon#5',
            '+fri',
          ),
        ),
      )
      .map((fields) => fields.join(' '));
    const seen = new Map<ScheduleChoice, number>();
    fc.assert(
      fc.property(expression, (rule) => {
        if (problemsOf(cron(rule)).length > 0) return;
        const kind = hold(rule);
        seen.set(kind, (seen.get(kind) ?? 0) + 1);
      }),
      { numRuns: 600 },
    );
    for (const kind of CRON_CHOICES) expect(seen.get(kind) ?? 0, kind).toBeGreaterThan(15);
  });
});

test('what is chosen in days or in a month is the rule that is shown then, and comes back from it', () => {
  const time = fc
    .tuple(fc.integer({ min: 0, max: 23 }), fc.integer({ min: 0, max: 59 }))
    .map((parts) => parts.map((part) => String(part).padStart(2, '0')).join(':'));
  const weekday = fc.constantFrom(0, 1, 2, 3, 4, 5, 6);
  const change = fc.oneof(
    fc.record({
      scheduleKind: fc.constant('days' as const),
      days: fc.record({
        days: fc.subarray([0, 1, 2, 3, 4, 5, 6] as const, { minLength: 1 }).map((days) => [...days]),
        time,
      }),
    }),
    fc.record({
      scheduleKind: fc.constant('month' as const),
      month: fc.record({
        on: fc.constantFrom('date' as const, 'nth' as const, 'last-day' as const, 'last-weekday' as const),
        date: fc.integer({ min: 1, max: 31 }).map(String),
        nth: fc.constantFrom('1' as const, '2' as const, '3' as const, '4' as const, 'L' as const),
        weekday,
        time,
      }),
    }),
  );
  fc.assert(
    fc.property(change, fc.constantFrom('0 9 * * 7', '0 9 1 * *', '*/5 * * * *'), (typed, before) => {
      const form: EditorForm = { ...opened(cron(before)), ...typed };
      const shown = chosen(form, 'cron');
      const isPlain = !before.startsWith('*/');
      // A rule that no choice can show is not written over by one.
      if (!isPlain) expect(shown.expression).toBe(before);
      else {
        expect(instants(said(shown))).toEqual(instants(said(form)));
        expect(instants(said(chosen(shown, typed.scheduleKind)))).toEqual(instants(said(form)));
      }
      expect(said(chosen(chosen(form, 'manual'), typed.scheduleKind))).toEqual(said(form));
    }),
    { numRuns: 300 },
  );
});
