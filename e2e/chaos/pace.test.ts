import { describe, expect, test } from 'vitest';
import { Pace } from './pace.ts';
import { type Probe, slowIn } from './pace-meter.ts';

describe('The time of the machine', () => {
  test('is the time of the clock where nothing was slow', () => {
    const pace = new Pace([]);
    expect(pace.between(1_000, 3_000)).toBe(2_000);
    expect(pace.between(3_000, 1_000)).toBe(0);
    expect(pace.between(1_000, Infinity)).toBe(Infinity);
    expect(pace.after(1_000, 500)).toBe(1_500);
  });

  test('counts for as much as was done in it, and for the least where that was measured twice', () => {
    const pace = new Pace([
      { from: 2_000, until: 4_000, pace: 0.5 },
      { from: 3_000, until: 3_500, pace: 0 },
      { from: 9_000, until: 9_100, pace: 0.1 },
    ]);
    expect(pace.between(0, 1_000)).toBe(1_000);
    expect(pace.between(1_500, 2_500)).toBe(500 + 250);
    expect(pace.between(3_100, 3_400)).toBe(0);
    expect(pace.between(0, 10_000)).toBe(10_000 - 1_000 - 250 - 90);
    expect(pace.between(9_200, 9_300)).toBe(100);
  });

  test('has passed by the first moment by which it counts', () => {
    const pace = new Pace([
      { from: 2_000, until: 4_000, pace: 0.5 },
      { from: 3_000, until: 3_500, pace: 0 },
    ]);
    expect(pace.after(0, 1_500)).toBe(1_500);
    expect(pace.after(1_900, 200)).toBe(2_200);
    expect(pace.after(1_900, 601)).toBe(3_502);
    expect(pace.after(5_000, 7)).toBe(5_007);
    for (const [from, long] of [
      [500, 2_000],
      [2_100, 700],
      [3_200, 400],
    ] as const) {
      expect(pace.between(from, pace.after(from, long))).toBeCloseTo(long, 6);
    }
  });
});

describe('A machine', () => {
  const each = (took: readonly number[]): readonly Probe[] =>
    took.map((long, n) => [n * 1_000, n * 1_000 + long]);

  test('that always takes about as long was never slow', () => {
    expect(slowIn(each([6, 7, 9, 6, 8, 12, 6]))).toEqual([]);
    expect(slowIn([])).toEqual([]);
  });

  test('that once took ten times as long as at best was slow since it was looked at before, and by how much', () => {
    expect(slowIn(each([6, 7, 60, 6]))).toEqual([{ from: 1_007, until: 2_060, pace: 0.2 }]);
  });
});
