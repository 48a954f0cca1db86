import type { Automation } from './automation.ts';
import type { NotificationAbout, NotificationText } from './notification.ts';
import { type Notice, decideNotice } from './notify-rule.ts';
import { notifyRuleOf } from './rules.ts';
import type { SettledRun } from './run.ts';
import { SCHEMA } from './schema.ts';
import type { DurationMs, EpochMs } from './time.ts';
import type { Write } from './writes.ts';

/** For so long a notification that is no action's own words waits for others, to be shown as one with them. */
const GATHERED_MS: DurationMs = 4_000;

/** What is written of a notification before its run and its time. */
type Words = NotificationText & Partial<Omit<Notice, 'about'>> & { readonly about: NotificationAbout };

/**
 * What the end of `run` writes to be shown: the action's own words, and what the automation's rule has to say, which is
 * joined to the last of them, because one end is not told twice. `after` is the automation with the end counted; it comes
 * back with what was told of it. `null` for one that is gone: its own words are shown all the same.
 */
export function noticesOf(
  before: Automation | null,
  after: Automation | null,
  run: SettledRun,
  {
    notifications = [],
    mark,
  }: { readonly notifications?: readonly NotificationText[]; readonly mark?: string },
  now: EpochMs,
): { readonly automation: Automation | null; readonly writes: readonly Write[] } {
  // A watch's own words tell of a change, and can be told with others.
  const about = run.definition.action.kind === 'watch' ? 'changed' : 'said';
  const own: readonly Words[] = notifications.map((text) => ({ ...text, about }));
  if (before === null || after === null) return { automation: null, writes: writesOf(run, own, false, now) };
  const said = own.length > 0;
  const id = idOf(run, Math.max(0, own.length - 1));
  const { automation, notice } = decideNotice(before, after, run, { id, mark, said });
  const words = notice === null ? own : withNotice(own, notice);
  return { automation, writes: writesOf(run, words, notifyRuleOf(after.rules).urgent, now) };
}

/** `own`, and what the rule says in the last of them. */
function withNotice(own: readonly Words[], notice: Notice): readonly Words[] {
  const last = own.at(-1);
  if (last === undefined) return [notice];
  const joined: Words = {
    ...notice,
    about: last.about === 'said' ? 'said' : notice.about,
    title: last.title,
    body: `${last.body}\n${notice.title}. ${notice.body}`,
  };
  return [...own.slice(0, -1), joined];
}

function writesOf(run: SettledRun, words: readonly Words[], urgent: boolean, now: EpochMs): readonly Write[] {
  return words.map((one, index): Write => ({
    op: 'put',
    store: 'outbox',
    row: {
      id: idOf(run, index),
      schema: SCHEMA,
      kind: 'notification',
      // What an action says itself comes when it is due.
      dueAt: one.about === 'said' ? now : now + GATHERED_MS,
      at: now,
      automationId: run.automationId,
      automationName: run.automationName,
      runId: run.id,
      ...one,
      ...(urgent ? { urgent } : {}),
    },
  }));
}

function idOf({ id }: SettledRun, index: number): string {
  return `${id}/${index}`;
}
