import { describe, expect, test } from 'vitest';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../domain/index.ts';
import { neverText, tooOftenText } from './preview-remarks.ts';

const every = (gap: number, count = 10): number[] => Array.from({ length: count }, (_, n) => n * gap);

describe('that a schedule runs too often', () => {
  test.each([
    ['http', SECOND_MS, 'At this pace, 86,400 requests a day.'],
    ['http', MINUTE_MS, 'At this pace, 1,440 requests a day.'],
    ['watch', MINUTE_MS, 'At this pace, 1,440 looks a day.'],
    ['prompt', 2 * MINUTE_MS, 'At this pace, 720 prompts a day.'],
    ['remind', 30 * SECOND_MS, 'At this pace, 2,880 reminders a day.'],
    ['script', SECOND_MS, 'At this pace, 86,400 runs a day.'],
    ['steps', SECOND_MS, 'At this pace, 86,400 runs a day.'],
  ] as const)('is said of %s every %d ms', (kind, gap, sentence) => {
    expect(tooOftenText(kind, every(gap))).toBe(sentence);
  });

  test('is not said of one in five minutes, nor of a single run or of none', () => {
    expect(tooOftenText('http', every(5 * MINUTE_MS))).toBeNull();
    expect(tooOftenText('http', every(HOUR_MS))).toBeNull();
    expect(tooOftenText('http', every(SECOND_MS, 1))).toBeNull();
    expect(tooOftenText('http', [])).toBeNull();
  });
});

describe('that a schedule never runs', () => {
  test('is said where it has no run to come, and of a single time why', () => {
    expect(neverText('cron', [])).toBe('It has no run to come.');
    expect(neverText('every', [])).toBe('It has no run to come.');
    expect(neverText('once', [])).toBe('It has no run to come: this time has passed.');
    expect(neverText('date', [])).toBe('It has no run to come: this time has passed.');
  });

  test('is not said where it has one, nor of what waits for a person or for another automation', () => {
    expect(neverText('cron', [1])).toBeNull();
    expect(neverText('manual', [])).toBeNull();
    expect(neverText('after', [])).toBeNull();
  });
});
