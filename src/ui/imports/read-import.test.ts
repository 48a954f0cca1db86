import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  type Definition,
  type ImportEntry,
  type ImportReading,
  formatFile,
  prepareTime,
  previewImport,
} from '../../domain/index.ts';
import { FILE_BYTES_MOST, decodeFile, whyTooLarge } from './decode-file.ts';
import { readImport } from './read-import.ts';

beforeAll(() => prepareTime());

const NOW = Date.parse('2026-01-05T00:00:00Z');
const read = (text: string): Promise<ImportReading> =>
  readImport('a file', text, { timeZone: 'Europe/Paris', now: NOW });

function good(reading: ImportReading): readonly ImportEntry[] {
  return reading.entries.flatMap((one) => (one.kind === 'good' ? [one.entry] : []));
}

async function one(text: string): Promise<ImportEntry> {
  const reading = await read(text);
  const [entry] = good(reading);
  if (entry === undefined) throw new Error(JSON.stringify(reading));
  return entry;
}

/** All that is wrong, as `path: message`. */
function wrong(reading: ImportReading): readonly string[] {
  return [
    ...reading.problems,
    ...reading.entries.flatMap((read) => (read.kind === 'bad' ? read.problems : [])),
  ].map(({ path, message }) => `${path} | ${message}`);
}

const ID = '0190a5d2-7c1e-7b3a-9f00-2c5d8e4b1a66';
const stand = { name: 'Stand up', schedule: { kind: 'manual' }, action: { kind: 'remind', message: 'Up' } };
const rota = (...automations: unknown[]): string =>
  JSON.stringify({ format: 'rota', version: 1, automations });
const markdown = (head: string, prompt = 'Summarise the day.'): string => `---\n${head}\n---\n\n${prompt}\n`;
const HEAD =
  'version: 1\nid: daily-summary\nname: "Daily summary"\nschedule:\n  kind: cron\n  expression: "0 9 * * 1"\n  timeZone: local';

describe('a file of Rota', () => {
  test('comes in paused, and a good automation is offered beside a bad one', async () => {
    const reading = await read(
      rota({ ...stand, id: ID, enabled: true }, { ...stand, schedule: { kind: 'x' } }, 7),
    );
    expect(reading.source).toBe('rota');
    expect(good(reading)).toMatchObject([
      { id: ID, definition: { name: 'Stand up', enabled: false }, said: null },
    ]);
    expect(wrong(reading)[0]).toContain('automations[1].schedule.kind');
    expect(wrong(reading).some((problem) => problem.startsWith('automations[2]'))).toBe(true);
  });

  test('without ids is known again by its names', async () => {
    const text = rota(stand, stand, { ...stand, name: 'Other' });
    const ids = good(await read(text)).map(({ id }) => id);
    expect(new Set(ids).size).toBe(3);
    expect(good(await read(text)).map(({ id }) => id)).toEqual(ids);
  });

  test.each([
    [
      '{"format":"rota","version":1,"automations":[',
      /Line 1, column 45: expected a value, the file ends here/,
    ],
    ['{"format":"rota","__proto__":{"x":1}}', /takes no field of this name/],
    ['{"format":"rota","version":9,"automations":[]}', /newer Rota wrote/],
    [rota(...Array.from({ length: 10_001 }, () => 0)), /at most 10000 automations; this one has 10001/],
    [rota({ ...stand, id: ID }, { ...stand, id: ID }), /automations\[0\] has the same id/],
    [
      rota({ ...stand, schedule: { kind: 'cron', expression: '0 9 * * *', timeZone: 'Mars/Base' } }),
      /"Mars\/Base" is not a time zone/,
    ],
    ['{"a":1}', /neither a file of Rota/],
    ['', /empty.*What can come in/],
    ['hello world', /does not know what this is.*crontab/],
  ])('%.50s is refused by place and reason', async (text, why) => {
    expect(wrong(await read(text)).join('\n')).toMatch(why);
    expect(await read(text)).toEqual(await read(`\uFEFF${text}`));
  });
});

