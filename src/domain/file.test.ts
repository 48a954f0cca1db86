import fc from 'fast-check';
import * as v from 'valibot';
import { beforeAll, describe, expect, test } from 'vitest';
import { HTTP_METHODS } from './action-http.ts';
import type { Automation } from './automation.ts';
import { definitionSchema } from './definition.ts';
import {
  FILE_AUTOMATIONS_MOST,
  FILE_PROBLEMS_MOST,
  FILE_TEXT_MOST,
  type FiledAutomation,
  formatFile,
  parseFile,
} from './file.ts';
import type { AutomationId } from './ids.ts';
import type { Problem } from './problem.ts';
import { DEFAULT_RULES } from './rules.ts';
import { prepareTime } from './temporal.ts';

beforeAll(() => prepareTime());

const reminder = {
  name: 'Stand up',
  schedule: { kind: 'manual' },
  action: { kind: 'remind', message: 'Stand up' },
};

const fileWith = (...automations: unknown[]): string =>
  JSON.stringify({ format: 'rota', version: 1, automations });

function problemsOf(text: string): readonly Problem[] {
  const parsed = parseFile(text);
  return parsed.kind === 'invalid' ? parsed.problems : [];
}

function valueOf(text: string): readonly FiledAutomation[] {
  const parsed = parseFile(text);
  if (parsed.kind === 'invalid') throw new Error(JSON.stringify(parsed.problems));
  return parsed.value;
}

/** The example of the design's "Files". */
const EXAMPLE = `{ "format": "rota", "version": 1,
  "automations": [ {
    "id": "0190a5d2-7c1e-7b3a-9f00-2c5d8e4b1a66", "name": "Check the API", "enabled": true, "tags": ["ops"],
    "schedule": { "kind": "cron", "expression": "*/5 9-17 * * mon-fri", "timeZone": "Europe/Paris" },
    "action": { "kind": "http", "method": "GET", "url": "https://example.test/health?at={{ run.scheduledFor }}",
                "expect": { "status": [200] } },
    "rules": { "missed": { "kind": "once" }, "overlap": { "kind": "skip" }, "timeoutMs": 60000,
               "retry": { "attempts": 3, "firstDelayMs": 1000, "factor": 2 } } } ] }`;

describe('a file', () => {
  test('of the documented form is read, with defaults where it leaves things out', () => {
    expect(valueOf(EXAMPLE)).toEqual([
      {
        id: '0190a5d2-7c1e-7b3a-9f00-2c5d8e4b1a66',
        name: 'Check the API',
        enabled: true,
        tags: ['ops'],
        schedule: { kind: 'cron', expression: '*/5 9-17 * * mon-fri', timeZone: 'Europe/Paris' },
        action: {
          kind: 'http',
          method: 'GET',
          url: 'https://example.test/health?at={{ run.scheduledFor }}',
          headers: {},
          expect: { status: [200] },
          idempotencyKey: false,
          repeatable: false,
        },
        rules: {
          missed: { kind: 'once' },
          overlap: { kind: 'skip' },
          timeoutMs: 60_000,
          retry: { attempts: 3, firstDelayMs: 1_000, factor: 2, maxDelayMs: 300_000 },
        },
      },
    ]);
  });

  test('needs no more than a name, a schedule and an action', () => {
    expect(valueOf(fileWith(reminder))).toEqual([
      { ...reminder, enabled: true, tags: [], rules: DEFAULT_RULES },
    ]);
  });

  test('may begin with a byte order mark and hold no automation', () => {
    expect(valueOf(`\uFEFF${fileWith()}`)).toEqual([]);
  });

  test('takes an id in capitals for the same id', () => {
    const id = '0190A5D2-7C1E-7B3A-9F00-2C5D8E4B1A66';
    expect(valueOf(fileWith({ ...reminder, id }))[0]?.id).toBe(id.toLowerCase());
  });
});

