/**
 * The `default` policy of Trusted Types: what becomes of plain text given to a place that would run it. It must be the
 * first import of `main.ts`, so that it stands before anything can start a worker. The response header and the page's
 * `<meta>` (public/_headers) allow this policy and Lit's own, and no other.
 *
 * Constructors of workers and `serviceWorker.register` take a script's address and are such places; a policy of another
 * name would have to wrap the address, and then Vite would not see the worker and not bundle it. The default policy is
 * asked instead, and lets through only scripts of this very build. Text to be read as HTML or as script is never let through.
 */

/** The part of https://w3c.github.io/trusted-types/ that is used here; TypeScript's own library does not know it yet. */
interface PolicyFactory {
  createPolicy(
    name: string,
    rules: { readonly createScriptURL: (address: string) => string | null },
  ): unknown;
}

/**
 * Whether `address` is a script that may start as a worker of the app at `base`: a built file in `assets/` or the service
 * worker, on the same origin and in the same folder, so that a neighbour on a shared origin is none.
 */
export function isOwnWorkerScript(address: string, base: string): boolean {
  if (!URL.canParse(address, base)) return false;
  const url = new URL(address, base);
  if (url.origin !== new URL(base).origin) return false;
  const folder = new URL('./', base).pathname;
  if (!url.pathname.startsWith(folder)) return false;
  return /^(assets\/[\w.-]+\.js|service-worker\.js)$/.test(url.pathname.slice(folder.length));
}

const factory = (globalThis as { readonly trustedTypes?: PolicyFactory }).trustedTypes;
factory?.createPolicy('default', {
  createScriptURL: (address) => (isOwnWorkerScript(address, document.baseURI) ? address : null),
});
