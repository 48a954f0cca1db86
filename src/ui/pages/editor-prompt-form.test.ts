import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import { type Problem, type PromptAction, actionSchema, definitionSchema } from '../../domain/index.ts';
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

  test('has a limit of cost only with a price', () => {
    const parsed = v.safeParse(actionSchema, { ...action({}), limits: { costPerDay: 1 } });
    expect(parsed.issues?.map((issue) => v.getDotPath(issue))).toEqual(['limits.costPerDay']);
  });

  test('is put into words without its key', () => {
    const endpoint = { baseUrl: 'https://a.test/v1', apiKey: 'sk-1' };
    const definition = v.parse(definitionSchema, {
      name: 'x',
      schedule: { kind: 'manual' },
      action: action({ endpoint, limits: { tokensPerDay: 9 } }),
    });
    const words = JSON.stringify(definitionWords(definition, 0));
    expect(words).toContain('Prompt to m at https://a.test/v1');
    expect(words).toContain('9 tokens a day');
    expect(words).not.toContain('sk-1');
  });
});
