import type { Starter } from '../starters.ts';
import type { EditorForm } from './editor-form.ts';

/** The longest server that is put into a name. */
const HOST_MOST = 80;

/** What a form was given by a starter whose name speaks of its address. */
export interface GivenName {
  readonly name: string;
  readonly url: string;
  readonly nameFor: (host: string) => string;
}

/** What `starter` gives a form; `null` where its name does not speak of an address. */
export function givenBy({ definition: { name, action }, nameFor }: Starter): GivenName | null {
  return nameFor !== undefined && 'url' in action ? { name, url: action.url, nameFor } : null;
}

/**
 * What the name becomes when the address of `form` becomes `url`: it follows as long as it is the one that was given, for
 * the address as it is. `null`: it stays, because a person has typed it.
 */
export function nameAfter(
  given: GivenName,
  form: Pick<EditorForm, 'name' | 'url'>,
  url: string,
): string | null {
  return form.name === nameOf(given, form.url) ? nameOf(given, url) : null;
}

/** While the address is half typed, the name is as it was given. */
function nameOf({ name, url: of, nameFor }: GivenName, url: string): string {
  if (url.trim() === of || !URL.canParse(url)) return name;
  const host = new URL(url).host.replace(/^www\./, '');
  return host === '' || host.length > HOST_MOST ? name : nameFor(host);
}
