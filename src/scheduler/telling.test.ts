import { expect, test } from 'vitest';
import type { RunId } from '../domain/index.ts';
import { type Hint, PROGRESS_MOST } from '../rpc/index.ts';
import { FakeBrowser, save } from './fake-world.testing.ts';
import { Telling } from './telling.ts';

const runId = '0190a5d2-7c1e-7b3a-9f00-2c5d8e4b1a66' as RunId;

function tells() {
  const posted: string[] = [];
  let fire: () => void = () => undefined;
  const telling = new Telling(
    {
      hints: {
        post: (hint: Hint) => {
          if (hint.topic === 'progress') posted.push(hint.progress.text);
        },
        listen: () => () => undefined,
      },
      setTimer: (_delay, then) => {
        fire = then;
        return () => (fire = () => undefined);
      },
    },
    runId,
  );
  return { telling, posted, pass: () => fire() };
}

test('a run tells at once, and then once for all that came meanwhile', () => {
  const { telling, posted, pass } = tells();
  for (const text of ['a', 'ab', 'abc']) telling.tell({ text, thought: 0 });
  expect(posted).toEqual(['a']);
  expect(telling.last?.text).toBe('abc');
  pass();
  pass();
  expect(posted).toEqual(['a', 'abc']);
});

test('a run that has ended tells nothing more', () => {
  const { telling, posted, pass } = tells();
  telling.tell({ text: 'a', thought: 0 });
  telling.tell({ text: 'ab', thought: 0 });
  telling.stop();
  pass();
  expect(posted).toEqual(['a']);
});

test('a run of several steps tells which of them it is', () => {
  const { telling } = tells();
  telling.tell({ text: 'a', thought: 0 });
  expect(telling.last).not.toHaveProperty('step');
  telling.tell({ text: '', thought: 0, step: 2 });
  expect(telling.last).toMatchObject({ text: '', step: 2 });
});

test('of a long text the end is told', () => {
  const { telling } = tells();
  telling.tell({ text: `${'x'.repeat(PROGRESS_MOST)}end`, thought: 3 });
  expect(telling.last).toMatchObject({ isCut: true, thought: 3 });
  expect(telling.last?.text).toHaveLength(PROGRESS_MOST);
  expect(telling.last?.text.endsWith('end')).toBe(true);
});

const chunk = (content: string, end: string | null = null): string =>
  `data: ${JSON.stringify({ choices: [{ delta: { content }, finish_reason: end }] })}\n\n`;

/** Answers each prompt with a stream that the test writes to. */
function streams(browser: FakeBrowser): { say: (text: string) => void; end: () => void } {
  let controller: ReadableStreamDefaultController<Uint8Array> | null = null;
  browser.server.respond = () =>
    Promise.resolve(
      new Response(new ReadableStream({ start: (made) => void (controller = made) }), {
        headers: { 'content-type': 'text/event-stream' },
      }),
    );
  const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
  return {
    say: (text) => controller?.enqueue(bytes(chunk(text))),
    end: () => {
      controller?.enqueue(bytes(chunk('', 'stop')));
      controller?.close();
    },
  };
}

const asking = {
  name: 'Ask',
  schedule: { kind: 'manual' },
  action: {
    kind: 'prompt',
    endpoint: { baseUrl: 'http://localhost:11434/v1' },
    model: 'm',
    prompt: 'Say it',
    limits: { tokensPerDay: 1_000 },
  },
} as const;

test('what a model says is told to those who look while it runs, and kept when it is cancelled', async () => {
  const browser = new FakeBrowser();
  const answer = streams(browser);
  const host = await browser.start();
  const id = await save(host, asking);
  const started = await host.calls.runNow({ id });
  if (started.kind !== 'claimed') throw new Error(started.kind);
  const read = () => host.calls.getRun(started.run.id);
  // The library that asks is loaded now, which no clock of the test can hurry.
  await expect.poll(() => browser.server.hits).toHaveLength(1);
  const saidMore = async () => {
    answer.say('one ');
    return (await read())?.progress?.text;
  };
  await expect.poll(saidMore).toContain('one ');
  await host.calls.cancelRun({ runId: started.run.id });
  await browser.quiet();
  const run = await read();
  expect(run).toMatchObject({ status: 'cancelled', output: { answer: { end: 'cut' } } });
  expect(run).not.toHaveProperty('progress');
  expect((await host.calls.getAutomation(id))?.spent?.tokens).toBeGreaterThan(2);
});

test('what the runs of a day used keeps the next one from asking', async () => {
  const browser = new FakeBrowser();
  const answer = streams(browser);
  const host = await browser.start();
  const limits = { tokensPerDay: 12 };
  const id = await save(host, { ...asking, action: { ...asking.action, limits } });
  await host.calls.runNow({ id });
  await expect.poll(() => browser.server.hits).toHaveLength(1);
  answer.say('a whole answer of nine tokens or so, it is');
  answer.end();
  await expect.poll(async () => (await browser.runs())[0]?.status).toBe('succeeded');
  await host.calls.runNow({ id });
  await expect.poll(() => browser.runs()).toMatchObject([{}, { reason: 'limit' }]);
  expect(browser.server.hits).toHaveLength(1);
  expect(await host.calls.getAutomation(id)).toMatchObject({ failuresInARow: 0 });
});
