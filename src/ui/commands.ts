/**
 * What a person can do to an automation from a row, a menu or a key, with what is said about it afterwards. A refusal is
 * said in words; what the screen shows by itself is not said again.
 */
import { runsLeft, type AutomationId, type EpochMs } from '../domain/index.ts';
import type { AutomationView, Run } from '../rpc/index.ts';
import { download } from './download.ts';
import { askToConfirm } from './parts/confirm.ts';
import { type Toast, showToast } from './parts/toast.ts';
import type { RemoteHost } from './remote-host.ts';
import { href, navigate } from './router.ts';
import { saying } from './saying.ts';
import { type Help, helpFor, helpLabel } from './text/help.ts';
import { waitingText } from './text/status.ts';

/** What the commands need to know of an automation. */
export type Commanded = Pick<AutomationView, 'id' | 'name' | 'active'>;

/** Asks for a run now. With `open` it is gone to, as soon as it has begun. */
export async function runNow(
  host: RemoteHost,
  { id, name }: Commanded,
  { open = false }: { readonly open?: boolean } = {},
): Promise<void> {
  await saying(async () => {
    const result = await host.runNow({ id });
    switch (result.kind) {
      case 'claimed':
        if (open) navigate(href.run(result.run.id));
        return;
      case 'already-active':
        showToast({
          text: result.queued
            ? `${name} is running, and will run once more after that.`
            : `${name} is already running.`,
          action: { label: 'Open the run', run: () => navigate(href.run(result.runId)) },
        });
        return;
      case 'at-capacity':
        showToast({ text: `${name} will run as soon as another run ends: as many as allowed are running.` });
        return;
      case 'waiting':
        showToast({
          text: `${name} will run when it can. ${waitingText(result.for, result.secret)}.`,
          ...helpButton(host, result),
        });
        return;
      case 'busy':
        showToast({ text: `${name} is just starting or ending a run. Try again in a moment.` });
        return;
      case 'not-continued':
        showToast({ text: result.why, tone: 'bad' });
        return;
      case 'not-found':
        showToast({ text: `${name} is no longer there.`, tone: 'bad' });
    }
  });
}

/** Does what helps a run that waits, or leads to where it is done. */
export function giveHelp(host: RemoteHost, help: Help): void {
  if (help.kind === 'add-secret') navigate(href.settings({ secret: help.secret }));
  else void saying(async () => (await import('./parts/unlock-dialog.ts')).askToUnlock(host));
}

/** The button of a message on a run that waits. */
export function helpButton(host: RemoteHost, waiting: Parameters<typeof helpFor>[0]): Pick<Toast, 'action'> {
  const help = helpFor(waiting);
  return help === null ? {} : { action: { label: helpLabel(help), run: () => giveHelp(host, help) } };
}

/** Says of a run that may have happened that it did, or that it is to run again. */
export async function answerRun(
  host: RemoteHost,
  { id, automationName, attempt }: Pick<Run, 'id' | 'automationName' | 'attempt'>,
  answer: 'happened' | 'run-again',
): Promise<void> {
  await saying(async () => {
    const result = await host.answerRun({ runId: id, answer });
    if (result.kind !== 'answered') {
      showToast({ text: 'It has its answer already.' });
      return;
    }
    showToast({
      text:
        answer === 'happened'
          ? `Noted: ${automationName} did happen.`
          : `${automationName} runs again now, as attempt ${attempt + 1}.`,
    });
  });
}

/** Ends what runs of it. */
export async function stopRuns(host: RemoteHost, { name, active }: Commanded): Promise<void> {
  await saying(async () => {
    for (const { runId } of active) {
      const result = await host.cancelRun({ runId });
      if (result.kind === 'too-late') showToast({ text: `${name} had already ended.` });
    }
  });
}

