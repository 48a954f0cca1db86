/**
 * What another app or a link offers: the system opens the page with it in the query of the address (`share_target` and
 * `protocol_handlers` of public/manifest.webmanifest). It is moved into the hash, to the editor, before the app reads where it
 * is; from there on it is an address as any other, which survives a reload. Must be imported before `app.ts`.
 */

/** What an offer can hold, by its name in the manifest and in an address. */
const OFFERED = ['title', 'text', 'url', 'link'] as const;

/** What of `query` is an offer, as the query of an address; `null` when there is none. */
export function offerIn(query: URLSearchParams): string | null {
  const offer = new URLSearchParams();
  for (const name of OFFERED) {
    const value = query.get(name)?.trim() ?? '';
    if (value !== '') offer.set(name, value);
  }
  return offer.size === 0 ? null : offer.toString();
}

/** Where the page at `search` and `hash` of its address is to go: `null` when it may stay, as it does with a screen in its hash. */
export function addressOfOffer(search: string, hash: string): string | null {
  const query = new URLSearchParams(search);
  const offer = offerIn(query);
  if (offer === null || hash.length > 1) return null;
  for (const name of OFFERED) query.delete(name);
  return `${query.size === 0 ? '' : `?${query.toString()}`}#/new?${offer}`;
}

if (typeof location !== 'undefined') {
  const address = addressOfOffer(location.search, location.hash);
  // In place of the step that came with it: going back must not offer it once more.
  if (address !== null) history.replaceState(history.state, '', `${location.pathname}${address}`);
}
