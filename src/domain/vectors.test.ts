/** All vectors, with the polyfill and, in a Node that has one, with Node's own Temporal. Engines: e2e/vectors.spec.ts. */
import { beforeEach, describe, expect, test, vi } from 'vitest';
import type * as Vectors from './vectors.testing.ts';

const GROUPS = ['cron', 'syntax', 'interval', 'calendarInterval', 'oneOff', 'dispatch'] as const;

describe.each([
  ['polyfill', 'always', true],
  ['Temporal of Node', 'where-missing', 'Temporal' in globalThis],
] as const)('by the %s', (_, polyfill, isThere) => {
  let vectors: typeof Vectors;

  beforeEach(async () => {
    // What is known of zones is of one Temporal.
    vi.resetModules();
    const { prepareTime } = await import('./temporal.ts');
    await prepareTime({ polyfill });
    vectors = await import('./vectors.testing.ts');
  });

  test.skipIf(!isThere).each(GROUPS)('the vectors of %s are what they say', (group) => {
    const judged = vectors.judge(group);
    expect(judged.length).toBeGreaterThan(3);
    for (const { id, note, got, wanted } of judged)
      expect({ id, note, is: got }).toEqual({ id, note, is: wanted });
  });
});

test('no group of vectors is left out', async () => {
  const { VECTOR_GROUPS } = await import('./vectors.testing.ts');
  const { conventions: _, tzdata: __, ...groups } = (await import('./schedule.vectors.json')).default;
  expect(Object.keys(groups)).toEqual(GROUPS);
  expect(VECTOR_GROUPS).toEqual(GROUPS);
});
