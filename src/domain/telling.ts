/**
 * Which notifications are shown now, and with which others. A pure decision over all rows of the outbox, made in the
 * transaction that writes it down: once rows belong together they stay so, with one id that is the tag of what is shown, so
 * that a host or a window that dies between showing and saying so makes nobody see anything twice.
 *
 * Nothing is asked of the network to find out whether the machine's own connection is down: the failures themselves say it,
 * together with what the other automations reach.
 */
import { assertNever } from './assert.ts';
import type { Automation } from './automation.ts';
import {
  type NotificationAbout,
  type OutboxRow,
  type ShownAs,
  type WaitingNotification,
  decidedAt,
  isWaiting,
  withTold,
} from './notification.ts';
import { type QuietHours, quietUntil } from './quiet-hours.ts';
import type { AutomationId } from './ids.ts';
import { type DurationMs, type EpochMs, MINUTE_MS } from './time.ts';
import { siteOf } from './site.ts';
import type { Decision, Write } from './writes.ts';

/** So many rows are kept, waiting or not; the oldest go first. */
export const NOTIFICATIONS_KEPT = 300;
/** The connection seems to be down when so many automations in a row have not reached anything, at two sites or more. */
const UNREACHED_FEWEST = 3;
/** Failures that lie further apart say nothing of one another. */
const UNREACHED_WITHIN_MS: DurationMs = 15 * MINUTE_MS;
/** How many names a digest says. */
const NAMES_MOST = 4;

/** What is to be shown, as one. */
export interface Showing {
  /** The tag, and what to confirm it by. */
  readonly id: string;
  readonly title: string;
  readonly body: string;
  /** Where a press leads, as the hash of an address. */
  readonly hash: string;
}

/** All that the decision looks at. */
export interface TellingState {
  readonly rows: readonly OutboxRow[];
  readonly automations: readonly Pick<Automation, 'id' | 'action' | 'recent'>[];
  readonly quiet: QuietHours | null;
  readonly zone: string;
  readonly online: boolean;
  readonly now: EpochMs;
}

/** What is to be shown now, oldest first, and when there may be more; `null` when nothing waits for a time. */
export interface Told {
  readonly showings: readonly Showing[];
  readonly again: EpochMs | null;
}

