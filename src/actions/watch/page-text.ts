/** What of a page is watched, as lines of text. */
import { compile, type Options, selectAll } from 'css-select';
import { type ChildNode, type Document, type Element, isCDATA, isTag, isText } from 'domhandler';
import type { Failure, WatchedPart } from '../../domain/index.ts';
import { shortened } from '../amounts.ts';
import { LimitReached } from '../limit-reached.ts';
import { readMarkup } from './read-markup.ts';

/** How many looks at nodes the selectors of one run may take: a few hundred for each element of a large page. */
const LOOKS_MOST = 20_000_000;

/** Selectors of elements that every page has, whether it writes them or not. */
const WHOLE_PAGE = /^\s*(?:html|body)\s*$/i;

/** The lines that were found, or nothing at all. */
export type FoundLines =
  { readonly kind: 'found'; readonly lines: readonly string[] } | { readonly kind: 'nothing' };

type PagePart = Extract<WatchedPart, { kind: 'page' }>;

/** What is wrong with a selector; `null` when it can be used. */
export function findSelectorProblem(selector: string): Failure | null {
  try {
    compile<ChildNode | Document, Element>(selector, { adapter: new Adapter() });
    return null;
  } catch (error) {
    return badSelector(selector, error);
  }
}

/**
 * The lines of what `part` selects in the page `html`, in document order; what is inside of another match is not there
 * twice. Throws {@link LimitReached} on a selector that cannot be read or takes too long, and on a page that nests too
 * deeply.
 */
export function pageLines(html: string, { select, without, attribute }: PagePart): FoundLines {
  const page = readMarkup(html, 'html');
  const options: Options<ChildNode | Document, Element> = { adapter: new Adapter() };
  const left = new Set<ChildNode>(without.flatMap((selector) => matches(selector, page, options)));
  const found = matches(select, page, options).filter((element) => !hasAncestorIn(left, element));
  if (attribute !== undefined) {
    const name = attribute.toLowerCase();
    const values = found.flatMap(({ attribs }) =>
      Object.hasOwn(attribs, name) ? [attribs[name] ?? ''] : [],
    );
    return values.length === 0 ? { kind: 'nothing' } : { kind: 'found', lines: values.map(onOneLine) };
  }
  const text = new TextLines(left);
  if (found.length === 0) {
    // HTML lets a page leave out the tags of what is there all the same.
    if (WHOLE_PAGE.test(select)) text.addPage(page);
    return text.lines.length === 0 ? { kind: 'nothing' } : { kind: 'found', lines: text.lines };
  }
  const chosen = new Set<ChildNode>(found);
  for (const element of found) {
    if (element.parent !== null && hasAncestorIn(chosen, element.parent)) continue;
    text.add(element);
  }
  return { kind: 'found', lines: text.lines };
}

function matches(
  selector: string,
  page: Document,
  options: Options<ChildNode | Document, Element>,
): Element[] {
  try {
    return selectAll<ChildNode | Document, Element>(selector, page, options);
  } catch (error) {
    if (error instanceof TooManyLooks) {
      throw new LimitReached({
        class: 'limit',
        code: 'selector-limit',
        message: `The selector “${shortened(selector, 60)}” takes too long on this page.`,
        advice: 'Use a simpler one, such as a class or an id.',
      });
    }
    throw new LimitReached(badSelector(selector, error));
  }
}

function badSelector(selector: string, error: unknown): Failure {
  const reason = shortened(error instanceof Error ? error.message : String(error), 160).replace(/\.$/, '');
  return {
    class: 'invalid',
    code: 'bad-selector',
    message: `The selector “${shortened(selector, 60)}” cannot be read: ${reason}.`,
  };
}

class TooManyLooks extends Error {}

/** How css-select walks the tree. It looks at nothing without a call of these, so their number bounds its work. */
class Adapter implements NonNullable<Options<ChildNode | Document, Element>['adapter']> {
  #left = LOOKS_MOST;

  readonly #look = (count = 1): void => {
    this.#left -= count;
    if (this.#left < 0) throw new TooManyLooks();
  };

  readonly isTag = (node: ChildNode | Document): node is Element => {
    this.#look();
    return isTag(node);
  };

  readonly getAttributeValue = ({ attribs }: Element, name: string): string | undefined => {
    this.#look();
    // `attribs` is a plain object, which inherits things that no attribute is.
    return Object.hasOwn(attribs, name) ? attribs[name] : undefined;
  };

  readonly hasAttrib = ({ attribs }: Element, name: string): boolean => {
    this.#look();
    return Object.hasOwn(attribs, name);
  };

