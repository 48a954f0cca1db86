import { describe, expect, test } from 'vitest';
import { type Figure, isMet, quantile, ratio, tableOf } from './figures.mjs';

const figure = (rest: Partial<Figure>): Figure => ({
  what: 'claim / one put',
  value: 1.5,
  unit: '×',
  sides: {},
  ...rest,
});

describe('figures of the benchmark', () => {
  test('a quantile is a sample that was measured, whatever the order of the samples', () => {
    const samples = [30, 10, 20, 50, 40];
    expect([0, 0.25, 0.5, 0.95, 1].map((share) => quantile(samples, share))).toEqual([10, 20, 30, 40, 50]);
    expect(samples).toEqual([30, 10, 20, 50, 40]);
  });

  test('a ratio is that of the medians, so that one slow sample does not decide it', () => {
    expect(ratio([2, 2, 900], [1, 1, 1])).toBe(2);
  });

  test.each([
    [{ value: 2, target: { most: 2 } }, true],
    [{ value: 2.01, target: { most: 2 } }, false],
    [{ value: 500, target: { least: 500 } }, true],
    [{ value: 499, target: { least: 500 } }, false],
    [{ value: NaN, target: { most: 2 } }, false],
    [{ value: NaN, target: { least: 2 } }, false],
    [{ value: 2 }, null],
  ])('%j meets its target: %j', (rest, met) => {
    expect(isMet(figure(rest))).toBe(met);
  });

  test('the table has a line for each figure, with its target, the medians and their spread', () => {
    const lines = tableOf([
      figure({ target: { most: 2 }, sides: { claim: [1, 2, 3, 4], put: [1] }, remark: 'on a busy machine' }),
      figure({ what: 'runs beyond one', value: 3, unit: '', target: { most: 0 } }),
    ]).split('\n');
    expect(lines.map((line) => line.replaceAll(/ +/g, ' '))).toEqual([
      '| what | measured | target | met | medians (middle half), ms |',
      expect.stringMatching(/^\|( -+ \|){5}$/),
      '| claim / one put | 1.50 × | at most 2 × | yes | claim 2 (1 to 3, n 4); put 1; on a busy machine |',
      '| runs beyond one | 3 | at most 0 | **no** | |',
    ]);
  });
});
