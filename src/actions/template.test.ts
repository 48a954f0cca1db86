import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Occurrence, RunId } from '../domain/index.ts';
import { fillTemplate, isTemplate } from './template.ts';
import type { TemplateScope } from './template-scope.ts';

const scope: TemplateScope = {
  values: {
    automation: { id: 'a1', name: 'Tom & "Jerry"/é' },
    run: {
      id: 'r1' as RunId,
      attempt: 2,
      scheduledFor: 1_774_751_400_000, // 2026-03-29T02:30:00Z
      cause: 'retry',
      occurrence: 'a1@1774751400000' as Occurrence,
    },
  },
  now: () => 1_767_225_600_000,
  style: { timeZone: 'Europe/Berlin', locale: 'en-US' },
};

const fill = (text: string, with_ = scope) => fillTemplate(text, 'The body', with_);

async function textOf(text: string, with_ = scope): Promise<string> {
  const filled = await fill(text, with_);
  if (filled.kind === 'failed') throw new Error(filled.failure.message);
  return filled.text;
}

async function failureOf(text: string) {
  const filled = await fill(text);
  if (filled.kind === 'filled') throw new Error(`filled in as ${filled.text.slice(0, 100)}`);
  return filled.failure;
}

describe('a template', () => {
  test('names the automation and the run', async () => {
    expect(await textOf('{{ automation.id }} {{ run.id }} {{ run.attempt }} {{ run.cause }}')).toBe(
      'a1 r1 2 retry',
    );
    expect(await textOf('{{ run.scheduledFor }} {{ run.occurrence }}')).toBe(
      '1774751400000 a1@1774751400000',
    );
    expect(await textOf('{{run["id"]}}{%if run.attempt > 1%}, again{%endif%}')).toBe('r1, again');
  });

  test('puts values in as they are, and encodes them only when told', async () => {
    expect(await textOf('{{ automation.name }}')).toBe('Tom & "Jerry"/é');
    expect(await textOf('{{ automation.name | url_encode }}')).toBe('Tom+%26+%22Jerry%22%2F%C3%A9');
    expect(await textOf('{{ automation.name | json }}')).toBe('"Tom & \\"Jerry\\"/é"');
  });

  test('may say that a value is allowed to be missing', async () => {
    expect(await textOf('{{ run.note | default: "none" }}{% if previous %}x{% endif %}')).toBe('none');
  });

  test('is any text with {{ or {%, and other text is left alone', async () => {
    expect(['{{', '{%', '{ {', '%}', '}}'].map(isTemplate)).toEqual([true, true, false, false, false]);
    expect(await textOf('{ "json": [1] } %7B%7B ${x}')).toBe('{ "json": [1] } %7B%7B ${x}');
  });

  test('counts in one place of it do not show in the next', async () => {
    expect(await textOf('{% increment run %}')).toBe(await textOf('{% increment run %}'));
    expect(scope.values.run.attempt).toBe(2);
  });
});

