import type { Temporal as TemporalTypes } from 'temporal-polyfill';
import { assert } from './assert.ts';
import type { SpanReader } from './zone-span.ts';

/** The namespace that TC39's Temporal proposal puts on the global object. */
export type TemporalApi = typeof TemporalTypes;

let prepared: TemporalApi | null = null;
let quickly: SpanReader = () => null;

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
  if (native !== undefined) {
    quickly = () => null;
    prepared = native;
    return;
  }
  const [polyfill, quick] = await Promise.all([
    import('temporal-polyfill/implementation'),
    import('./quick-zone.ts'),
  ]);
  quickly = quick.quickSpan;
  prepared = polyfill.Temporal;
}

function nativeTemporal(): TemporalApi | undefined {
  return (globalThis as { readonly Temporal?: TemporalApi }).Temporal;
}

/** Temporal as {@link prepareTime} left it. Throws `AssertionError` before that. For use inside domain only. */
export function temporal(): TemporalApi {
  assert(prepared !== null, 'prepareTime() must have resolved before a time zone is read');
  return prepared;
}

/** Reads a span where that is quicker than by {@link temporal}, which is where that is the polyfill. */
export function readQuickly(...of: Parameters<SpanReader>): ReturnType<SpanReader> {
  return quickly(...of);
}
