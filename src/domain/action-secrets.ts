import type { Action } from './action.ts';
import type { PlainAction } from './action-plain.ts';
import { actionsOf } from './steps.ts';
import { secretNamesIn } from './secret.ts';

/** The templates of `action` that may name secrets: what is sent to where each secret is bound. */
function templatesOf(action: PlainAction): readonly string[] {
  switch (action.kind) {
    case 'http':
      return [action.url, ...Object.values(action.headers), action.body ?? ''];
    case 'watch':
      return [action.url, ...Object.values(action.headers)];
    case 'prompt':
      return [
        action.endpoint.baseUrl,
        action.endpoint.apiKey ?? '',
        action.system ?? '',
        action.prompt,
        ...(action.tools?.servers ?? []).flatMap(({ url, headers }) => [url, ...Object.values(headers)]),
      ];
    case 'remind':
    case 'script':
      return [];
  }
}

/** The names of the secrets that a run of `action` opens, each once: it waits until all of them are there. */
export function secretsOf(action: Action): readonly string[] {
  return [...new Set(actionsOf(action).flatMap(templatesOf).flatMap(secretNamesIn))];
}

/** The origins that `action` sends to, as far as they can be read without filling in a template. */
export function originsOf(action: Action): readonly string[] {
  const origins = actionsOf(action)
    .flatMap(addressesOf)
    .flatMap((address) => {
      const parts = /^(https?):\/\/([^\s/?#@{]+)(?=[/?#]|$)/i.exec(address.trim().toLowerCase());
      if (parts === null) return [];
      const [, scheme = '', host = ''] = parts;
      return [`${scheme}://${host.replace(scheme === 'https' ? /:443$/ : /:80$/, '')}`];
    });
  return [...new Set(origins)];
}

function addressesOf(action: PlainAction): readonly string[] {
  switch (action.kind) {
    case 'http':
    case 'watch':
      return [action.url];
    case 'prompt':
      return [action.endpoint.baseUrl, ...(action.tools?.servers ?? []).map(({ url }) => url)];
    case 'script':
      return action.origins;
    case 'remind':
      return [];
  }
}
