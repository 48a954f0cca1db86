import { expect, test } from 'vitest';
import type { AutomationId } from '../domain/index.ts';
import type { AutomationView } from '../rpc/index.ts';
import { AutomationFinder, FOUND_AT_A_TIME, choiceKey } from './automation-finder.ts';
import type { RemoteHost } from './remote-host.ts';

type List = RemoteHost['listAutomations'];
type Asked = NonNullable<Parameters<List>[0]>;

const named = (name: string): AutomationView =>
  ({ id: `id of ${name}` as AutomationId, name }) as unknown as AutomationView;
const many = Array.from({ length: 10_000 }, (_, index) => named(`Job ${String(index).padStart(4, '0')}`));

/** Lists `all` as a host does. */
function listOf(all: () => readonly AutomationView[]): { readonly list: List; readonly asked: Asked[] } {
  const asked: Asked[] = [];
  const list: List = (query = {}) => {
    asked.push(query);
    const { text = '', after, limit = 500 } = query;
    const found = all().filter(({ name }) => name.toLowerCase().includes(text.toLowerCase()));
    const from = after === undefined ? 0 : found.findIndex(({ id }) => id === after) + 1;
    const items = found.slice(from, from + limit);
    const last = items.at(-1);
    const isMore = last !== undefined && from + items.length < found.length;
    return Promise.resolve({
      items,
      counts: { all: all().length, 'needs-you': 0, paused: 0 },
      ...(isMore ? { next: last.id } : {}),
    });
  };
  return { list, asked };
}

const namesOf = ({ items }: AutomationFinder): readonly string[] => items.map(({ name }) => name);

test('the last of ten thousand is found by a part of its name', async () => {
  const { list } = listOf(() => many);
  const finder = new AutomationFinder(
    () => ({ listAutomations: list }),
    () => undefined,
  );
  await finder.find(' job 9999 ');
  expect(namesOf(finder)).toEqual(['Job 9999']);
});

test('who goes down the list comes to each of it, a page at a time, and each is there once', async () => {
  let all = many.slice(0, 130);
  const { list, asked } = listOf(() => all);
  let changes = 0;
  const finder = new AutomationFinder(
    () => ({ listAutomations: list }),
    () => (changes += 1),
  );
  await finder.find('');
  await finder.reach(3);
  expect(finder.items).toHaveLength(FOUND_AT_A_TIME);
  expect(asked).toHaveLength(1);
  await Promise.all([finder.reach(FOUND_AT_A_TIME - 2), finder.reach(FOUND_AT_A_TIME - 1)]);
  expect(finder.items).toHaveLength(2 * FOUND_AT_A_TIME);
  expect(asked).toHaveLength(2);
  // The one that the next page begins after is deleted: the host begins anew.
  all = all.filter(({ name }) => name !== 'Job 0099');
  await finder.reach(99);
  await finder.reach(99);
  await finder.reach(129);
  expect(new Set(namesOf(finder)).size).toBe(finder.items.length);
  expect(namesOf(finder)).toContain('Job 0129');
  const { length } = asked;
  await finder.reach(finder.items.length - 1);
  expect(asked).toHaveLength(length);
  expect(changes).toBeGreaterThan(2);
});

test('an answer to what was typed before is not shown, nor is a page of it', async () => {
  const answers: ((items: readonly AutomationView[]) => void)[] = [];
  const listAutomations: List = () =>
    new Promise((resolve) => {
      answers.push((items) =>
        resolve({
          items,
          counts: { all: 0, 'needs-you': 0, paused: 0 },
          next: 'next' as AutomationId,
        }),
      );
    });
  const finder = new AutomationFinder(
    () => ({ listAutomations }),
    () => undefined,
  );
  const first = finder.find('a');
  const second = finder.find('ab');
  expect(finder.isReading).toBe(true);
  answers[1]?.([named('ab')]);
  answers[0]?.([named('a'), named('ab')]);
  await Promise.all([first, second]);
  expect(namesOf(finder)).toEqual(['ab']);
  expect(finder.isReading).toBe(false);

  const page = finder.reach(0);
  const third = finder.find('x');
  answers[2]?.([named('ab too')]);
  answers[3]?.([named('x')]);
  await Promise.all([page, third]);
  expect(namesOf(finder)).toEqual(['x']);
});

test('where nothing can be read it says so, and the next question may be answered', async () => {
  let isLost = true;
  const { list } = listOf(() => many);
  const finder = new AutomationFinder(
    () => ({
      listAutomations: (query) =>
        isLost ? Promise.reject(Object.assign(new Error('gone'), { code: 'host-lost' })) : list(query),
    }),
    () => undefined,
  );
  await finder.find('job');
  expect(finder.items).toEqual([]);
  expect(finder.problem).not.toBeNull();
  isLost = false;
  await finder.find('job');
  expect(finder.problem).toBeNull();
  isLost = true;
  await finder.reach(FOUND_AT_A_TIME - 1);
  expect(finder.items).toHaveLength(FOUND_AT_A_TIME);
  isLost = false;
  await finder.reach(FOUND_AT_A_TIME - 1);
  expect(finder.items).toHaveLength(2 * FOUND_AT_A_TIME);
});

test.each([
  ['ArrowDown', false, null, { kind: 'open' }],
  ['ArrowUp', false, null, { kind: 'open' }],
  ['ArrowDown', true, null, { kind: 'open' }],
  ['Enter', false, null, null],
  ['Escape', false, null, null],
  ['ArrowDown', false, 0, { kind: 'to', index: 1 }],
  ['ArrowDown', false, 19, { kind: 'to', index: 19 }],
  ['ArrowDown', true, 3, { kind: 'to', index: 3 }],
  ['ArrowUp', false, 0, { kind: 'to', index: 0 }],
  ['ArrowUp', false, 7, { kind: 'to', index: 6 }],
  ['ArrowUp', true, 7, { kind: 'close' }],
  ['PageDown', false, 1, { kind: 'to', index: 9 }],
  ['PageDown', false, 15, { kind: 'to', index: 19 }],
  ['PageUp', false, 5, { kind: 'to', index: 0 }],
  ['Enter', false, 2, { kind: 'choose' }],
  ['Escape', false, 2, { kind: 'close' }],
  // These move what is typed in.
  ['Home', false, 2, null],
  ['End', false, 2, null],
  ['ArrowLeft', false, 2, null],
  ['Tab', false, 2, null],
  ['a', false, 2, null],
] as const)('of a list of twenty, %s (Alt: %s) at %s is %o', (key, altKey, at, meant) => {
  expect(choiceKey({ key, altKey }, at, 20)).toEqual(meant);
});
