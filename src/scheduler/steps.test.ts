import { expect, test } from 'vitest';
import type { DefinitionInput, RunId, RunRow } from '../domain/index.ts';
import { FakeBrowser, save } from './fake-world.testing.ts';

const A = 'https://server.test/a';
const B = 'https://server.test/b';

function steps(...urls: readonly string[]) {
  return {
    name: 'Several',
    schedule: { kind: 'manual' as const },
    action: {
      kind: 'steps' as const,
      steps: urls.map((url) => ({ action: { kind: 'http' as const, url } })),
    },
    rules: { retry: { attempts: 1 } },
  } satisfies DefinitionInput;
}

/** The run that is as `status` says, once there is one. What steps need is loaded first, and nobody counts how long that takes. */
async function runThat(browser: FakeBrowser, status: RunRow['status']): Promise<RunRow> {
  let found: RunRow | undefined;
  const look = async (): Promise<boolean> => {
    await browser.quiet();
    found = (await browser.runs()).find((run) => run.status === status);
    return found !== undefined;
  };
  await expect.poll(look).toBe(true);
  if (found === undefined) throw new Error('nothing ran');
  return found;
}

test('a run says which of its steps is under way', async () => {
  const browser = new FakeBrowser();
  const answers = browser.server.holds();
  const host = await browser.start();
  const id = await save(host, steps(A, B));
  await host.calls.runNow({ id });
  const run = await runThat(browser, 'running');
  const place = async () => (await host.calls.getRun(run.id))?.progress?.step;
  const isAsked = (times: number) => expect.poll(() => browser.server.hits.length).toBe(times);
  await isAsked(1);
  expect(await place()).toBe(1);
  await answers.answer();
  await isAsked(2);
  expect(await place()).toBe(2);
  await answers.answer();
  await runThat(browser, 'succeeded');
  expect(await place()).toBeUndefined();
});

/** A run of two steps whose second failed. */
async function failedOnce() {
  const browser = new FakeBrowser();
  browser.server.respond = (hit) => Promise.resolve(new Response('x', { status: hit.url === B ? 500 : 200 }));
  const host = await browser.start();
  const id = await save(host, steps(A, B));
  await host.calls.runNow({ id });
  const run = await runThat(browser, 'failed');
  return { browser, host, id, run };
}

test('a run goes on from a step of an earlier one, and does none before it again', async () => {
  const { browser, host, id, run } = await failedOnce();
  browser.server.respond = () => Promise.resolve(new Response('x'));
  expect(await host.calls.runNow({ id, from: { runId: run.id, step: 2 } })).toMatchObject({
    kind: 'claimed',
  });
  await runThat(browser, 'succeeded');
  expect(browser.server.hits.map(({ url }) => url)).toEqual([A, B, B]);
});

test('a run that cannot go on from there is refused when it is asked for, and none begins', async () => {
  const { browser, host, id, run } = await failedOnce();
  const from = { runId: run.id, step: 2 };
  const unknown = '01975af1-0000-7000-8000-000000000001' as RunId;
  const why = async (asked: { readonly runId: RunId; readonly step: number }): Promise<string> => {
    const result = await host.calls.runNow({ id, from: asked });
    return result.kind === 'not-continued' ? result.why : result.kind;
  };
  expect(await why({ ...from, runId: unknown })).toBe(
    'It cannot go on from step 2: the run that it continues is not there any more.',
  );
  expect(await why({ ...from, step: 3 })).toContain('It cannot go on from step 3: ');
  const other = await save(host, steps(A, B));
  expect(await host.calls.runNow({ id: other, from })).toMatchObject({ kind: 'not-continued' });
  await host.calls.saveAutomation({ id, expectedRevision: 1, automation: steps(B, B) });
  expect(await why(from)).toBe(
    'It cannot go on from step 2: the steps before it have been edited since the run that it continues.',
  );
  await browser.quiet();
  expect(await browser.runs()).toHaveLength(1);
});

test('one that is gone says so, wherever it was to go on from', async () => {
  const { host, id, run } = await failedOnce();
  await host.calls.removeAutomation({ id });
  expect(await host.calls.runNow({ id, from: { runId: run.id, step: 2 } })).toEqual({ kind: 'not-found' });
});
