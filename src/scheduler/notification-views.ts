/** The list of notifications, as a tab sees it. Loaded when one is first looked at. */
import { type OutboxRow, decidedAt, isWaiting } from '../domain/index.ts';
import type { NotificationView } from '../rpc/index.ts';

/** Notifications as the contract has them, in the order of `rows`, which are all that there are. */
export function notificationViews(rows: readonly OutboxRow[]): readonly NotificationView[] {
  const shownAs = (row: OutboxRow): string | undefined =>
    (isWaiting(row) ? row.shownAs : row.told.shownAs)?.id;
  const together = new Map<string, number>();
  for (const row of rows) {
    const id = shownAs(row);
    if (id !== undefined) together.set(id, (together.get(id) ?? 0) + 1);
  }
  return rows.map((row) => ({
    id: row.id,
    at: decidedAt(row),
    automationId: row.automationId,
    automationName: row.automationName ?? row.title,
    runId: row.runId,
    about: row.about ?? 'said',
    title: row.title,
    body: row.body,
    read: row.readAt !== undefined,
    urgent: row.urgent === true,
    state: isWaiting(row) ? (row.held === 'quiet' ? 'quiet-hours' : 'waiting') : row.told.as,
    others: Math.max(0, (together.get(shownAs(row) ?? '') ?? 0) - 1),
    shownAt: isWaiting(row) || row.told.as !== 'shown' ? null : row.told.at,
  }));
}
