import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { type LinedRun, type RunLine, daysIn, joinLines, lineOf, repeatOf } from './run-lines.ts';
import type { DefinitionInput } from './definition.ts';
import type { RunRow } from './run.ts';
import { MONDAY, activeRun, automation, automationId, runId } from './samples.testing.ts';
import { prepareTime } from './temporal.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from './time.ts';

beforeAll(() => prepareTime({ polyfill: 'always' }));

/** Newest first: `A=` a run of A that says nothing new, `A!` one that says something; minutes apart. */
function runs(text: string): readonly LinedRun[] {
  const words = text.split(' ').filter((word) => word !== '');
  return words.map((word, index) => ({
    id: runId(1_000 - index),
    automationId: automationId(word.charCodeAt(0)),
    automationName: word.charAt(0),
    claimedAt: MONDAY - index * MINUTE_MS,
    ...(word.endsWith('!') ? {} : { repeats: word.slice(2) }),
  }));
}
const fold = (list: readonly LinedRun[], dayOf?: (at: number) => number) =>
  joinLines([], list.map(lineOf), dayOf);
const told = (lines: readonly RunLine<LinedRun>[]): string =>
  lines.map(({ run, count }) => `${run.automationName}${count}`).join(' ');

describe('runs that say nothing new', () => {
  test.each([
    ['one after the other are one line', 'A= A= A=', 'A3'],
    ['of several automations are one line each, where their newest is', 'A= B= A= B= B= A=', 'A3 B3'],
    ['are not folded across one that says something, whosever it is', 'A= B= B! A= A= B=', 'A1 B1 B1 A2 B1'],
    ['are not folded when what they say is another', 'A=x A=x A=y A=x', 'A2 A1 A1'],
    ['are nothing when there are none', '', ''],
  ])('%s', (_, given, expected) => {
    expect(told(fold(runs(given)))).toBe(expected);
  });

  test('are a line with the newest of them, how many they are, and the oldest', () => {
    const list = runs('A= B= A= A=');
    const [line] = fold(list);
    expect(line).toEqual({
      run: list[0],
      count: 3,
      oldest: { id: list[3]?.id, claimedAt: list[3]?.claimedAt },
    });
  });

  test('are not folded over a midnight where a line is of one day', () => {
    const dayOf = daysIn('Europe/Berlin');
    // Midnight in Berlin is 23:00 UTC, 60 minutes before.
    expect(told(fold(runs(Array(70).fill('A=').join(' ')), dayOf))).toBe('A61 A9');
    expect(told(fold(runs(Array(70).fill('A=').join(' '))))).toBe('A70');
  });

  test('are not folded with those of before a rename', () => {
    const [first, second] = runs('A= A=');
    if (first === undefined || second === undefined) throw new Error('two were asked for');
    expect(told(fold([first, { ...second, automationName: 'Old' }]))).toBe('A1 Old1');
  });

  test('are the same lines however a history is cut into pages, and read from either end', () => {
    const word = fc.constantFrom('A=', 'A=x', 'A!', 'B=', 'B=x', 'B!', 'C=');
    fc.assert(
      fc.property(
        fc.array(word, { maxLength: 24 }),
        fc.array(fc.nat(24), { maxLength: 5 }),
        (words, cuts) => {
          const list = runs(words.join(' '));
          const bounds = [0, ...cuts.filter((cut) => cut <= list.length).sort((a, b) => a - b), list.length];
          const pages = bounds.slice(1).map((bound, at) => fold(list.slice(bounds[at], bound)));
          const whole = fold(list);
          const down = pages.reduce<readonly RunLine<LinedRun>[]>(
            (lines, page) => joinLines(lines, page),
            [],
          );
          const up = pages.reduceRight<readonly RunLine<LinedRun>[]>(
            (lines, page) => joinLines(page, lines),
            [],
          );
          expect(down).toEqual(whole);
          expect(up).toEqual(whole);
          expect(whole.reduce((sum, { count }) => sum + count, 0)).toBe(list.length);
        },
      ),
    );
  });
});

