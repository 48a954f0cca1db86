import { expect, test } from 'vitest';
import type { AutomationId, BulkChange, CommandId } from '../domain/index.ts';
import type { HostApi } from '../rpc/index.ts';
import { changeAll } from './bulk-change.ts';

const PAUSE: BulkChange = { kind: 'pause' };
const idsOf = (count: number): readonly AutomationId[] =>
  Array.from({ length: count }, (_, index) => `id ${index}` as AutomationId);

/** A host that changes all but every hundredth, which is gone, and ends before call `failsAt`. */
function host(failsAt = Infinity) {
  const asked: number[] = [];
  const changeAutomations: HostApi['changeAutomations'] = ({ ids }) => {
    asked.push(ids.length);
    if (asked.length >= failsAt) {
      return Promise.reject(Object.assign(new Error('The disk is full.'), { code: 'storage' }));
    }
    const isGone = (id: AutomationId): boolean => id.endsWith('99');
    return Promise.resolve({
      kind: 'changed',
      ids: ids.filter((id) => !isGone(id)),
      same: 0,
      refused: ids.filter(isGone).map((id) => ({ id, why: 'not-found' })),
      undo: `command ${asked.length}` as CommandId,
    });
  };
  return { asked, changeAutomations };
}

test('ten thousand are changed in calls of a few hundred, one after the other, and all of it can be undone, newest first', async () => {
  const { asked, ...there } = host();
  const told: number[] = [];
  const done = await changeAll(there, idsOf(10_000), PAUSE, (count) => told.push(count));
  expect(asked).toEqual(Array.from({ length: 50 }, () => 200));
  expect(told).toEqual(Array.from({ length: 50 }, (_, index) => (index + 1) * 200));
  expect(done).toMatchObject({ changed: 9_900, same: 0, failed: null });
  expect(done.refused).toHaveLength(100);
  expect(done.undos).toHaveLength(50);
  expect(done.undos[0]).toBe('command 50');
});

test('where a call fails nothing more is asked for, and what was done before can be told and undone', async () => {
  const { asked, ...there } = host(3);
  const done = await changeAll(there, idsOf(1_000), PAUSE);
  expect(asked).toEqual([200, 200, 200]);
  expect(done).toMatchObject({ changed: 396, failed: 'storage', undos: ['command 2', 'command 1'] });
});

test('a call that changes nothing leaves nothing to undo', async () => {
  const { changeAutomations } = host();
  expect(await changeAll({ changeAutomations }, ['id 99' as AutomationId], PAUSE)).toMatchObject({
    changed: 0,
    undos: [],
    failed: null,
  });
});
