/** Pausing until a time and resuming, of one automation or of all, with what is said about it and a way back. */
import type { EpochMs } from '../domain/index.ts';
import type { AutomationView } from '../rpc/index.ts';
import { askUntil } from './parts/pause-dialog.ts';
import { showToast } from './parts/toast.ts';
import type { RemoteHost } from './remote-host.ts';
import { saying } from './saying.ts';
import { UNTIL_RESUMED, untilText } from './text/pauses.ts';

/** Asks until when nothing is to run by itself, and pauses everything. */
export async function askAndPauseAll(host: RemoteHost): Promise<void> {
  const until = await askUntil({
    heading: 'Pause all automations',
    text: 'Nothing starts by itself until then. What falls due meanwhile is not made up for: it is listed as missed, paused. What runs now goes on, a retry waits, and Run now works as always.',
  });
  if (until === null) return;
  await host.pauseAll({ until });
  showToast({
    text: `All paused ${untilText(until, Date.now())}.`,
    action: {
      label: 'Undo',
      run: () => void pauseUntil(host, null),
    },
  });
}

/** Ends the pause of everything that is on until `until`. */
export async function resumeAll(host: RemoteHost, until: EpochMs): Promise<void> {
  await host.pauseAll({ until: null });
  showToast({
    text: 'Resumed. What fell due meanwhile is listed as missed.',
    action: {
      label: 'Undo',
      run: () => {
        // Without it the pause would have ended by then.
        if (until > Date.now()) void pauseUntil(host, until);
      },
    },
  });
}

/** Asks until when `automation` is to be paused, and pauses it. */
export async function askAndPause(
  host: RemoteHost,
  automation: Pick<AutomationView, 'id' | 'name' | 'enabled' | 'pausedUntil'>,
): Promise<void> {
  const { id, name, enabled, pausedUntil } = automation;
  const until = await askUntil({
    heading: `Pause ${name}`,
    text: 'It does not start by its schedule until then. What falls due meanwhile is not made up for: it is listed as missed, paused. What runs now goes on, a retry that waits is given up, and Run now works as always.',
  });
  if (until === null) return;
  const done = await host.setEnabled({
    ids: [id],
    enabled: false,
    ...(until === UNTIL_RESUMED ? {} : { until }),
  });
  if (done.ids.length === 0) {
    showToast({ text: `${name} is no longer there.`, tone: 'bad' });
    return;
  }
  showToast({
    text: `${name} is paused ${untilText(until, Date.now())}.`,
    action: {
      label: 'Undo',
      run: () => {
        const back = enabled || pausedUntil === undefined ? {} : { until: pausedUntil };
        void saying(async () => {
          await host.setEnabled({ ids: [id], enabled, ...back });
        });
      },
    },
  });
}

async function pauseUntil(host: RemoteHost, until: EpochMs | null): Promise<void> {
  await saying(async () => {
    await host.pauseAll({ until });
  });
}
