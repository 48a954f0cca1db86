import { describe, expect, test } from 'vitest';
import type { AutomationId, Definition, Occurrence, RunId } from '../domain/index.ts';
import { DEFAULT_RULES } from '../domain/index.ts';
import { perform } from './registry.ts';

function remind(message: string, signal = new AbortController().signal) {
  const definition: Definition = {
    name: 'Stand up',
    enabled: true,
    tags: [],
    schedule: { kind: 'cron', expression: '0 9 * * *', timeZone: 'Asia/Tokyo' },
    action: { kind: 'remind', message },
    rules: DEFAULT_RULES,
  };
  return perform({
    run: {
      id: 'r1' as RunId,
      automationId: 'a1' as AutomationId,
      automationName: 'Stand up',
      occurrence: 'a1@0' as Occurrence,
      scheduledFor: Date.UTC(2026, 0, 5, 0, 0),
      cause: 'schedule',
      attempt: 1,
      definition,
    },
    signal,
    now: () => 0,
    fetch: () => Promise.reject(new Error('a reminder sends nothing')),
    online: () => false,
    origin: 'http://localhost:4173',
    markEffect: () => Promise.reject(new Error('a reminder marks nothing')),
    recall: () => Promise.reject(new Error('a reminder remembers nothing')),
  });
}

describe('a reminder', () => {
  test('asks for one notification under the name of its automation', async () => {
    expect(await remind('Drink some water')).toEqual({
      kind: 'succeeded',
      summary: 'Drink some water',
      output: { kind: 'remind', message: 'Drink some water' },
      notifications: [{ title: 'Stand up', body: 'Drink some water' }],
    });
  });

  test('fills its template in, with times in the zone of the schedule', async () => {
    expect(await remind('{{ automation.name }} at {{ run.scheduledFor | date: "%H:%M" }}')).toMatchObject({
      notifications: [{ body: 'Stand up at 09:00' }],
    });
  });

  test('sums a long message up on one line and shows it whole', async () => {
    const message = `first line\nsecond line ${'and more '.repeat(20)}👩‍🚀`;
    const ending = await remind(message);
    expect(ending).toMatchObject({ notifications: [{ body: message }] });
    const { summary } = ending as Extract<typeof ending, { kind: 'succeeded' }>;
    expect(summary).toMatch(/^first line second line and more .*…$/);
    expect(Array.from(summary).length).toBeLessThanOrEqual(80);
  });

  test('that was stopped before it began does not notify', async () => {
    const reason = new Error('cancelled');
    await expect(remind('Drink some water', AbortSignal.abort(reason))).rejects.toBe(reason);
  });

  test('that comes to nothing fails, and does not notify with an empty text', async () => {
    expect(await remind('{% if run.attempt > 1 %}again{% endif %} ')).toMatchObject({
      kind: 'failed',
      failure: { class: 'invalid', code: 'empty-message' },
    });
  });

  test('with a mistake in its template fails and says which', async () => {
    expect(await remind('{{ run.nope }}')).toMatchObject({
      kind: 'failed',
      failure: {
        code: 'template-missing',
        message: 'The message names {{ run.nope }}, which does not exist.',
      },
    });
  });
});
