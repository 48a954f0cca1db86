import { describe, expect, test } from 'vitest';
import type { RunOutput } from './output.ts';
import type { RunRow } from './run.ts';
import { matcherOf } from './run-search.ts';
import { MONDAY, activeRun, automation } from './samples.testing.ts';

const row = (more: object = {}): RunRow =>
  ({
    ...activeRun(automation(), MONDAY),
    status: 'succeeded',
    settledAt: MONDAY + 5,
    summary: '200 OK, 1 kB in 3 ms',
    ...more,
  }) as unknown as RunRow;
const answered = (text: string): RunOutput =>
  ({ kind: 'http', request: {}, response: { text }, timing: {} }) as unknown as RunOutput;
const find = (text: string, run = row(), output: RunOutput | null = null) =>
  matcherOf(text)?.(run, output) ?? null;

describe('something looked for in a run', () => {
  test('is found in its name, its result, its error and what it brought back, and the first of these is told', () => {
    expect(find('check the')).toEqual({ in: 'name', before: '', match: 'Check the', after: ' API' });
    expect(find('200 ok')?.in).toBe('result');
    const failed = row({
      status: 'failed',
      reason: 'action',
      summary: 'It failed.',
      failure: {
        class: 'action',
        code: 'unexpected-status',
        message: 'a.test answered 503.',
        advice: 'Wait.',
      },
    });
    expect(find('503', failed)).toMatchObject({ in: 'error', before: 'a.test answered ', match: '503' });
    expect(find('unexpected-status', failed)?.in).toBe('error');
    expect(find('wait', failed)?.in).toBe('error');
    expect(find('temperature', row(), answered('{"Temperature": 21}'))).toEqual({
      in: 'response',
      before: '{"',
      match: 'Temperature',
      after: '": 21}',
    });
    expect(find('nowhere', failed, answered('something else'))).toBeNull();
  });

  test.each<[string, object, string]>([
    [
      'prompt',
      { rounds: [{ text: '', calls: [{ result: { kind: 'answered', text: 'needle' } }] }] },
      'answer',
    ],
    ['prompt', { answer: { text: 'a needle' } }, 'answer'],
    ['watch', { finding: { kind: 'first', snapshot: { text: 'needle' } } }, 'page'],
    ['watch', { response: { text: 'needle' } }, 'response'],
    ['remind', { message: 'needle' }, 'message'],
    ['script', { value: '"needle"', log: [] }, 'value'],
    [
      'script',
      {
        log: [
          { at: 0, text: 'a' },
          { at: 0, text: 'needle' },
        ],
      },
      'log',
    ],
    ['script', { log: [], error: { name: 'Error', message: 'needle' } }, 'error'],
    [
      'steps',
      {
        steps: [{ status: 'left-out' }, { status: 'failed', output: { kind: 'remind', message: 'needle' } }],
      },
      'message',
    ],
    [
      'steps',
      { steps: [{ status: 'succeeded', summary: 'needle', output: { kind: 'remind', message: '' } }] },
      'result',
    ],
  ])('is found in what a %s brought back: %j', (kind, output, place) => {
    expect(find('Needle', row(), { kind, ...output } as unknown as RunOutput)?.in).toBe(place);
  });

  test('is found whatever its case and white space, and never read as a pattern', () => {
    expect(find('a  b', row(), answered('x A\n\tB y'))?.match).toBe('A B');
    expect(find('(.*)[x]{2}\\d', row(), answered('say (.*)[x]{2}\\d here'))?.match).toBe('(.*)[x]{2}\\d');
    expect(find('.*', row(), answered('x'))).toBeNull();
    expect(find('ÄRGER', row(), answered('kein ärger'))?.match).toBe('ärger');
  });

  test('is told with some of what stands around it, on one line', () => {
    const match = find('needle', row(), answered(`${'hay\n'.repeat(50)}needle${' hay'.repeat(200)}`));
    expect(match?.before).toMatch(/^…(.{39,40})$/);
    expect(match?.after).toHaveLength(121);
    expect(match?.after).toMatch(/…$/);
  });

  test('is nothing when there is nothing to look for', () => {
    expect(matcherOf('')).toBeNull();
    expect(matcherOf(' \n ')).toBeNull();
  });
});
