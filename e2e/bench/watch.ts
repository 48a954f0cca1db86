/**
 * What a watch costs its host on a page of a megabyte, from the request to the ending: reading, choosing, filtering and
 * comparing. The page comes from memory, so that no network is measured. A page on its own; scripts/bench.mjs opens it.
 */
import * as v from 'valibot';
import { perform } from '../../src/actions/index.ts';
import {
  type AutomationId,
  definitionSchema,
  prepareTime,
  type RunId,
  scheduledOccurrence,
} from '../../src/domain/index.ts';
import { offer } from './offer.ts';

/** How much of an answer is read. */
const PAGE_LENGTH = 1_000_000;

/** Milliseconds of the first look, libraries and all, and of each of `rounds` looks at a page that has changed since. */
async function measureWatch(
  rounds: number,
): Promise<{ readonly first: readonly number[]; readonly again: readonly number[] }> {
  await prepareTime();
  const automationId = crypto.randomUUID() as string as AutomationId;
  const definition = v.parse(definitionSchema, {
    name: 'Prices',
    schedule: { kind: 'manual' },
    action: {
      kind: 'watch',
      url: 'http://127.0.0.1/',
      part: { kind: 'page', select: 'main .item > h2, main .item .price', without: ['.ad'] },
      filter: { drop: ['/^sponsored/i'], unique: true },
    },
  });
  let memory: unknown;
  const took: number[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    const body = shop(round);
    const startedAt = performance.now();
    const ending = await perform({
      run: {
        id: crypto.randomUUID() as string as RunId,
        automationId,
        automationName: 'Prices',
        occurrence: scheduledOccurrence(automationId, round),
        scheduledFor: round,
        cause: 'schedule',
        attempt: 1,
        definition,
      },
      signal: new AbortController().signal,
      now: () => Date.now(),
      fetch: () => Promise.resolve(new Response(body, { headers: { 'content-type': 'text/html' } })),
      online: () => true,
      origin: location.origin,
      markEffect: () => Promise.resolve(),
      recall: () => Promise.resolve(memory),
    });
    took.push(performance.now() - startedAt);
    if (ending.kind === 'failed') throw new Error(ending.failure.message);
    memory = ending.remember?.['watch'] ?? memory;
  }
  return { first: took.slice(0, 1), again: took.slice(1) };
}

/** A page of a shop as they are: each item in half a dozen elements, with classes and a long address. */
function shop(round: number): string {
  const items: string[] = [];
  for (let length = 0, n = 0; length < PAGE_LENGTH; n += 1) {
    const item = `<div class="item card" data-id="${n}"><a class="link" href="/things/thing-${n}?from=list&amp;pos=${n}"><img src="/img/${n}.webp" alt="Thing ${n}"></a><h2>Thing number ${n}</h2><p>Some words that say what it is, <b>briefly</b>.</p><span class="price">${(n * 7 + round) % 500}.99</span><i class="ad">AD</i></div>\n`;
    items.push(item);
    length += item.length;
  }
  return `<!doctype html><title>Shop</title><main>${items.join('')}</main>`;
}

offer({ measureWatch });
