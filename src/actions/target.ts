/** Where a request goes: what is wrong with an address before anything is sent, and what a browser must be told of it. */
import { type Failure, guardedNetwork } from '../domain/index.ts';
import { shortened } from './amounts.ts';

export type Target =
  { readonly kind: 'ok'; readonly url: URL } | { readonly kind: 'refused'; readonly failure: Failure };

/** Ports that browsers refuse to talk HTTP to (Fetch standard, "bad port"). */
export const BAD_PORTS: ReadonlySet<number> = new Set([
  0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104,
  109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515,
  526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049,
  3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
]);

/** Reads the address of a request after its template was filled in. What it refuses, no browser would send. */
export function readTarget(text: string): Target {
  const address = text.trim();
  if (!/^https?:\/\//i.test(address) || !URL.canParse(address)) {
    return refused({
      class: 'invalid',
      code: 'bad-url',
      message: `"${shortened(address, 100)}" is not an address that can be requested.`,
      advice: 'An address starts with http:// or https:// and names a host.',
    });
  }
  const url = new URL(address);
  if (url.username !== '' || url.password !== '') {
    return refused({
      class: 'invalid',
      code: 'bad-url',
      message: `The address of ${url.host} holds a user name or password, which browsers refuse.`,
      advice: 'Put them in an Authorization header.',
    });
  }
  if (url.port !== '' && BAD_PORTS.has(Number(url.port))) {
    return refused({
      class: 'denied',
      code: 'blocked-port',
      message: `Browsers do not let a page talk to port ${url.port} of ${url.hostname}.`,
      advice: 'Let the server answer on another port.',
    });
  }
  return { kind: 'ok', url };
}

function refused(failure: Failure): Target {
  return { kind: 'refused', failure };
}

/**
 * The option of `fetch` that has a browser let http:// through to a host on the local network from a page served over
 * https:// (Local Network Access, section "Mixed content"); else nothing, because a request that names another space than
 * its host turns out to be in fails, whatever was allowed (measured in Chromium 156).
 */
export function addressSpaceFor(target: URL, origin: string): RequestInit {
  const app = new URL(origin);
  const isMixed = app.protocol === 'https:' && target.protocol === 'http:';
  if (!isMixed || guardedNetwork(target.hostname, app.hostname) !== 'local') return {};
  return { targetAddressSpace: 'local' } as RequestInit;
}
