import { beforeAll, expect, test } from 'vitest';
import {
  type AutomationId,
  type ImportReading,
  type ImportStepsResult,
  type SourcedStep,
  importedRunId,
  prepareTime,
} from '../../domain/index.ts';
import type { ImportStepRequest } from '../../rpc/index.ts';
import { type ImportHost, offerOf, planOf, readChosen, takeIn } from './offer.ts';

beforeAll(() => prepareTime());

/** A host that has `here`, and answers to steps as `answer` does; `calls` is what it was asked. */
function hostWith(
  answer: (steps: readonly ImportStepRequest[]) => ImportStepsResult = took,
  here: readonly object[] = [],
): { readonly host: ImportHost; readonly calls: (readonly ImportStepRequest[])[] } {
  const calls: (readonly ImportStepRequest[])[] = [];
  const host = {
    listAutomations: () => Promise.resolve({ items: here }),
    missingRuns: ({ ids }: { readonly ids: readonly string[] }) => Promise.resolve({ ids: ids.slice(1) }),
    importEntries: ({ steps }: { readonly steps: readonly ImportStepRequest[] }) => {
      calls.push(steps);
      return Promise.resolve(answer(steps));
    },
  };
  return { host: host as unknown as ImportHost, calls };
}

const took = (steps: readonly ImportStepRequest[]): ImportStepsResult => ({
  kind: 'imported',
  ids: steps.map(({ id }) => id),
  added: steps.filter(({ kind }) => kind === 'add').length,
  replaced: 0,
  runs: steps.reduce((sum, { runs }) => sum + runs.length, 0),
});

const ID = '0190a5d2-7c1e-7b3a-9f00-2c5d8e4b1a66';
const ledger = (runs: number): string =>
  JSON.stringify({
    schemaVersion: 3,
    automations: [{ id: ID, name: 'Review', prompt: 'Review', schedule: { interval: 'hourly' } }],
    runs: Array.from({ length: runs }, (_, n) => ({
      id: `r${n}`,
      automationId: ID,
      status: 'completed',
      startedAt: '2026-01-05T09:00:00Z',
    })),
  });
const reminders = (count: number): string =>
  JSON.stringify({
    format: 'rota',
    version: 1,
    automations: Array.from({ length: count }, (_, n) => ({
      name: `n${n}`,
      schedule: { kind: 'manual' },
      action: { kind: 'remind', message: 'x' },
    })),
  });
const readText = (text: string): Promise<readonly ImportReading[]> =>
  readChosen([{ name: 'a', text }], 'Europe/Paris');

async function stepsOf(text: string): Promise<readonly SourcedStep[]> {
  const offer = await offerOf(hostWith().host, await readText(text));
  return planOf(offer, () => 'add').steps;
}

test('much is taken in portions, and much history of one automation after it', async () => {
  const { host, calls } = hostWith();
  expect(await takeIn(host, await stepsOf(reminders(250)))).toMatchObject({ added: 250, refused: [] });
  expect(calls.map((steps) => steps.length)).toEqual([100, 100, 50]);
  calls.length = 0;
  expect(await takeIn(host, await stepsOf(ledger(2_500)))).toMatchObject({ added: 1, runs: 2_500 });
  expect(calls.map(([step]) => [step?.kind, step?.runs.length])).toEqual([
    ['add', 1_000],
    ['history', 1_000],
    ['history', 500],
  ]);
});

test('what the engine refuses stays out by name, and keeps nothing else out', async () => {
  const { host } = hostWith((steps) => {
    const index = steps.findIndex(({ definition }) => (definition as { name: string }).name === 'n1');
    if (index === -1) return took(steps);
    const path = `steps[${index}].definition.action.message`;
    return { kind: 'invalid', problems: [{ path, message: 'No.' }] };
  });
  expect(await takeIn(host, await stepsOf(reminders(3)))).toEqual({
    added: 2,
    replaced: 0,
    runs: 0,
    refused: [{ name: 'n1', problems: [{ path: 'action.message', message: 'No.' }] }],
    stoppedAt: null,
  });
});

test('it stops at what was changed meanwhile, and says what was done by then', async () => {
  const { host, calls } = hostWith((steps) => {
    const [first] = steps;
    return calls.length < 2 || first === undefined ? took(steps) : { kind: 'changed', id: first.id };
  });
  expect(await takeIn(host, await stepsOf(reminders(250)))).toMatchObject({ added: 100, stoppedAt: 'n100' });
  expect(calls).toHaveLength(2);
});

test('of history, only what is not here comes in', async () => {
  const [reading] = await readText(ledger(3));
  const [read] = reading?.entries ?? [];
  if (reading === undefined || read?.kind !== 'good') throw new Error('the ledger was not read');
  const { entry } = read;
  const { host } = hostWith(took, [{ ...entry.definition, id: entry.id, revision: 1 }]);
  const { steps } = planOf(await offerOf(host, [reading]), () => 'skip');
  expect(steps).toMatchObject([{ kind: 'history', id: ID, runs: [{ key: 'r1' }, { key: 'r2' }] }]);
  const ids = entry.runs.map((run) => importedRunId(ID as AutomationId, run));
  expect(new Set(ids).size).toBe(3);
});

test('files are read by their bytes, each by itself, and not too many at once', async () => {
  const files = [
    new File([Uint8Array.of(0xff, 0x80)], 'odd'),
    new File([reminders(1)], 'good'),
    ...Array.from({ length: 99 }, (_, n) => ({ name: `t${n}`, text: '@daily x' })),
  ];
  const readings = await readChosen(files, 'Europe/Paris');
  expect(readings).toHaveLength(101);
  expect(readings[0]?.problems[0]?.message).toContain('UTF-8');
  expect(readings[1]?.entries).toHaveLength(1);
  expect(readings[100]?.problems[0]?.message).toContain('At most 100 files');
});
