import { expect, test } from 'vitest';
import type { HostApi, PreviewInstant } from '../../rpc/index.ts';
import { nextRunsOf } from './automation-next.ts';

const schedule = { kind: 'every', everyMs: 60_000, anchor: 0, maxRuns: 10 } as const;

/** A host that names as many instants as it is asked for, up to a hundred. */
function host(): { readonly asked: Parameters<HostApi['preview']>[0][]; readonly ask: HostApi['preview'] } {
  const asked: Parameters<HostApi['preview']>[0][] = [];
  const ask: HostApi['preview'] = (request) => {
    asked.push(request);
    const at = Array.from({ length: request.count ?? 10 }, (_, n): PreviewInstant => ({ at: n, local: '' }));
    return Promise.resolve({ kind: 'ok', at });
  };
  return { asked, ask };
}

test.each([
  ['none of its runs yet', {}, 5],
  ['three of ten', { dispatched: 3 }, 5],
  ['eight of ten', { dispatched: 8 }, 2],
  ['nine of ten', { dispatched: 9 }, 1],
  ['all of ten', { dispatched: 10 }, 0],
  ['more than an edit allows it since', { dispatched: 12 }, 0],
])('of an automation that had %s, no more are shown than are left', async (_what, had, shown) => {
  const { ask } = host();
  expect(await nextRunsOf(ask, { schedule, enabled: true, ...had })).toHaveLength(shown);
});

test('the number of runs left counts also behind a pause of everything, after which the next are looked for', async () => {
  const { ask, asked } = host();
  const held = { schedule, enabled: true, dispatched: 9, heldUntil: 5_000_000 };
  expect(await nextRunsOf(ask, held)).toHaveLength(1);
  expect(asked).toEqual([{ schedule, count: 1, from: 4_999_999 }]);
});

test('nothing is asked for a paused automation, nor for one that had all its runs', async () => {
  const { ask, asked } = host();
  expect(await nextRunsOf(ask, { schedule, enabled: false })).toEqual([]);
  expect(await nextRunsOf(ask, { schedule, enabled: true, dispatched: 10 })).toEqual([]);
  expect(asked).toEqual([]);
});

test('nothing is shown of a schedule that the host cannot compute', async () => {
  const ask: HostApi['preview'] = () => Promise.resolve({ kind: 'invalid', problems: [] });
  expect(await nextRunsOf(ask, { schedule, enabled: true })).toEqual([]);
});