describe('an automation of VS Code', () => {
  test('becomes a paused prompt, on its schedule in the zone of this browser', async () => {
    const entry = await one(markdown(HEAD));
    expect(entry.definition).toMatchObject({
      name: 'Daily summary',
      enabled: false,
      schedule: { kind: 'cron', expression: '0 9 * * 1', timeZone: 'Europe/Paris' },
      action: { kind: 'prompt', prompt: 'Summarise the day.' },
    });
    expect(entry.id).toBe((await one(markdown(HEAD.replace('Daily', 'Weekly')))).id);
    expect(entry.notes.join(' ')).toContain('without VS Code');
  });

  test.each([
    ['manual', { kind: 'manual' }],
    ['hourly', { kind: 'every', everyMs: 3_600_000 }],
  ])('may be %s', async (kind, schedule) => {
    const text = markdown(`version: 1\nid: a\nname: A\ndescription: What for\nschedule:\n  kind: ${kind}`);
    const entry = await one(text);
    expect(entry.definition.schedule).toMatchObject(schedule);
    expect(entry.notes.join(' ')).toContain('What for');
    expect((await one(text.replaceAll('\n', '\r\n'))).id).toBe(entry.id);
  });

  test('leaves the model that was chosen here as it is when it comes in again', async () => {
    const entry = await one(markdown(HEAD));
    const mine = {
      ...entry.definition,
      enabled: true,
      tags: ['mine'],
      action: { ...entry.definition.action, model: 'gpt-5' },
    } as Definition;
    const [previewed] = previewImport([await read(markdown(HEAD))], [{ ...mine, id: entry.id, revision: 3 }]);
    expect(previewed?.kind).toBe('same');
  });

  test('keeps braces of its prompt as text', async () => {
    const entry = await one(markdown(HEAD, 'Fill in {{ name }}'));
    expect(entry.definition.action).toMatchObject({ prompt: '{% raw %}Fill in {{ name }}{% endraw %}' });
    const tricky = await one(markdown(HEAD, '{{ a }} {% endraw %}'));
    expect(tricky.definition.action).toMatchObject({ prompt: "{{ '{' }}{ a }} {{ '{' }}% endraw %}" });
  });

  test.each([
    [`${HEAD}\nmodel: gpt\ncolour: red`, /line 9 \| model: This field is not known.*\n?.*line 10 \| colour/s],
    [HEAD.replace('local', 'Europe/Paris'), /line 8 \| schedule.timeZone: It must be local/],
    [
      HEAD.replace('kind: cron', 'kind: daily'),
      /line 5 \| schedule.kind: It is one of manual, hourly and cron/,
    ],
    [HEAD.replace('kind: cron', 'kind: manual'), /schedule.expression: This field is not known/],
    [HEAD.replace('version: 1', 'version: 2'), /line 2 \| version: It is 2, and only 1 is read/],
    [HEAD.replace('daily-summary', 'Not--An Id'), /line 3 \| id: It is up to 64/],
    [HEAD.replace('0 9 * * 1', '0 99 * * 1'), /schedule.expression \|/],
    [HEAD.replace('name: "Daily summary"\n', ''), /name: It is missing/],
    [`${HEAD}\nname: twice`, /line \d+, column \d+ \| The head is no plain YAML: .*unique/],
    ['a: &x [*x]\nb: {', /The head is no plain YAML/],
    ['just text', /This must be fields with values/],
  ])('is refused by line and field: %.60s', async (head, why) => {
    expect(wrong(await read(markdown(head))).join('\n')).toMatch(why);
  });

  test('needs its end and its prompt', async () => {
    expect(wrong(await read(`---\n${HEAD}\n`)).join()).toContain('has no end');
    expect(wrong(await read(markdown(HEAD, ' '))).join()).toContain('The prompt is missing');
  });
});

