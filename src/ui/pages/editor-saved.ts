import type { EpochMs } from '../../domain/index.ts';
import type { AutomationView } from '../../rpc/index.ts';
import { namedDateTime } from '../text/dates.ts';

/** What to say once `automation` is saved: when it runs next, or why it does not. */
export function savedText(
  automation: AutomationView,
  now: EpochMs,
  notifications: NotificationPermission | null,
): string {
  const blocked =
    automation.action.kind === 'remind' && notifications !== 'granted'
      ? ' It waits until notifications are allowed.'
      : '';
  if (!automation.enabled) return 'Saved, and paused: it does not run before you resume it.';
  if (automation.nextDueAt !== null) {
    return `Saved. Next run ${namedDateTime(automation.nextDueAt, now)}.${blocked}`;
  }
  return automation.schedule.kind === 'manual'
    ? `Saved. It runs when you press Run now.${blocked}`
    : 'Saved. It has no run to come.';
}
