import type { Difference, EpochMs, ImportChoice, PreviewedEntry } from '../../domain/index.ts';
import { countText, listText } from '../text/counts.ts';
import { clockTimeMs, clockTimeSeconds, namedDateTime, shortDate } from '../text/dates.ts';

/** The words on the choices for one that differs, and for one that is new. */
export const CHOICE_NAMES: Readonly<Record<ImportChoice, string>> = {
  skip: 'Leave mine',
  'keep-both': 'Keep both',
  replace: 'Replace mine',
  add: 'Bring in',
};

const HEADS: Readonly<Record<string, string>> = {
  name: 'Name',
  tags: 'Tags',
  schedule: 'When',
  action: 'What',
  rules: 'Rules',
};

/** `When: time zone`, `What: headers["X-A"]`. */
export function fieldName(path: string): string {
  const [, first = path, rest = ''] = /^([a-z]+)\.?(.*)$/i.exec(path) ?? [];
  const head = HEADS[first] ?? first;
  return rest === '' ? head : `${head}: ${rest}`;
}

/** The fields that hold an instant, in epoch ms. */
const INSTANTS: readonly string[] = ['schedule.at', 'schedule.anchor'];

/** The value of the field at `path`, as people read it. Two that differ look different: an instant has its seconds. */
export function valueText(path: string, value: unknown, now: EpochMs): string {
  if (typeof value === 'number' && INSTANTS.includes(path)) {
    return `${shortDate(value, now)} ${value % 1000 === 0 ? clockTimeSeconds(value) : clockTimeMs(value)}`;
  }
  return plainText(value);
}

function plainText(value: unknown): string {
  if (value === undefined) return 'not set';
  if (typeof value === 'string') return value === '' ? 'empty' : value;
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.map(plainText).join(', ');
  return JSON.stringify(value);
}

/** How many of each kind there are: `2 new, 1 differs from yours, 5 already here`. */
export function countsText(previewed: readonly PreviewedEntry[]): string {
  const count = (kind: PreviewedEntry['kind']): number => previewed.filter((one) => one.kind === kind).length;
  const differ = count('different');
  const deleted = previewed.filter((one) => one.kind === 'new' && one.isDeleted === true).length;
  const fresh = count('new') - deleted;
  return listText(
    [
      [fresh, `${fresh} new`],
      [deleted, `${deleted} deleted here since`],
      [differ, `${differ} ${differ === 1 ? 'differs' : 'differ'} from yours`],
      [count('same'), `${count('same')} already here`],
      [count('bad'), `${count('bad')} that cannot come in`],
    ].flatMap(([number, text]) => (number === 0 ? [] : [String(text)])),
  );
}

/** What a backup is of, and when it was made. */
export function backupText(at: EpochMs, isOwn: boolean, now: EpochMs): string {
  const when = namedDateTime(at, now);
  return isOwn
    ? `A backup of this browser’s Rota, made ${when}. What was deleted here since stays out unless you choose it.`
    : `A backup made ${when}, of another browser or of a database that is gone.`;
}

/** What was done, as a sentence without its end: `Imported 3 automations, paused`. */
export function doneText({
  added,
  replaced,
  runs,
}: {
  added: number;
  replaced: number;
  runs: number;
}): string {
  const parts = [
    ...(added > 0 ? [`Imported ${countText(added, 'automation')}, paused`] : []),
    ...(replaced > 0 ? [`replaced ${countText(replaced, 'automation')}, paused`] : []),
    ...(runs > 0 ? [`${countText(runs, 'run')} of history came in`] : []),
  ];
  const text = parts.join('; ');
  return text === '' ? 'Nothing was changed' : text.charAt(0).toUpperCase() + text.slice(1);
}

/** Differences, those of the same field of the screen together and in its order. */
export function inFieldOrder(differences: readonly Difference[]): readonly Difference[] {
  const order = Object.keys(HEADS);
  const place = ({ path }: Difference): number => order.indexOf(path.split(/[.[]/, 1)[0] ?? '');
  return [...differences].sort((a, b) => place(a) - place(b));
}
