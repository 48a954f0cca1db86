import type { ReactiveController, ReactiveControllerHost } from 'lit';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Parsed, Schedule } from '../../domain/index.ts';
import type { HostApi, PreviewInstant } from '../../rpc/index.ts';
import { Preview } from './editor-preview.ts';

type Answer = Awaited<ReturnType<HostApi['preview']>>;

const NOW = 1_000_000;
const instant = (at: number): PreviewInstant => ({ at, local: '' });
const cron = (expression: string): Parsed<Schedule> => ({
  kind: 'ok',
  value: { kind: 'cron', expression, timeZone: 'UTC' },
});

beforeEach(() => {
  vi.useFakeTimers({ now: NOW });
});
afterEach(() => {
  vi.useRealTimers();
});

function open(): {
  readonly preview: Preview;
  readonly asked: string[];
  readonly answer: (expression: string, answer: Answer | Error) => Promise<void>;
  readonly updates: () => number;
  readonly close: () => void;
} {
  const asked: string[] = [];
  const waiting = new Map<string, (answer: Answer | Error) => void>();
  let updates = 0;
  let controller: ReactiveController | null = null;
  const element = {
    addController: (one: ReactiveController) => {
      controller = one;
    },
    requestUpdate: () => {
      updates += 1;
    },
  } as unknown as ReactiveControllerHost;
  const preview = new Preview(
    element,
    ({ schedule }) => {
      const expression = schedule.kind === 'cron' ? schedule.expression : schedule.kind;
      asked.push(expression);
      return new Promise((resolve, reject) => {
        waiting.set(expression, (answer) => {
          if (answer instanceof Error) reject(answer);
          else resolve(answer);
        });
      });
    },
    () => Date.now(),
  );
  return {
    preview,
    asked,
    answer: async (expression, answer) => {
      waiting.get(expression)?.(answer);
      await vi.advanceTimersByTimeAsync(0);
    },
    updates: () => updates,
    close: () => controller?.hostDisconnected?.(),
  };
}

test('the first schedule is asked for at once, and later ones when typing pauses', async () => {
  const { preview, asked, answer } = open();
  preview.show(cron('a'));
  await vi.advanceTimersByTimeAsync(0);
  expect(asked).toEqual(['a']);
  await answer('a', { kind: 'ok', at: [instant(NOW + 3_600_000)] });
  preview.show(cron('ab'));
  preview.show(cron('abc'));
  expect(preview.state).toMatchObject({ kind: 'ok', stale: true });
  await vi.advanceTimersByTimeAsync(1_000);
  expect(asked).toEqual(['a', 'abc']);
});

test('an answer that comes after the schedule has changed is dropped', async () => {
  const { preview, answer } = open();
  preview.show(cron('slow'));
  await vi.advanceTimersByTimeAsync(0);
  preview.show(cron('quick'));
  await vi.advanceTimersByTimeAsync(1_000);
  await answer('quick', { kind: 'ok', at: [instant(NOW + 7_200_000)] });
  await answer('slow', { kind: 'invalid', problems: [{ path: 'expression', message: 'no' }] });
  expect(preview.state).toMatchObject({ kind: 'ok', at: [{ at: NOW + 7_200_000 }] });
});

test('what cannot be read is said without asking, and the same schedule is not asked for twice', async () => {
  const { preview, asked } = open();
  preview.show({ kind: 'invalid', problems: [{ path: 'schedule.at', message: 'Enter a date.' }] });
  expect(preview.state).toMatchObject({ kind: 'invalid', problems: [{ path: 'schedule.at' }] });
  preview.show(cron('a'));
  preview.show(cron('a'));
  await vi.advanceTimersByTimeAsync(1_000);
  expect(asked).toEqual(['a']);
});

test('the problems of a schedule are named as in a definition', async () => {
  const { preview, answer } = open();
  preview.show(cron('a'));
  await vi.advanceTimersByTimeAsync(0);
  await answer('a', {
    kind: 'invalid',
    problems: ['expression', '', 'schedule.timeZone'].map((path) => ({ path, message: 'no' })),
  });
  expect(preview.state.kind === 'invalid' && preview.state.problems.map(({ path }) => path)).toEqual([
    'schedule.expression',
    'schedule',
    'schedule.timeZone',
  ]);
});

test('it is asked again when the first instant has passed, and when the host had no answer', async () => {
  const { preview, asked, answer } = open();
  preview.show(cron('a'));
  await vi.advanceTimersByTimeAsync(0);
  await answer('a', { kind: 'ok', at: [instant(NOW + 10_000)] });
  await vi.advanceTimersByTimeAsync(9_000);
  expect(asked).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(asked).toHaveLength(2);
  await answer('a', Object.assign(new Error('gone'), { code: 'host-lost' }));
  expect(preview.state).toMatchObject({ kind: 'failed', problem: { code: 'host-lost' } });
  await vi.advanceTimersByTimeAsync(6_000);
  expect(asked).toHaveLength(3);
});

test('nothing is asked or shown once its element is gone', async () => {
  const { preview, asked, answer, updates, close } = open();
  preview.show(cron('a'));
  await vi.advanceTimersByTimeAsync(0);
  const before = updates();
  close();
  await answer('a', { kind: 'ok', at: [instant(NOW + 10_000)] });
  await vi.advanceTimersByTimeAsync(60_000);
  expect(asked).toHaveLength(1);
  expect(updates()).toBe(before);
});
