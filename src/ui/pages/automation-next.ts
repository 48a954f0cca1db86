/** What the page of an automation shows of the time to come. */
import { runsLeft } from '../../domain/index.ts';
import type { AutomationView, HostApi, PreviewInstant } from '../../rpc/index.ts';

/** How many of the next runs are shown. */
const NEXT_SHOWN = 5;

/**
 * The next runs of `automation`, as the host computes them: none of a paused one, none that falls into a pause of
 * everything, and no more than it may still have.
 */
export async function nextRunsOf(
  ask: HostApi['preview'],
  automation: Pick<AutomationView, 'schedule' | 'enabled' | 'heldUntil' | 'dispatched'>,
): Promise<readonly PreviewInstant[]> {
  const { schedule, enabled, heldUntil } = automation;
  const from = heldUntil === undefined ? {} : { from: heldUntil - 1 };
  const count = Math.min(NEXT_SHOWN, runsLeft(automation));
  const preview = enabled && count > 0 ? await ask({ schedule, count, ...from }) : null;
  return preview?.kind === 'ok' ? preview.at : [];
}
