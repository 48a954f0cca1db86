import { describe, expect, test } from 'vitest';
import { MARKDOWN_MOST, markdown } from './markdown.ts';

/** All that a template holds, in the order of the page: its own markup, and values as they would be shown. */
function shown(value: unknown): string {
  if (Array.isArray(value)) return value.map(shown).join('');
  if (typeof value === 'string' || typeof value === 'number') return `‹${value}›`;
  if (typeof value !== 'object' || value === null || !('strings' in value)) return '';
  const { strings, values } = value as {
    readonly strings: readonly string[];
    readonly values: readonly unknown[];
  };
  return strings.map((text, at) => `${text}${shown(values[at])}`).join('');
}

const page = (text: string): string =>
  shown(markdown(text)).replaceAll(/\s+/g, ' ').replaceAll('> <', '><').trim();

describe('Markdown', () => {
  test.each<[string, string]>([
    ['# A *b*', '<h2>‹A ›<em>‹b›</em></h2>'],
    [
      '## A\n\n##### B\n\n> # C\n\n## D',
      '<h2>‹A›</h2><h3>‹B›</h3><blockquote><h2>‹C›</h2></blockquote><h3>‹D›</h3>',
    ],
    ['a **b** ~~c~~ `d`', '<p>‹a ›<strong>‹b›</strong>‹ ›<del>‹c›</del>‹ ›<code>‹d›</code></p>'],
    ['> a', '<blockquote><p>‹a›</p></blockquote>'],
    ['3. a\n4. b', '<ol start=‹3›><li>‹a›</li><li>‹b›</li></ol>'],
    ['- [x] a', '<ul><li>‹☑ ›‹a›</li></ul>'],
    ['```js\n<b>\n```', '<pre tabindex="0"><code>‹<b>›</code></pre>'],
    ['a &amp; &#x41; &nope; &#0;', '<p>‹a & A &nope; \ufffd›</p>'],
    ['`&amp;`', '<p><code>‹&amp;›</code></p>'],
    ['<b onclick=x>y</b>', '<p>‹<b onclick=x>›‹y›‹</b>›</p>'],
    ['<script>x</script>', '<pre tabindex="0"><code>‹<script>x</script>›</code></pre>'],
  ])('%j is %s', (text, expected) => {
    expect(page(text)).toBe(expected);
  });

  test.each([
    'javascript:alert(1)',
    'JAVASCRIPT&#58;alert(1)',
    'java&Tab;script:alert(1)',
    'data:text/html,x',
    'vbscript:x',
    'file:///etc/passwd',
    'blob:https://example.test/1',
    '#/settings',
    '/x',
    '//example.test/',
    'https://user@example.test/',
    'https://',
  ])('makes no link of %s', (address) => {
    expect(page(`[words](<${address}>)`)).not.toContain('href');
    expect(page(`[words](<${address}>)`)).toContain('‹words›');
  });

  test('says where a link leads that says something else, and never fetches an image', () => {
    expect(page('[bank](https://example.test/a)')).toContain(
      '<span class="address">(‹https://example.test/a›)</span>',
    );
    expect(page('https://example.test/a')).not.toContain('class="address"');
    expect(page('![cat](https://example.test/cat.png)')).toMatch(
      /^<p><span class="image">\[‹Image, not loaded: cat›\]/,
    );
    expect(page('![cat](https://example.test/cat.png)')).not.toContain('<img');
  });

  test.each([
    ['quotes', '>'.repeat(20_000)],
    ['lists', Array.from({ length: 200 }, (_, at) => `${' '.repeat(at * 2)}- a\n`).join('')],
    ['brackets', '['.repeat(20_000)],
    ['emphasis', '*_'.repeat(5_000)],
    ['tables', `${'|a'.repeat(2_000)}\n${'|-'.repeat(2_000)}\n${'|b'.repeat(2_000)}`],
  ])('ends, as text or as far as it is followed, whatever its %s are', (_what, text) => {
    expect(() => markdown(text)).not.toThrow();
  });

  test('longer than is wise to read is left as text', () => {
    expect(markdown('a'.repeat(MARKDOWN_MOST + 1))).toBeNull();
  });
});
