import * as v from 'valibot';
import { afterEach, expect, test } from 'vitest';
import {
  type AutomationId,
  BUILT_IN_MODEL,
  BUILT_IN_MODEL_URL,
  definitionSchema,
  type ModelQuestion,
  type ModelWord,
  parseWith,
  type RunId,
  scheduledOccurrence,
} from '../domain/index.ts';
import type { ActionContext, Progress } from './action-context.ts';
import { needsOf, perform } from './registry.ts';

const automationId = '6f1c0c1e-2b6d-4f0e-9d0a-5a1f3f0e7b11' as AutomationId;
const action = {
  kind: 'prompt',
  endpoint: { protocol: 'built-in', baseUrl: BUILT_IN_MODEL_URL },
  model: BUILT_IN_MODEL,
  system: 'the cook',
  prompt: 'dinner, attempt {{ run.attempt }}',
} as const;
const definition = v.parse(definitionSchema, {
  name: 'Tonight',
  schedule: { kind: 'manual' },
  action,
});

const ports: MessagePort[] = [];
afterEach(() => {
  for (const port of ports.splice(0)) port.close();
});

/** A tab with a model that does with a question what `answer` does. */
function tab(answer: (question: ModelQuestion, say: (word: ModelWord) => void, close: () => void) => void) {
  const { port1, port2 } = new MessageChannel();
  ports.push(port1, port2);
  const closed = new AbortController();
  const back: string[] = [];
  port2.onmessage = ({ data }: MessageEvent<ModelQuestion>) =>
    answer(
      data,
      (word) => port2.postMessage(word),
      () => closed.abort(),
    );
  return { port: port1, lost: closed.signal, release: (how: string) => void back.push(how), back };
}

async function run(executor: ReturnType<typeof tab> | null, more: Partial<ActionContext> = {}) {
  const asked: string[] = [];
  const ending = await perform({
    run: {
      id: '0190a5d2-7c1e-7b3a-9f00-2c5d8e4b1a66' as RunId,
      automationId,
      automationName: 'Tonight',
      occurrence: scheduledOccurrence(automationId, 0),
      scheduledFor: 0,
      cause: 'manual',
      attempt: 1,
      definition,
    },
    signal: new AbortController().signal,
    now: () => 0,
    fetch: () => Promise.reject(new Error('Nothing is to be sent.')),
    online: () => false,
    origin: 'https://rota.test',
    markEffect: () => Promise.resolve(),
    recall: () => Promise.resolve(undefined),
    borrow: (what) => {
      asked.push(what);
      return Promise.resolve(executor);
    },
    ...more,
  });
  expect(asked).toEqual(['model']);
  return ending;
}

test('the model of the browser is asked by a tab, without any network, and heard word by word', async () => {
  const questions: ModelQuestion[] = [];
  const told: Progress[] = [];
  const lent = tab((question, say) => {
    questions.push(question);
    for (const text of ['Soup', ', then ', 'cheese']) say({ kind: 'piece', text });
    say({ kind: 'ended' });
  });
  const ending = await run(lent, { tell: (progress) => void told.push(progress) });
  expect(questions).toEqual([{ system: 'the cook', prompt: 'dinner, attempt 1' }]);
  expect(ending).toMatchObject({
    kind: 'succeeded',
    output: {
      request: { protocol: 'built-in', model: BUILT_IN_MODEL },
      answer: { text: 'Soup, then cheese', end: 'complete' },
      usage: { estimated: true },
    },
  });
  expect(told.map(({ text }) => text)).toContain('Soup, then ');
  expect(lent.back).toEqual(['spoiled']);
});

test('a tab that is closed in the middle of the answer is a broken connection, which a later attempt may mend', async () => {
  const lent = tab((_question, say, close) => {
    say({ kind: 'piece', text: 'Soup' });
    setTimeout(close);
  });
  expect(await run(lent)).toMatchObject({
    kind: 'failed',
    failure: { class: 'network', code: 'connection-lost' },
    output: { answer: { text: 'Soup', end: 'cut' } },
  });
  expect(lent.back).toEqual(['spoiled']);
});

test('without such a tab nothing is asked, and the failure says why', async () => {
  const ending = await run(null);
  expect(ending).toMatchObject({ kind: 'failed', failure: { code: 'model-error' } });
  expect(ending.kind === 'failed' ? ending.failure.message : '').toContain(
    'No open tab of Rota lends the model of the browser.',
  );
});

test('what the browser says went wrong is told in its words', async () => {
  const lent = tab((_question, say) => say({ kind: 'failed', message: 'The model was evicted.' }));
  const ending = await run(lent);
  expect(ending.kind === 'failed' ? ending.failure.message : '').toContain('The model was evicted.');
});

test('a run that is stopped ends the question', async () => {
  const controller = new AbortController();
  const lent = tab((_question, say) => {
    say({ kind: 'piece', text: 'Soup' });
    controller.abort(new Error('cancelled'));
  });
  await expect(run(lent, { signal: controller.signal })).rejects.toThrow('cancelled');
  expect(lent.back).toEqual(['spoiled']);
});

test('it needs a tab that has the model, and no network', () => {
  expect(needsOf(definition.action)).toEqual(['built-in-model']);
});

test.each([
  [
    { ...action, endpoint: { ...action.endpoint, baseUrl: 'https://api.test/v1' } },
    'action.endpoint.baseUrl',
  ],
  [{ ...action, endpoint: { protocol: 'openai', baseUrl: BUILT_IN_MODEL_URL } }, 'action.endpoint.baseUrl'],
  [{ ...action, temperature: 1 }, 'action.temperature'],
  [{ ...action, maxTokens: 100 }, 'action.maxTokens'],
])('what it cannot be told is refused at its field', (wrong, path) => {
  const parsed = parseWith(definitionSchema, {
    name: 'Tonight',
    schedule: { kind: 'manual' },
    action: wrong,
  });
  expect(parsed).toMatchObject({ kind: 'invalid', problems: [{ path }] });
});
