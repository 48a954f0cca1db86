import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Definition, DefinitionInput } from './definition.ts';
import { derivedUuid, derivedUuidAt } from './derived-id.ts';
import { isUuid } from './ids.ts';
import type { ImportEntry, ImportReading, ImportedRun } from './import-entry.ts';
import {
  type ImportChoice,
  type PresentAutomation,
  type PreviewedEntry,
  choicesFor,
  differencesOf,
  planImport,
  previewImport,
} from './import-preview.ts';
import { importedRow, importedRunId } from './imported-run.ts';
import { MONDAY, automationId, definition, host } from './samples.testing.ts';
import { prepareTime } from './temporal.ts';

beforeAll(() => prepareTime());

const paused = (input: Partial<DefinitionInput> = {}): Definition => definition({ ...input, enabled: false });

function entry(
  n: number,
  input: Partial<DefinitionInput> = {},
  more: Partial<ImportEntry> = {},
): ImportEntry {
  return {
    place: `automations[${n}]`,
    id: automationId(n),
    definition: paused(input),
    said: null,
    notes: [],
    runs: [],
    ...more,
  };
}

const reading = (...entries: readonly ImportEntry[]): ImportReading => ({
  file: 'a.json',
  source: 'rota',
  entries: entries.map((one) => ({ kind: 'good', entry: one })),
  problems: [],
  notes: [],
});

const here = (n: number, input: Partial<DefinitionInput> = {}, revision = 1): PresentAutomation => ({
  ...definition(input),
  id: automationId(n),
  revision,
});

const after = (n: number): DefinitionInput['schedule'] => ({
  kind: 'after',
  automation: automationId(n),
  on: 'success',
});

let fresh = 1000;
const plan = (
  previewed: readonly PreviewedEntry[],
  choice: ImportChoice | ((entry: PreviewedEntry) => ImportChoice),
  present: readonly PresentAutomation[] = [],
  missing: readonly ImportedRun[] = [],
): ReturnType<typeof planImport> =>
  planImport(
    previewed,
    typeof choice === 'function' ? choice : () => choice,
    () => missing,
    present,
    () => automationId(++fresh),
  );

