import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as v from 'valibot';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  type AutomationId,
  BODY_KEPT_MOST_BYTES,
  DAY_MS,
  type DefinitionInput,
  definitionSchema,
  HOUR_MS,
  type RunId,
  scheduledOccurrence,
  SNAPSHOT_MOST,
  type WatchOutput,
} from '../../domain/index.ts';
import type { ActionContext, ActionEnding } from '../action-context.ts';
import { perform } from '../registry.ts';

const automationId = '6f1c0c1e-2b6d-4f0e-9d0a-5a1f3f0e7b11' as AutomationId;
/** Monday, 2026-01-05, 09:00 UTC. */
const MONDAY = Date.UTC(2026, 0, 5, 9);

type WatchInput = Omit<Extract<DefinitionInput['action'], { kind: 'watch' }>, 'kind' | 'url'>;
type Answer = (response: ServerResponse) => void;

let server: Server;
let answer: Answer;
let hits: number;
beforeEach(async () => {
  hits = 0;
  server = createServer((_request, response) => {
    hits += 1;
    answer(response);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
});
afterEach(async () => {
  server.closeAllConnections();
  await once(server.close(), 'close');
});

const url = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;

function says(body: string | Uint8Array, contentType = 'text/html; charset=utf-8', status = 200): void {
  answer = (response) => void response.writeHead(status, { 'content-type': contentType }).end(body);
}

const page = (body: string): void => says(`<!doctype html><title>Shop</title><body>${body}</body>`);
const json = (value: unknown): void => says(JSON.stringify(value), 'application/json');
const rss = (items: string): void =>
  says(`<?xml version="1.0"?><rss version="2.0"><channel>${items}</channel></rss>`, 'application/rss+xml');

/** An automation that watches, with a memory of its own and a clock that is set by hand. */
class Watcher {
  readonly #input: WatchInput;
  readonly #values = new Map<string, unknown>();
  #run = 0;
  now = MONDAY;

  constructor(input: WatchInput) {
    this.#input = input;
  }

  /** Runs it and keeps what it leaves, as the settlement does. */
  async run(more: Partial<ActionContext> = {}, input: Partial<WatchInput> = {}): Promise<ActionEnding> {
    const scheduledFor = this.now;
    this.#run += 1;
    const ending = await perform({
      run: {
        id: `run-${this.#run}` as RunId,
        automationId,
        automationName: 'Prices',
        occurrence: scheduledOccurrence(automationId, scheduledFor),
        scheduledFor,
        cause: 'schedule',
        attempt: 1,
        definition: v.parse(definitionSchema, {
          name: 'Prices',
          schedule: { kind: 'cron', expression: '0 * * * *', timeZone: 'UTC' },
          action: { kind: 'watch', url: url(), ...this.#input, ...input },
        }),
      },
      signal: new AbortController().signal,
      now: () => this.now,
      fetch,
      online: () => true,
      origin: 'http://localhost:4173',
      markEffect: () => Promise.reject(new Error('a watch may be repeated, so it marks nothing')),
      recall: (key) => Promise.resolve(structuredClone(this.#values.get(key))),
      ...more,
    });
    for (const [key, value] of Object.entries(ending.remember ?? {})) {
      if (value === null) this.#values.delete(key);
      else this.#values.set(key, structuredClone(value));
    }
    this.now += HOUR_MS;
    return ending;
  }

  /** Runs it, which is to succeed, and gives what a person is told: the summary, and the notification where there is one. */
  async told(): Promise<readonly string[]> {
    const ending = await this.run();
    if (ending.kind === 'failed') throw new Error(ending.failure.message);
    return [ending.summary, ...(ending.notifications ?? []).map(({ body }) => body)];
  }

  remember(value: unknown): void {
    this.#values.set('watch', value);
  }
}

function outputOf({ output }: ActionEnding): WatchOutput {
  if (output?.kind !== 'watch') throw new Error('it brought nothing back');
  return output;
}

/** The lines that a first look finds. */
async function lines(input: WatchInput): Promise<readonly string[]> {
  const { finding } = outputOf(await new Watcher(input).run());
  if (finding?.kind !== 'first') throw new Error('it failed');
  return finding.snapshot.text.split('\n');
}

async function failureOf(input: WatchInput) {
  const ending = await new Watcher(input).run();
  if (ending.kind !== 'failed') throw new Error(`it did not fail: ${ending.summary}`);
  return ending.failure;
}

const price: WatchInput = { part: { kind: 'page', select: '#price' } };

describe('a watch', () => {
  test('only looks the first time, and then says what became of it', async () => {
    const watcher = new Watcher(price);
    page('<p id=price>$12.99</p>');
    expect(await watcher.told()).toEqual(['First look: “$12.99”']);
    expect(await watcher.told()).toEqual(['No change since Mon 09:00']);
    page('<p id=price>$10.99</p>');
    expect(await watcher.told()).toEqual(['“$12.99” became “$10.99”', '“$12.99” became “$10.99”']);
    expect(await watcher.told()).toEqual(['No change since Mon 11:00']);
  });

  test('keeps the snapshot with the run that found it, which points to the one before and to all before that', async () => {
    const watcher = new Watcher(price);
    page('<p id=price>1</p>');
    expect(outputOf(await watcher.run())).toMatchObject({
      request: { method: 'GET', url: url() },
      response: { status: 200, contentType: 'text/html; charset=utf-8' },
      finding: { kind: 'first', snapshot: { text: '1', cut: false } },
      earlier: [],
    });
    page('<p id=price>2</p>');
    expect(outputOf(await watcher.run())).toMatchObject({
      finding: { kind: 'changed', snapshot: { text: '2' }, before: { runId: 'run-1', at: MONDAY } },
      earlier: [{ runId: 'run-1' }],
    });
    const same = outputOf(await watcher.run());
    expect(same.finding).toEqual({ kind: 'same', before: { runId: 'run-2', at: MONDAY + HOUR_MS } });
    expect(same.response).not.toHaveProperty('text');
    page('<p id=price>3</p>');
    expect(outputOf(await watcher.run())).toMatchObject({
      finding: { before: { runId: 'run-2' } },
      earlier: [{ runId: 'run-2' }, { runId: 'run-1' }],
    });
  });

  test('counts lines that came and went, and shows the first of them', async () => {
    const watcher = new Watcher({ part: { kind: 'page', select: 'li' } });
    page('<ul><li>a<li>b<li>c</ul>');
    expect(await watcher.told()).toEqual(['First look: 3 lines']);
    page('<ul><li>a<li>c<li>d<li>e</ul>');
    expect(await watcher.told()).toEqual(['2 lines added, 1 removed', '2 lines added, 1 removed\n+ d\n+ e']);
    page('<ul><li>e<li>d<li>c<li>a</ul>');
    expect((await watcher.told())[0]).toBe('The same lines in another order');
    page('<ul><li>e</ul>');
    expect((await watcher.told())[0]).toBe('3 lines removed');
    page('<ul><li>e<li>e</ul>');
    expect((await watcher.told())[0]).toBe('1 line added');
  });

  test('says when what was there is gone and when it is there again, once each', async () => {
    const watcher = new Watcher(price);
    page('<p id=price>1</p>');
    await watcher.run();
    page('sold out');
    const gone = 'Gone: nothing matches “#price” any more';
    expect(await watcher.told()).toEqual([gone, gone]);
    expect(await watcher.told()).toEqual(['Still gone, since Mon 10:00']);
    page('<p id=price>1</p>');
    expect(await watcher.told()).toEqual(['There again, as it was', 'There again, as it was']);
    page('');
    await watcher.run();
    page('<p id=price>2</p>');
    expect((await watcher.told())[0]).toBe('There again: “1” became “2”');
    expect(await watcher.told()).toEqual(['No change since Mon 14:00']);
  });

  test('fails by the name of the selector when nothing matches and nothing ever did', async () => {
    page('<h1>Are you a robot?</h1>');
    const ending = await new Watcher(price).run();
    expect(ending).toMatchObject({
      kind: 'failed',
      failure: { code: 'nothing-matches', message: expect.stringContaining('“#price”') as string },
    });
    // What came instead says why.
    expect(outputOf(ending).response?.text).toContain('Are you a robot?');
    expect(ending.remember).toBeUndefined();
  });

  test.each([
    ['a status', 500, 'unexpected-status'],
    ['a page that is not there', 404, 'unexpected-status'],
  ])('takes %s for a failure of the request and not for something gone', async (_what, status, code) => {
    const watcher = new Watcher(price);
    page('<p id=price>1</p>');
    await watcher.run();
    says('<h1>Oops</h1>', 'text/html', status);
    const ending = await watcher.run();
    expect(ending).toMatchObject({ kind: 'failed', failure: { code } });
    expect(ending.notifications).toBeUndefined();
    page('<p id=price>1</p>');
    expect(await watcher.told()).toEqual(['No change since Mon 09:00']);
  });

  test('that reaches nobody fails as a request does, and remembers what it knew', async () => {
    const watcher = new Watcher(price);
    page('<p id=price>1</p>');
    await watcher.run();
    const refused = await watcher.run({ fetch: () => Promise.reject(new TypeError('Failed to fetch')) });
    expect(refused).toMatchObject({
      kind: 'failed',
      failure: { class: 'network' },
      output: { kind: 'watch' },
    });
    expect(refused.remember).toBeUndefined();
    expect(
      await watcher.run({ online: () => false, fetch: () => Promise.reject(new TypeError('x')) }),
    ).toMatchObject({
      kind: 'failed',
    });
    expect(await watcher.told()).toEqual(['No change since Mon 09:00']);
  });

  test('notifies only of what it is asked to', async () => {
    const watcher = new Watcher({ ...price, notify: { change: false, gone: false } });
    page('<p id=price>1</p>');
    await watcher.run();
    page('<p id=price>2</p>');
    expect(await watcher.told()).toHaveLength(1);
    page('');
    expect(await watcher.told()).toHaveLength(1);
    page('<p id=price>2</p>');
    expect(await watcher.told()).toHaveLength(1);
  });

  test('says once that there was no change for so many days, and again after the next change', async () => {
    const watcher = new Watcher({ ...price, notify: { unchangedDays: 2 } });
    const quiet = (last: string) => `No change for 2 days: the last was ${last}`;
    page('<p id=price>1</p>');
    await watcher.run();
    watcher.now = MONDAY + 2 * DAY_MS - 1;
    expect(await watcher.told()).toHaveLength(1);
    watcher.now = MONDAY + 2 * DAY_MS;
    expect(await watcher.told()).toEqual(['No change since Mon 09:00', quiet('Mon 09:00')]);
    expect(await watcher.told()).toHaveLength(1);
    page('<p id=price>2</p>');
    watcher.now = MONDAY + 3 * DAY_MS;
    await watcher.run();
    watcher.now = MONDAY + 5 * DAY_MS;
    expect((await watcher.told())[1]).toBe(quiet('Thu 09:00'));
  });

  test('says the date of a change that is longer ago than a week', async () => {
    const watcher = new Watcher(price);
    page('<p id=price>1</p>');
    await watcher.run();
    watcher.now = MONDAY + 8 * DAY_MS;
    expect((await watcher.told())[0]).toMatch(/^No change since \S+ 5 Jan\S*, 09:00$/);
    watcher.now = MONDAY + 400 * DAY_MS;
    expect((await watcher.told())[0]).toMatch(/^No change since 5 Jan\S* 2026, 09:00$/);
  });

  test('looks for the first time again when something else is watched', async () => {
    const watcher = new Watcher(price);
    page('<p id=price>1</p><p class=other>x</p>');
    await watcher.run();
    const other: WatchInput = { part: { kind: 'page', select: '.other' } };
    expect(await watcher.run({}, other)).toMatchObject({ summary: 'First look: “x”' });
    expect(await watcher.run({}, { ...other, filter: { numbers: true } })).toMatchObject({
      summary: 'First look: “x”',
    });
  });

  test.each([null, 'x', [], { subject: 1 }, { __proto__: null }])(
    'that remembers what is no memory of its own (%j) looks for the first time',
    async (value) => {
      const watcher = new Watcher(price);
      watcher.remember(value);
      page('<p id=price>1</p>');
      expect(await watcher.told()).toEqual(['First look: “1”']);
    },
  );

  test('that cannot read what it remembers fails, and does not take the first look again', async () => {
    page('<p id=price>1</p>');
    const ending = await new Watcher(price).run({ recall: () => Promise.reject(new Error('It is newer.')) });
    expect(ending).toMatchObject({
      kind: 'failed',
      failure: { class: 'storage', code: 'memory-unreadable' },
    });
  });

  test('passes an abort on', async () => {
    const reason = new Error('cancelled');
    answer = () => undefined;
    const running = new Watcher(price).run({ signal: AbortSignal.timeout(20) });
    await expect(running).rejects.toThrow(/timeout/i);
    await expect(new Watcher(price).run({ signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  });
});

describe('a page', () => {
  test('is read as the lines that a reader sees', async () => {
    page(`
      <main>
        <h1>  The   <em>shop</em> </h1><p>One<br>two &amp; <b>thr</b>ee&nbsp;four</p>
        <script>var x = "<p>no</p>"</script><style>p { color: red }</style><template>no</template><p hidden>no</p>
        <table><tr><td>a<td>1</tr><tr><td>b<td>2</tr></table>
        <pre>  kept\n  lines</pre><ul><li>x<ul><li>y</ul></ul>
      </main>`);
    expect(await lines({ part: { kind: 'page', select: 'main' } })).toEqual([
      'The shop',
      'One',
      'two & three four',
      'a 1',
      'b 2',
      'kept',
      'lines',
      'x',
      'y',
    ]);
  });

  test.each(['body', 'html'])('is read whole by “%s”, though it leaves that tag out', async (select) => {
    says('<!doctype html><title>Shop</title><h1>Lamp</h1>Costs <b>129</b> euros<p class=ad>AD</p>');
    expect(await lines({ part: { kind: 'page', select, without: ['.ad'] } })).toEqual([
      'Lamp',
      'Costs 129 euros',
    ]);
    says('<title>Shop</title>');
    expect((await failureOf({ part: { kind: 'page', select } })).message).toContain('matches');
  });

  test('is read without what is left out, and without the same text twice', async () => {
    page('<div>a<div>b<i class=ad>AD</i></div></div><div class=ad>AD</div><p>c</p>');
    expect(await lines({ part: { kind: 'page', select: 'div, p', without: ['.ad'] } })).toEqual([
      'a',
      'b',
      'c',
    ]);
  });

  test('is read by one attribute', async () => {
    page('<a href=/one>x</a><a>y</a><a HREF="/two">z</a>');
    const part = { kind: 'page', select: 'a', attribute: 'href' } as const;
    expect(await lines({ part })).toEqual(['/one', '/two']);
    expect((await failureOf({ part: { ...part, attribute: 'constructor' } })).message).toContain(
      '“a” with the attribute constructor',
    );
  });

  test.each([
    ['a header', 'text/html; charset=windows-1252', '', 'caf\xe9'],
    ['a meta element', 'text/html', '<meta charset="windows-1252">', 'caf\xe9'],
    [
      'an older meta element',
      'text/html',
      '<meta http-equiv=content-type content="text/html; charset=latin1">',
      'caf\xe9',
    ],
  ])('is decoded as %s says', async (_what, contentType, head, text) => {
    says(Buffer.from(`${head}<p>${text}</p>`, 'latin1'), contentType);
    expect(await lines({ part: { kind: 'page', select: 'p' } })).toEqual(['café']);
  });

  test('that was cut is compared as far as it goes, and says so', async () => {
    page(`<p id=price>1</p>${'<i>x</i>'.repeat(BODY_KEPT_MOST_BYTES / 8)}`);
    const ending = await new Watcher(price).run();
    expect(ending).toMatchObject({
      summary: 'First look: “1”; it was too long, so only its beginning is compared',
      output: { finding: { snapshot: { cut: true } }, response: { truncated: true } },
    });
  });

  test('that was cut before anything matched fails: what is watched may be behind the cut', async () => {
    const watcher = new Watcher(price);
    page('<p id=price>1</p>');
    await watcher.run();
    page(`${'<i>x</i>'.repeat(BODY_KEPT_MOST_BYTES / 8)}<p id=price>1</p>`);
    expect(await watcher.run()).toMatchObject({
      kind: 'failed',
      failure: { class: 'limit', code: 'answer-too-large' },
    });
  });
});

describe('JSON', () => {
  const names: WatchInput = { part: { kind: 'json', select: '$.items[*].name' } };

  test('is compared value by value', async () => {
    const watcher = new Watcher(names);
    json({ items: [{ name: 'a' }, { name: 2 }, { name: null }, { name: 'two\nlines' }] });
    expect(outputOf(await watcher.run()).finding).toMatchObject({
      snapshot: { text: 'a\n2\nnull\ntwo\nlines' },
    });
    json({ items: [{ name: 'a' }] });
    expect((await watcher.told())[0]).toBe('4 lines removed');
    json({ items: [] });
    expect((await watcher.told())[0]).toBe('Gone: nothing matches “$.items[*].name” any more');
  });

  test('is the same in another order of members, and different in another order of items', async () => {
    const watcher = new Watcher({ part: { kind: 'json', select: '$' } });
    says('{"b": [1, {}], "a": {"y": [], "x": "1"}}', 'application/json');
    expect(outputOf(await watcher.run()).finding).toMatchObject({
      snapshot: {
        text: '{\n  "a": {\n    "x": "1",\n    "y": []\n  },\n  "b": [\n    1,\n    {}\n  ]\n}',
      },
    });
    says('{"a":{"x":"1","y":[]},"b":[1,{}]}', 'application/json');
    expect((await watcher.told())[0]).toMatch(/^No change/);
    says('{"a":{"x":"1","y":[]},"b":[{},1]}', 'application/json');
    expect((await watcher.told())[0]).toMatch(/removed|order/);
  });

  test.each<[string, string, string, string]>([
    ['that is none', '<p>no</p>', '$', 'not-json'],
    ['that is empty', ' ', '$', 'empty-answer'],
    ['without a match', '{}', '$.items', 'nothing-matches'],
    ['too large to be whole', `["${'x'.repeat(BODY_KEPT_MOST_BYTES)}"]`, '$', 'answer-too-large'],
    ['that nests too deeply', `${'['.repeat(5_000)}${']'.repeat(5_000)}`, '$', 'nests-too-deep'],
    ['that nests too deeply for ..', `${'['.repeat(50_000)}${']'.repeat(50_000)}`, '$..a', 'json-path-limit'],
  ])('%s fails and says so', async (_what, body, select, code) => {
    says(body, 'application/json');
    expect((await failureOf({ part: { kind: 'json', select } })).code).toBe(code);
  });
});

describe('a text', () => {
  test('is compared line by line, whatever ends them, and may be empty', async () => {
    const watcher = new Watcher({ part: { kind: 'text' } });
    says('a\r\nb\n', 'text/plain');
    expect(await watcher.told()).toEqual(['First look: 2 lines']);
    says('a\nb', 'text/plain');
    expect((await watcher.told())[0]).toMatch(/^No change/);
    says('', 'text/plain');
    expect((await watcher.told())[0]).toBe('2 lines removed');
    says('a', 'text/plain');
    expect((await watcher.told())[0]).toBe('1 line added');
  });

  test.each([
    ['image/png', /answered with image\/png, which is no text/],
    ['application/octet-stream', /octet-stream/],
  ])('of type %s is none', async (contentType, message) => {
    says(Uint8Array.from([0x89, 0x50, 0, 1]), contentType);
    const failure = await failureOf({ part: { kind: 'text' } });
    expect(failure.code).toBe('not-text');
    expect(failure.message).toMatch(message);
  });

  test('that is not in the encoding that it names is compared with what cannot be read marked', async () => {
    const watcher = new Watcher({ part: { kind: 'text' } });
    says(Uint8Array.from([0x61, 0xff, 0xfe, 0x62]), 'text/plain; charset=utf-8');
    expect(await watcher.told()).toEqual(['First look: “a\uFFFD\uFFFDb”']);
    says(Uint8Array.from([0x61, 0x62]), 'text/plain; charset=no-such-thing');
    expect((await watcher.told())[0]).toBe('“a\uFFFD\uFFFDb” became “ab”');
  });

  test('that is longer than a snapshot is compared as far as one goes', async () => {
    const watcher = new Watcher({ part: { kind: 'text' } });
    says('0123456789\n'.repeat(50_000), 'text/plain');
    const { finding } = outputOf(await watcher.run());
    expect(finding).toMatchObject({ kind: 'first', snapshot: { cut: true } });
    expect(finding?.kind === 'first' && finding.snapshot.text.length).toBeLessThanOrEqual(SNAPSHOT_MOST);
    says('x'.repeat(500_000), 'text/plain');
    expect((await watcher.told())[0]).toMatch(/too long/);
  });
});

describe('noise', () => {
  const text = (filter: WatchInput['filter'], more: Partial<WatchInput> = {}): WatchInput => ({
    part: { kind: 'text' },
    ...(filter === undefined ? {} : { filter }),
    ...more,
  });

  test.each<[string, WatchInput['filter'], string, readonly string[]]>([
    ['cut out of lines', { erase: ['/, \\d+ views/', 'NEW '] }, 'new a, 12 views\nb', ['a', 'b']],
    ['kept by what lines hold', { keep: ['price', '/^b/'] }, 'Price 1\nb\nab', ['Price 1', 'b']],
    ['dropped by what lines hold', { drop: ['advert'] }, 'a\nAdvertisement\nb', ['a', 'b']],
    ['numbers', { numbers: true }, 'a 1,204.50 b\nc 12:30', ['a # b', 'c #']],
    ['white space', { space: true }, '  a \t b \n\n \nc', ['a b', 'c']],
    ['repeated lines', { unique: true }, 'a\nb\na', ['a', 'b']],
    ['the order of lines', { sort: true }, 'b\na\nB', ['B', 'a', 'b']],
    [
      'all at once',
      { erase: ['x'], drop: ['/^c/'], sort: true, unique: true, space: true },
      'bx\nc\nb\na x',
      ['a', 'b'],
    ],
  ])('%s does not count', async (_what, filter, body, left) => {
    says(body, 'text/plain');
    expect(await lines(text(filter))).toEqual(left);
  });

  test('that is less than the least change adds up until it counts', async () => {
    const watcher = new Watcher(text(undefined, { minimumLines: 2 }));
    says('a\nb\nc', 'text/plain');
    await watcher.run();
    says('a\nb\nc\nd', 'text/plain');
    expect(await watcher.told()).toEqual(['1 line added since Mon 09:00, fewer than the 2 that count']);
    says('a\nb\nc\nd\ne', 'text/plain');
    expect((await watcher.told())[0]).toBe('2 lines added');
  });

  test('in a pattern that cannot be read fails before anything is requested', async () => {
    says('a', 'text/plain');
    expect(await failureOf(text({ drop: ['/(/'] }))).toMatchObject({ class: 'invalid', code: 'bad-pattern' });
    expect(hits).toBe(0);
  });

  test('in a pattern that would hang an engine that backtracks is told from the rest', async () => {
    says(`${'a'.repeat(5_000)}!\nb`, 'text/plain');
    expect(await lines(text({ drop: ['/^(a+)+$/'] }))).toHaveLength(2);
  });

  test('in a pattern that costs too much ends at a limit', async () => {
    says(`${'a'.repeat(1_000)}\n`.repeat(1_000), 'text/plain');
    expect(await failureOf(text({ drop: ['/(a?){60}b/'] }))).toMatchObject({ code: 'pattern-limit' });
  });
});

describe('a feed', () => {
  const feed: WatchInput = { part: { kind: 'feed' } };
  const item = (id: number | string, title = `Item ${id}`): string =>
    `<item><title>${title}</title><link>https://example.test/${id}</link><guid>${id}</guid></item>`;

  test('tells of items that it never had, by name', async () => {
    const watcher = new Watcher(feed);
    rss(item(2) + item(1));
    expect(await watcher.told()).toEqual(['First look: 2 lines']);
    rss(item(3) + item(2) + item(1));
    expect(await watcher.told()).toEqual([
      '1 new item: Item 3',
      '1 new item: Item 3\nhttps://example.test/3',
    ]);
    rss([7, 6, 5, 4, 3].map((id) => item(id)).join(''));
    const ending = await watcher.run();
    expect(ending).toMatchObject({ summary: '4 new items: Item 7, Item 6, Item 5 and 1 more' });
    expect(outputOf(ending).finding).toMatchObject({
      kind: 'new-items',
      count: 4,
      items: [{ title: 'Item 7', link: 'https://example.test/7' }, {}, {}, {}],
    });
  });

  test('tells nothing of items that are edited, dropped, moved or there again', async () => {
    const watcher = new Watcher(feed);
    rss(item(2) + item(1));
    await watcher.run();
    rss(item(1, 'Edited'));
    expect((await watcher.told())[0]).toBe('No change since Mon 09:00');
    rss(item(3) + item(1));
    expect((await watcher.told())[0]).toBe('1 new item: Item 3');
    rss(item(1) + item(2) + item(3));
    expect((await watcher.told())[0]).toBe('No change since Mon 11:00');
    rss('');
    expect((await watcher.told())[0]).toMatch(/^No change/);
    rss(item(1) + item(2));
    expect((await watcher.told())[0]).toMatch(/^No change/);
  });

  test('shows a difference also when a new item is called like an old one', async () => {
    const watcher = new Watcher(feed);
    const twin = (id: number) => `<item><title>Same</title><guid isPermaLink="false">${id}</guid></item>`;
    rss(twin(1) + twin(2));
    const first = outputOf(await watcher.run()).finding;
    rss(twin(3) + twin(1));
    const second = outputOf(await watcher.run()).finding;
    expect(second?.kind).toBe('new-items');
    expect(second?.kind === 'new-items' && second.snapshot.text).not.toBe(
      first?.kind === 'first' && first.snapshot.text,
    );
  });

  test('looks at items by their titles, and counts only as many as asked for', async () => {
    const watcher = new Watcher({ ...feed, filter: { keep: ['release'], drop: ['beta'] }, minimumLines: 2 });
    rss(item(1, 'Release 1'));
    await watcher.run();
    rss(item(2, 'Release 2 beta') + item(3, 'News') + item(4, 'Release 2'));
    expect((await watcher.told())[0]).toMatch(/^1 line added since/);
    rss(item(5, 'Release 3') + item(4, 'Release 2'));
    expect((await watcher.told())[0]).toBe('2 new items: Release 3, Release 2');
  });

  test.each<[string, string, string, string]>([
    [
      'RSS 2.0 with markup in its titles',
      'application/rss+xml',
      '<rss><channel><title>Feed</title><item><title>A &amp;lt;b&amp;gt; &lt;b&gt;bold&lt;/b&gt;</title><media:title>no</media:title><guid>https://example.test/a</guid></item></channel></rss>',
      'A <b> bold · https://example.test/a',
    ],
    [
      'RSS with CDATA, no ids and a link of its own',
      'text/xml',
      '<rss><channel><item><title><![CDATA[Tom & <i>Jerry</i>]]></title><link>/a?b=1&amp;c=2</link></item></channel></rss>',
      'Tom & Jerry · /a?b=1&c=2',
    ],
    [
      'Atom',
      'application/atom+xml',
      '<feed xmlns="http://www.w3.org/2005/Atom"><title>Feed</title><entry><id>urn:1</id><title>A</title><link rel="self" href="/self"/><link href="/a"/></entry></feed>',
      'A · /a',
    ],
    [
      'Atom with a prefix',
      'application/xml',
      '<atom:feed xmlns:atom="http://www.w3.org/2005/Atom"><atom:entry><atom:id>1</atom:id><title>no</title><atom:title>A</atom:title></atom:entry></atom:feed>',
      'A',
    ],
    [
      'RSS 1.0',
      'application/rdf+xml',
      '<rdf:RDF><channel rdf:about="x"/><item rdf:about="https://example.test/1"><title>A</title><link>https://example.test/1</link></item></rdf:RDF>',
      'A · https://example.test/1',
    ],
    [
      'JSON Feed',
      'application/feed+json',
      '{"version":"https://jsonfeed.org/version/1.1","title":"Feed","items":[{"id":1,"title":"A","url":"/a"},{"id":"2","content_text":"B"},null,{"__proto__":{"id":"x"}}]}',
      'A · /a\nB',
    ],
  ])('is read: %s', async (_what, contentType, body, text) => {
    says(body, contentType);
    const expected = text.replace(/ · (\/.*)/, (_all, path: string) => ` · ${new URL(path, url()).href}`);
    expect((await lines(feed)).join('\n')).toBe(expected);
  });

  test.each([
    ['a page', '<html><body>no</body></html>'],
    ['JSON of another kind', '{"items": []}'],
    ['JSON that is cut off', '{"version": "https://jsonfeed.org/version/1", "items": ['],
  ])('that is %s fails', async (_what, body) => {
    says(body, 'text/html');
    expect((await failureOf(feed)).code).toBe('not-a-feed');
  });

  test('that was cut leaves out the item at the cut', async () => {
    rss(item(1) + item(2, 'x'.repeat(BODY_KEPT_MOST_BYTES)));
    expect(await lines(feed)).toEqual(['Item 1 · https://example.test/1']);
  });
});

describe('what is hostile', () => {
  const bomb = `<?xml version="1.0"?><!DOCTYPE lolz [<!ENTITY lol "lol">${Array.from(
    { length: 9 },
    (_, n) => `<!ENTITY lol${n + 1} "${`&lol${n === 0 ? '' : n};`.repeat(10)}">`,
  ).join('')}]>`;

  test('grows by no entity of its own', async () => {
    says(`${bomb}<rss><channel><item><title>&lol9;</title><guid>1</guid></item></channel></rss>`, 'text/xml');
    expect(await lines({ part: { kind: 'feed' } })).toEqual(['&lol9;']);
    says(`${bomb}<p>&lol9;</p>`, 'text/html');
    expect(await lines({ part: { kind: 'page', select: 'p' } })).toEqual(['&lol9;']);
  });

  test('reads no file and asks for no address that an entity names', async () => {
    says(
      `<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd"><!ENTITY y SYSTEM "${url()}">]><rss><channel><item><title>&x;&y;</title><guid>1</guid></item></channel></rss>`,
      'text/xml',
    );
    expect(await lines({ part: { kind: 'feed' } })).toEqual(['&x;&y;']);
    expect(hits).toBe(1);
  });

  test.each<[string, string, RegExp]>([
    ['nests nine hundred elements', `${'<div>'.repeat(900)}<p id=price>1</p>`, /^1$/],
    [
      'nests a hundred thousand elements',
      `${'<b>'.repeat(100_000)}<p id=price>1</p>`,
      /nests deeper than 1000/,
    ],
    [
      'nests deeply and closes what is not open',
      `${'<b>'.repeat(900)}${'</i>'.repeat(200_000)}<p id=price>1</p>`,
      /^1$/,
    ],
    ['has an attribute of a megabyte', `<p id=price title="${'x'.repeat(900_000)}">1</p>`, /^1$/],
    [
      'has a hundred thousand attributes',
      `<p id=price ${Array.from({ length: 100_000 }, (_, n) => `a${n}`).join(' ')}>1</p>`,
      /^1$/,
    ],
    ['has a hundred thousand siblings', `<p id=price>1</p>${'<br>'.repeat(100_000)}`, /^1$/],
    [
      'is called by what objects inherit',
      '<constructor></constructor><__proto__ __proto__=x><p id=price toString=y>1</p>',
      /^1$/,
    ],
    ['is full of null characters and open tags', `\0\0<p id=price>1\0</p><`, /^1.?$/],
    [
      'is a script',
      '<p id=price><img src=x onerror="globalThis.pwned = true">&lt;script&gt;1&lt;/script&gt;</p>',
      /^<script>1<\/script>$/,
    ],
    [
      'nests templates and tables and forms',
      `<p id=price>1</p>${'<table><form><template><select><option>'.repeat(500)}`,
      /nests deeper than 1000/,
    ],
  ])('a page that %s is read or refused, and quickly', async (_what, body, expected) => {
    says(body);
    const ending = await new Watcher(price).run();
    const text =
      ending.kind === 'failed'
        ? ending.failure.message
        : ending.output.kind === 'watch' && ending.output.finding?.kind === 'first'
          ? ending.output.finding.snapshot.text
          : '';
    expect(text).toMatch(expected);
    expect(Reflect.get(globalThis, 'pwned')).toBeUndefined();
  });

  test.each([
    ['div div div div div div p', '<div>'.repeat(490) + '<p>x</p>'.repeat(5_000)],
    [':has(:has(:has(q)))', '<div>'.repeat(490) + '<p>x</p>'.repeat(5_000)],
    ['p ~ p ~ p ~ q', '<p>x</p>'.repeat(20_000)],
    [':contains("zzz")', '<div>'.repeat(490) + 'x'.repeat(500_000)],
    ['p:nth-last-child(2n+1) ~ q', '<p>x</p>'.repeat(20_000)],
  ])(
    'a page made for the selector %s keeps the host busy for no longer than a limit',
    async (select, body) => {
      says(body);
      const ending = await new Watcher({ part: { kind: 'page', select } }).run();
      expect(ending.kind === 'failed' ? ending.failure.code : 'found').toMatch(
        /^(selector-limit|nothing-matches|found)$/,
      );
    },
  );

  test('JSON with keys of prototypes is text like any other, and changes no object', async () => {
    says('{"__proto__": {"polluted": 1}, "constructor": {"prototype": {"polluted": 1}}}', 'application/json');
    const found = await lines({ part: { kind: 'json', select: '$' } });
    expect(found).toContain('  "__proto__": {');
    expect(Reflect.get({}, 'polluted')).toBeUndefined();
  });

  test('a title of a megabyte of open tags is cut before it is looked at', async () => {
    rss(`<item><title>${'&lt;'.repeat(200_000)}</title><guid>1</guid></item>`);
    expect((await lines({ part: { kind: 'feed' } }))[0]?.length).toBeLessThan(1_000);
  });

  test('a feed of more items than are read is read as far as that', async () => {
    rss(Array.from({ length: 5_000 }, (_, n) => `<item><title>${n}</title></item>`).join(''));
    expect(await lines({ part: { kind: 'feed' } })).toHaveLength(1_000);
  });

  test.each([
    ['#price[', 'bad-selector'],
    ['p::before', 'bad-selector'],
    [':nope', 'bad-selector'],
    [`${':not('.repeat(80)}p${')'.repeat(80)}`, /^(found|nothing-matches|bad-selector)$/],
  ])('the selector %s ends in a clear run', async (select, code) => {
    page('<p>x</p>');
    const ending = await new Watcher({ part: { kind: 'page', select } }).run();
    expect(ending.kind === 'failed' ? ending.failure.code : 'found').toMatch(code);
  });
});