describe('a file that is refused', () => {
  test.each([
    ['', '', 'The file is empty.'],
    [' \n', '', 'The file is empty.'],
    ['{\n  "format": "rota",\n}', '', 'Line 3, column 1: expected a name in double quotes, found "}".'],
    ['[]', '', 'This is not a Rota file: a Rota file is a JSON object.'],
    ['null', '', 'This is not a Rota file: a Rota file is a JSON object.'],
    ['{}', 'format', 'This is not a Rota file: its format is not "rota".'],
    ['{"format":"cron","version":1}', 'format', 'This is not a Rota file: its format is not "rota".'],
    ['{"format":"rota"}', 'version', 'The version of the file must be 1.'],
    ['{"format":"rota","version":"1"}', 'version', 'The version of the file must be 1.'],
    ['{"format":"rota","version":0}', 'version', 'The version of the file must be 1.'],
    [
      '{"format":"rota","version":2,"automations":[{"new":1}]}',
      'version',
      'The file is of version 2, which a newer Rota wrote; this one reads version 1. Update Rota first.',
    ],
    ['{"format":"rota","version":1}', 'automations', 'The automations must be a list.'],
    ['{"format":"rota","version":1,"automations":{}}', 'automations', 'The automations must be a list.'],
    [
      '{"format":"rota","version":1,"automations":[],"secrets":{}}',
      'secrets',
      'Rota does not know this field.',
    ],
    [
      '{"format":"rota","version":1,"automations":[{"name":"a","name":"b"}]}',
      'automations[0].name',
      'Line 1, column 57: this name is given twice.',
    ],
  ])('%j', (text, path, message) => {
    expect(problemsOf(text)).toEqual([{ path, message }]);
  });

  test.each<[object, string, string]>([
    [{ colour: 'red' }, 'colour', 'Rota does not know this field.'],
    [{ name: undefined }, 'name', 'This field is missing.'],
    [{ name: ' ' }, 'name', 'Give the automation a name.'],
    [{ id: 'x' }, 'id', 'The id must be a UUID, such as 0190a5d2-7c1e-7b3a-9f00-2c5d8e4b1a66.'],
    [
      { schedule: 'daily' },
      'schedule',
      'The schedule is one of "manual", "once", "date", "every", "calendar", "cron" and "after".',
    ],
    [{ schedule: { kind: 'manual', at: 1 } }, 'schedule.at', 'Rota does not know this field.'],
    [{ schedule: { kind: 'once' } }, 'schedule.at', 'This field is missing.'],
    [{ tags: ['a', 1] }, 'tags[1]', 'A tag must be text.'],
    [{ rules: { timeoutMs: 1.5 } }, 'rules.timeoutMs', 'The timeout must be a whole number.'],
    [{ rules: [] }, 'rules', 'This must be an object.'],
    [
      { action: { kind: 'http', url: 'https://example.test/', headers: { 'X A': '1' } } },
      'action.headers["X A"]',
      'A header name holds letters, digits and hyphens only.',
    ],
    [
      { action: { kind: 'http', url: 'https://example.test/', headers: { Cookie: 'a=1' } } },
      'action.headers.Cookie',
      'Browsers do not let a page set the header Cookie.',
    ],
  ])('names the path and the reason: %j', (change, path, message) => {
    expect(problemsOf(fileWith(reminder, { ...reminder, ...change }))).toEqual([
      { path: `automations[1].${path}`, message },
    ]);
  });

  test('for a cron rule or zone that means nothing names the field in the file', () => {
    const schedule = { kind: 'cron', expression: '61 * * * *', timeZone: 'Europe/Atlantis' };
    const paths = problemsOf(fileWith({ ...reminder, schedule })).map(({ path }) => path);
    expect(new Set(paths)).toEqual(
      new Set(['automations[0].schedule.expression', 'automations[0].schedule.timeZone']),
    );
  });

  test('for a rule that can never run says so', () => {
    const schedule = { kind: 'cron', expression: '0 0 30 2 *', timeZone: 'UTC' };
    expect(problemsOf(fileWith({ ...reminder, schedule }))).toEqual([
      { path: 'automations[0].schedule.expression', message: expect.any(String) as string },
    ]);
  });

  test('for an id given twice names both places', () => {
    const id = '0190a5d2-7c1e-7b3a-9f00-2c5d8e4b1a66';
    expect(
      problemsOf(fileWith({ ...reminder, id }, reminder, { ...reminder, id: id.toUpperCase() })),
    ).toEqual([{ path: 'automations[2].id', message: 'automations[0] has the same id.' }]);
  });

  test('tells all that is wrong at once, in the order of the file, up to a limit', () => {
    const wrong = { ...reminder, name: '', extra: 1 };
    expect(problemsOf(fileWith(wrong, reminder, wrong)).map(({ path }) => path)).toEqual([
      'automations[0].name',
      'automations[0].extra',
      'automations[2].name',
      'automations[2].extra',
    ]);
    const many = problemsOf(fileWith(...Array.from({ length: 500 }, () => wrong)));
    expect(many).toHaveLength(FILE_PROBLEMS_MOST);
    expect(many.at(-1)).toEqual({ path: '', message: 'There are 901 more problems.' });
  });

  test('for its size is not even read', () => {
    expect(problemsOf(' '.repeat(FILE_TEXT_MOST + 1))[0]?.message).toMatch(/longer than/);
    const many = fileWith(...Array.from({ length: FILE_AUTOMATIONS_MOST + 1 }, () => 0));
    expect(problemsOf(many)).toEqual([
      { path: 'automations', message: 'A file holds at most 1000 automations; this one has 1001.' },
    ]);
  });
});

