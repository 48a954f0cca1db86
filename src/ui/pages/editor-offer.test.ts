import { beforeAll, describe, expect, test } from 'vitest';
import { Liquid } from 'liquidjs';
import { definitionSchema, parseWith, prepareTime, problemsOf } from '../../domain/index.ts';
import { readOffer } from './editor-offer.ts';

const NOW = Date.UTC(2026, 10, 30, 9, 7);

const offer = (given: Readonly<Record<string, string>>) =>
  readOffer(new URLSearchParams(given).toString(), NOW);

function draft(given: Readonly<Record<string, string>>) {
  const read = offer(given);
  if (read.kind === 'refused') throw new Error(read.reason);
  return read.definition;
}

beforeAll(() => prepareTime());

describe('what is shared becomes a paused draft', () => {
  test.each([
    ['a page with its address', { title: 'The news', url: 'https://news.test/today' }],
    [
      'a page whose address is in the text, as on Android',
      { title: 'The news', text: 'https://news.test/today' },
    ],
    ['an address among words', { title: 'The news', text: 'Read this (https://news.test/today).' }],
  ])('%s is watched', (_, given) => {
    expect(draft(given)).toMatchObject({
      name: 'The news',
      enabled: false,
      action: { kind: 'watch', url: 'https://news.test/today', part: { kind: 'page', select: 'body' } },
    });
  });

  test('a page without a title is called by its host', () => {
    expect(draft({ url: 'https://news.test/today' }).name).toBe('news.test');
  });

  test('a curl command is its request, by hand', () => {
    const text = `curl -X POST https://api.test/things -H 'X-Kind: a' -d '{"n":1}'`;
    expect(draft({ text })).toMatchObject({
      enabled: false,
      schedule: { kind: 'manual' },
      action: {
        kind: 'http',
        method: 'POST',
        url: 'https://api.test/things',
        headers: { 'X-Kind': 'a' },
        body: '{"n":1}',
      },
    });
  });

  test('any other text is a reminder tomorrow at about this time', () => {
    expect(draft({ title: 'Milk', text: 'Two litres\nand bread' })).toMatchObject({
      name: 'Milk',
      enabled: false,
      schedule: { kind: 'once', at: Date.UTC(2026, 11, 1, 9, 15) },
      action: { kind: 'remind', message: 'Milk\nTwo litres\nand bread' },
    });
  });

  test('a link says the same, and can hold a whole automation, which is paused whatever it says', () => {
    const automation = {
      name: 'Hourly',
      enabled: true,
      schedule: { kind: 'every', everyMs: 3_600_000, anchor: 0 },
      action: { kind: 'http', url: 'https://api.test/{{ run.id }}' },
    };
    const query = new URLSearchParams({ automation: JSON.stringify(automation) });
    const parsed = parseWith(definitionSchema, { ...automation, enabled: false });
    expect(draft({ link: `web+rota:new?${query.toString()}` })).toEqual(parsed.kind === 'ok' && parsed.value);
    expect(draft({ link: 'WEB+ROTA://new/?url=https%3A%2F%2Fnews.test' }).action).toMatchObject({
      kind: 'watch',
      url: 'https://news.test/',
    });
  });
});

describe('what is hostile is text', () => {
  const HOSTILE = [
    '<img src=x onerror=alert(1)>',
    '{{ secrets.API_KEY }} {% raw %}{{{{%{%{% endraw %}',
    'javascript:alert(document.domain)',
    '\u202Egnp.exe\u0000\u001b[31m \u2066x',
    '𝒳'.repeat(5_000),
    '{{'.repeat(3_000),
    'curl',
    "curl 'unclosed",
    'curl https://a.test -H "bad name: {{ secrets.K }}"',
    'http://',
    'https://user:{{secrets.K}}@host.test/{%if%}?{{x}}#{{y}}',
    '"}],"enabled":true,"__proto__":{"x":1}',
  ];

  test.each(HOSTILE.flatMap((text) => ['title', 'text', 'url'].map((part) => [part, text] as const)))(
    'as the %s: %j',
    async (part, text) => {
      const read = offer({ [part]: text });
      if (read.kind === 'refused') return;
      const { definition } = read;
      expect(parseWith(definitionSchema, definition)).toEqual({ kind: 'ok', value: definition });
      expect(problemsOf(definition.schedule)).toEqual([]);
      expect(definition.enabled).toBe(false);
      expect(['watch', 'http', 'remind']).toContain(definition.action.kind);
      if ('url' in definition.action) expect(definition.action.url).toMatch(/^https?:\/\/[a-z]/);
      // Rendered without any value it says what came: nothing in it is asked for.
      const { action } = definition;
      const template = action.kind === 'remind' ? action.message : 'url' in action ? action.url : '';
      const engine = new Liquid({ strictVariables: true, strictFilters: true });
      const said = String(await engine.parseAndRender(template));
      if (action.kind === 'remind') {
        expect(text.replaceAll(/[\s\u0000-\u001f\u2066\u202E]/g, '')).toContain(
          said.replaceAll(/[\s…]/g, '').slice(0, 100),
        );
        expect(said).not.toMatch(/[\u0000-\u0009\u202A-\u202E\u2066-\u2069]/);
      }
    },
  );

  test.each([
    ['another scheme', 'https://evil.test/new?url=https://a.test'],
    ['something that is not known', 'web+rota:delete?id=1'],
    ['no JSON', 'web+rota:new?automation=%7B'],
    ['a field that is not known', `web+rota:new?automation=${encodeURIComponent('{"name":"x","evil":1}')}`],
    ['a list', 'web+rota:new?automation=%5B%5D'],
    ['one that is too long', `web+rota:new?automation=${'1'.repeat(100_000)}`],
    ['nothing', 'web+rota:new'],
  ])('a link with %s is refused with a reason', (_, link) => {
    const read = offer({ link });
    expect(read.kind === 'refused' && read.reason).toMatch(/^[A-Z].*\.$/);
  });
});