describe('a preview', () => {
  test('of a backup of this database tells what was deleted since, which stays out unless it is chosen', () => {
    const backup = { ledger: 'this', at: MONDAY };
    const of = (ledger: string | null) =>
      previewImport([{ ...reading(entry(1), entry(2)), backup }], [here(2)], ledger);
    const [deleted, same] = of('this');
    expect(deleted).toMatchObject({ kind: 'new', isDeleted: true });
    expect(same?.kind).toBe('same');
    if (deleted === undefined) throw new Error('there should be two');
    expect(choicesFor(deleted)).toEqual(['skip', 'add']);
    for (const ledger of ['another', null]) {
      const [fresh] = of(ledger);
      expect(fresh).not.toHaveProperty('isDeleted');
      expect(fresh === undefined ? [] : choicesFor(fresh)).toEqual(['add', 'skip']);
    }
  });

  test('tells what is new, what is here as it is, and what is here otherwise, field by field', () => {
    const previewed = previewImport(
      [reading(entry(1), entry(2), entry(3, { name: 'Other', tags: ['ops'] }))],
      [here(2), here(3, { schedule: { kind: 'manual' } })],
    );
    expect(previewed.map(({ kind }) => kind)).toEqual(['new', 'same', 'different']);
    expect(previewImport([reading(entry(1))], [here(2)])[0]?.kind).toBe('same');
    const [, , different] = previewed;
    expect(different).toMatchObject({
      differences: [
        { path: 'name', here: 'Check the API', there: 'Other' },
        { path: 'tags', here: [], there: ['ops'] },
        { path: 'schedule.kind', here: 'manual', there: 'every' },
        { path: 'schedule.everyMs', there: 60_000 },
        { path: 'schedule.anchor', there: MONDAY },
      ],
    });
  });

  test('does not count whether one is paused as a difference', () => {
    expect(previewImport([reading(entry(1))], [here(1, { enabled: true })])[0]?.kind).toBe('same');
    expect(differencesOf(definition(), paused())).toEqual([]);
  });

  test('leaves what the file does not say as it is here', () => {
    const mine = here(1, {
      name: 'Mine',
      tags: ['kept'],
      action: { kind: 'http', url: 'https://example.test/x' },
    });
    const said = ['schedule', 'action.url'];
    const same = entry(
      1,
      { schedule: mine.schedule, action: { kind: 'http', url: 'https://example.test/x' } },
      { said },
    );
    expect(previewImport([reading(same)], [mine])[0]?.kind).toBe('same');
    const other = entry(1, { schedule: { kind: 'manual' } }, { said });
    expect(previewImport([reading(other)], [mine])[0]).toMatchObject({
      kind: 'different',
      replaced: { name: 'Mine', tags: ['kept'], schedule: { kind: 'manual' }, enabled: false },
    });
  });

  test('refuses the second of two with one id, and offers the first', () => {
    const previewed = previewImport([reading(entry(1), entry(1, { name: 'Twin' }))], []);
    expect(previewed).toMatchObject([
      { kind: 'new' },
      { kind: 'bad', name: 'Twin', problems: [{ path: 'automations[1].id' }] },
    ]);
  });

  test('refuses those that run after each other in a circle, those after them, and those after nothing', () => {
    const previewed = previewImport(
      [
        reading(
          entry(1, { name: 'a', schedule: after(2) }),
          entry(2, { name: 'b', schedule: after(1) }),
          entry(3, { name: 'c', schedule: after(1) }),
          entry(4, { name: 'd', schedule: after(99) }),
          entry(5, { name: 'e', schedule: after(50) }),
          entry(6, { name: 'f', schedule: after(5) }),
          entry(7, { name: 'g', schedule: after(7) }),
        ),
      ],
      [here(50)],
    );
    expect(previewed.map(({ kind }) => kind)).toEqual(['bad', 'bad', 'bad', 'bad', 'new', 'new', 'bad']);
    const why = previewed.map((one) => (one.kind === 'bad' ? (one.problems[0]?.message ?? '') : ''));
    expect(why[0]).toContain('after itself');
    expect(why[2]).toContain('neither here nor');
    expect(why[3]).toContain('neither here nor');
    expect(why[6]).toContain('after itself');
  });

  test('looks at ten thousand that follow each other once each', () => {
    const many = Array.from({ length: 10_000 }, (_, n) =>
      entry(n, { name: `n${n}`, ...(n < 9_999 ? { schedule: after(n + 1) } : {}) }),
    );
    const previewed = previewImport([reading(...many)], []);
    expect(previewed.every(({ kind }) => kind === 'new')).toBe(true);
    const { steps, leftOut } = plan(previewed, 'add');
    expect([steps.length, steps[0]?.definition.name, leftOut]).toEqual([10_000, 'n9999', []]);
  });
});

