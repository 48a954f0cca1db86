import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import { type Problem, type PromptAction, actionSchema, definitionSchema } from '../../domain/index.ts';
import { fieldOf } from './editor-fields.ts';
import { emptyForm } from './editor-form.ts';
import { emptyPrompt, promptOf, readPrompt } from './editor-prompt-form.ts';
import { definitionWords } from './editor-words.ts';

const action = (more: object): PromptAction => {
  const parsed = v.parse(actionSchema, {
    kind: 'prompt',
    endpoint: { baseUrl: 'http://localhost:11434/v1' },
    model: 'm',
    prompt: 'p',
    ...more,
  });
  if (parsed.kind !== 'prompt') throw new Error(parsed.kind);
  return parsed;
};

describe('a prompt in the editor', () => {
  test.each([
    {},
    {
      endpoint: { protocol: 'anthropic', baseUrl: 'https://api.anthropic.com', apiKey: '{{ secrets.KEY }}' },
    },
    { endpoint: { baseUrl: 'http://localhost:1234', apiKey: '' }, system: '' },
    { system: 'Be brief.', temperature: 0, maxTokens: 12, repeatable: false },
    { limits: {} },
    { limits: { tokensPerRun: 1, tokensPerDay: 2 } },
    {
      tools: {
        servers: [
          { url: 'https://a.test/mcp', tools: [{ name: 'a' }, { name: '__proto__', repeatable: true }] },
          { url: '{{ "http://b.test" }}', headers: { 'X-Key': '{{ secrets.B }}' }, tools: [{ name: 'b' }] },
        ],
        maxRounds: 3,
        callMs: 1_500,
      },
    },
    {
      limits: { costPerRun: 0.5, costPerDay: 2 },
      price: { inputPerMillion: 0, outputPerMillion: 0.25, currency: 'EUR' },
    },
  ])('that is opened and saved untouched is the same: %j', (more) => {
    const before = action(more);
    const problems: Problem[] = [];
    expect(readPrompt(promptOf(before), before, problems)).toEqual(before);
    expect(problems).toEqual([]);
  });

  test('takes numbers as people type them, and says which field is none', () => {
    const problems: Problem[] = [];
    const typed = { ...emptyPrompt(), promptMaxTokens: '1 000', promptTemperature: '0,5' };
    expect(readPrompt(typed, undefined, problems)).toMatchObject({ maxTokens: 1_000, temperature: 0.5 });
    readPrompt({ ...typed, promptTokensPerDay: 'many' }, undefined, problems);
    expect(problems.map(({ path }) => path)).toEqual(['action.limits.tokensPerDay']);
  });

  test('says of its tools which server and which number is wrong, and where', () => {
    const problems: Problem[] = [];
    const server = { url: 'http://a.test', headers: [{ name: '', value: 'x' }], tools: [] as const };
    const typed = { ...emptyForm({ now: 0, zone: 'UTC' }), actionKind: 'prompt' as const };
    const form = { ...typed, promptModel: 'm', promptText: 'p', toolServers: [server], toolRounds: 'some' };
    const read = readPrompt(form, undefined, problems);
    const parsed = v.safeParse(actionSchema, { ...read, tools: { ...read.tools, maxRounds: 51 } });
    const paths = [
      ...problems.map(({ path }) => path),
      'action.tools.servers[0].tools',
      'action.tools.servers',
    ];
    expect(parsed.issues?.map((issue) => v.getDotPath(issue))).toEqual([
      'tools.servers.0.headers.',
      'tools.servers.0.tools',
      'tools.maxRounds',
    ]);
    expect(paths.map((path) => fieldOf(path, form))).toEqual([
      'toolServers.0',
      'toolRounds',
      'toolServers.0',
      'toolServers',
    ]);
    expect(readPrompt({ ...form, toolServers: [] }, undefined, [])).not.toHaveProperty('tools');
  });

  test('has a limit of cost only with a price', () => {
    const parsed = v.safeParse(actionSchema, { ...action({}), limits: { costPerDay: 1 } });
    expect(parsed.issues?.map((issue) => v.getDotPath(issue))).toEqual(['limits.costPerDay']);
  });

  test('is put into words without its key', () => {
    const endpoint = { baseUrl: 'https://a.test/v1', apiKey: 'sk-1' };
    const definition = v.parse(definitionSchema, {
      name: 'x',
      schedule: { kind: 'manual' },
      action: action({
        endpoint,
        limits: { tokensPerDay: 9 },
        tools: { servers: [{ url: 'https://t.test', headers: { A: 'key-9' }, tools: [{ name: 'look' }] }] },
      }),
    });
    const words = JSON.stringify(definitionWords(definition, 0));
    expect(words).toContain('Prompt to m at https://a.test/v1');
    expect(words).toContain('9 tokens a day');
    expect(words).toContain('look at https://t.test; at most 10 rounds of calls');
    expect(words).not.toMatch(/sk-1|key-9/);
  });
});