describe('names that every object has', () => {
  test.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf'])(
    '%s is refused wherever it stands, and nothing is touched',
    (name) => {
      const poison = `{"format":"rota","version":1,"automations":[{"name":"a","${name}":{"enabled":true}}]}`;
      expect(problemsOf(poison)).toEqual([
        { path: `automations[0].${name}`, message: 'Line 1, column 57: Rota takes no field of this name.' },
      ]);
      expect(Object.hasOwn(Object.prototype, 'enabled')).toBe(false);
    },
  );

  test('do not stand in for fields that are missing', () => {
    expect(problemsOf('{"__proto__":{"format":"rota","version":1,"automations":[]}}')).toEqual([
      { path: '__proto__', message: 'Line 1, column 2: Rota takes no field of this name.' },
    ]);
  });
});

const text = (most: number): fc.Arbitrary<string> =>
  fc
    .string({ unit: 'binary', minLength: 1, maxLength: most })
    .map((value) => value.trim())
    .filter(Boolean);

const action = fc.oneof(
  fc.record({ kind: fc.constant('http' as const), url: fc.webUrl() }),
  fc.record({ kind: fc.constant('remind' as const), message: text(2_000) }),
  fc.record(
    {
      kind: fc.constant('http' as const),
      method: fc.constantFrom(...HTTP_METHODS.filter((method) => method !== 'GET' && method !== 'HEAD')),
      url: fc.webUrl(),
      headers: fc.dictionary(
        fc.stringMatching(/^X-[a-zA-Z0-9_!#$%&'*+.^`|~-]{1,20}$/).filter((name) => !/method/i.test(name)),
        fc.string({ maxLength: 50 }),
        { maxKeys: 3 },
      ),
      body: fc.string({ unit: 'binary' }),
      expect: fc.record({ status: fc.array(fc.integer({ min: 100, max: 599 }), { minLength: 1 }) }),
      idempotencyKey: fc.boolean(),
      repeatable: fc.boolean(),
    },
    { requiredKeys: ['kind', 'method', 'url'] },
  ),
);
const schedule = fc.oneof(
  fc.constant({ kind: 'manual' as const }),
  fc.record({ kind: fc.constant('once' as const), at: fc.nat() }),
  fc.record({ kind: fc.constant('every' as const), everyMs: fc.integer({ min: 1_000 }), anchor: fc.nat() }),
  fc.record({
    kind: fc.constant('cron' as const),
    expression: fc.constantFrom('*/5 9-17 * * mon-fri', '0 9 * * *', '0 0 L * *', '30 0 9 * * MON#2'),
    timeZone: fc.constantFrom('UTC', 'Europe/Paris', 'America/Nuuk', 'Asia/Calcutta'),
  }),
);
const automation = fc
  .record(
    {
      id: fc.uuid() as fc.Arbitrary<AutomationId>,
      name: text(200),
      enabled: fc.boolean(),
      tags: fc.array(text(50), { maxLength: 20 }),
      schedule,
      action,
    },
    { requiredKeys: ['name', 'schedule', 'action'] },
  )
  // Header names that differ in case alone are refused, as they are one header.
  .filter(({ action: { ...fields } }) => {
    const names = Object.keys('headers' in fields ? (fields.headers ?? {}) : {}).map((name) =>
      name.toLowerCase(),
    );
    return new Set(names).size === names.length;
  });

describe('writing', () => {
  test('and reading back gives the same, and writing that gives the same text', () => {
    const filed = v.strictObject({
      id: v.exactOptional(v.custom<AutomationId>(() => true)),
      ...definitionSchema.entries,
    });
    fc.assert(
      fc.property(fc.uniqueArray(automation, { selector: ({ id }) => id ?? {}, maxLength: 5 }), (inputs) => {
        const automations = inputs.map((input) => v.parse(filed, input));
        const written = formatFile(automations);
        expect(valueOf(written)).toEqual(automations);
        expect(formatFile(valueOf(written))).toBe(written);
      }),
      { numRuns: 300 },
    );
  });

  test('is for people: two spaces, one field a line, a line break at the end', () => {
    const [stored] = valueOf(fileWith(reminder));
    expect(formatFile(stored === undefined ? [] : [stored])).toMatch(
      /^\{\n {2}"format": "rota",\n {2}"version": 1,\n[^]*\}\n$/,
    );
  });

  test('leaves out what Rota keeps beside a definition, and what only a newer Rota could read', () => {
    const [definition] = valueOf(EXAMPLE);
    const stored = {
      ...definition,
      schema: 1,
      revision: 7,
      fence: 3,
      epoch: 0,
      failuresInARow: 0,
      recent: [],
      fromTheFuture: true,
      schedule: { ...definition?.schedule, soon: 5 },
      action: { ...definition?.action, expect: { status: [200], latencyMs: 9 } },
    } as unknown as Automation;
    expect(valueOf(formatFile([stored]))).toEqual([definition]);
  });

  test('never loses an automation, even one that can no longer be read', () => {
    const [definition] = valueOf(fileWith(reminder));
    const broken = { ...definition, name: '' } as FiledAutomation;
    expect(formatFile([broken])).toContain('"message": "Stand up"');
  });
});

describe('reading', () => {
  test('never throws, whatever the text', () => {
    const mutated = fc
      .tuple(fc.nat(), fc.nat({ max: 20 }), fc.string())
      .map(
        ([at, cut, more]) =>
          EXAMPLE.slice(0, at % EXAMPLE.length) + more + EXAMPLE.slice((at % EXAMPLE.length) + cut),
      );
    const wrapped = fc.json().map((json) => `{"format":"rota","version":1,"automations":${json}}`);
    const filled = fc.json().map((json) => `{"format":"rota","version":1,"automations":[${json}]}`);
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.json(), mutated, wrapped, filled), (source) => {
        const parsed = parseFile(source);
        if (parsed.kind === 'ok') expect(parseFile(formatFile(parsed.value))).toEqual(parsed);
        else for (const { message } of parsed.problems) expect(message).toMatch(/\S/);
      }),
      { numRuns: 5_000 },
    );
  });
});