describe('a choice', () => {
  const different = (): readonly PreviewedEntry[] =>
    previewImport([reading(entry(1, { tags: ['new'] }))], [here(1, {}, 7)]);

  test('changes nothing that is here unless it is made', () => {
    expect(different().map(choicesFor)).toEqual([['skip', 'keep-both', 'replace']]);
    expect(plan(different(), 'skip').steps).toEqual([]);
    expect(choicesFor({ ...previewImport([reading(entry(1))], [])[0] } as PreviewedEntry)[0]).toBe('add');
  });

  test('replaces by the revision that was looked at, and pauses what it replaces', () => {
    expect(plan(different(), 'replace').steps).toMatchObject([
      {
        kind: 'replace',
        id: automationId(1),
        expectedRevision: 7,
        definition: { tags: ['new'], enabled: false },
      },
    ]);
  });

  test('keeps both under another id and name, and the same file is then nothing new', () => {
    const present = [here(1, {}, 7)];
    const { steps } = plan(different(), 'keep-both', present);
    expect(steps).toMatchObject([{ kind: 'add', definition: { name: 'Check the API (2)' } }]);
    const [copy] = steps;
    if (copy === undefined) throw new Error('no step');
    const now = [...present, { ...copy.definition, id: copy.id, revision: 1 }];
    expect(previewImport([reading(entry(1, { tags: ['new'] }))], now)[0]?.kind).toBe('same');
  });

  test('lets what follows a copy follow the copy, behind it, and leaves out what follows nothing that comes in', () => {
    const previewed = previewImport(
      [reading(entry(2, { name: 'child', schedule: after(1) }), entry(1, { tags: ['new'] }))],
      [here(1)],
    );
    const { steps } = plan(previewed, (one) => (one.kind === 'new' ? 'add' : 'keep-both'), [here(1)]);
    expect(steps.map(({ definition: { name } }) => name)).toEqual(['Check the API (2)', 'child']);
    expect(steps[1]?.definition.schedule).toEqual({ ...after(1), automation: steps[0]?.id });
    const lone = previewImport(
      [reading(entry(3, { name: 'x', schedule: after(4) }), entry(4, { name: 'y' }))],
      [],
    );
    expect(plan(lone, (one) => (one.name === 'y' ? 'skip' : 'add'))).toEqual({ steps: [], leftOut: ['x'] });
  });

  test('of any kind, taken, leaves nothing to do with the same files', () => {
    const inputs = fc.uniqueArray(
      fc.record({
        n: fc.integer({ min: 1, max: 8 }),
        name: fc.constantFrom('a', 'b', 'a (2)'),
        tags: fc.subarray(['x', 'y']),
        url: fc.constantFrom('https://a.test/', 'https://b.test/'),
      }),
      { selector: ({ n }) => n, maxLength: 8 },
    );
    const choices = fc.infiniteStream(fc.nat(2));
    fc.assert(
      fc.property(inputs, inputs, choices, (file, present, stream) => {
        const asInput = ({ name, tags, url }: (typeof file)[number]): Partial<DefinitionInput> => ({
          name,
          tags,
          action: { kind: 'http', url },
        });
        const readings = [reading(...file.map((one) => entry(one.n, asInput(one))))];
        let store = present.map((one) => here(one.n, asInput(one)));
        const once = plan(
          previewImport(readings, store),
          (one) => {
            const offered = choicesFor(one).filter((choice) => choice !== 'skip');
            return offered[(stream.next().value ?? 0) % offered.length] ?? 'skip';
          },
          store,
        );
        for (const step of once.steps) {
          if (step.kind === 'replace') store = store.filter(({ id }) => id !== step.id);
          store = [...store, { ...step.definition, id: step.id, revision: 1 }];
        }
        expect(store.filter(({ enabled }) => enabled).length).toBeLessThanOrEqual(present.length);
        expect(once.steps.every((step) => !step.definition.enabled)).toBe(true);
        const again = previewImport(readings, store);
        expect(again.map(({ kind }) => kind).filter((kind) => kind !== 'same')).toEqual([]);
        expect(plan(again, 'skip', store).steps).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });
});

describe('history', () => {
  const run: ImportedRun = {
    key: 'r1',
    status: 'interrupted',
    cause: 'schedule',
    startedAt: MONDAY,
    settledAt: MONDAY + 5,
    message: null,
  };

  test('has one id each time that it is read, as old as it is, and takes no instant of a schedule', () => {
    const of = {
      automationId: automationId(1),
      definition: paused(),
      source: 'vscode-ledger',
      host: host(1),
      now: MONDAY + 99,
    } as const;
    const row = importedRow(run, of);
    expect(row).toMatchObject({
      status: 'interrupted',
      imported: { from: 'vscode-ledger', at: MONDAY + 99 },
    });
    expect(row).not.toHaveProperty('mayHaveHappened');
    expect(row.id).toBe(importedRunId(automationId(1), run));
    expect(row.id < derivedUuidAt(MONDAY + 1, 'x')).toBe(true);
    expect(row.occurrence).not.toContain('@');
    expect(importedRunId(automationId(2), run)).not.toBe(row.id);
    expect(importedRow({ ...run, status: 'failed' }, of)).toMatchObject({
      failure: { code: 'imported' },
    });
  });

  test('that is not here yet comes in alone where its automation is here as it is', () => {
    const previewed = previewImport([reading(entry(1, {}, { runs: [run] }))], [here(1)]);
    expect(plan(previewed, 'skip', [here(1)], [run]).steps).toMatchObject([{ kind: 'history', runs: [run] }]);
    expect(plan(previewed, 'skip', [here(1)]).steps).toEqual([]);
  });
});

test('ids that are made of texts are UUIDs, the same for one text and others for others', () => {
  const seen = new Map<string, string>();
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const id = derivedUuid(text);
      expect(isUuid(id)).toBe(true);
      expect(derivedUuid(text)).toBe(id);
      expect(seen.get(id) ?? text).toBe(text);
      seen.set(id, text);
    }),
    { numRuns: 2_000 },
  );
  for (let n = 0; n < 20_000; n++) seen.set(derivedUuid(`crontab:${n}`), String(n));
  expect(seen.size).toBeGreaterThan(20_000);
});
