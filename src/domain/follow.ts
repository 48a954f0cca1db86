/** Automations that run after another one: who follows whom, and when an end starts them. */
import type { Automation } from './automation.ts';
import type { AutomationId } from './ids.ts';
import { type AgendaRow, agendaKey, followUpOccurrence } from './occurrence.ts';
import type { SettledRun } from './run.ts';
import type { FollowOn, Schedule } from './schedule.ts';
import { SCHEMA } from './schema.ts';
import type { EpochMs } from './time.ts';
import type { Write } from './writes.ts';

/** How a run ended, as far as those that follow it care. */
export type Outcome = Exclude<FollowOn, 'any'>;

/**
 * What the end of `run` is for those that follow: `null` when it is none yet, because it is tried again or waits for a
 * person, or when it was cancelled, which starts nothing.
 */
export function outcomeOf(run: SettledRun): Outcome | null {
  if (run.retryAt !== undefined) return null;
  switch (run.status) {
    case 'succeeded':
      return 'success';
    case 'failed':
    case 'timed-out':
      return 'failure';
    case 'interrupted':
      return run.mayHaveHappened === true || run.asks === true ? null : 'failure';
    case 'cancelled':
      return null;
  }
}

/** The automation that `schedule` runs after; `null` when it runs after none. */
export function parentOf(schedule: Schedule): AutomationId | null {
  return schedule.kind === 'after' ? schedule.automation : null;
}

/** Makes due what follows `run`, which came to `outcome`, among `followers`. One that is paused is not started later. */
export function followUps(
  run: Pick<SettledRun, 'id' | 'automationId'>,
  outcome: Outcome | null,
  followers: readonly Automation[],
  now: EpochMs,
): readonly Write[] {
  if (outcome === null) return [];
  return followers.flatMap(({ id, enabled, schedule }): Write[] => {
    if (!enabled || schedule.kind !== 'after' || schedule.automation !== run.automationId) return [];
    if (schedule.on !== outcome && schedule.on !== 'any') return [];
    const occurrence = followUpOccurrence(id, run.id);
    const row: AgendaRow = {
      key: agendaKey(occurrence, 1),
      schema: SCHEMA,
      occurrence,
      automationId: id,
      scheduledFor: now,
      attempt: 1,
      dueAt: now,
      cause: 'follow-up',
    };
    return [{ op: 'put', store: 'agenda', row }];
  });
}

/** `parent` with `follower` among those that may follow it; itself when it was. */
export function withFollower(parent: Automation, follower: AutomationId): Automation {
  const { followers = [] } = parent;
  return followers.includes(follower) ? parent : { ...parent, followers: [...followers, follower] };
}

/**
 * Why the automation `id` cannot run as `schedule` says, in a sentence; `null` when it can.
 *
 * @param chain the automation that it would follow, the one that this one follows, and so on; it may end in a circle.
 */
export function whyNotFollow(
  id: AutomationId,
  schedule: Schedule,
  chain: readonly Automation[],
): string | null {
  const parent = parentOf(schedule);
  if (parent === null) return null;
  if (parent === id) return 'An automation cannot run after itself. Choose another one.';
  const [first] = chain;
  if (first?.id !== parent) return 'There is no automation with this id. Choose one that exists.';
  const index = chain.findIndex((one) => parentOf(one.schedule) === id);
  if (index < 0) return null;
  const names = chain.slice(0, index + 1).map(({ name }) => `"${name}"`);
  return `This would go round in a circle: ${names.join(', which runs after ')}, which runs after this one. Choose another one.`;
}