/** Decides what to show at `now`. */
export function decideTelling(state: TellingState): Decision<Told> {
  const { now, zone } = state;
  const quietEnds = state.quiet === null ? null : quietUntil(state.quiet, now, zone);
  const isHeld = (row: OutboxRow): boolean => quietEnds !== null && row.urgent !== true;
  const rows = new Map(state.rows.map((row) => [row.id, row]));
  const changed = new Set<string>();
  const put = (row: OutboxRow): void => {
    rows.set(row.id, row);
    changed.add(row.id);
  };
  /** Those that nothing was decided of yet, oldest first. */
  const open = (): readonly WaitingNotification[] =>
    [...rows.values()].filter(isWaiting).filter((row) => row.shownAs === undefined);

  if (quietEnds !== null) for (const row of open().filter(isHeld)) hold(row);
  joinConnection();
  joinReconnections();
  joinHeld();
  joinDue();

  const waiting = [...rows.values()].filter(isWaiting);
  const showings = showingsOf(waiting.filter((row) => row.shownAs !== undefined && !isHeld(row)));
  const times = waiting
    .filter((row) => row.shownAs === undefined || isHeld(row))
    .map((row) => (isHeld(row) ? (quietEnds ?? now) : row.dueAt));
  const removed = tooMany([...rows.values()]);
  const writes: Write[] = [...rows.values()]
    .filter((row) => changed.has(row.id) && !removed.has(row.id))
    .map((row) => ({ op: 'put', store: 'outbox', row }));
  for (const key of removed) writes.push({ op: 'delete', store: 'outbox', key });
  return { result: { showings, again: times.length === 0 ? null : Math.min(...times) }, writes };

  function hold(row: WaitingNotification): void {
    if (state.quiet?.held === 'never') put(withTold(row, { at: now, as: 'quiet' }));
    else if (row.held === undefined) put({ ...row, held: 'quiet' });
  }

  /** Marks `members` as shown together. */
  function join(members: readonly WaitingNotification[], as: ShownAs['as'], id?: string): void {
    const [first] = members;
    if (first === undefined) return;
    const shownAs: ShownAs =
      members.length === 1 && id === undefined
        ? { id: first.id, as: 'alone' }
        : { id: id ?? `${first.id}/${as}`, as };
    for (const row of members) put({ ...row, shownAs });
  }

  /**
   * Failures that look like the machine's own connection are one, and those that follow are not shown again until
   * something was reached.
   */
  function joinConnection(): void {
    const open_ = open().filter((row) => row.unreached === true && !isHeld(row));
    if (open_.length === 0) return;
    const reached = lastReach(state.automations);
    const since = Math.max(reached, now - UNREACHED_WITHIN_MS);
    const sites = new Map(state.automations.map(({ id, action }) => [id, siteOf(action)]));
    const isFar = (row: OutboxRow): boolean =>
      row.unreached === true && decidedAt(row) > since && (sites.get(row.automationId) ?? null) !== null;
    const fresh = open_.filter(isFar);
    const known = latestConnection([...rows.values()]);
    if (known !== null && known.at > reached) {
      // It was shown, or is about to be, and nothing was reached since.
      for (const row of fresh) putWith(row, known.shownAs);
      return;
    }
    const evidence = [...rows.values()].filter(isFar);
    const failing = new Set(evidence.map((row) => row.automationId));
    const places = new Set(evidence.map((row) => sites.get(row.automationId)));
    const isDown = !state.online || (failing.size >= UNREACHED_FEWEST && places.size >= 2);
    if (!isDown) return;
    const first = fresh[0];
    if (first !== undefined) join(fresh, 'connection', `${first.id}/connection`);
  }

  /** Adds `row` to what is shown as `shownAs`: it goes along if that still waits, and is done with if that was shown. */
  function putWith(row: WaitingNotification, shownAs: ShownAs): void {
    const waits = [...rows.values()].some((one) => isWaiting(one) && one.shownAs?.id === shownAs.id);
    put(waits ? { ...row, shownAs } : withTold(row, { at: now, as: 'connection', shownAs }));
  }

  /** What works again because the connection does is told once; and what nobody was told of has no end to tell. */
  function joinReconnections(): void {
    for (const row of open()) {
      const begun = row.ends === undefined ? undefined : rows.get(row.ends);
      if (begun === undefined || isHeld(row)) continue;
      if (!isWaiting(begun) && begun.told.as === 'quiet') {
        put(withTold(row, { at: now, as: 'quiet' }));
        continue;
      }
      const shownAs = shownAsOf(begun);
      if (shownAs?.as !== 'connection') continue;
      const back: ShownAs = { id: `${shownAs.id}/back`, as: 'reconnection' };
      const isKnown = [...rows.values()].some((one) => shownAsOf(one)?.id === back.id);
      if (isKnown) putWith(row, back);
      else join([row], back.as, back.id);
    }
  }

  /** What quiet hours held back is one when they are over. */
  function joinHeld(): void {
    if (quietEnds !== null) return;
    join(
      open().filter((row) => row.held !== undefined),
      'quiet',
    );
  }

  /** What is due: an action's own words alone, all others with those that are about to be. */
  function joinDue(): void {
    const ready = open().filter((row) => !isHeld(row));
    const gathered = ready.filter((row) => aboutOf(row) !== 'said');
    for (const row of ready) if (aboutOf(row) === 'said' && row.dueAt <= now) join([row], 'alone');
    if (gathered.some((row) => row.dueAt <= now)) join(gathered, 'digest');
  }
}

