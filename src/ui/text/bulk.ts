/** What is said of a change of many automations: what was done, what was so already, and which were left as they are, and why. */
import type { BulkChange, BulkRefusal, BulkWhy, EpochMs } from '../../domain/index.ts';
import type { BulkRun, RunNowResult } from '../../rpc/index.ts';
import { countText, listText, numberText } from './counts.ts';
import { untilText } from './pauses.ts';

/** How many are named; the others are counted. */
const NAMED_MOST = 3;

/** What came of a change, all its calls together. */
export interface BulkOutcome {
  readonly changed: number;
  /** They were so already. */
  readonly same: number;
  readonly refused: readonly BulkRefusal[];
}

const WHY: Readonly<Record<BulkWhy, string>> = {
  'not-found': 'no longer there',
  'newer-data': 'written by a newer version of Rota',
  unreadable: 'its schedule cannot be read in this browser',
  'too-many-tags': 'it has 20 tags already',
  changed: 'changed since',
  'there-again': 'there again already',
};

/** `12 automations` */
export function automationsText(count: number): string {
  return countText(count, 'automation');
}

/** What was done, in a sentence or three. */
export function changeText(change: BulkChange, outcome: BulkOutcome, now: EpochMs): string {
  const { changed, same, refused } = outcome;
  const what = changed === 0 ? [] : [doneText(change, changed, now)];
  const already = same === 0 ? [] : [alreadyText(change, same, changed === 0)];
  return [...what, ...already, ...leftText(refused, 'Left as it is', 'Left as they are')].join(' ');
}

function doneText(change: BulkChange, count: number, now: EpochMs): string {
  const them = automationsText(count);
  switch (change.kind) {
    case 'pause':
      return `Paused ${them} ${untilText(change.until, now)}.`;
    case 'resume':
      return `Resumed ${them}.`;
    case 'add-tag':
      return `Tagged ${them} with ${change.tag.trim()}.`;
    case 'remove-tag':
      return `Took the tag ${change.tag} from ${them}.`;
    case 'remove':
      return `Deleted ${them}.`;
  }
}

function alreadyText(change: BulkChange, count: number, isAll: boolean): string {
  const those = isAll ? automationsText(count) : numberText(count);
  const verb = (one: string, many: string): string => (count === 1 ? one : many);
  switch (change.kind) {
    case 'pause':
      return `${those} ${verb('was', 'were')} paused already.`;
    case 'resume':
      return `${those} ${verb('was', 'were')} on already.`;
    case 'add-tag':
      return `${those} had it already.`;
    case 'remove-tag':
      return isAll ? `${those} did not have the tag ${change.tag}.` : `${those} did not have it.`;
    case 'remove':
      return '';
  }
}

/** What an undo put back, in a sentence or two. */
export function undoneText(outcome: Pick<BulkOutcome, 'changed' | 'refused'>): string {
  const { changed, refused } = outcome;
  const what = changed === 0 ? [] : [`Undone: ${automationsText(changed)} as before.`];
  return [...what, ...leftText(refused, 'Not undone', 'Not undone')].join(' ');
}

/** `Left as they are: Ash (changed since), Birch and Cedar (no longer there), and 4 more.` */
function leftText(refused: readonly BulkRefusal[], one: string, many: string): readonly string[] {
  if (refused.length === 0) return [];
  const named = refused.slice(0, NAMED_MOST).map(({ name, why }) => `${name ?? 'one'} (${WHY[why]})`);
  const rest = refused.length - named.length;
  const all = rest > 0 ? [...named, `${numberText(rest)} more`] : named;
  return [`${refused.length === 1 ? one : many}: ${listText(all)}.`];
}

/** What came of asking for many runs. */
export function runsText(items: readonly BulkRun<RunNowResult>[]): string {
  const count = (...kinds: readonly BulkRun<RunNowResult>['result']['kind'][]): number =>
    items.filter(({ result }) => kinds.includes(result.kind)).length;
  const parts: readonly (readonly [number, string, string])[] = [
    [count('claimed'), 'started', 'started'],
    [count('at-capacity'), 'runs as soon as another ends', 'run as soon as others end'],
    [count('waiting'), 'runs when it can', 'run when they can'],
    [count('already-active'), 'is running already', 'are running already'],
    [
      count('busy', 'not-continued'),
      'is just starting or ending a run: try again in a moment',
      'are just starting or ending a run: try again in a moment',
    ],
    [count('newer-data'), 'needs a newer version of Rota', 'need a newer version of Rota'],
    [count('not-found'), 'is no longer there', 'are no longer there'],
  ];
  const said = parts
    .filter(([number]) => number > 0)
    .map(
      ([number, one, many], index) =>
        `${index === 0 ? automationsText(number) : numberText(number)} ${number === 1 ? one : many}`,
    );
  return `${said.join('; ')}.`;
}