/** Pauses or resumes it. */
export async function setEnabled(host: RemoteHost, { id, name }: Commanded, enabled: boolean): Promise<void> {
  await saying(async () => {
    const { ids } = await host.setEnabled({ ids: [id], enabled });
    if (ids.length === 0) showToast({ text: `${name} is no longer there.`, tone: 'bad' });
  });
}

/** What is only needed once somebody asks for it. */
const pauseCommands = () => import('./pause-commands.ts');

/** Asks until when it is to be paused, and pauses it. */
export async function pauseUntil(host: RemoteHost, automation: AutomationView): Promise<void> {
  await saying(async () => (await pauseCommands()).askAndPause(host, automation));
}

/** Asks until when everything is to be paused, and pauses it. */
export async function pauseAll(host: RemoteHost): Promise<void> {
  await saying(async () => (await pauseCommands()).askAndPauseAll(host));
}

/** Ends the pause of everything that is on until `current`. */
export async function resumeAll(host: RemoteHost, current: EpochMs): Promise<void> {
  await saying(async () => (await pauseCommands()).resumeAll(host, current));
}

/** Deletes it, with a way back. A run in flight would be cancelled for good, so then it asks first. */
export async function remove(host: RemoteHost, automation: AutomationView): Promise<boolean> {
  const { id, name, active } = automation;
  if (active.length > 0) {
    const yes = await askToConfirm({
      heading: `Delete ${name}?`,
      text: 'It is running. Deleting it cancels that run, which cannot be undone. Its history stays.',
      confirm: 'Cancel the run and delete',
      cancel: 'Keep it',
    });
    if (!yes) return false;
  }
  return saying(async () => {
    const result = await host.changeAutomations({ ids: [id], change: { kind: 'remove' } });
    if (result.kind === 'invalid' || result.ids.length === 0) return;
    const { undo } = result;
    showToast({
      text: `Deleted ${name}.`,
      action: {
        label: 'Undo',
        run: () =>
          void saying(async () =>
            (await import('./bulk-undo.ts')).undoAll(host, [undo], `${name} is back as it was.`),
          ),
      },
    });
  });
}

/** Saves its times as a file for a calendar, and says what the file cannot tell. */
export async function exportToCalendar(host: RemoteHost, automation: AutomationView): Promise<void> {
  await saying(async () => {
    const { SINGLE_MOST, calendarFile } = await import('./calendar/calendar-file.ts');
    const { id, name, action, revision, schedule } = automation;
    const now = Date.now();
    const left = runsLeft(automation);
    const count = Math.min(SINGLE_MOST, left);
    const previewed = count === 0 ? null : await host.preview({ schedule, from: now, count });
    const next = previewed?.kind === 'ok' ? previewed.at.map(({ at }) => at) : [];
    const description = action.kind === 'remind' ? action.message : '';
    const file = calendarFile({ id, name, description, revision, schedule, runsLeft: left, next }, now);
    if (file === null) {
      const why =
        schedule.kind === 'manual' || schedule.kind === 'after'
          ? 'has no times of its own'
          : 'has no time left';
      showToast({ text: `${name} ${why}, so there is nothing for a calendar.`, tone: 'bad' });
      return;
    }
    download(file.text, 'text/calendar', `${fileName(name)}.ics`);
    showToast({ text: ['Saved for your calendar.', ...file.notes].join(' ') });
  });
}

/** Saves a file with these automations, or with all, readable and without history or secrets. */
export async function exportAutomations(
  host: RemoteHost,
  ids: readonly AutomationId[] | 'all',
  name: string,
): Promise<void> {
  await saying(async () => {
    const { mayLeave } = await import('./key-warning.ts');
    const text = await mayLeave(await host.exportFile(ids === 'all' ? {} : { ids }));
    if (text === null) return;
    download(text, 'application/json', `${fileName(name)}.rota.json`);
  });
}

function fileName(name: string): string {
  const plain = name
    .normalize('NFKD')
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-|-$/g, '')
    .toLowerCase();
  return plain === '' ? 'automation' : plain.slice(0, 60);
}
