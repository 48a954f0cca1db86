import { expect, test } from 'vitest';
import type { AutomationId, BulkRefusal, BulkWhy, RunId } from '../../domain/index.ts';
import type { BulkRun, Run, RunNowResult } from '../../rpc/index.ts';
import { changeText, runsText, undoneText } from './bulk.ts';

const id = (n: number): AutomationId => `00000000-0000-4000-8000-00000000000${n}` as AutomationId;
const refused = (name: string | null, why: BulkWhy): BulkRefusal => ({
  id: id(1),
  why,
  ...(name === null ? {} : { name }),
});

test('a change says what was done, to how many, and how many were so already', () => {
  const none = { same: 0, refused: [] };
  expect(changeText({ kind: 'pause' }, { changed: 1, ...none }, 0)).toBe(
    'Paused 1 automation until you resume.',
  );
  expect(changeText({ kind: 'resume' }, { ...none, changed: 9, same: 1 }, 0)).toBe(
    'Resumed 9 automations. 1 was on already.',
  );
  expect(changeText({ kind: 'add-tag', tag: ' ops ' }, { ...none, changed: 1_200, same: 3 }, 0)).toBe(
    'Tagged 1,200 automations with ops. 3 had it already.',
  );
  expect(changeText({ kind: 'remove-tag', tag: 'ops' }, { ...none, changed: 0, same: 3 }, 0)).toBe(
    '3 automations did not have the tag ops.',
  );
  expect(changeText({ kind: 'remove' }, { changed: 12, ...none }, 0)).toBe('Deleted 12 automations.');
});

test('those that were left are named with why, and from four on counted', () => {
  const few = [refused('Ash', 'newer-data'), refused(null, 'not-found')];
  expect(changeText({ kind: 'remove' }, { changed: 2, same: 0, refused: few }, 0)).toBe(
    'Deleted 2 automations. Left as they are: Ash (written by a newer version of Rota) and one (no longer there).',
  );
  const many = ['Ash', 'Birch', 'Cedar', 'Date', 'Elder'].map((name) => refused(name, 'changed'));
  expect(undoneText({ changed: 0, refused: many })).toBe(
    'Not undone: Ash (changed since), Birch (changed since), Cedar (changed since) and 2 more.',
  );
  expect(undoneText({ changed: 3, refused: [] })).toBe('Undone: 3 automations as before.');
});

test('runs that were asked for are told by what became of them', () => {
  const item = (result: BulkRun<RunNowResult>['result']): BulkRun<RunNowResult> => ({ id: id(1), result });
  const claimed = item({ kind: 'claimed', run: {} as Run });
  expect(runsText([claimed, claimed])).toBe('2 automations started.');
  expect(
    runsText([
      claimed,
      item({ kind: 'at-capacity' }),
      item({ kind: 'at-capacity' }),
      item({ kind: 'already-active', runId: 'r' as RunId, queued: false }),
    ]),
  ).toBe('1 automation started; 2 run as soon as others end; 1 is running already.');
});