/** What is written when `id` was shown: all that was shown under it is told. */
export function decideShown(rows: readonly OutboxRow[], id: string, now: EpochMs): readonly Write[] {
  return rows
    .filter(isWaiting)
    .filter((row) => row.shownAs?.id === id)
    .map((row) => {
      const { shownAs } = row;
      const told = { at: now, as: 'shown' as const, ...(shownAs === undefined ? {} : { shownAs }) };
      return { op: 'put', store: 'outbox', row: withTold(row, told) };
    });
}

/**
 * What is written when the person has read those that `isMeant` says. One that was not shown yet is not shown any more,
 * unless it is about to be: then nobody knows whether it was.
 */
export function decideRead(
  rows: readonly OutboxRow[],
  isMeant: (row: OutboxRow) => boolean,
  now: EpochMs,
): readonly Write[] {
  return rows
    .filter((row) => row.readAt === undefined && isMeant(row))
    .map((row) => {
      const read = { ...row, readAt: now };
      const isOpen = isWaiting(read) && read.shownAs === undefined;
      return { op: 'put', store: 'outbox', row: isOpen ? withTold(read, { at: now, as: 'read' }) : read };
    });
}

function aboutOf({ about = 'said' }: OutboxRow): NotificationAbout {
  return about;
}

function shownAsOf(row: OutboxRow): ShownAs | undefined {
  return isWaiting(row) ? row.shownAs : row.told.shownAs;
}

/** The last that was told of the connection, and when the newest of it was decided. */
function latestConnection(
  rows: readonly OutboxRow[],
): { readonly shownAs: ShownAs; readonly at: EpochMs } | null {
  let latest: { readonly shownAs: ShownAs; readonly at: EpochMs } | null = null;
  for (const row of rows) {
    const shownAs = shownAsOf(row);
    if (shownAs?.as === 'connection' && decidedAt(row) > (latest?.at ?? -Infinity))
      latest = { shownAs, at: decidedAt(row) };
  }
  return latest;
}

/** When a server that is not near answered any automation last, whatever it answered. */
function lastReach(automations: TellingState['automations']): EpochMs {
  return Math.max(
    -Infinity,
    ...automations
      .filter(({ action }) => siteOf(action) !== null)
      .flatMap(({ recent }) => recent)
      .filter(({ status, reason }) => status === 'succeeded' || (status === 'failed' && reason === 'action'))
      .map(({ at }) => at),
  );
}

/** The ids of those that are one too many: told ones first, then the oldest. */
function tooMany(rows: readonly OutboxRow[]): ReadonlySet<string> {
  const most = rows.length - NOTIFICATIONS_KEPT;
  if (most <= 0) return new Set();
  const byAge = rows.toSorted(
    (a, b) => Number(isWaiting(a)) - Number(isWaiting(b)) || decidedAt(a) - decidedAt(b),
  );
  return new Set(byAge.slice(0, most).map(({ id }) => id));
}

function showingsOf(rows: readonly WaitingNotification[]): readonly Showing[] {
  const groups = new Map<string, { readonly shownAs: ShownAs; readonly rows: WaitingNotification[] }>();
  for (const row of rows) {
    const { shownAs } = row;
    if (shownAs === undefined) continue;
    const group = groups.get(shownAs.id);
    if (group === undefined) groups.set(shownAs.id, { shownAs, rows: [row] });
    else group.rows.push(row);
  }
  return [...groups.values()]
    .toSorted((a, b) => oldest(a.rows) - oldest(b.rows))
    .map((group) => showingOf(group.shownAs, group.rows));
}

function oldest(rows: readonly WaitingNotification[]): EpochMs {
  return Math.min(...rows.map(decidedAt));
}

const LIST = '#/notifications';

