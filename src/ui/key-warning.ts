import { type KeyLike, findKeys, withoutKeys } from '../domain/index.ts';
import { askToChoose } from './parts/confirm.ts';

/** How many places are named; the rest is counted. */
const NAMED_MOST = 5;

/**
 * What a file of automations may hold: `text` itself when nothing in it looks like a key, else what the person decides who
 * has read where it stands: the text without it or with it, or `null` for no file.
 */
export async function mayLeave(text: string): Promise<string | null> {
  const places = keyPlaces(text);
  if (places.length === 0) return text;
  const them = places.length === 1 ? 'it' : 'them';
  const answer = await askToChoose({
    heading: places.length === 1 ? 'This looks like a key' : `${places.length} texts look like keys`,
    text: `${keyWarning(places)} The file would hold ${them} for anyone to read. Taken out, a reference to a secret stands there, {{ secrets.TAKEN_OUT_1 }} say; your automations stay as they are.`,
    cancel: 'Do not save',
    answers: [
      { answer: 'without', label: `Save without ${them}` },
      { answer: 'with', label: `Save with ${them}` },
    ],
  });
  if (answer === null) return null;
  return answer === 'with' ? text : textWithoutKeys(text);
}

/** The text of a file with references to secrets in the place of what looks like a key. */
export function textWithoutKeys(text: string): string {
  const file = JSON.parse(text) as { readonly automations?: readonly { readonly action: unknown }[] };
  const { automations = [] } = file;
  // One call for all, so that a key has one name in the whole file.
  const actions = withoutKeys(automations.map(({ action }) => action)) as readonly unknown[];
  const without = automations.map((one, index) => ({ ...one, action: actions[index] }));
  return `${JSON.stringify({ ...file, automations: without }, null, 2)}\n`;
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
