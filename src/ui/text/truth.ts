/** What the engine is doing now, as the sentence in the strip at the top. Pure: the strip only sets it. */
import type { AutomationId, EpochMs, RunId } from '../../domain/index.ts';
import type { Status } from '../../rpc/index.ts';
import type { Connection } from '../remote-host.ts';
import { countText } from './counts.ts';
import type { WatchedState } from '../watched.ts';
import { errorText } from './errors.ts';
import { untilText } from './pauses.ts';
import { type Help, helpFor } from './help.ts';
import { type Tone, waitingText } from './status.ts';

/** A piece of the sentence that is more than text. */
export type TruthPart =
  | { readonly kind: 'text'; readonly text: string }
  /** What is next, with a countdown. */
  | { readonly kind: 'next'; readonly id: AutomationId; readonly name: string; readonly dueAt: EpochMs }
  /** The one run that is active, with how long it has been. */
  | { readonly kind: 'run'; readonly id: RunId; readonly name: string; readonly startedAt: EpochMs };

/** What the strip says, and what it offers. */
export interface Truth {
  readonly tone: Tone;
  /** The most important thing, as a sentence of its own. */
  readonly lead: string;
  readonly parts: readonly TruthPart[];
  /** `reload` this tab, because a newer version is open; take the `update` that is ready, in all tabs. */
  readonly offer: 'reload' | 'update' | null;
  /** What a person can do for a run that waits. */
  readonly help: Help | null;
  /** The pause of everything: `on` until then, or what can be `off`ered while something is to run; `null` for neither. */
  readonly pause: { readonly kind: 'on'; readonly until: EpochMs } | { readonly kind: 'off' } | null;
}

/**
 * The truth, the gravest first: no engine, an older version, trouble, offline, paused, and only then that all is well.
 *
 * @param read what became of asking the host.
 * @param updateReady whether a newer build waits to be taken.
 */
export function truthOf(
  connection: Connection,
  read: WatchedState<Status>,
  updateReady: boolean,
  now: EpochMs,
): Truth {
  const status = read.kind === 'ready' ? read.value : null;
  const newer =
    (connection.kind === 'ready' ? connection.newerBuild : null) ??
    (status === null ? null : status.newerBuild);
  if (newer !== null) {
    return {
      tone: 'warn',
      lead: 'A newer version of Rota is open in this browser.',
      parts: [text('This tab finishes what runs here and takes nothing new on.')],
      offer: 'reload',
      pause: null,
      help: null,
    };
  }
  const offer = updateReady ? 'update' : null;
  switch (connection.kind) {
    case 'connecting':
      return { tone: 'quiet', lead: 'Starting the engine…', parts: [], offer, pause: null, help: null };
    case 'restarting':
      return {
        tone: 'warn',
        lead: 'The engine is restarting.',
        parts: [text('What was running is looked after as soon as it is back.')],
        offer,
        pause: null,
        help: null,
      };
    case 'unavailable':
      return {
        tone: 'bad',
        lead: 'Rota cannot run in this browser as it is.',
        parts: [],
        offer: null,
        pause: null,
        help: null,
      };
    case 'ready':
      switch (read.kind) {
        case 'loading':
          return { tone: 'quiet', lead: 'Starting the engine…', parts: [], offer, pause: null, help: null };
        case 'failed':
          return {
            tone: 'bad',
            lead: errorText(read.problem.code).what,
            parts: [],
            offer,
            pause: null,
            help: null,
          };
        case 'ready':
          return { ...truthOfStatus(read.value, now), offer };
      }
  }
}

function truthOfStatus(status: Status, now: EpochMs): Omit<Truth, 'offer'> {
  // Read a while ago, perhaps: a pause that has ended since is none.
  const pausedUntil = status.pausedUntil !== null && status.pausedUntil > now ? status.pausedUntil : null;
  const idle = status.next === null && status.active.length === 0 && status.waiting.length === 0;
  const pause: Truth['pause'] =
    pausedUntil !== null ? { kind: 'on', until: pausedUntil } : idle ? null : { kind: 'off' };
  const parts: TruthPart[] = [];
  const [run] = status.active;
  if (status.active.length === 1 && run !== undefined) {
    parts.push({
      kind: 'run',
      id: run.id,
      name: run.automationName,
      startedAt: run.startedAt ?? run.claimedAt,
    });
  } else if (status.active.length > 1) parts.push(text(`${status.active.length} running`));
  const asking = status.waiting.find((one) => helpFor(one) !== null);
  const help = asking === undefined ? null : helpFor(asking);
  if (status.waiting.length > 0) {
    // What waits for a person is said in full, and the rest is counted.
    const others = status.waiting.length - (asking === undefined ? 0 : 1);
    if (asking !== undefined) parts.push(text(waitingText(asking.for, asking.secret)));
    if (others > 0) parts.push(text(`${others}${asking === undefined ? '' : ' more'} waiting`));
  }
  if (status.next !== null && pausedUntil === null) {
    const { automationId: id, automationName: name, dueAt } = status.next;
    parts.push({ kind: 'next', id, name, dueAt });
  }
  if (status.quarantined > 0) {
    parts.push(text(`${countText(status.quarantined, 'row')} could not be read: see Settings`));
  }
  if (status.tabs > 1) parts.push(text(countText(status.tabs, 'tab')));

  if (status.trouble !== null) return { tone: 'bad', lead: asSentence(status.trouble), parts, pause, help };
  if (pausedUntil !== null) {
    return { tone: 'warn', lead: `All paused ${untilText(pausedUntil, now)}.`, parts, pause, help };
  }
  if (!status.online) return { tone: 'warn', lead: 'Offline.', parts, pause, help };
  const tone: Tone = help !== null ? 'warn' : status.active.length > 0 ? 'now' : 'ok';
  if (idle) {
    return {
      tone,
      lead: 'Running in this browser.',
      parts: [text('Nothing is scheduled'), ...parts],
      pause,
      help,
    };
  }
  return { tone, lead: 'Running in this browser.', parts, pause, help };
}

function text(words: string): TruthPart {
  return { kind: 'text', text: words };
}

function asSentence(words: string): string {
  const sentence = words.charAt(0).toUpperCase() + words.slice(1);
  return /[.!?…]$/.test(sentence) ? sentence : `${sentence}.`;
}
