import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { addressOfOffer } from './offered-address.ts';
import { parseRoute } from './router.ts';

interface Manifest {
  readonly share_target: {
    readonly action: string;
    readonly method: string;
    readonly params: Readonly<Record<string, string>>;
  };
  readonly protocol_handlers: readonly { readonly protocol: string; readonly url: string }[];
}

const manifest = JSON.parse(
  readFileSync(new URL('../../public/manifest.webmanifest', import.meta.url), 'utf8'),
) as Manifest;

/** The screen that the page shows when the system opens `address` of the manifest. */
function screenAt(address: string) {
  const { search, hash } = new URL(address, 'https://host.test/rota/');
  const to = addressOfOffer(search, hash);
  return parseRoute(to === null ? hash : to.slice(to.indexOf('#')));
}

describe('what the manifest says leads to the editor', () => {
  test('something shared, by the names that it is sent under', () => {
    const { action, method, params } = manifest.share_target;
    const shared = { title: 'A page', text: 'Look: é&=#', url: 'https://page.test/?a=1&b=2' };
    const query = new URLSearchParams();
    for (const [part, value] of Object.entries(shared)) query.set(params[part] ?? '', value);
    expect(method).toBe('GET');
    const route = screenAt(`${action}?${query.toString()}`);
    expect(route).toMatchObject({ kind: 'new', starter: null, copyOf: null });
    expect(route.kind === 'new' && Object.fromEntries(new URLSearchParams(route.offer ?? ''))).toEqual(
      shared,
    );
  });

  test('a link that was pressed anywhere', () => {
    const [handler] = manifest.protocol_handlers;
    const link = 'web+rota:new?url=https%3A%2F%2Fpage.test%2F%3Fa%3D1%26b%3D2#x';
    const route = screenAt(handler?.url.replace('%s', encodeURIComponent(link)) ?? '');
    expect(route.kind === 'new' && new URLSearchParams(route.offer ?? '').get('link')).toBe(link);
    expect(handler?.protocol).toBe('web+rota');
  });
});

describe('an address stays as it is', () => {
  test.each([
    ['', ''],
    ['?engine=tab', ''],
    ['?title=&text=%20', ''],
    ['?utm_source=x', '#/'],
    // A screen was asked for, and a query beside it is none of Rota's.
    ['?url=https://page.test/', '#/runs'],
  ])('%s%s', (search, hash) => {
    expect(addressOfOffer(search, hash)).toBeNull();
  });
});

test('what else is in the query stays there', () => {
  expect(addressOfOffer('?engine=tab&text=Milk', '')).toBe('?engine=tab#/new?text=Milk');
});