  readonly getName = ({ name }: Element): string => {
    this.#look();
    return name;
  };

  readonly getChildren = (node: ChildNode | Document): ChildNode[] => {
    const children = 'children' in node ? node.children : [];
    this.#look(1 + children.length);
    return children;
  };

  readonly getParent = ({ parent }: Element): Document | Element | null => {
    this.#look();
    return parent as Document | Element | null;
  };

  readonly getSiblings = (node: ChildNode | Document): ChildNode[] => {
    const siblings = node.parent === null ? [] : node.parent.children;
    this.#look(1 + siblings.length);
    return siblings;
  };

  readonly prevElementSibling = (node: ChildNode | Document): Element | null => {
    let previous = node.prev;
    while (previous !== null && !isTag(previous)) {
      this.#look();
      previous = previous.prev;
    }
    this.#look();
    return previous;
  };

  readonly getText = (node: ChildNode | Document): string => {
    if (!('children' in node)) return isText(node) ? node.data : '';
    this.#look(1 + node.children.length);
    const text = node.children.map((child) => this.getText(child)).join('');
    // Reading the same text for each element around it costs as much as it is long.
    this.#look(Math.ceil(text.length / 16));
    return text;
  };

  readonly removeSubsets = (nodes: (ChildNode | Document)[]): (ChildNode | Document)[] => {
    const all = new Set(nodes);
    return nodes.filter((node) => node.parent === null || !hasAncestorIn(all, node.parent));
  };
}

/** Whether `node` or what it is inside of is one of `nodes`. */
function hasAncestorIn(nodes: ReadonlySet<unknown>, node: ChildNode | Document | Element['parent']): boolean {
  if (nodes.size === 0) return false;
  for (let at: typeof node = node; at !== null; at = at.parent) if (nodes.has(at)) return true;
  return false;
}

/** Elements whose text runs on in the line that they stand in; all others begin a line and end it. */
const INLINE = new Set(
  (
    'a abbr acronym b bdi bdo big button cite code data dfn em font i img input ins del kbd label mark output q ' +
    'rp rt ruby s samp small span strike strong sub sup time tt u var wbr td th'
  ).split(' '),
);
/** Elements whose content nobody sees. */
const UNSEEN = new Set('script style template noscript head title iframe object datalist'.split(' '));
const KEEPS_LINES = new Set(['pre', 'textarea']);

/** Collects the text that a reader sees, a line for each block. Trees are not deep, so this recurses. */
class TextLines {
  readonly lines: string[] = [];
  readonly #left: ReadonlySet<ChildNode>;
  #line = '';

  constructor(left: ReadonlySet<ChildNode>) {
    this.#left = left;
  }

  /** Adds the text of `element`, even if it is one that nobody sees: it was asked for by name. */
  add(element: Element): void {
    this.#children(element, KEEPS_LINES.has(element.name));
    this.#end();
  }

  /** Adds the text of all of `page`. */
  addPage(page: Document): void {
    this.#children(page, false);
    this.#end();
  }

  #children(element: { readonly children: readonly ChildNode[] }, keepsLines: boolean): void {
    for (const child of element.children) this.#node(child, keepsLines);
  }

  #node(node: ChildNode, keepsLines: boolean): void {
    if (isText(node)) {
      this.#text(node.data, keepsLines);
      return;
    }
    if (isCDATA(node)) {
      this.#children(node, keepsLines);
      return;
    }
    if (!isTag(node) || this.#left.has(node)) return;
    const { name, attribs } = node;
    if (UNSEEN.has(name) || Object.hasOwn(attribs, 'hidden')) return;
    if (name === 'br' || name === 'hr') {
      this.#end();
      return;
    }
    const isInline = INLINE.has(name);
    if (!isInline) this.#end();
    // Cells of a row stand apart in one line.
    if (name === 'td' || name === 'th') this.#line += ' ';
    this.#children(node, keepsLines || KEEPS_LINES.has(name));
    if (!isInline) this.#end();
  }

  #text(text: string, keepsLines: boolean): void {
    if (!keepsLines) {
      this.#line += text;
      return;
    }
    const [first = '', ...more] = text.split('\n');
    this.#line += first;
    for (const line of more) {
      this.#end();
      this.#line = line;
    }
  }

  #end(): void {
    const line = onOneLine(this.#line);
    if (line !== '') this.lines.push(line);
    this.#line = '';
  }
}

function onOneLine(text: string): string {
  return text.replace(/\s+/gu, ' ').trim();
}