function showingOf({ id, as }: ShownAs, rows: readonly WaitingNotification[]): Showing {
  const [first] = rows;
  const names = namesText(rows);
  switch (as) {
    case 'connection':
      return {
        id,
        title: 'Your connection seems to be down',
        body: `${countText(rows)} could not reach anything: ${names}. Look at this machine’s connection first. They go on by their schedules.`,
        hash: LIST,
      };
    case 'reconnection':
      return {
        id,
        title: 'Your connection is back',
        body: `${names} ${rows.length === 1 ? 'works' : 'work'} again. Nothing is left to do.`,
        hash: LIST,
      };
    case 'alone':
    case 'digest':
    case 'quiet': {
      if (first !== undefined && rows.length === 1)
        return { id, title: first.title, body: first.body, hash: `#/runs/${first.runId}` };
      const counts = countsOf(rows);
      const isTrouble = counts.every(({ about }) => TROUBLE.includes(about));
      return {
        id,
        title: as === 'quiet' ? `In quiet hours: ${digestText(counts)}` : capital(digestText(counts)),
        body: `${names}. ${isTrouble ? 'Open Rota to see why.' : 'Open the list to read them.'}`,
        hash: isTrouble ? '#/?view=needs-you' : LIST,
      };
    }
    default:
      return assertNever(as);
  }
}

type DigestAbout = NotificationAbout | 'failed-and-recovered';
const TROUBLE: readonly DigestAbout[] = ['failed', 'paused', 'asks'];

const COUNTED: readonly (readonly [DigestAbout, (count: number) => string])[] = [
  ['failed', () => 'failed'],
  ['paused', (count) => (count === 1 ? 'is paused' : 'are paused')],
  ['asks', (count) => (count === 1 ? 'waits for you' : 'wait for you')],
  ['failed-and-recovered', (count) => `failed and ${count === 1 ? 'works' : 'work'} again`],
  ['recovered', (count) => (count === 1 ? 'works again' : 'work again')],
  ['changed', (count) => (count === 1 ? 'has news' : 'have news')],
  ['done', () => 'finished'],
  ['said', (count) => (count === 1 ? 'has a message' : 'have a message')],
];

/** How many automations there is what to say of, each counted once, by what matters most of it. */
function countsOf(rows: readonly WaitingNotification[]): readonly { about: DigestAbout; count: number }[] {
  const byAutomation = new Map<AutomationId, Set<NotificationAbout>>();
  for (const row of rows.toSorted((a, b) => decidedAt(a) - decidedAt(b))) {
    const had = byAutomation.get(row.automationId) ?? new Set();
    byAutomation.set(row.automationId, had.add(aboutOf(row)));
  }
  const of = [...byAutomation.values()].map((had): DigestAbout => {
    if (had.has('recovered') && had.has('failed')) return 'failed-and-recovered';
    return COUNTED.find(([about]) => about !== 'failed-and-recovered' && had.has(about))?.[0] ?? 'said';
  });
  return COUNTED.map(([about]) => ({ about, count: of.filter((one) => one === about).length })).filter(
    ({ count }) => count > 0,
  );
}

/** `5 automations failed`, `3 automations failed, 1 works again` */
function digestText(counts: readonly { readonly about: DigestAbout; readonly count: number }[]): string {
  return counts
    .map(({ about, count }, index) => {
      const says = COUNTED.find(([one]) => one === about)?.[1](count) ?? '';
      return `${count}${index > 0 ? '' : count === 1 ? ' automation' : ' automations'} ${says}`;
    })
    .join(', ');
}

/** `1 automation`, `20 automations` */
function countText(rows: readonly WaitingNotification[]): string {
  const count = new Set(rows.map((row) => row.automationId)).size;
  return `${count} ${count === 1 ? 'automation' : 'automations'}`;
}

/** `A, B and 3 more` */
function namesText(rows: readonly WaitingNotification[]): string {
  const names = [...new Map(rows.map((row) => [row.automationId, row.automationName ?? row.title])).values()];
  const shown = names.slice(0, NAMES_MOST);
  const more = names.length - shown.length;
  if (more > 0) return `${shown.join(', ')} and ${more} more`;
  return shown.length < 2 ? shown.join('') : `${shown.slice(0, -1).join(', ')} and ${shown.at(-1) ?? ''}`;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