describe('a time', () => {
  test.each([
    ['%Y-%m-%d %H:%M:%S %z', '2026-03-29 04:30:00 +0200'],
    ['%-d.%-m.%y %k:%M', '29.3.26  4:30'],
    ['%A, %B %e', 'Sunday, March 29'],
    ['%a %b %^a', 'Sun Mar SUN'],
    ['%I:%M %p %l%P', '04:30 AM  4am'],
    ['%j %u %w %G-W%V', '088 7 0 2026-W13'],
    ['%s %Q %L %%', '1774751400 1774751400000 000 %'],
    ['%F %T %R %D', '2026-03-29 04:30:00 04:30 03/29/26'],
    ['%:z', '+02:00'],
    ['no directive', 'no directive'],
  ])('formatted by %s', async (format, expected) => {
    expect(await textOf(`{{ run.scheduledFor | date: "${format}" }}`)).toBe(expected);
  });

  test('is shown in the zone of the schedule, or in another that is named', async () => {
    expect(await textOf('{{ run.scheduledFor | date: "%H:%M", "Asia/Kolkata" }}')).toBe('08:00');
    expect(await textOf('{{ run.scheduledFor | date: "%H:%M %Z", "UTC" }}')).toBe('02:30 UTC');
    expect(await textOf('{{ run.scheduledFor | date: "%H:%M %z", "America/St_Johns" }}')).toBe('00:00 -0230');
  });

  test('right before, in and after a change of the clocks reads as that zone reads it', async () => {
    const at = (ms: number): Promise<string> => textOf(`{{ ${ms} | date: "%H:%M%:z" }}`);
    expect(await at(Date.UTC(2026, 2, 29, 0, 59))).toBe('01:59+01:00');
    expect(await at(Date.UTC(2026, 2, 29, 1, 0))).toBe('03:00+02:00');
    expect(await at(Date.UTC(2026, 9, 25, 0, 30))).toBe('02:30+02:00');
    expect(await at(Date.UTC(2026, 9, 25, 1, 30))).toBe('02:30+01:00');
  });

  test('is also read from a text, and is now by name, by the clock that was given', async () => {
    expect(await textOf('{{ "2026-01-02T03:04:05Z" | date: "%T", "UTC" }}')).toBe('03:04:05');
    expect(await textOf('{{ "now" | date: "%F", "UTC" }} {{ "today" | date: "%s" }}')).toBe(
      '2026-01-01 1767225600',
    );
    expect(await textOf('{% capture at %}{{ run.scheduledFor }}{% endcapture %}{{ at | date: "%F" }}')).toBe(
      '2026-03-29',
    );
    expect(await textOf('{{ run.scheduledFor | date }}')).toBe('2026-03-29 04:30');
    expect(await textOf('{{ run.scheduledFor | date_to_xmlschema }}')).toBe('2026-03-29T04:30:00+02:00');
    expect(await textOf('{{ run.scheduledFor | date_to_rfc822 }}')).toBe('Sun, 29 Mar 2026 04:30:00 +0200');
  });

  test('agrees with the device itself in its zone, at any instant', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 7_258_118_399_999 }), async (ms) => {
        const local = new Date(ms);
        const two = (value: number): string => String(value).padStart(2, '0');
        const expected = `${local.getFullYear()}-${two(local.getMonth() + 1)}-${two(local.getDate())} ${two(local.getHours())}:${two(local.getMinutes())}`;
        expect(await textOf(`{{ ${ms} | date }}`, { ...scope, style: {} })).toBe(expected);
      }),
      { numRuns: 50 },
    );
  });

  test.each([
    ['{{ run.cause | date }}', '"retry" is not a time'],
    ['{{ nil | date }}', 'this is not a time'],
    ['{{ 9000000000000000 | date }}', '9000000000000000 is not a time that has a date'],
    ['{{ 1 | divided_by: 0 | date }}', 'is not a time'],
    ['{{ run.scheduledFor | date: 5 }}', 'the format of a time must be text'],
    ['{{ run.scheduledFor | date: "%F", 60 }}', 'a time zone must be text'],
    ['{{ run.scheduledFor | date: "%J" }}', 'there is no directive %J'],
    ['{{ run.scheduledFor | date: "%F", "Mars/Olympus" }}', 'Mars/Olympus'],
    [`{{ run.scheduledFor | date: "${'%A'.repeat(300)}" }}`, 'the format of a time is too long'],
  ])('%s says what is wrong', async (text, message) => {
    expect(await failureOf(text)).toMatchObject({
      class: 'invalid',
      code: 'template-failed',
      message: expect.stringContaining(message),
    });
  });
});

