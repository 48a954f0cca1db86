/**
 * Markdown from somewhere else, as what it says and nothing more. It is read into tokens, and each token becomes one of
 * the elements below with text in it: no text is ever read as HTML, so there is nothing to clean. HTML in it is shown as
 * the text that it is. Nothing here makes a request: images become their description, and a link is one only to http,
 * https and mail, opens in a tab of its own that cannot reach this one, and says where it leads.
 *
 * Loaded with the first answer that is shown, with its library.
 */
import { type TemplateResult, html, nothing } from 'lit';
import { type MarkedToken, type Token, type Tokens, lexer, walkTokens } from 'marked';
import { outsideAddress } from './outside-address.ts';

/** Longer texts are not read as Markdown: hostile ones would hold the page up for seconds. */
export const MARKDOWN_MOST = 50_000;
/** How deep quotes, lists and emphasis are followed; what is deeper is shown as it was written. */
const DEEPEST = 24;

type Shown = TemplateResult | typeof nothing | string;

/** `text` as Markdown; `null` when it is too long, or nested too deep to be read. Runs nothing and fetches nothing. */
export function markdown(text: string): TemplateResult | null {
  if (text.length > MARKDOWN_MOST) return null;
  try {
    const tokens = lexer(text);
    rankHeadings(tokens);
    return html`${blocks(tokens, 0)}`;
  } catch {
    // It reads by recursion, and a text can be nested deeper than a stack.
    return null;
  }
}

/** Without extensions of the library, a token is one of its own. */
function blocks(tokens: readonly Token[], depth: number): readonly Shown[] {
  return tokens.map((token) => block(token as MarkedToken, depth));
}

function block(token: MarkedToken, depth: number): Shown {
  if (depth > DEEPEST) return html`<p>${token.raw}</p>`;
  switch (token.type) {
    case 'space':
    case 'def':
      return nothing;
    case 'heading':
      return heading(token, inlines(token.tokens, depth));
    case 'paragraph':
      return html`<p>${inlines(token.tokens, depth)}</p>`;
    case 'code':
      return html`<pre tabindex="0"><code>${token.text}</code></pre>`;
    case 'blockquote':
      return html`<blockquote>${blocks(token.tokens, depth + 1)}</blockquote>`;
    case 'list':
      return list(token, depth);
    case 'hr':
      return html`<hr />`;
    case 'table':
      return table(token, depth);
    case 'html':
      return html`<pre tabindex="0"><code>${token.raw}</code></pre>`;
    default:
      return inline(token, depth);
  }
}

/** How deep each heading is below the page's own, which is the first: what a model leaves out in between is not counted. */
const LEVELS = new WeakMap<Token, number>();

function rankHeadings(tokens: Token[]): void {
  const open: number[] = [];
  void walkTokens(tokens, (token) => {
    if (token.type !== 'heading') return;
    const { depth } = token as Tokens.Heading;
    while ((open.at(-1) ?? 0) >= depth) open.pop();
    open.push(depth);
    LEVELS.set(token, open.length);
  });
}

function heading(token: Tokens.Heading, content: readonly Shown[]): TemplateResult {
  switch (LEVELS.get(token) ?? 1) {
    case 1:
      return html`<h2>${content}</h2>`;
    case 2:
      return html`<h3>${content}</h3>`;
    case 3:
      return html`<h4>${content}</h4>`;
    case 4:
      return html`<h5>${content}</h5>`;
    default:
      return html`<h6>${content}</h6>`;
  }
}

function list({ ordered, start, items }: Tokens.List, depth: number): TemplateResult {
  const content = items.map((item) => html`<li>${blocks(item.tokens, depth + 1)}</li>`);
  if (!ordered)
    return html`<ul>
      ${content}
    </ul>`;
  return html`<ol start=${typeof start === 'number' ? start : 1}>
    ${content}
  </ol>`;
}

function table({ header, rows }: Tokens.Table, depth: number): TemplateResult {
  return html`<div class="table" role="region" aria-label="Table" tabindex="0">
    <table>
      <thead>
        <tr>
          ${header.map(({ tokens }) => html`<th>${inlines(tokens, depth)}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          (row) =>
            html`<tr>
              ${row.map(({ tokens }) => html`<td>${inlines(tokens, depth)}</td>`)}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

function inlines(tokens: readonly Token[] | undefined, depth: number): readonly Shown[] {
  return (tokens ?? []).map((token) => inline(token as MarkedToken, depth + 1));
}

function inline(token: MarkedToken, depth: number): Shown {
  if (depth > DEEPEST) return token.raw;
  switch (token.type) {
    case 'strong':
      return html`<strong>${inlines(token.tokens, depth)}</strong>`;
    case 'em':
      return html`<em>${inlines(token.tokens, depth)}</em>`;
    case 'del':
      return html`<del>${inlines(token.tokens, depth)}</del>`;
    case 'codespan':
      return html`<code>${token.text}</code>`;
    case 'br':
      return html`<br />`;
    case 'link':
      return link(token, depth);
    case 'image':
      return image(token);
    case 'checkbox':
      return token.checked ? '☑ ' : '☐ ';
    case 'text':
      return 'tokens' in token ? html`${inlines(token.tokens, depth)}` : decoded(token.text);
    case 'escape':
      return token.text;
    default:
      return token.raw;
  }
}

/** What it says, and where it leads, which the words of a link can lie about. */
function link({ href, tokens, text }: Tokens.Link, depth: number): TemplateResult {
  const address = outsideAddress(decoded(href));
  const content = inlines(tokens, depth);
  if (address === null) return html`${content} <span class="address">(${decoded(href)})</span>`;
  const says = decoded(text).trim();
  const isPlain = says === address || `${says}/` === address || `mailto:${says}` === address;
  return html`<a href=${address} target="_blank" rel="noopener noreferrer nofollow">${content}</a>${
      isPlain ? nothing : html` <span class="address">(${address})</span>`
    }`;
}

function image({ href, text }: Tokens.Image): TemplateResult {
  const address = outsideAddress(decoded(href));
  const name = text === '' ? 'Image, not loaded' : `Image, not loaded: ${decoded(text)}`;
  return html`<span class="image">[${name}]</span>${
      address === null
        ? nothing
        : html` <a href=${address} target="_blank" rel="noopener noreferrer nofollow">${address}</a>`
    }`;
}

const NAMED: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u00a0',
  hellip: '…',
  mdash: '—',
  ndash: '–',
  copy: '©',
  reg: '®',
  trade: '™',
  times: '×',
  deg: '°',
  euro: '€',
  larr: '←',
  rarr: '→',
  lsquo: '‘',
  rsquo: '’',
  ldquo: '“',
  rdquo: '”',
  bull: '•',
  middot: '·',
};

/** `text` with its character references as the characters that they name; those that are not known stay. */
function decoded(text: string): string {
  return text.replaceAll(/&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|([a-z]{2,8}));/g, (whole, ...found) => {
    const [decimal, hex, name] = found as (string | undefined)[];
    if (name !== undefined) return NAMED[name] ?? whole;
    const point = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal);
    const isOne = point > 0 && point <= 0x10_ff_ff && (point < 0xd8_00 || point > 0xdf_ff);
    return isOne ? String.fromCodePoint(point) : '\ufffd';
  });
}
