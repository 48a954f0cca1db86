import type { Temporal as TemporalTypes } from 'temporal-polyfill';
import { assert } from './assert.ts';

/** The namespace that TC39's Temporal proposal puts on the global object. */
export type TemporalApi = typeof TemporalTypes;

let prepared: TemporalApi | null = null;

/**
 * Makes Temporal ready; every function of domain that reads a time zone asserts that this has resolved. The browser's
 * own is used where there is one. Elsewhere (WebKit has none) the polyfill is loaded, as a chunk of its own. Callers
 * await it after they are listening: a SharedWorker must attach `onconnect` before its first `await`.
 *
 * @param options.polyfill `'always'` takes the polyfill even where the browser has Temporal, so that tests run on both.
 */
export async function prepareTime(
  options: { readonly polyfill?: 'where-missing' | 'always' } = {},
): Promise<void> {
  const native = options.polyfill === 'always' ? undefined : nativeTemporal();
  prepared = native ?? (await import('temporal-polyfill/implementation')).Temporal;
}

function nativeTemporal(): TemporalApi | undefined {
  return (globalThis as { readonly Temporal?: TemporalApi }).Temporal;
}

/** Temporal as {@link prepareTime} left it. Throws `AssertionError` before that. For use inside domain only. */
export function temporal(): TemporalApi {
  assert(prepared !== null, 'prepareTime() must have resolved before a time zone is read');
  return prepared;
}