test('days are counted as the wall clock has them, over a change of the clocks', () => {
  const dayOf = daysIn('Europe/Berlin');
  const last = Date.UTC(2026, 2, 28, 22, 59);
  expect(dayOf(last + 2 * MINUTE_MS) - dayOf(last)).toBe(1);
  // The 29th has 23 hours.
  expect(dayOf(last + 22 * HOUR_MS) - dayOf(last)).toBe(1);
  expect(dayOf(last + 23 * HOUR_MS + 2 * MINUTE_MS) - dayOf(last)).toBe(2);
  expect(dayOf(last - 400 * DAY_MS) - dayOf(last)).toBe(-400);
});

describe('what came of a run in few words', () => {
  const http: DefinitionInput['action'] = { kind: 'http', url: 'https://a.test/' };
  const watch: DefinitionInput['action'] = {
    kind: 'watch',
    url: 'https://a.test/',
    part: { kind: 'text' },
  };
  const script: DefinitionInput['action'] = { kind: 'script', source: '1' };
  const prompt: DefinitionInput['action'] = {
    kind: 'prompt',
    endpoint: { protocol: 'openai', baseUrl: 'http://localhost:11434/v1' },
    model: 'm',
    prompt: 'p',
  };
  const steps = (...actions: DefinitionInput['action'][]): DefinitionInput['action'] =>
    ({ kind: 'steps', steps: actions.map((action) => ({ action })) }) as DefinitionInput['action'];

  function row(action: DefinitionInput['action'], summary: string, more: object = {}): RunRow {
    const run = activeRun(automation({ action }), MONDAY);
    return { ...run, status: 'succeeded', settledAt: MONDAY + 5, summary, ...more } as unknown as RunRow;
  }

  test.each<[DefinitionInput['action'], string, string | null]>([
    [http, '200 OK, 1.2 kB in 84 ms', '200 OK'],
    [http, '200 OK, 12 MB in 1 min 5 s, the first 1 MB kept', '200 OK'],
    [http, '204, 0 B in 3 ms', '204'],
    [http, 'Something answered in 84 ms; what it said cannot be read', 'something answered'],
    [watch, 'No change since Mon 14:02', 'no change'],
    [watch, 'Still gone, since Mon 14:02', 'still gone'],
    [watch, '1 line added since Mon 14:02, fewer than the 3 that count', 'no change that counts'],
    [watch, '2 new items: A, B', null],
    [watch, '“1 €” became “2 €”', null],
    [watch, 'First look: 3 lines', null],
    [watch, 'There again, as it was', null],
    [watch, 'Gone: nothing matches “#a” any more', null],
    [prompt, 'Nothing today · 240 tokens in 2.1 s', 'Nothing today'],
    [prompt, 'A long answer that was… · 240 tokens in 2.1 s', null],
    [script, 'Returned 4', 'Returned 4'],
    [script, 'Returned [1,2,…', null],
    [script, 'Done after 4 ms of computing', 'done'],
    [{ kind: 'remind', message: 'Stretch.' }, 'Stretch.', 'Stretch.'],
    [steps(http, script), '2 steps: Returned 4', 'Returned 4'],
    [steps(http, script), '1 step, 1 left out: Returned 4', null],
    [steps(watch, script), '2 steps: Returned 4', null],
  ])('of %j that says “%s” is %j', (action, summary, expected) => {
    expect(repeatOf(row(action, summary))).toBe(expected);
  });

  test.each<[string, object]>([
    [
      'failed',
      { status: 'failed', reason: 'action', failure: { class: 'action', code: 'x', message: 'No.' } },
    ],
    ['was interrupted', { status: 'interrupted' }],
    ['timed out', { status: 'timed-out' }],
    ['was cancelled', { status: 'cancelled', reason: 'person' }],
    ['still runs', { status: 'running' }],
    ['was missed', { status: 'missed', reason: 'closed' }],
    ['was started by hand', { cause: 'manual' }],
    ['was tried again', { cause: 'retry' }],
    ['was late', { latenessMs: 30_000 }],
    ['came in with a file', { imported: { from: 'rota', at: MONDAY } }],
  ])('is never said of one that %s', (_, more) => {
    expect(repeatOf(row(http, '200 OK, 1 B in 1 ms', more))).toBeNull();
  });

  test('is not said where its rule looks for results that differ', () => {
    const one = row(http, '200 OK, 1 B in 1 ms') as Extract<RunRow, { definition: unknown }>;
    const rules = { ...one.definition.rules, notify: { result: 'change' as const } };
    expect(repeatOf(one)).toBe('200 OK');
    expect(repeatOf({ ...one, definition: { ...one.definition, rules } })).toBeNull();
  });
});