describe('a mistake', () => {
  test('in a name says which name, and which there are', async () => {
    expect(await failureOf('one\n{{ run.scheduledfor }}')).toEqual({
      class: 'invalid',
      code: 'template-missing',
      message: 'The body names {{ run.scheduledfor }}, which does not exist.',
      advice:
        'A template can name automation.id, automation.name, run.id, run.attempt, run.scheduledFor, run.cause, run.occurrence.',
    });
    expect(await failureOf('{{ steps.1.output }}')).toMatchObject({
      message: 'The body names {{ steps }}, which does not exist.',
    });
  });

  test.each([
    ['one\ntwo {{ run.id', 2, 'not closed'],
    ['{% if run.id %}', 1, 'not closed'],
    ['\n\n{{ run.id | shout }}', 3, 'undefined filter: shout'],
    ['{% frob %}', 1, 'tag "frob" not found'],
    ['{{ }}', 1, 'invalid value expression'],
  ])('in the writing of %j says the line', async (text, line, reason) => {
    const failure = await failureOf(text);
    expect(failure).toMatchObject({ class: 'invalid', code: 'template-syntax' });
    expect(failure.message).toContain(`, line ${line}: `);
    expect(failure.message).toContain(reason);
  });

  test.each(['include', 'render', 'layout', 'block'])(
    'there is no tag %s: there are no files',
    async (tag) => {
      expect(await failureOf(`{% ${tag} "/etc/passwd" %}`)).toMatchObject({
        code: 'template-syntax',
        message: expect.stringContaining(`tag "${tag}" not found`),
      });
    },
  );

  test('of naming a whole group is told, and not sent as [object Object]', async () => {
    expect(await failureOf('{{ run }}')).toMatchObject({
      code: 'template-failed',
      message: expect.stringContaining('a group of values has no text; name one of them, such as its id'),
    });
    expect(JSON.parse(await textOf('{{ automation | json }}'))).toEqual(scope.values.automation);
  });
});

describe('a hostile template', () => {
  test.each([
    '{{ constructor }}',
    '{{ __proto__ }}',
    '{{ run.__proto__ }}',
    '{{ run.constructor.constructor }}',
    '{{ run["constructor"] }}',
    '{{ run.toString }}',
    '{{ automation.name.constructor }}',
    '{{ globalThis }}',
    '{{ self }}',
    '{% assign k = "__proto__" %}{{ run[k].x }}',
  ])('%s reaches nothing', async (text) => {
    expect(await failureOf(text)).toMatchObject({ code: 'template-missing' });
  });

  test.each([
    ['a loop without end', '{% for i in (1..4000000000) %}{% endfor %}'],
    [
      'loops in loops',
      '{% for i in (1..999) %}{% for j in (1..999) %}{% for k in (1..999) %}{% endfor %}{% endfor %}{% endfor %}',
    ],
    [
      'loops over one short list',
      `{% assign a = "1,2,3,4,5,6,7,8,9,0" | split: "," %}${'{% for i in a %}'.repeat(9)}${'{% endfor %}'.repeat(9)}`,
    ],
    [
      'a text that doubles',
      '{% assign x = "aaaaaaaa" %}{% for i in (1..60) %}{% assign x = x | append: x %}{% endfor %}',
    ],
    [
      'a capture that doubles',
      '{% capture x %}aaaaaaaa{% endcapture %}{% for i in (1..60) %}{% capture x %}{{x}}{{x}}{% endcapture %}{% endfor %}{{x}}',
    ],
    ['much text many times', `{% for i in (1..9999) %}${'y'.repeat(90_000)}{% endfor %}`],
    ['one text too long', `{% for i in (1..2000) %}${'y'.repeat(1_000)}{% endfor %}`],
    ['ten thousand open tags', '{% if true %}'.repeat(10_000)],
    ['ten thousand brackets', `{{ a${'['.repeat(40_000)} }}`],
  ])('%s ends as a limit', async (_what, text) => {
    expect(await failureOf(text)).toMatchObject({ class: 'invalid', code: 'template-limit' });
  });

  test('of any kind is filled in or refused, and never throws', async () => {
    const piece = fc.constantFrom(
      ...[
        '{{',
        '}}',
        '{%',
        '%}',
        '{%-',
        '-}}',
        ' | ',
        'run',
        '.id',
        '[',
        ']',
        '(1..3)',
        '"',
        "'",
        ':',
        ',',
        '\n',
      ],
      ...[
        'for i in ',
        'endfor',
        'if ',
        'endif',
        'assign x = ',
        'raw',
        'endraw',
        'date: ',
        'append',
        'liquid ',
        '#',
      ],
      ...[
        '__proto__',
        'default',
        'case ',
        'when ',
        'cycle ',
        'tablerow ',
        'increment ',
        '\u0000',
        '\ud800',
        '1e999',
      ],
    );
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(piece, fc.string())), async (pieces) => {
        const filled = await fill(pieces.join(''));
        expect(filled.kind === 'filled' || filled.failure.message.endsWith('.')).toBe(true);
      }),
      { numRuns: 500 },
    );
  });
});