describe('a ledger of VS Code', () => {
  const schedule = { interval: 'weekly', scheduleHour: 9, scheduleMinute: 5, scheduleDay: 1 };
  const of = (more: object = {}): object => ({
    id: ID,
    name: 'Review',
    prompt: 'Review it',
    schedule,
    enabled: true,
    createdAt: '2026-01-01T00:00:00.000Z',
    ...more,
  });
  const run = (more: object = {}): object => ({
    id: 'r1',
    automationId: ID,
    status: 'completed',
    trigger: 'catch_up',
    startedAt: '2026-01-04T09:05:00.000Z',
    completedAt: '2026-01-04T09:06:00.000Z',
    leaderWindowId: 1,
    ...more,
  });
  const ledger = (version: unknown, automations: unknown, runs: unknown = []): string =>
    JSON.stringify({ schemaVersion: version, revision: 4, automations, runs });

  test.each([1, 2, 3, 4])('of schema %i comes in with its history', async (version) => {
    const target = version < 3 ? { isQuickChat: true } : { target: { kind: 'quickChat' } };
    const entry = await one(
      ledger(version, [of(target)], [run(), run({ id: 'r2', status: 'failed', errorMessage: 'No' })]),
    );
    expect(entry).toMatchObject({
      id: ID,
      definition: {
        enabled: false,
        schedule: { kind: 'cron', expression: '5 9 * * 1', timeZone: 'Europe/Paris' },
      },
      runs: [
        { key: 'r1', status: 'succeeded', cause: 'schedule' },
        { key: 'r2', status: 'failed', message: 'No' },
      ],
    });
    expect(entry.notes.join(' ')).toMatch(/Only VS Code has a use for .*was on in VS Code/);
  });

  test('ends what was pending or running there as interrupted', async () => {
    const runs = [run({ status: 'pending' }), run({ id: 'r2', status: 'running', completedAt: undefined })];
    const entry = await one(ledger(3, [of()], runs));
    expect(entry.runs.map(({ status }) => status)).toEqual(['interrupted', 'interrupted']);
  });

  test('reports what it does not know, at every place, and goes on', async () => {
    const text = ledger(
      4,
      [
        of({ lease: 1, schedule: { ...schedule, zone: 'x' } }),
        of({ id: 'b', schedule: { interval: 'daily', scheduleHour: 25, scheduleMinute: 0 } }),
      ],
      [
        run({ owner: 'w' }),
        run({ automationId: 'gone' }),
        run({ status: 'odd' }),
        run({ startedAt: 'yesterday' }),
        run({ startedAt: '2099-01-01T00:00:00Z' }),
        7,
      ],
    );
    const reading = await read(text);
    expect(good(reading)).toHaveLength(1);
    expect(good(reading)[0]?.notes.join(' ')).toMatch(
      /of its schedule that are not known, and stay out: zone\..*of it that are not known, and stay out: lease/,
    );
    expect(reading.notes.join(' ')).toMatch(
      /^4 of its runs cannot be read.*runs\[2\].*1 of its runs are of automations.*stay out: owner/,
    );
    expect(wrong(reading)).toEqual([
      'automations[1].schedule.scheduleHour | It must be a whole number from 0 to 23.',
    ]);
  });

  test.each([
    [ledger(5, []), /whole number from 1 to 4/],
    [ledger('3', []), /whole number from 1 to 4/],
    [ledger(3, {}), /The automations must be a list/],
    [ledger(3, [], 7), /The runs must be a list/],
    [ledger(3, [null, { id: 7 }]), /An automation must be an object.*The id must be a text/s],
  ])('%.60s is refused', async (text, why) => {
    expect(wrong(await read(text)).join('\n')).toMatch(why);
  });
});

describe('a crontab', () => {
  test('gives each line a draft, named by the comment above it', async () => {
    const reading = await read(
      [
        'MAILTO=me@example.test',
        '# Ping the API',
        '# every five minutes',
        '*/5 * * * * curl -fsS -X POST https://example.test/ping -H "X-A: 1" -d a=b',
        '',
        'CRON_TZ=America/New_York',
        '30 2 * * mon-fri /usr/local/bin/backup --full',
        '#0 0 * * * switched off',
        '@daily root docker inspect --format "{{.State}}" web',
        '@reboot start-me',
        '0 30 4 * * 1 echo six fields',
      ].join('\n'),
    );
    const [ping, backup, docker, reboot, six] = good(reading);
    expect(good(reading)).toHaveLength(5);
    expect(ping?.definition).toMatchObject({
      name: 'Ping the API',
      schedule: { kind: 'cron', expression: '*/5 * * * *', timeZone: 'Europe/Paris' },
      action: { kind: 'http', method: 'POST', url: 'https://example.test/ping', body: 'a=b' },
    });
    expect(ping?.notes.join(' ')).toContain('every five minutes');
    expect(backup?.definition).toMatchObject({
      name: '/usr/local/bin/backup --full',
      schedule: { timeZone: 'America/New_York' },
      action: { kind: 'remind', message: /has no shell/ },
    });
    expect(docker?.definition).toMatchObject({ schedule: { expression: '0 0 * * *' } });
    expect(docker?.notes).toContain('It ran as root.');
    expect(JSON.stringify(docker?.definition.action)).toContain('{% raw %}docker');
    expect(reboot?.definition.schedule).toEqual({ kind: 'manual' });
    expect(six?.definition.schedule).toMatchObject({ expression: '0 30 4 * * 1' });
    expect(reading.notes.join(' ')).toContain('MAILTO');
    expect(good(reading).every(({ definition }) => !definition.enabled)).toBe(true);
  });

  test('knows a line again that was moved to another time', async () => {
    const [before, after] = [await one('0 9 * * * run me'), await one('0 10 * * * run me')];
    expect(after.id).toBe(before.id);
    const [previewed] = previewImport(
      [await read('0 10 * * * run me')],
      [{ ...before.definition, id: before.id, revision: 1 }],
    );
    expect(previewed).toMatchObject({ kind: 'different', differences: [{ path: 'schedule.expression' }] });
  });

  test('names the line that it cannot read, and takes those beside it', async () => {
    const reading = await read(
      '0 9 * * * ok\n99 9 * * * hour\nnonsense here\n@fortnightly x\n@daily\nTZ=Mars/Base\n0 1 * * * zone',
    );
    expect(good(reading)).toHaveLength(1);
    expect(wrong(reading).map((problem) => problem.slice(0, 6))).toEqual([
      'line 2',
      'line 3',
      'line 4',
      'line 5',
      'line 7',
    ]);
    expect(wrong(reading).join('\n')).toMatch(/Mars\/Base/);
  });
});

