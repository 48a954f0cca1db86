import type { PlainAction } from './action-plain.ts';
import type { Action } from './action.ts';
import { nearnessOf } from './nearness.ts';
import { actionsOf } from './steps.ts';

/** Where a server is, as far as an address says it. */
export interface Server {
  /** Such as `http://localhost:11434`. */
  readonly origin: string;
  /** In lower case; brackets around an IPv6 address. */
  readonly hostname: string;
}

/**
 * The servers near this device that `action` surely asks: a browser may guard the way to them. What a template names is
 * known only when it is filled in.
 */
export function nearServersOf(action: Action): readonly Server[] {
  return actionsOf(action)
    .flatMap(addressesOf)
    .flatMap((address) => {
      const server = serverOf(address);
      return server === null || nearnessOf(server.hostname) === 'public' ? [] : [server];
    });
}

function addressesOf(action: PlainAction): readonly string[] {
  switch (action.kind) {
    case 'http':
    case 'watch':
      return [action.url];
    case 'prompt':
      return [action.endpoint.baseUrl, ...(action.tools?.servers ?? []).map(({ url }) => url)];
    case 'script':
      return action.allow.includes('fetch') ? action.origins : [];
    case 'remind':
      return [];
  }
}

/** The server of `address`, which may be a template; `null` when that is not sure. */
export function serverOf(address: string): Server | null {
  const found = /^(https?:\/\/(\[[\da-f:.]+\]|[^\s/?#@:[\]{}]+)(?::\d+)?)(?=[/?#]|$)/i.exec(address.trim());
  const [, origin, hostname] = found ?? [];
  if (origin === undefined || hostname === undefined) return null;
  return { origin: origin.toLowerCase(), hostname: hostname.toLowerCase() };
}
