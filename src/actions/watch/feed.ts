/**
 * Feeds as they are found: RSS 0.9x and 2.0, RSS 1.0 (RDF), Atom and JSON Feed, well-formed or not. Only what is needed to
 * tell new items from old ones is read, with the parser that reads pages, which knows no entities of a document's own.
 */
import { type Document, type Element, isText, type ParentNode } from 'domhandler';
import type { FeedItem } from '../../domain/index.ts';
import { shortened } from '../amounts.ts';
import { elementsOf, readMarkup } from './read-markup.ts';

/** How many items of a feed are read. */
export const ITEMS_MOST = 1_000;
/** Longest title and link that are kept, in characters. */
const TITLE_MOST = 300;
const LINK_MOST = 2_000;
/** How much of a text is looked at before it is cleaned; what is longer is no title. */
const RAW_MOST = 5_000;

/** An item and what tells it from all others of its feed. */
export interface ReadItem extends FeedItem {
  readonly key: string;
}

/** The items in the feed's order; `null` when `text` is no feed. `base` is its address. */
export function readFeed(text: string, base: string): readonly ReadItem[] | null {
  return /^\s*\{/.test(text) ? jsonItems(text, base) : xmlItems(readMarkup(text, 'xml'), base);
}

function jsonItems(text: string, base: string): readonly ReadItem[] | null {
  let feed: unknown;
  try {
    feed = JSON.parse(text);
  } catch {
    return null;
  }
  // https://www.jsonfeed.org/version/1.1/
  if (!isObject(feed) || !Array.isArray(feed['items'])) return null;
  if (!/^https?:\/\/(?:www\.)?jsonfeed\.org\/version\//.test(textIn(feed, 'version'))) return null;
  const items: readonly unknown[] = feed['items'];
  return items
    .slice(0, ITEMS_MOST)
    .filter(isObject)
    .flatMap((item) =>
      itemOf(
        textIn(item, 'id'),
        textIn(item, 'title') || textIn(item, 'summary') || textIn(item, 'content_text'),
        textIn(item, 'url') || textIn(item, 'external_url'),
        base,
      ),
    );
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** JSON Feed asks for text and says that numbers are to be taken as such. */
function textIn(object: Readonly<Record<string, unknown>>, key: string): string {
  const value = Object.hasOwn(object, key) ? object[key] : undefined;
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '';
}

function xmlItems(document: Document, base: string): readonly ReadItem[] | null {
  const root = elementsOf(document).find(({ name }) => ['rss', 'rdf', 'feed'].includes(localName(name)));
  if (root === undefined) return null;
  return entriesOf(root)
    .slice(0, ITEMS_MOST)
    .flatMap((entry) => {
      // An entry of the namespace `atom:` has an `atom:title`; a `media:title` is something else.
      const prefix = entry.name.slice(0, entry.name.length - localName(entry.name).length);
      const field = (name: string): Element | undefined =>
        elementsOf(entry).find((child) => child.name.toLowerCase() === (prefix + name).toLowerCase());
      const text = (name: string): string => textOf(field(name));
      const guid = field('guid');
      const id = textOf(guid) || text('id') || attribute(entry, 'rdf:about');
      const linked =
        linkOf(entry, prefix) ||
        (guid !== undefined && attribute(guid, 'isPermaLink') !== 'false' && /^https?:/i.test(id) ? id : '');
      return itemOf(id, text('title') || text('description') || text('summary'), linked, base);
    });
}

/** RSS 2.0 has its items in the channel, RSS 1.0 beside it, Atom in the root. */
function entriesOf(root: Element): readonly Element[] {
  const isEntry = ({ name }: Element): boolean => ['item', 'entry'].includes(localName(name));
  const channel = elementsOf(root).find(({ name }) => localName(name) === 'channel');
  return [...(channel === undefined ? [] : elementsOf(channel)), ...elementsOf(root)].filter(isEntry);
}

function linkOf(entry: Element, prefix: string): string {
  const links = elementsOf(entry).filter(({ name }) => name.toLowerCase() === `${prefix}link`.toLowerCase());
  const written = links.map((link) => textOf(link)).find((text) => text !== '');
  if (written !== undefined) return written;
  const rel = (link: Element): string => attribute(link, 'rel') || 'alternate';
  const best = links.find((link) => rel(link) === 'alternate') ?? links[0];
  return best === undefined ? '' : attribute(best, 'href');
}

function localName(name: string): string {
  return name.slice(name.lastIndexOf(':') + 1).toLowerCase();
}

function attribute({ attribs }: Element, name: string): string {
  return Object.hasOwn(attribs, name) ? (attribs[name] ?? '') : '';
}

/** The text in `element`, as far as a title may be long. */
function textOf(element: ParentNode | undefined): string {
  let text = '';
  const add = (parent: ParentNode): void => {
    for (const child of parent.children) {
      if (text.length > RAW_MOST) return;
      if (isText(child)) text += child.data;
      else if ('children' in child) add(child);
    }
  };
  if (element !== undefined) add(element);
  return text.slice(0, RAW_MOST).trim();
}

/** An item without an id is known by its link, and one without either by its title. */
function itemOf(id: string, title: string, link: string, base: string): readonly ReadItem[] {
  const absolute = absoluteLink(link.slice(0, LINK_MOST), base);
  const plain = shortened(withoutMarkup(title.slice(0, RAW_MOST)), TITLE_MOST);
  const key = id || absolute || plain;
  return key === '' ? [] : [{ key, title: plain || absolute || shortened(id, TITLE_MOST), link: absolute }];
}

/** Titles often hold escaped HTML (RSS says nothing of it, Atom has `type="html"`). It is read, and only its text kept. */
function withoutMarkup(title: string): string {
  return /[<&]/.test(title) ? textOf(readMarkup(title, 'html')) : title;
}

function absoluteLink(link: string, base: string): string {
  const trimmed = link.trim();
  if (trimmed === '') return '';
  return URL.canParse(trimmed, base) ? new URL(trimmed, base).href : trimmed;
}
