import { describe, expect, test } from 'vitest';
import type { RecentRun, RunId, RunStatus } from '../../domain/index.ts';
import { RUN_STATUSES } from '../../domain/index.ts';
import { bytesText, countText, listText } from './counts.ts';
import { durationText, elapsedText, latenessText } from './durations.ts';
import { errorText } from './errors.ts';
import { ordinalText } from './ordinals.ts';
import { resultText, statusOf, statusWord, tallyText } from './status.ts';

const run = (status: Exclude<RunStatus, 'running'>, more: Partial<RecentRun> = {}): RecentRun => ({
  id: 'x' as RunId,
  status,
  at: 0,
  ...more,
});

test('durations are said in two units at most and never rounded up', () => {
  expect(
    [0, 86, 999, 1_450, 9_999, 42_900, 200_000, 7_500_000, 26 * 3_600_000, 49 * 3_600_000].map(durationText),
  ).toEqual([
    '0 ms',
    '86 ms',
    '999 ms',
    '1.4 s',
    '9.9 s',
    '42 s',
    '3 min 20 s',
    '2 h 5 min',
    '1 day 2 h',
    '2 days 1 h',
  ]);
  expect([0, 59_999, 60_000].map(elapsedText)).toEqual(['0 s', '59 s', '1 min']);
  expect(elapsedText(-50), 'a clock that was set back').toBe('0 s');
});

test('a lateness is told from half a minute on', () => {
  expect(latenessText(29_999)).toBeNull();
  expect(latenessText(6 * 3_600_000)).toBe('6 h late');
});

test('counts, lists, ordinals and sizes read as English', () => {
  expect([countText(1, 'tab'), countText(4, 'tab'), countText(1204, 'entry', 'entries')]).toEqual([
    '1 tab',
    '4 tabs',
    '1,204 entries',
  ]);
  expect([listText([]), listText(['a']), listText(['a', 'b']), listText(['a', 'b', 'c'])]).toEqual([
    '',
    'a',
    'a and b',
    'a, b and c',
  ]);
  expect([1, 2, 3, 4, 11, 12, 13, 21, 22, 31].map(ordinalText).join(' ')).toBe(
    '1st 2nd 3rd 4th 11th 12th 13th 21st 22nd 31st',
  );
  expect([1, 412, 1_200, 18_400_000, 5e12].map(bytesText)).toEqual([
    '1 byte',
    '412 bytes',
    '1.2 kB',
    '18.4 MB',
    '5,000 GB',
  ]);
});

describe('how runs went', () => {
  test('every status has a word of its own', () => {
    const words = [...RUN_STATUSES, 'may-have-happened' as const].map(statusWord);
    expect(new Set(words).size).toBe(words.length);
  });

  test('an interrupted run whose effect may have happened is called that', () => {
    expect(statusOf({ status: 'interrupted', mayHaveHappened: true })).toBe('may-have-happened');
    expect(statusOf({ status: 'interrupted' })).toBe('interrupted');
  });

  test('the tally counts each instant that a missed row stands for, gravest after the good', () => {
    expect(tallyText([])).toBe('');
    expect(
      tallyText(
        [
          run('missed', { count: 7 }),
          run('succeeded'),
          run('failed'),
          run('succeeded'),
          run('interrupted', { mayHaveHappened: true }),
        ],
        1,
      ),
    ).toBe('1 running, 2 ok, 1 failed, 1 may have happened, 7 missed');
  });

  test('the line under a result says what came of it, or why nothing did', () => {
    expect(resultText(run('succeeded', { summary: '200 in 86 ms.' }))).toBe('200 in 86 ms');
    expect(resultText(run('missed', { reason: 'closed', count: 7 }))).toBe('7 times, the browser was closed');
    expect(resultText(run('skipped', { reason: 'overlap', count: 1 }))).toBe(
      'the run before was still active',
    );
    expect(resultText(run('cancelled', { reason: 'person', summary: '' }))).toBe('by you');
    expect(resultText(run('succeeded'))).toBe('');
  });
});

test('an error of a code that this build does not know is still said', () => {
  expect(errorText('brand-new' as never)).toEqual(errorText('internal'));
});

test('a run that a limit stopped is called so, and is told from one that failed', () => {
  const stopped = run('failed', { reason: 'limit' });
  expect(statusWord(statusOf(stopped))).toBe('Stopped: limit');
  expect(tallyText([stopped, run('failed', { reason: 'action' })])).toBe('1 failed, 1 stopped at a limit');
});
