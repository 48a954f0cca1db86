import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  type Action,
  type AutomationId,
  type Brought,
  CUT_MARK,
  DEFAULT_RULES,
  type Definition,
  definitionSchema,
  type Occurrence,
  parseWith,
  type RunId,
  type RunOutput,
  type Spending,
  STEP_OUTPUT_MOST,
  type StepTrace,
} from '../../domain/index.ts';
import type { ActionContext, ActionEnding, EffectMark } from '../action-context.ts';
import { checkAction } from '../check-action.ts';
import { perform } from '../registry.ts';
import { RunSecrets } from '../run-secrets.ts';

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly body: string;
  readonly key: string | undefined;
  readonly authorization: string | undefined;
}

let server: Server;
let origin: string;
const asked: Asked[] = [];
/** What the server says under a path. */
const answers = new Map<
  string,
  { readonly status?: number; readonly type?: string; readonly body: string }
>();

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return text;
}

beforeAll(async () => {
  server = createServer((request, response) => {
    void textOf(request).then((body) => {
      const path = request.url ?? '';
      const key = request.headers['idempotency-key'];
      const { authorization } = request.headers;
      asked.push({
        method: request.method ?? '',
        path,
        body,
        key: typeof key === 'string' ? key : undefined,
        authorization,
      });
      if (path === '/never') return;
      const echo = `echo of ${authorization ?? 'nobody'}: ${body}`;
      const { status = 200, type = 'text/plain', body: text } = answers.get(path) ?? { body: echo };
      response.writeHead(status, { 'content-type': type }).end(text);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

beforeEach(() => {
  asked.length = 0;
  answers.clear();
});

const get = (path: string) => ({ kind: 'http', url: `${origin}${path}` });
const post = (path: string, body: string, more = {}) => ({
  kind: 'http',
  method: 'POST',
  url: `${origin}${path}`,
  body,
  ...more,
});
const remind = (message: string) => ({ kind: 'remind', message });

function definitionWith(steps: readonly object[]): Definition {
  const parsed = parseWith(definitionSchema, {
    name: 'Several things',
    schedule: { kind: 'manual' },
    action: { kind: 'steps', steps },
    rules: DEFAULT_RULES,
  });
  if (parsed.kind === 'invalid') throw new Error(JSON.stringify(parsed.problems));
  return parsed.value;
}

interface Given extends Partial<ActionContext> {
  readonly from?: { readonly runId: RunId; readonly step: number };
}

interface Found {
  readonly action: Action;
  readonly output: RunOutput | null;
}

const RUN_ID = '01975af1-0000-7000-8000-000000000001' as RunId;

function run(steps: readonly object[], { from, ...given }: Given = {}): Promise<ActionEnding> {
  const definition = definitionWith(steps);
  return perform({
    run: {
      id: RUN_ID,
      automationId: 'a1' as AutomationId,
      automationName: definition.name,
      occurrence: 'a1@1774751400000' as Occurrence,
      scheduledFor: 1_774_751_400_000,
      cause: 'manual',
      attempt: 1,
      definition,
      ...(from === undefined ? {} : { from }),
    },
    signal: new AbortController().signal,
    now: () => Date.now(),
    fetch: globalThis.fetch,
    online: () => true,
    origin: 'http://localhost:4173',
    markEffect: () => Promise.resolve(),
    recall: () => Promise.resolve(undefined),
    ...given,
  });
}

function tracesOf({ output }: Brought): readonly StepTrace[] {
  if (output?.kind !== 'steps') throw new Error('no steps');
  return output.steps;
}

function failureOf(ending: ActionEnding) {
  if (ending.kind !== 'failed') throw new Error(`${ending.kind}: ${ending.summary}`);
  return ending.failure;
}

describe('steps', () => {
  test('are done one after another, each with what those before it brought back', async () => {
    answers.set('/price', { type: 'application/json', body: '{"price": {"net": 12}, "list": ["a", "b"]}' });
    const ending = await run([
      { name: 'Ask', action: get('/price') },
      { action: post('/tell', '{{ steps.1.json.price.net }} of {{ steps[1].json.list | join: "+" }}') },
      { action: remind('{{ steps.2.status }} {{ steps.1.name }}: {{ steps.2.output }}') },
    ]);
    expect(asked.map(({ method, path, body }) => `${method} ${path} ${body}`)).toEqual([
      'GET /price ',
      'POST /tell 12 of a+b',
    ]);
    expect(ending).toMatchObject({
      kind: 'succeeded',
      summary: '3 steps: 200 Ask: echo of nobody: 12 of a+b',
      notifications: [{ title: 'Several things', body: '200 Ask: echo of nobody: 12 of a+b' }],
    });
    expect(tracesOf(ending)).toMatchObject([
      { step: 1, id: 1, name: 'Ask', kind: 'http', status: 'succeeded', output: { kind: 'http' } },
      { step: 2, id: 2, kind: 'http', status: 'succeeded' },
      { step: 3, id: 3, kind: 'remind', status: 'succeeded', output: { kind: 'remind' } },
    ]);
  });

  test('end with the first that fails, which names itself, and what was done is kept', async () => {
    answers.set('/down', { status: 503, body: 'no' });
    const ending = await run([
      { action: remind('first') },
      { name: 'Ask', action: get('/down') },
      { action: get('/never-asked') },
    ]);
    expect(failureOf(ending)).toMatchObject({
      class: 'action',
      code: 'unexpected-status',
      message: expect.stringMatching(/^Step 2 \(Ask\): 127\.0\.0\.1:\d+ answered 503 instead of a success/),
      step: 2,
    });
    expect(tracesOf(ending)).toMatchObject([
      { status: 'succeeded' },
      { status: 'failed', failure: { code: 'unexpected-status' }, output: { response: { status: 503 } } },
      { step: 3, kind: 'http', status: 'not-reached' },
    ]);
    expect(ending.notifications).toEqual([{ title: 'Several things', body: 'first' }]);
    expect(asked).toHaveLength(1);
  });

  test('mark each effect that must not be repeated as its own', async () => {
    const marks: [EffectMark, number | undefined][] = [];
    await run([{ action: post('/a', '1') }, { action: get('/b') }, { action: post('/c', '2') }], {
      markEffect: (mark, step) => {
        marks.push([mark, step]);
        return Promise.resolve();
      },
    });
    expect(marks).toEqual([
      ['sending', 1],
      ['sent', 1],
      ['sending', 3],
      ['sent', 3],
    ]);
  });

  test('have keys of their own by which a server knows a repeat', async () => {
    const keyed = { idempotencyKey: true };
    await run([{ action: post('/a', '', keyed) }, { action: post('/a', '', keyed) }]);
    expect(asked.map(({ key }) => key)).toEqual(['a1@1774751400000/1', 'a1@1774751400000/2']);
  });

  test('remember each for itself, by their ids, and the first as if it were alone', async () => {
    const watch = (path: string) => ({ kind: 'watch', url: `${origin}${path}`, part: { kind: 'text' } });
    const recalled: string[] = [];
    const ending = await run([{ action: watch('/a') }, { id: 7, action: watch('/b') }], {
      recall: (key) => {
        recalled.push(key);
        return Promise.resolve(undefined);
      },
    });
    expect(recalled).toEqual(['watch', 'steps/7/watch']);
    expect(Object.keys(ending.remember ?? {})).toEqual(['watch', 'steps/7/watch']);
  });

  test('may wait for a change that a watch before them found, and are left out without one', async () => {
    answers.set('/page', { body: 'one' });
    const steps = [
      { action: { kind: 'watch', url: `${origin}/page`, part: { kind: 'text' } } },
      { onlyIf: 'changed', action: post('/tell', '{{ steps.1.output }}') },
      { action: remind('{{ steps.1.changed }}: {{ steps.1.output }}') },
    ];
    const first = await run(steps);
    expect(tracesOf(first).map(({ status }) => status)).toEqual(['succeeded', 'left-out', 'succeeded']);
    expect(first).toMatchObject({ summary: '2 steps, 1 left out: false: one' });
    const memory = new Map(Object.entries(first.remember ?? {}));
    const recall = (key: string): Promise<unknown> => Promise.resolve(memory.get(key));
    // What is there can be used although it has not changed.
    expect(await run(steps, { recall })).toMatchObject({ summary: '2 steps, 1 left out: false: one' });
    answers.set('/page', { body: 'two' });
    expect(await run(steps, { recall })).toMatchObject({ summary: '3 steps: true: two' });
    expect(asked.filter(({ path }) => path === '/tell').map(({ body }) => body)).toEqual(['two']);
  });

  test('that are stopped say how far they came', async () => {
    const controller = new AbortController();
    let brought: (() => Brought) | null = null;
    const places: (number | undefined)[] = [];
    const running = run([{ action: get('/a') }, { action: get('/never') }, { action: get('/c') }], {
      signal: controller.signal,
      tell: (progress, soFar) => {
        places.push(progress.step);
        brought = soFar;
      },
    });
    await expect.poll(() => asked.length).toBe(2);
    const found = (brought as (() => Brought) | null)?.() ?? {};
    controller.abort(new Error('timed out'));
    await expect(running).rejects.toThrow('timed out');
    expect(places).toEqual([1, 2]);
    expect(tracesOf(found)).toMatchObject([
      { status: 'succeeded' },
      { step: 2, status: 'stopped' },
      { step: 3, status: 'not-reached' },
    ]);
  });

  test('add up what their prompts use', async () => {
    answers.set('/v1/chat/completions', {
      type: 'application/json',
      body: JSON.stringify({
        model: 'small',
        choices: [{ message: { content: 'yes' }, finish_reason: 'stop' }],
        usage: { prompt_tokens: 3, completion_tokens: 2 },
      }),
    });
    const prompt = {
      kind: 'prompt',
      endpoint: { protocol: 'openai', baseUrl: `${origin}/v1` },
      model: 'small',
      prompt: 'well?',
      repeatable: true,
    };
    const ending = await run(
      [{ action: prompt }, { action: { ...prompt, prompt: '{{ steps.1.output }}?' } }],
      {
        spentToday: () => Promise.resolve({ until: 99, tokens: 100, cost: 0 }),
      },
    );
    expect(ending).toMatchObject({ kind: 'succeeded', spent: { until: 99, tokens: 10 } });
    expect(JSON.parse(asked[1]?.body ?? '')).toMatchObject({ messages: [{ content: 'yes?' }] });
    const limited = { ...prompt, limits: { tokensPerDay: 110 } };
    // The second knows what the first has used.
    const stopped = await run([{ action: { ...prompt } }, { action: limited }], {
      spentToday: () => Promise.resolve({ until: 99, tokens: 104, cost: 0 }),
    });
    expect(failureOf(stopped)).toMatchObject({ class: 'limit', step: 2 });
    // What it may use is told with what those before it have used.
    const told: Spending[] = [];
    await run([{ action: { ...prompt } }, { action: { ...limited, maxTokens: 20 } }], {
      spentToday: () => Promise.resolve({ until: 99, tokens: 100, cost: 0 }),
      mayUse: (spending) => Promise.resolve(void told.push(spending)),
    });
    expect(told).toHaveLength(1);
    expect(told[0]?.tokens).toBeGreaterThan(5);
    expect(told[0]).toMatchObject({ until: 99, cost: 0 });
  });
});

describe('a secret in a step', () => {
  const secrets = () =>
    new RunSecrets((name) =>
      Promise.resolve(name === 'KEY' ? { value: 'sesame-open', origins: [origin] } : null),
    );
  const login = () => ({ ...get('/login'), headers: { Authorization: 'Bearer {{ secrets.KEY }}' } });

  test('binds that step alone, and goes no further in what a server echoes of it', async () => {
    const other = origin.replace('127.0.0.1', 'localhost');
    const ending = await run(
      [{ action: login() }, { action: { ...post('/tell', '{{ steps.1.output }}'), url: `${other}/tell` } }],
      { secrets: secrets() },
    );
    expect(ending.kind).toBe('succeeded');
    expect(asked[0]?.authorization).toBe('Bearer sesame-open');
    expect(asked[1]?.body).toBe('echo of Bearer [secret KEY]: ');
    expect(JSON.stringify(ending)).not.toContain('sesame');
  });

  test('that is of no later step is taken out of what they bring back, too', async () => {
    answers.set('/later', { body: 'you said sesame-open before' });
    const ending = await run([{ action: login() }, { action: get('/later') }], { secrets: secrets() });
    expect(tracesOf(ending)[1]).toMatchObject({
      output: { response: { text: 'you said [secret KEY] before' } },
    });
  });
});

describe('what a step cannot name', () => {
  const second = async (answer: { type?: string; body: string }, template: string, more = {}) => {
    answers.set('/a', answer);
    return failureOf(await run([{ action: get('/a') }, { action: { ...post('/b', template), ...more } }]));
  };

  test.each([
    [{ body: 'plain' }, '{{ steps.1.json.price }}', 'what step 1 brought back is not JSON'],
    [{ body: '{"a": 1}' }, '{{ steps.1.json.price.net }}', 'what step 1 brought back does not have it'],
    [{ body: 'x', type: 'image/png' }, '{{ steps.1.output }}', 'step 1 brought no text back'],
    [{ body: 'x' }, '{{ steps.1.changed }}', 'step 1 is no watch'],
    [{ body: 'x' }, '{{ steps.1.name }}', 'step 1 has no name'],
    [{ body: 'x' }, '{{ steps.1.outptu }}', 'no step has that'],
    [{ body: 'x' }, '{{ steps.2.output }}', 'which does not exist'],
    [{ body: 'x' }, '{{ steps.x.output }}', 'which does not exist'],
  ])('of %j, %s is an error that names it', async (answer, template, why) => {
    const failure = await second(answer, template);
    expect(failure).toMatchObject({ class: 'invalid', code: 'template-missing', step: 2 });
    const name = template.replace(/[{} ]/g, '');
    expect(failure.message).toMatch(/^Step 2: The body names \{\{ steps/);
    expect(name.startsWith(/\{\{ (\S+) \}\}/.exec(failure.message)?.[1] ?? '?')).toBe(true);
    expect(failure.message).toContain(why);
    expect(asked).toHaveLength(1);
  });

  test('that was left out says so, and may have a default', async () => {
    answers.set('/page', { body: 'one' });
    const steps = (text: string) => [
      { action: { kind: 'watch', url: `${origin}/page`, part: { kind: 'text' } } },
      { name: 'Tell', onlyIf: 'changed', action: get('/b') },
      { action: remind(text) },
    ];
    expect(failureOf(await run(steps('{{ steps.2.output }}'))).message).toBe(
      'Step 3: The message names {{ steps.2 }}, but step 2 (Tell) was left out.',
    );
    expect(await run(steps('{{ steps.2.output | default: "none" }}'))).toMatchObject({
      kind: 'succeeded',
      summary: '2 steps, 1 left out: none',
    });
  });
});

describe('a hostile output', () => {
  const message = async (body: string, template: string, type = 'application/json') => {
    answers.set('/a', { body, type });
    return await run([{ action: get('/a') }, { action: remind(template) }]);
  };

  test.each([
    ['{"__proto__": {"polluted": 1}}', '{{ steps.1.json.polluted }}'],
    ['{"constructor": {"prototype": {"x": 1}}}', '{{ steps.1.json.toString }}'],
    ['[1]', '{{ steps.1.json.constructor }}'],
    ['"text"', '{{ steps.1.json.__proto__ }}'],
    ['{}', '{{ steps.1.__proto__ }}'],
    ['{}', '{{ steps.constructor }}'],
    ['{}', '{{ steps.__proto__.output }}'],
  ])('%s does not reach beyond itself by %s', async (body, template) => {
    expect(failureOf(await message(body, template))).toMatchObject({ code: 'template-missing', step: 2 });
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  test.each([
    ['{"toString": 1, "valueOf": 2}', '{{ steps.1.json }}', 'a group of values has no text'],
    ['{"a": {"toLiquid": 1}}', '{{ steps.1.json.a }}', 'a group of values has no text'],
    ['[{"a": 1}]', '{{ steps.1.json }}', 'a list of groups has no text'],
    ['{"toString": 1}', '{{ "x" | append: steps.1.json }}', 'cannot be filled in'],
  ])('%s in %s is no text, and says so', async (body, template, why) => {
    const failure = failureOf(await message(body, template));
    expect(failure).toMatchObject({ code: 'template-failed', step: 2 });
    expect(failure.message).toContain(why);
  });

  test('that looks like a template is not one', async () => {
    expect(
      await message('{{ automation.name }}{% raw %}', '{{ steps.1.output }}', 'text/plain'),
    ).toMatchObject({
      notifications: [{ body: '{{ automation.name }}{% raw %}' }],
    });
  });

  test('that is too long is cut, says so, and is no JSON', async () => {
    const long = JSON.stringify({ a: 'y'.repeat(STEP_OUTPUT_MOST) });
    const ending = await message(long, '{{ steps.1.output | size }} {{ steps.1.output | slice: -18, 18 }}');
    expect(ending).toMatchObject({
      notifications: [{ body: `${STEP_OUTPUT_MOST + CUT_MARK.length} [cut here by Rota]` }],
    });
    expect(tracesOf(ending)[0]).toMatchObject({
      output: { response: { truncated: true, bytes: long.length, text: long.slice(0, STEP_OUTPUT_MOST) } },
    });
    expect(failureOf(await message(long, '{{ steps.1.json.a }}')).message).toContain(
      'what step 1 brought back was cut, so it is no JSON any more',
    );
  });

  test('that would grow without end ends as a limit', async () => {
    const template = `{% assign x = steps.1.output %}${'{% assign x = x | append: x %}'.repeat(12)}{{ x }}`;
    expect(failureOf(await message('y'.repeat(200_000), template, 'text/plain'))).toMatchObject({
      code: 'template-limit',
      step: 2,
    });
  });

  test('nested a hundred thousand deep is refused or read, and never ends the host', async () => {
    const deep = '['.repeat(100_000) + ']'.repeat(100_000);
    const ending = await message(deep, '{{ steps.1.json | json }}');
    expect(['succeeded', 'failed']).toContain(ending.kind);
  });
});

describe('a run that continues another', () => {
  const earlier = '01975af1-0000-7000-8000-00000000000e' as RunId;
  const steps = (second: string) => [
    { name: 'Order', action: post('/order', 'one') },
    { action: get(second) },
    { action: remind('{{ steps.1.output }}') },
  ];
  const from = { runId: earlier, step: 2 };
  const recorded =
    (found: Found | null): NonNullable<ActionContext['findRun']> =>
    (id) =>
      Promise.resolve(id === earlier ? found : null);

  async function failedOnce() {
    answers.set('/down', { status: 500, body: 'no' });
    const ending = await run(steps('/down'));
    expect(failureOf(ending).step).toBe(2);
    asked.length = 0;
    return { action: definitionWith(steps('/down')).action, output: ending.output ?? null };
  }

  test('takes what the steps before brought back, and does none of them again', async () => {
    const found = await failedOnce();
    answers.set('/down', { body: 'up again' });
    const ending = await run(steps('/down'), { from, findRun: recorded(found) });
    expect(ending).toMatchObject({ kind: 'succeeded', summary: '3 steps: echo of nobody: one' });
    expect(asked.map(({ path }) => path)).toEqual(['/down']);
    expect(tracesOf(ending)).toMatchObject([
      { status: 'taken', from: earlier, name: 'Order', output: { kind: 'http' } },
      { status: 'succeeded' },
      { status: 'succeeded' },
    ]);
  });

  test('may do something else from there on, but not before', async () => {
    const found = await failedOnce();
    expect(await run(steps('/mended'), { from, findRun: recorded(found) })).toMatchObject({
      kind: 'succeeded',
    });
    const [, ...rest] = steps('/mended');
    const edited = [{ name: 'Order', action: post('/order', 'two') }, ...rest];
    asked.length = 0;
    expect(failureOf(await run(edited, { from, findRun: recorded(found) }))).toMatchObject({
      class: 'invalid',
      code: 'not-continued',
      message:
        'It cannot go on from step 2: the steps before it have been edited since the run that it continues.',
    });
    expect(asked).toEqual([]);
  });

  test('is refused when that run is gone, or did not come so far', async () => {
    const found = await failedOnce();
    expect(failureOf(await run(steps('/down'), { from, findRun: recorded(null) })).message).toContain(
      'not there any more',
    );
    const far = { runId: earlier, step: 3 };
    expect(failureOf(await run(steps('/down'), { from: far, findRun: recorded(found) })).message).toBe(
      'It cannot go on from step 3: step 2 did not succeed in the run that it continues.',
    );
    expect(asked).toEqual([]);
  });
});

describe('before steps are saved', () => {
  const check = async (...steps: object[]) => await checkAction(definitionWith(steps));

  test('what names a step that comes before passes, whatever it will bring back', async () => {
    expect(
      await check(
        { action: get('/a') },
        {
          action: {
            ...post('/{{ steps.1.json.items[0].id | url_encode }}', '{{ steps.1.output | date: "%F" }}'),
            headers: { 'X-Price': '{{ steps[1].json.price | plus: 1 }}' },
          },
        },
        { action: { kind: 'http', url: '{{ steps.2.json.next }}' } },
        { action: { kind: 'http', url: '{{ steps.2.output }}' } },
        {
          action: remind(
            '{% for item in steps.1.json.items %}{{ item.name }}{% endfor %}{% if steps.1.json.ok %}x{% endif %}',
          ),
        },
      ),
    ).toEqual([]);
  });

  test.each([
    ['{{ steps.2.output }}', 'The message names {{ steps.2 }}, but that is this step.'],
    ['{{ steps.3.output }}', 'The message names {{ steps.3 }}, but that step comes later.'],
    ['{{ steps.0.output }}', 'The message names {{ steps.0 }}, because steps are named by their number.'],
    ['{{ steps.first.output }}', 'steps are named by their number'],
    ['{{ steps.1.body }}', 'The message names {{ steps.1.body }}, which no step has.'],
    ['{{ steps.1.output }} {{ run.nope }}', 'The message names {{ run.nope }}, which does not exist.'],
    ['{{ steps.1.output', 'a template that cannot be read'],
  ])('%s in the second is refused with its place', async (text, message) => {
    const problems = await check({ action: get('/a') }, { name: 'Tell', action: remind(text) });
    expect(problems).toEqual([
      { path: 'action.steps[1].action.message', message: expect.stringContaining(message) },
    ]);
    expect(problems[0]?.message.startsWith('Step 2 (Tell): ')).toBe(true);
  });

  test.each([
    ['return steps[2].output;', 'The script names steps[2], but that is this step.'],
    ['return steps[1].output + steps[ 3 ].json;', 'The script names steps[ 3 ], but that step comes later.'],
    ['return steps[0].output;', 'The script names steps[0], but steps are numbered from 1.'],
    ['return steps.removed.output;', 'The script names a step that was removed.'],
  ])('a second that is the script %s is refused', async (source, message) => {
    expect(await check({ action: get('/a') }, { action: { kind: 'script', source } })).toEqual([
      { path: 'action.steps[1].action.source', message: `Step 2: ${message}` },
    ]);
  });

  test.each(['return steps[1].json.n;', 'const steps = [4, 5, 6]; return steps[2];'])(
    'a second that is the script %s passes',
    async (source) => {
      expect(await check({ action: get('/a') }, { action: { kind: 'script', source } })).toEqual([]);
    },
  );

  test('the first has no steps to name, and neither has an action alone', async () => {
    expect(await check({ action: remind('{{ steps.1.output }}') })).toMatchObject([
      { message: expect.stringContaining('There is no step before the first.') },
    ]);
    const definition = {
      ...definitionWith([{ action: get('/') }]),
      action: { kind: 'remind', message: '{{ steps.1.output }}' },
    } as const;
    expect(await checkAction(definition)).toMatchObject([
      { message: expect.stringContaining('The message names {{ steps }}, which does not exist.') },
    ]);
  });
});
