import type { Temporal as TemporalTypes } from 'temporal-polyfill';
import { assert } from './assert.ts';
import type { EpochMs } from './time.ts';
import type { SpanReader } from './zone-span.ts';

/** The namespace that TC39's Temporal proposal puts on the global object. */
export type TemporalApi = typeof TemporalTypes;

let prepared: TemporalApi | null = null;
const NEVER_QUICKLY: SpanReader = () => null;
let quickly = NEVER_QUICKLY;

/** A browser's own Temporal is asked for the years at hand: what is announced for them, it alone knows in every case. */
const OWN_UNTIL_MS: EpochMs = Date.UTC(2030, 0);

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
    quickly = NEVER_QUICKLY;
    prepared = native;
    // Nothing waits for it: without it the answers are the same and take longer.
    void import('./quick-zone.ts').then(
      ({ makeQuickReader }) => {
        if (prepared === native) quickly = makeQuickReader(OWN_UNTIL_MS);
      },
      () => undefined,
    );
    return;
  }
  const [polyfill, quick] = await Promise.all([
    import('temporal-polyfill/implementation'),
    import('./quick-zone.ts'),
  ]);
  quickly = quick.makeQuickReader(quick.QUICK_FROM_MS);
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

/** Reads a span where that is quicker than by {@link temporal}, and as exact. */
export function readQuickly(...of: Parameters<SpanReader>): ReturnType<SpanReader> {
  return quickly(...of);
}
