import { type KeyLike, findKeys } from '../domain/index.ts';
import { askToConfirm } from './parts/confirm.ts';

/** How many places are named; the rest is counted. */
const NAMED_MOST = 5;

/**
 * Whether a file of automations may be written: at once when nothing in it looks like a key, else when the person says so
 * after having read where it stands.
 */
export async function mayLeave(text: string): Promise<boolean> {
  const places = keyPlaces(text);
  if (places.length === 0) return true;
  return askToConfirm({
    heading: places.length === 1 ? 'This looks like a key' : `${places.length} texts look like keys`,
    text: `${keyWarning(places)} The file would hold ${places.length === 1 ? 'it' : 'them'} for anyone to read. Kept as a secret, and named as {{ secrets.NAME }}, a key stays here.`,
    confirm: 'Save the file with it all the same',
    cancel: 'Do not save',
  });
}

/** Where something in the text of a file looks like a key: `headers.Authorization of Check the API`. */
export function keyPlaces(text: string): readonly string[] {
  const { automations = [] } = JSON.parse(text) as {
    readonly automations?: readonly { readonly name: string; readonly action: unknown }[];
  };
  return automations.flatMap(({ name, action }) =>
    findKeys(action).map(({ path }: KeyLike) => `${path.join('.')} of ${name}`),
  );
}

/** The places in a sentence. */
export function keyWarning(places: readonly string[]): string {
  const more = places.length - NAMED_MOST;
  return `${places.slice(0, NAMED_MOST).join('; ')}${more > 0 ? `; and ${more} more` : ''}.`;
}
