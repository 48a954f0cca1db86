/** What a watch found, in one line for the list and in a few for a notification. */
import type { EpochMs, FeedItem, LineChange, Snapshot, WatchFinding } from '../../domain/index.ts';
import { DAY_MS } from '../../domain/index.ts';
import { shortened } from '../amounts.ts';
import { formatInstant, type InstantStyle } from '../format-instant.ts';
import { changeText, linesOf } from './line-change.ts';

/** How long a text may be that is quoted as a whole. */
const QUOTED_MOST = 60;
/** How many lines and items a notification and a summary name. */
const NAMED_MOST = 3;

/** What is needed to say it. */
export interface Saying {
  readonly now: EpochMs;
  readonly style: InstantStyle;
  /** What is watched, as it stands in a sentence: `“#price”`. */
  readonly what: string;
  /** The text of the snapshot before; empty when there is none. */
  readonly before: string;
  readonly minimumLines: number;
  /** Whether a gone thing was gone the last time, too. */
  readonly wasGone: boolean;
}

/** The summary of a run that found `finding`. */
export function summaryOf(finding: WatchFinding, saying: Saying): string {
  switch (finding.kind) {
    case 'first':
      return `First look: ${sizeOf(finding.snapshot)}${cutText(finding.snapshot)}`;
    case 'changed':
      return `${changedText(finding.snapshot, finding.change, saying)}${cutText(finding.snapshot)}`;
    case 'new-items':
      return `${itemsText(finding.count, finding.items)}${cutText(finding.snapshot)}`;
    case 'same': {
      const since = instantText(finding.before.at, saying);
      if (finding.below === undefined) return `No change since ${since}`;
      return `${capital(changeText(finding.below))} since ${since}, fewer than the ${saying.minimumLines} that count`;
    }
    case 'gone':
      return saying.wasGone
        ? `Still gone, since ${instantText(finding.since, saying)}`
        : `Gone: nothing matches ${saying.what} any more`;
    case 'back':
      return finding.change === null
        ? 'There again, as it was'
        : `There again: ${lowered(changedText(finding.snapshot, finding.change, saying))}${cutText(finding.snapshot)}`;
  }
}

/** What a notification says below its title: the summary, and some of what is new. */
export function notificationBody(summary: string, finding: WatchFinding, added: readonly string[]): string {
  if (finding.kind === 'new-items')
    return [summary, ...finding.items.slice(0, NAMED_MOST).map(({ link }) => link)]
      .filter(Boolean)
      .join('\n');
  if ((finding.kind !== 'changed' && finding.kind !== 'back') || summary.includes('became')) return summary;
  const lines = added.slice(0, NAMED_MOST).map((line) => `+ ${shortened(line, 120)}`);
  return [summary, ...lines].join('\n');
}

/** `No change for 7 days`. */
export function quietText(
  days: number,
  finding: Extract<WatchFinding, { kind: 'same' }>,
  saying: Saying,
): string {
  const spell = days === 1 ? 'a day' : `${days} days`;
  return `No change for ${spell}: the last was ${instantText(finding.before.at, saying)}`;
}

/** When it was, as short as it is clear: the weekday within six days, then the date, then the year, too. */
function instantText(at: EpochMs, { now, style }: Saying): string {
  const ago = now - at;
  if (ago >= 0 && ago < 6 * DAY_MS) return formatInstant(at, '%a %H:%M', style);
  return formatInstant(at, Math.abs(ago) < 300 * DAY_MS ? '%a %-d %b, %H:%M' : '%-d %b %Y, %H:%M', style);
}

function changedText({ text }: Snapshot, change: LineChange, { before }: Saying): string {
  const isShort = (line: string): boolean =>
    line !== '' && !line.includes('\n') && line.length <= QUOTED_MOST;
  if (isShort(before) && isShort(text)) return `“${before}” became “${text}”`;
  return capital(changeText(change));
}

function itemsText(count: number, items: readonly FeedItem[]): string {
  const named = items.slice(0, NAMED_MOST).map(({ title }) => shortened(title, 80));
  const more = count - named.length;
  const list = more > 0 ? `${named.join(', ')} and ${more} more` : named.join(', ');
  return `${count === 1 ? '1 new item' : `${count} new items`}: ${list}`;
}

function sizeOf({ text }: Snapshot): string {
  const lines = linesOf(text);
  const [only = ''] = lines;
  if (lines.length === 0) return 'no text';
  if (lines.length === 1 && only.length <= QUOTED_MOST) return `“${only}”`;
  return lines.length === 1 ? '1 line' : `${lines.length} lines`;
}

function cutText({ cut }: Snapshot): string {
  return cut ? '; it was too long, so only its beginning is compared' : '';
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function lowered(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
