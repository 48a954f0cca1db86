/** From an answer to what of it is watched. */
import type { Failure, ReceivedResponse, WatchAction } from '../../domain/index.ts';
import { shortened, sizeText } from '../amounts.ts';
import { LimitReached } from '../limit-reached.ts';
import { loadPart } from '../load-part.ts';
import { charsetOf, type ReadBody, textOf } from '../read-body.ts';
import type { ReadItem } from './feed.ts';

/** What is watched, as it was found. */
export type FoundPart =
  | { readonly kind: 'lines'; readonly lines: readonly string[] }
  | { readonly kind: 'items'; readonly items: readonly ReadItem[] }
  /** The answer is what was expected, and what is watched is not in it; `what` names it in a sentence. */
  | { readonly kind: 'nothing'; readonly what: string }
  | { readonly kind: 'failed'; readonly failure: Failure };

/** Finds what `action` watches in an answer. Never rejects for what the answer holds. */
export async function findPart(
  action: WatchAction,
  received: ReceivedResponse,
  body: ReadBody,
): Promise<FoundPart> {
  const { part } = action;
  const { host } = new URL(received.url || action.url, 'http://unknown');
  const text = decoded(part.kind, received, body);
  if (text === null) {
    const type = shortened(received.contentType, 60);
    return failed({
      class: 'action',
      code: 'not-text',
      message: `${host} answered with ${type === '' ? 'something that is no text' : type}, which is no text to watch.`,
      advice: 'Check the address.',
    });
  }
  if (text.trim() === '' && part.kind !== 'text') {
    return failed({
      class: 'action',
      code: 'empty-answer',
      message: `${host} answered with an empty body, so there is nothing to watch in it.`,
    });
  }
  try {
    return await findIn(text, action, received, body, host);
  } catch (error) {
    if (error instanceof LimitReached) return failed(error.failure);
    throw error;
  }
}

async function findIn(
  text: string,
  { part }: WatchAction,
  received: ReceivedResponse,
  body: ReadBody,
  host: string,
): Promise<FoundPart> {
  const { truncated } = received;
  switch (part.kind) {
    case 'text':
      return { kind: 'lines', lines: text === '' ? [] : text.replace(/\r?\n$/, '').split(/\r\n|\n|\r/) };
    case 'page': {
      const pages = await loadPart(() => import('./page-text.ts'), 'reads pages');
      if (pages.kind === 'failed') return pages;
      const found = pages.part.pageLines(text, part);
      if (found.kind === 'found') return { kind: 'lines', lines: found.lines };
      const attribute = part.attribute === undefined ? '' : ` with the attribute ${part.attribute}`;
      const what = `“${shortened(part.select, 80)}”${attribute}`;
      return truncated
        ? tooLarge(host, body, `, and nothing in that matches ${what}`)
        : { kind: 'nothing', what };
    }
    case 'feed': {
      const feeds = await loadPart(() => import('./feed.ts'), 'reads feeds');
      if (feeds.kind === 'failed') return feeds;
      const items = feeds.part.readFeed(text, received.url);
      if (items !== null) {
        // The item at the cut may be half of one, with half an id.
        return { kind: 'items', items: truncated ? items.slice(0, -1) : items };
      }
      return truncated && /^\s*\{/.test(text)
        ? tooLarge(host, body, ', which is no whole feed')
        : failed({
            class: 'action',
            code: 'not-a-feed',
            message: `${host} did not answer with a feed: RSS, Atom, RDF and JSON Feed are known.`,
            advice: 'Pages often name their feed in the source, or by a link called RSS.',
          });
    }
    case 'json': {
      if (truncated) return tooLarge(host, body, ', which is no whole JSON');
      let value: unknown;
      try {
        value = JSON.parse(text.startsWith('\uFEFF') ? text.slice(1) : text);
      } catch (error) {
        const reason = error instanceof Error ? shortened(error.message, 120) : '';
        return failed({
          class: 'action',
          code: 'not-json',
          message: `${host} did not answer with JSON: ${reason.replace(/\.$/, '')}.`,
        });
      }
      const parts = await loadPart(
        () => Promise.all([import('../json-path.ts'), import('./json-text.ts')]),
        'reads JSON by a path',
      );
      if (parts.kind === 'failed') return parts;
      const [{ findInJson }, { jsonLines }] = parts.part;
      const found = await findInJson(part.select, value);
      if (found.kind === 'failed') return found;
      return found.values.length === 0
        ? { kind: 'nothing', what: `“${shortened(part.select, 80)}”` }
        : { kind: 'lines', lines: jsonLines(found.values) };
    }
  }
}

function failed(failure: Failure): FoundPart {
  return { kind: 'failed', failure };
}

function tooLarge(host: string, { kept }: ReadBody, what: string): FoundPart {
  return failed({
    class: 'limit',
    code: 'answer-too-large',
    message: `The answer of ${host} is too large: Rota reads its first ${sizeText(kept.byteLength)}${what}.`,
    advice: 'Ask for less, if the address takes a parameter for that.',
  });
}

/**
 * The body as text. Where neither a header nor a byte order mark says how it is encoded, a page and a feed may say so
 * themselves (HTML standard, "prescan"; XML, section 4.3.3).
 */
function decoded(
  kind: WatchAction['part']['kind'],
  { contentType, text, truncated }: ReceivedResponse,
  { kept }: ReadBody,
): string | null {
  if (text === null || (kind !== 'page' && kind !== 'feed') || charsetOf(contentType) !== null) return text;
  const head = new TextDecoder('latin1').decode(kept.subarray(0, 1_024));
  const named =
    /^\s*<\?xml[^>]{0,200}?\sencoding\s*=\s*["']([\w-]{1,40})["']/.exec(head)?.[1] ??
    /<meta[^>]{0,200}?\scharset\s*=\s*["']?([\w-]{1,40})/i.exec(head)?.[1] ??
    /<meta[^>]{0,200}?;\s*charset\s*=\s*([\w-]{1,40})/i.exec(head)?.[1];
  // A document whose first bytes can be read as ASCII is not in UTF-16, whatever it says.
  if (named === undefined || /^utf-?(8|16)/i.test(named)) return text;
  return textOf(kept, `text/html; charset=${named}`, truncated);
}
