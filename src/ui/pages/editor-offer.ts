/**
 * What another app or a link offers, as a draft: a page is watched, a curl command becomes its request, any other text is
 * a reminder, and a link may hold a whole automation. Whatever comes is text from a stranger: it is paused, nothing of it
 * is a template unless a whole automation says so, and nothing is stored before the person has looked at it and saved it.
 */
import {
  DAY_MS,
  type Definition,
  type DefinitionInput,
  definitionSchema,
  type EpochMs,
  HOUR_MS,
  MINUTE_MS,
  parseWith,
  type Problem,
} from '../../domain/index.ts';
import { isCurl, readCurl } from '../text/read-curl.ts';

/** The scheme of links to Rota, as in `web+rota:new?url=https%3A%2F%2Fexample.test`. */
const SCHEME = 'web+rota:';
/** The longest address of a page, and text of a reminder, that are taken; what is longer is cut or refused. */
const NAME_MOST = 200;
const MESSAGE_MOST = 2_000;
/** The longest automation in a link. Browsers cut addresses somewhere above it. */
const AUTOMATION_MOST = 60_000;

/** What the editor begins with, or why it cannot. */
type ReadOffer =
  | { readonly kind: 'draft'; readonly definition: Definition }
  | { readonly kind: 'refused'; readonly reason: string };

/** Reads an offer (the query that `offerIn` wrote) at `now`. Never throws. */
export function readOffer(offer: string, now: EpochMs): ReadOffer {
  const query = new URLSearchParams(offer);
  const link = query.get('link');
  return link === null ? draftOf(query, now) : readLink(link, now);
}

function readLink(link: string, now: EpochMs): ReadOffer {
  const text = link.trim();
  if (!text.toLowerCase().startsWith(SCHEME)) return refuse('The link is none of Rota’s.');
  const rest = text.slice(SCHEME.length).replace(/^\/*/, '');
  const asked = /^new\/?(?:\?(.*))?$/s.exec(rest);
  if (asked === null) return refuse('The link asks for something that this version of Rota does not know.');
  const query = new URLSearchParams(asked[1] ?? '');
  const automation = query.get('automation');
  return automation === null ? draftOf(query, now) : readAutomation(automation);
}

function readAutomation(text: string): ReadOffer {
  if (text.length > AUTOMATION_MOST) return refuse('The automation in the link is too long.');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return refuse('The automation in the link cannot be read: it is no JSON, or was cut off.');
  }
  const parsed = parseWith(definitionSchema, value);
  if (parsed.kind === 'invalid')
    return refuse(`The automation in the link cannot be read. ${said(parsed.problems)}`);
  return { kind: 'draft', definition: { ...parsed.value, enabled: false } };
}

/** What is shared: Android gives the address of a page as text, with or without words around it. */
function draftOf(query: URLSearchParams, now: EpochMs): ReadOffer {
  const title = tidied(query.get('title'));
  const text = tidied(query.get('text'), '\n');
  const url = pageIn(query.get('url') ?? '') ?? (isCurl(text) ? null : pageIn(text));
  const attempts = [
    ...(url === null ? [] : [watching(url, title === '' ? new URL(url).host : title)]),
    ...requestIn(text, title),
    reminding([title, text].filter((one) => one !== '').join('\n'), title === '' ? text : title, now),
  ];
  for (const attempt of attempts) {
    const parsed = parseWith(definitionSchema, attempt);
    if (parsed.kind === 'ok') return { kind: 'draft', definition: parsed.value };
  }
  return refuse('There is nothing in it that Rota could do.');
}

function watching(url: string, name: string): DefinitionInput {
  return {
    name: cut(name, NAME_MOST),
    enabled: false,
    schedule: { kind: 'every', everyMs: HOUR_MS, anchor: 0 },
    action: {
      kind: 'watch',
      url: url.replaceAll('{', '%7B').replaceAll('}', '%7D'),
      part: { kind: 'page', select: 'body' },
    },
  };
}

function requestIn(text: string, title: string): readonly DefinitionInput[] {
  if (!isCurl(text)) return [];
  const read = readCurl(text);
  if (read.kind === 'refused') return [];
  const { method, url, headers, body } = read.request;
  return [
    {
      name: cut(title === '' ? url : title, NAME_MOST),
      enabled: false,
      schedule: { kind: 'manual' },
      action: {
        kind: 'http',
        method,
        url: literal(url),
        headers: Object.fromEntries(headers.map(({ name, value }) => [name, literal(value)])),
        ...(body === '' ? {} : { body: literal(body) }),
      },
    },
  ];
}

/** Tomorrow at this time: the person chooses another, and sees which. */
function reminding(message: string, name: string, now: EpochMs): DefinitionInput {
  const at = Math.ceil((now + DAY_MS) / (15 * MINUTE_MS)) * 15 * MINUTE_MS;
  return {
    name: cut(name.split('\n', 1)[0] ?? '', NAME_MOST),
    enabled: false,
    schedule: { kind: 'once', at },
    action: { kind: 'remind', message: literalWithin(message, MESSAGE_MOST) },
  };
}

/** The first address of a page in `text`, or `null`. */
function pageIn(text: string): string | null {
  // What ends a sentence is no part of the address in it.
  const found = /https?:\/\/[^\s<>"']+/i.exec(text)?.[0].replace(/[.,;:!?)\]]+$/, '');
  return found !== undefined && URL.canParse(found) ? new URL(found).href : null;
}

/** `text` as a Liquid template that says the same: what looks like one is told as text. */
function literal(text: string): string {
  return text.replaceAll(/\{[{%]/g, (mark) => `{{ "${mark}" }}`);
}

/** The longest beginning of `text` that is not longer than `most` as a literal template. */
function literalWithin(text: string, most: number): string {
  let kept = cut(text, most);
  while (literal(kept).length > most) kept = cut(kept, kept.length - (literal(kept).length - most));
  return literal(kept);
}

function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  // A surrogate alone is no text.
  return `${text.slice(0, Math.max(0, most - 1)).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

/** Without what cannot be seen and could make a text look like another (controls, marks of direction), on one line or several. */
function tidied(text: string | null, newline = ' '): string {
  return (text ?? '')
    .replaceAll(/\r\n?|\n|\u2028|\u2029/g, newline)
    .replaceAll(/[\p{Cc}\u200B-\u200F\u202A-\u202E\u2060-\u2069\uFEFF]/gu, (mark) =>
      mark === '\n' ? mark : '',
    )
    .trim();
}

function said(problems: readonly Problem[]): string {
  const [first] = problems;
  if (first === undefined) return '';
  return first.path === '' ? first.message : `${first.path}: ${first.message}`;
}

function refuse(reason: string): ReadOffer {
  return { kind: 'refused', reason };
}
