import { expect, test } from 'vitest';
import { checkedSentence, findingSentence, keepText, sweptSentence, usageByKind } from './upkeep.ts';

test('what is stored is told by kind, and what has no kind of its own is with the rest', () => {
  const store = (store: string, rows: number, bytes: number) => ({ store, rows, bytes, measured: rows });
  const stores = [
    store('agenda', 2, 20),
    store('automations', 3, 300),
    store('outputs', 1, 9),
    store('secrets', 1, 5),
  ];
  expect(usageByKind({ stores })).toEqual([
    { kind: 'automations', rows: 5, bytes: 320 },
    { kind: 'runs', rows: 0, bytes: 0 },
    { kind: 'outputs', rows: 1, bytes: 9 },
    { kind: 'snapshots', rows: 0, bytes: 0 },
    { kind: 'other', rows: 1, bytes: 5 },
  ]);
});

test('a check says what it corrected and what it left', () => {
  const at = 0;
  expect(checkedSentence(null)).toBeNull();
  expect(checkedSentence({ at, wholly: true, findings: [], count: 0 })).toBe(
    'No problem in anything that is stored.',
  );
  const findings = [
    { what: 'agenda-twice', key: 'a', did: 'removed' },
    { what: 'lease-without-run', key: 'b' },
  ] as const;
  expect(checkedSentence({ at, wholly: true, findings, count: 2 })).toBe(
    'Found 2 problems: 1 corrected and 1 left as it is.',
  );
  expect(findings.map(findingSentence)).toEqual([
    'It had two next times: removed.',
    'A lease that nobody runs under: left as it is.',
  ]);
});

test('a clean-up says what it removed, and why it ended early', () => {
  expect(sweptSentence({ at: 0, runs: 0, outputs: 0 })).toBe('Nothing was past its limit.');
  expect(sweptSentence({ at: 0, runs: 1204, outputs: 1 })).toBe(
    'Removed 1,204 runs and the output of 1 more run.',
  );
  expect(sweptSentence({ at: 0, runs: 0, outputs: 2 })).toBe('Removed the output of 2 runs.');
  expect(sweptSentence({ at: 0, runs: 1, outputs: 0, trouble: 'There is no room.' })).toBe(
    'Removed 1 run, then it stopped: There is no room.',
  );
});

test('a limit is said in words', () => {
  expect(keepText({ days: 400, most: 10_000 })).toBe('for 400 days and among the newest 10,000');
  expect(keepText({ days: null, most: 1 })).toBe('among the newest 1');
  expect(keepText({ days: null, most: null })).toBe('for ever');
});
