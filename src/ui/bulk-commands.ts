/**
 * What a person can do to many automations at once, with what is said about it afterwards and one way back. Loaded with the
 * first. What is more than one call may hold is several, one after the other; what was done before one of them failed is
 * said, and can be undone.
 */
import type { AutomationId, BulkChange, EpochMs } from '../domain/index.ts';
import { BULK_RUNS_MOST, type BulkRun, type RunNowResult } from '../rpc/index.ts';
import { type Progress, changeAll, slices } from './bulk-change.ts';
import { inARow, undoAll } from './bulk-undo.ts';
import { exportAutomations } from './commands.ts';
import { askToConfirm } from './parts/confirm.ts';
import { askUntil } from './parts/pause-dialog.ts';
import { showToast } from './parts/toast.ts';
import type { RemoteHost } from './remote-host.ts';
import { automationsText, changeText, runsText } from './text/bulk.ts';
import { numberText } from './text/counts.ts';
import { isoDateTime } from './text/dates.ts';
import { errorSentence } from './text/errors.ts';
import { UNTIL_RESUMED } from './text/pauses.ts';
import { problemOf } from './watched.ts';

/** From so many on it is asked before they run or are deleted: the screen does not show them all. */
const ASK_FROM = 10;

/** Does `change` to all of `ids`, and says what came of it, with a way back. */
export async function change(
  host: RemoteHost,
  ids: readonly AutomationId[],
  what: BulkChange,
  progress?: Progress,
): Promise<void> {
  const done = await changeAll(host, ids, what, progress);
  const { changed, failed, undos } = done;
  const count = numberText(changed + done.same + done.refused.length);
  const stopped =
    failed === null ? '' : `It stopped after ${count} of ${numberText(ids.length)}. ${errorSentence(failed)}`;
  const text = inARow(changeText(what, done, Date.now()), stopped);
  showToast({
    text,
    ...(failed !== null || (changed === 0 && done.refused.length > 0) ? { tone: 'bad' } : {}),
    ...(undos.length === 0 ? {} : { action: { label: 'Undo', run: () => void undoAll(host, undos) } }),
  });
}

/** Asks until when they are to be paused, and pauses them. */
export async function pause(
  host: RemoteHost,
  ids: readonly AutomationId[],
  progress?: Progress,
): Promise<void> {
  const until = await askUntil({
    heading: `Pause ${automationsText(ids.length)}`,
    text: 'They do not start by their schedules until then. What falls due meanwhile is not made up for: it is listed as missed, paused. What runs now goes on, a retry that waits is given up, and Run now works as always.',
  });
  if (until === null) return;
  await change(host, ids, { kind: 'pause', ...endingAt(until) }, progress);
}

function endingAt(until: EpochMs): { readonly until?: EpochMs } {
  return until === UNTIL_RESUMED ? {} : { until };
}

/** Asks for a tag of `tags` or another, and gives it to them or takes it away. */
export async function tag(
  host: RemoteHost,
  ids: readonly AutomationId[],
  tags: readonly string[],
  progress?: Progress,
): Promise<void> {
  const { askForTag } = await import('./parts/tag-dialog.ts');
  const answer = await askForTag(ids.length, tags);
  if (answer !== null) await change(host, ids, answer, progress);
}

/** Deletes them, with a way back. It asks first where runs would be cancelled for good, and where they are many. */
export async function remove(
  host: RemoteHost,
  ids: readonly AutomationId[],
  progress?: Progress,
): Promise<void> {
  const wanted = new Set(ids);
  const { active } = await host.status();
  const running = active.filter(({ automationId }) => wanted.has(automationId)).length;
  if (running > 0 || ids.length >= ASK_FROM) {
    const yes = await askToConfirm({
      heading: `Delete ${automationsText(ids.length)}?`,
      text: `${
        running === 0
          ? ''
          : `Deleting cancels ${running === 1 ? 'a run' : `${running} runs`} that ${running === 1 ? 'goes' : 'go'} on now, which cannot be undone. `
      }Their history stays.`,
      confirm: running === 0 ? 'Delete them' : 'Cancel the runs and delete',
      cancel: 'Keep them',
    });
    if (!yes) return;
  }
  await change(host, ids, { kind: 'remove' }, progress);
}

/** Runs them now, as many at once as may be. It asks first where they are many: a run cannot be undone. */
export async function runNow(
  host: RemoteHost,
  ids: readonly AutomationId[],
  progress: Progress = () => undefined,
): Promise<void> {
  if (ids.length >= ASK_FROM) {
    const yes = await askToConfirm({
      heading: `Run ${automationsText(ids.length)} now?`,
      text: 'As many run at once as the settings allow, the others as soon as these end. What they do cannot be undone.',
      confirm: 'Run them',
    });
    if (!yes) return;
  }
  const items: BulkRun<RunNowResult>[] = [];
  try {
    for (const slice of slices(ids, BULK_RUNS_MOST)) {
      items.push(...(await host.runAutomations({ ids: slice })).items);
      progress(items.length);
    }
    showToast({ text: runsText(items) });
  } catch (error) {
    const failed = `The others were not asked for. ${errorSentence(problemOf(error).code)}`;
    showToast({ text: inARow(items.length === 0 ? '' : runsText(items), failed), tone: 'bad' });
  }
}

/** Saves a file with them alone. */
export async function exportThem(host: RemoteHost, ids: readonly AutomationId[]): Promise<void> {
  const day = isoDateTime(Date.now()).slice(0, 10);
  await exportAutomations(host, ids, `rota-${day}-${automationsText(ids.length)}`);
}
