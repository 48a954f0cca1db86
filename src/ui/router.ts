/**
 * Where the person is, as the hash of the address: it survives a reload, a bookmark and a plain static host. What a
 * list shows (view, filters) is in the query part of the hash, so that each tab can differ.
 */
import { isUuid, type AutomationId, type RunId } from '../domain/index.ts';
import { offerIn } from './offered-address.ts';

/** A screen and what it needs to know. A screen exists in this union exactly when it can be opened. */
export type Route =
  | { readonly kind: 'automations'; readonly query: URLSearchParams }
  /** `starter`, `copyOf` and `offer` (what another app or a link offers) fill the editor; nothing is stored until it is saved. */
  | {
      readonly kind: 'new';
      readonly starter: string | null;
      readonly copyOf: AutomationId | null;
      readonly offer: string | null;
    }
  | { readonly kind: 'automation'; readonly id: AutomationId }
  | { readonly kind: 'edit'; readonly id: AutomationId }
  | { readonly kind: 'runs'; readonly query: URLSearchParams }
  | { readonly kind: 'run'; readonly id: RunId }
  /** Which view, which day, which automation. */
  | { readonly kind: 'notifications' }
  | { readonly kind: 'timeline'; readonly query: URLSearchParams }
  | { readonly kind: 'engine' }
  /** `secret` is the name of one that is to be added. */
  | { readonly kind: 'settings'; readonly secret: string | null }
  | { readonly kind: 'not-found'; readonly path: string };

/** The kinds of screen. */
export type RouteKind = Route['kind'];

/** The screen that `hash` (with or without its `#`) names. Never throws: what cannot be read is `not-found`. */
export function parseRoute(hash: string): Route {
  const [path = '', queryText = ''] = splitOnce(hash.replace(/^#/, ''), '?');
  const query = new URLSearchParams(queryText);
  const [first, second, third, ...rest] = path.split('/').filter((segment) => segment !== '');
  const notFound: Route = { kind: 'not-found', path: path === '' ? '/' : path };
  if (rest.length > 0) return notFound;
  switch (first) {
    case undefined:
      return { kind: 'automations', query };
    case 'new': {
      if (second !== undefined) return notFound;
      const copyOf = query.get('copy');
      return {
        kind: 'new',
        starter: query.get('starter'),
        copyOf: copyOf !== null && isUuid(copyOf) ? (copyOf as AutomationId) : null,
        offer: offerIn(query),
      };
    }
    case 'automations':
      if (second === undefined || !isUuid(second)) return notFound;
      if (third === undefined) return { kind: 'automation', id: second as AutomationId };
      return third === 'edit' ? { kind: 'edit', id: second as AutomationId } : notFound;
    case 'runs':
      if (second === undefined) return { kind: 'runs', query };
      return third === undefined && isUuid(second) ? { kind: 'run', id: second as RunId } : notFound;
    case 'timeline':
      return second === undefined ? { kind: 'timeline', query } : notFound;
    case 'notifications':
      return second === undefined ? { kind: 'notifications' } : notFound;
    case 'engine':
      return second === undefined ? { kind: 'engine' } : notFound;
    case 'settings':
      return second === undefined ? { kind: 'settings', secret: query.get('secret') } : notFound;
    default:
      return notFound;
  }
}

/** Addresses of screens, for `href`. */
export const href = {
  automations: (query: Readonly<Record<string, string>> = {}): string => withQuery('#/', query),
  new: (query: { readonly starter?: string; readonly copy?: AutomationId } = {}): string =>
    withQuery('#/new', query),
  automation: (id: AutomationId): string => `#/automations/${id}`,
  edit: (id: AutomationId): string => `#/automations/${id}/edit`,
  runs: (query: Readonly<Record<string, string>> = {}): string => withQuery('#/runs', query),
  run: (id: RunId): string => `#/runs/${id}`,
  timeline: (query: Readonly<Record<string, string>> = {}): string => withQuery('#/timeline', query),
  notifications: (): string => '#/notifications',
  engine: (): string => '#/engine',
  settings: (query: { readonly secret?: string } = {}): string => withQuery('#/settings', query),
} as const;

/** Goes to `address` (one of {@link href}) and leaves a step to come back to. */
export function navigate(address: string): void {
  location.hash = address;
}

/**
 * Writes `query` into the address of the screen that is open, without a step in the history: for filters that follow
 * each keystroke. Empty values are left out.
 */
export function replaceQuery(query: Readonly<Record<string, string>>): void {
  const [path = '#/'] = splitOnce(location.hash === '' ? '#/' : location.hash, '?');
  const address = withQuery(path, query);
  if (address === location.hash) return;
  history.replaceState(history.state, '', address);
  // replaceState is silent, and the router hears of every change in one way.
  dispatchEvent(new HashChangeEvent('hashchange'));
}

/** Whether going from `from` to `to` is going to another screen, and not a change of filter on the same one. */
export function isOtherScreen(from: Route, to: Route): boolean {
  if (from.kind !== to.kind) return true;
  switch (to.kind) {
    case 'automation':
    case 'edit':
    case 'run':
      return !('id' in from) || from.id !== to.id;
    case 'new':
      return (
        from.kind === 'new' &&
        (from.starter !== to.starter || from.copyOf !== to.copyOf || from.offer !== to.offer)
      );
    case 'not-found':
      return from.kind === 'not-found' && from.path !== to.path;
    case 'automations':
    case 'runs':
    case 'timeline':
    case 'notifications':
    case 'engine':
    case 'settings':
      return false;
  }
}

/** Names the screen that is open in the title of the tab, once it knows a better name than its kind. */
export function nameScreen(name: string): void {
  document.title = `${name} · Rota`;
}

let guard: (() => boolean) | null = null;

/**
 * Asks `holds` at each change of the address whether the screen that is open must stay; if so, `holds` has put the
 * address back, and {@link onRoute} tells nobody. One guard at a time; returns how to take it away.
 */
export function guardRoute(holds: () => boolean): () => void {
  guard = holds;
  return () => {
    if (guard === holds) guard = null;
  };
}

/** Calls `listener` with the screen after each change of the address. Returns how to stop. */
export function onRoute(listener: (route: Route) => void): () => void {
  const heard = (): void => {
    if (guard?.() === true) return;
    listener(parseRoute(location.hash));
  };
  addEventListener('hashchange', heard);
  return () => {
    removeEventListener('hashchange', heard);
  };
}

function withQuery(path: string, query: Readonly<Record<string, string | undefined>>): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== '') params.set(name, value);
  }
  const text = params.toString();
  return text === '' ? path : `${path}?${text}`;
}

function splitOnce(text: string, separator: string): readonly string[] {
  const at = text.indexOf(separator);
  return at === -1 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}