describe('bytes', () => {
  const utf16 = (text: string, isBig: boolean): Uint8Array => {
    const bytes = new Uint8Array(2 + text.length * 2);
    const data = new DataView(bytes.buffer);
    data.setUint16(0, 0xfeff, !isBig);
    for (let at = 0; at < text.length; at++) data.setUint16(2 + at * 2, text.charCodeAt(at), !isBig);
    return bytes;
  };

  test('are read as UTF-8, with or without a mark, or as UTF-16 that has one', () => {
    const text = rota({ ...stand, name: 'Été' });
    const encoded = new TextEncoder().encode(text);
    for (const bytes of [
      encoded,
      new TextEncoder().encode(`\uFEFF${text}`),
      utf16(text, false),
      utf16(text, true),
    ])
      expect(decodeFile(bytes)).toEqual({ kind: 'text', text });
  });

  test('that are something else are refused, and nothing is replaced in silence', () => {
    expect(decodeFile(Uint8Array.of(0x7b, 0xe9, 0x7d))).toMatchObject({
      message: expect.stringContaining('UTF-8') as string,
    });
    expect(decodeFile(utf16('{}', false).slice(2))).toMatchObject({ kind: 'refused' });
    expect(decodeFile(utf16('{}', false).slice(0, 5))).toMatchObject({ kind: 'refused' });
    expect(whyTooLarge(FILE_BYTES_MOST)).toBeNull();
    expect(decodeFile(new Uint8Array(FILE_BYTES_MOST + 1))).toMatchObject({ kind: 'refused' });
  });
});

describe('any file', () => {
  const samples = [
    rota(
      { ...stand, id: ID },
      { ...stand, tags: ['a'], schedule: { kind: 'cron', expression: '0 9 * * 1', timeZone: 'UTC' } },
    ),
    markdown(HEAD),
    JSON.stringify({
      schemaVersion: 3,
      automations: [{ id: ID, name: 'a', prompt: 'b', schedule: { interval: 'hourly' } }],
      runs: [{ id: 'r', automationId: ID, status: 'pending', startedAt: '2026-01-01T00:00:00Z' }],
    }),
    '# a\n*/5 * * * * curl -H "a: b" https://x.test/\n@daily x % y\nTZ=UTC\n0 0 1 1 * z',
  ];

  test('that was changed anywhere is read or refused, and never fails', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...samples),
        fc.array(
          fc.record({
            at: fc.double({ min: 0, max: 1, noNaN: true }),
            drop: fc.nat(6),
            put: fc.oneof(
              fc.string({ maxLength: 6 }),
              fc.constantFrom('{', '"', '\n', '---\n', '__proto__', '\0', '&a *a', '99'),
            ),
          }),
          { minLength: 1, maxLength: 4 },
        ),
        async (sample, changes) => {
          let text = sample;
          for (const { at, drop, put } of changes) {
            const from = Math.floor(at * text.length);
            text = text.slice(0, from) + put + text.slice(from + drop);
          }
          const reading = await read(text);
          expect(good(reading).every(({ definition }) => !definition.enabled)).toBe(true);
          if (reading.source === null) expect(reading.problems).not.toEqual([]);
          previewImport([reading, reading], []);
        },
      ),
      { numRuns: 100 },
    );
  });

  test('that Rota wrote comes back as it was, and then there is nothing to do', async () => {
    const schedules = fc.constantFrom<Definition['schedule']>(
      { kind: 'manual' },
      { kind: 'cron', expression: '0 9 * * mon', timeZone: 'Europe/Paris' },
      { kind: 'every', everyMs: 60_000, anchor: 0 },
    );
    const texts = fc
      .string({ minLength: 1, maxLength: 30, unit: 'grapheme' })
      .filter((text) => text.trim() === text && text !== '');
    const definitions = fc.record({
      name: texts,
      tags: fc.uniqueArray(texts, { maxLength: 3 }),
      schedule: schedules,
      message: texts,
    });
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(definitions, { selector: ({ name }) => name, maxLength: 6 }),
        async (inputs) => {
          const first = await read(
            rota(...inputs.map(({ message, ...rest }) => ({ ...rest, action: { kind: 'remind', message } }))),
          );
          const present = good(first).map(({ id, definition }) => ({ ...definition, id, revision: 1 }));
          expect(present).toHaveLength(inputs.length);
          const again = await read(formatFile(present));
          expect(good(again).map(({ definition }) => definition)).toEqual(
            present.map(({ id: _, revision: __, ...definition }) => definition),
          );
          expect(previewImport([again], present).filter(({ kind }) => kind !== 'same')).toEqual([]);
        },
      ),
      { numRuns: 20 },
    );
  });
});
