import type { ReactiveController } from 'lit';
import type { EpochMs } from '../../domain/index.ts';
import type { Run } from '../../rpc/index.ts';
import type { RemoteHost, Unsubscribe } from '../remote-host.ts';
import { statusOf, statusTone, statusWord } from '../text/status.ts';
import { countText } from '../text/counts.ts';
import { announce } from './announcer.ts';

/** At most one announcement in this time, however many runs end. */
const SPEAK_GAP_MS = 5_000;
/** More runs than this are counted and not named. */
const NAMED_MOST = 2;
const READ_MOST = 30;

/**
 * Tells a screen reader of runs that ended, in the one tab that has the focus: those started by hand, and those that
 * went wrong. The others are what was expected.
 */
export class RunAnnouncer implements ReactiveController {
  readonly #host: () => RemoteHost | null;
  #stop: Unsubscribe | null = null;
  #timer: ReturnType<typeof setTimeout> | null = null;
  /** Runs that ended by then have been told of, or were over before this tab was opened. */
  #told: EpochMs = Date.now();

  constructor(host: () => RemoteHost | null) {
    this.#host = host;
  }

  hostUpdate(): void {
    const host = this.#host();
    if (host === null || this.#stop !== null) return;
    this.#stop = host.onHint((hint) => {
      if (hint.topic === 'runs') this.#timer ??= setTimeout(() => void this.#speak(host), SPEAK_GAP_MS);
    });
  }

  hostDisconnected(): void {
    this.#stop?.();
    this.#stop = null;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  async #speak(host: RemoteHost): Promise<void> {
    this.#timer = null;
    const since = this.#told;
    this.#told = Date.now();
    if (!document.hasFocus()) return;
    try {
      const { items } = await host.listRuns({ limit: READ_MOST });
      const ended = items.filter(
        (run) => run.settledAt !== null && run.settledAt > since && isWorthTelling(run),
      );
      // Newest first: of the attempts at one occurrence the last says how it went.
      const told = ended.filter(
        (run, index) => ended.findIndex(({ occurrence }) => occurrence === run.occurrence) === index,
      );
      const text = sentenceFor(told);
      if (text !== '') announce(text);
    } catch {
      // The screens say that the engine does not answer.
    }
  }
}

function isWorthTelling(run: Run): boolean {
  return run.cause === 'manual' || statusTone(statusOf(run)) === 'bad' || run.status === 'interrupted';
}

function sentenceFor(runs: readonly Run[]): string {
  if (runs.length > NAMED_MOST) {
    const bad = runs.filter((run) => statusTone(statusOf(run)) !== 'ok').length;
    return `${countText(runs.length, 'run')} ended${bad === 0 ? '' : `, ${bad} of them not well`}.`;
  }
  return runs
    .map((run) => {
      const more = run.summary === undefined || run.summary === '' ? '' : `, ${run.summary}`;
      return `${run.automationName}: ${statusWord(statusOf(run))}${more}.`;
    })
    .join(' ');
}
