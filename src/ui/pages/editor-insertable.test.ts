import { describe, expect, test } from 'vitest';
import { type PlainOutput, definitionSchema, parseWith } from '../../domain/index.ts';
import type { RunDetail } from '../../rpc/index.ts';
import { formOf } from './editor-form.ts';
import { type InsertableFrom, insertable } from './editor-insertable.ts';

const parsed = parseWith(definitionSchema, {
  name: 'Prices',
  schedule: { kind: 'manual' },
  action: {
    kind: 'steps',
    steps: [
      { action: { kind: 'http', url: 'https://shop.test/prices' } },
      { name: 'Look', action: { kind: 'watch', url: 'https://shop.test/', part: { kind: 'text' } } },
    ],
  },
});
if (parsed.kind !== 'ok') throw new Error(JSON.stringify(parsed.problems));
const { steps } = formOf(parsed.value, { now: 0, zone: 'UTC' });

function answered(text: string): PlainOutput {
  const response = { status: 201, text, truncated: false };
  return { kind: 'http', response } as unknown as PlainOutput;
}

function run(output: unknown, more: Partial<RunDetail> = {}): RunDetail {
  const at = new Date(2026, 10, 30, 9, 5).getTime();
  return {
    id: 'r1',
    status: 'succeeded',
    cause: 'schedule',
    attempt: 1,
    scheduledFor: at,
    output,
    ...more,
  } as RunDetail;
}

function brought(text: string, more: Partial<RunDetail> = {}): RunDetail {
  const ran = { step: 1, id: 1, kind: 'http', status: 'succeeded', summary: '', startedAt: 0, totalMs: 1 };
  return run({ kind: 'steps', steps: [{ ...ran, output: answered(text) }] }, more);
}

function offered(more: Partial<InsertableFrom> = {}) {
  return insertable({ name: 'Prices', before: steps, runs: [], secrets: [], into: 'template', ...more });
}

describe('the values of earlier steps', () => {
  test('are offered by what they were in the last run, also those within JSON', () => {
    const text =
      '{"price": {"net": 12.5, "in stock": true}, "items": [{"id": "a"}, {"id": "b"}], "none": []}';
    const found = offered({ runs: [brought(text)] }).filter((one) => one.text.includes('steps.1'));
    expect(found.map(({ label, detail, text: inserted }) => [label, detail, inserted])).toEqual([
      ['output', `${text.slice(0, 79)}…`, '{{ steps.1.output }}'],
      ['json.price.net', '12.5', '{{ steps.1.json.price.net }}'],
      ['json.price["in stock"]', 'true', '{{ steps.1.json.price["in stock"] }}'],
      ['json.items[0].id', 'a', '{{ steps.1.json.items[0].id }}'],
      ['json.none', '[]', '{{ steps.1.json.none }}'],
      ['status', '201', '{{ steps.1.status }}'],
    ]);
    expect(found[0]?.heading).toBe('Step 1: GET https://shop.test/prices');
  });

  test('are offered before anything has run, and say so', () => {
    expect(offered().slice(0, 4)).toEqual([
      {
        heading: 'Step 1: GET https://shop.test/prices',
        label: 'output',
        detail: 'not run yet',
        text: '{{ steps.1.output }}',
      },
      { label: 'status', detail: 'not run yet', text: '{{ steps.1.status }}' },
      { heading: 'Step 2: Look', label: 'output', detail: 'not run yet', text: '{{ steps.2.output }}' },
      { label: 'changed', detail: 'not run yet', text: '{{ steps.2.changed }}' },
    ]);
  });

  test('are those of the run before where the last did not come so far', () => {
    const found = offered({ runs: [run(null), brought('later'), brought('earlier')] });
    expect(found[0]?.detail).toBe('later');
  });

  test('follow a step that was an action alone when it ran', () => {
    expect(offered({ runs: [run(answered('alone'))] })[0]?.detail).toBe('alone');
    expect(offered({ runs: [run(answered('alone'), { status: 'failed' })] })[0]?.detail).toBe(
      'nothing in the last run',
    );
  });

  test('are read by a script itself', () => {
    const found = offered({
      into: 'script',
      runs: [brought('{"a-b": [1]}')],
      secrets: [{ name: 'KEY', origins: [] }],
    });
    expect(found.map(({ text }) => text)).toEqual([
      'steps[1].output',
      'steps[1].json["a-b"][0]',
      'steps[1].status',
      'steps[2].output',
      'steps[2].changed',
    ]);
  });

  test('are cut, in one line, and however much there is', () => {
    const wide = Object.fromEntries(Array.from({ length: 400 }, (_, n) => [`k${n}`, n]));
    const found = offered({
      before: steps.slice(0, 1),
      runs: [brought(JSON.stringify({ ...wide, k0: 'a\n\nb'.repeat(500) }))],
    });
    expect(found.filter(({ label }) => label.startsWith('json'))).toHaveLength(12);
    expect(Math.max(...found.map(({ detail }) => detail.length))).toBe(80);
    expect(found[1]?.detail.startsWith('a ba b')).toBe(true);
  });
});

test('what the run itself is comes after them, as it was in the last', () => {
  const found = offered({ before: [], runs: [run(null)] });
  expect(found.slice(0, 3)).toEqual([
    {
      heading: 'This run',
      label: 'run.scheduledFor',
      detail: String(new Date(2026, 10, 30, 9, 5).getTime()),
      text: '{{ run.scheduledFor }}',
    },
    {
      label: 'the date it was due',
      detail: '2026-11-30',
      text: '{{ run.scheduledFor | date: "%Y-%m-%d" }}',
    },
    { label: 'the time it was due', detail: '09:05', text: '{{ run.scheduledFor | date: "%H:%M" }}' },
  ]);
  expect(offered({ before: [] })[0]?.detail).toBe('when it was due, in epoch milliseconds');
  expect(found.at(-1)).toMatchObject({ label: 'automation.name', detail: 'Prices' });
});

test('secrets are named, and nothing of them is shown', () => {
  const found = offered({ before: [], secrets: [{ name: 'API_KEY', origins: ['https://a.test'] }] });
  expect(found.at(-1)).toEqual({
    heading: 'Secrets',
    label: 'API_KEY',
    detail: 'only to https://a.test',
    text: '{{ secrets.API_KEY }}',
  });
});
