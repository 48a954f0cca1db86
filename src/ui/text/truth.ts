/** What the engine is doing now, as the sentence in the strip at the top. Pure: the strip only sets it. */
import type { AutomationId, EpochMs, RunId } from '../../domain/index.ts';
import type { Status } from '../../rpc/index.ts';
import type { Connection } from '../remote-host.ts';
import { countText } from './counts.ts';
import type { WatchedState } from '../watched.ts';
import { namedDateTime } from './dates.ts';
import { errorText } from './errors.ts';
import type { Tone } from './status.ts';

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
    };
  }
  const offer = updateReady ? 'update' : null;
  switch (connection.kind) {
    case 'connecting':
      return { tone: 'quiet', lead: 'Starting the engine…', parts: [], offer };
    case 'restarting':
      return {
        tone: 'warn',
        lead: 'The engine is restarting.',
        parts: [text('What was running is looked after as soon as it is back.')],
        offer,
      };
    case 'unavailable':
      return { tone: 'bad', lead: 'Rota cannot run in this browser as it is.', parts: [], offer: null };
    case 'ready':
      switch (read.kind) {
        case 'loading':
          return { tone: 'quiet', lead: 'Starting the engine…', parts: [], offer };
        case 'failed':
          return { tone: 'bad', lead: errorText(read.problem.code).what, parts: [], offer };
        case 'ready':
          return { ...truthOfStatus(read.value, now), offer };
      }
  }
}

function truthOfStatus(status: Status, now: EpochMs): Omit<Truth, 'offer'> {
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
  if (status.waiting.length > 0) parts.push(text(`${status.waiting.length} waiting`));
  if (status.next !== null && status.pausedUntil === null) {
    const { automationId: id, automationName: name, dueAt } = status.next;
    parts.push({ kind: 'next', id, name, dueAt });
  }
  if (status.quarantined > 0) {
    parts.push(text(`${countText(status.quarantined, 'row')} could not be read: see Settings`));
  }
  if (status.tabs > 1) parts.push(text(countText(status.tabs, 'tab')));

  if (status.trouble !== null) return { tone: 'bad', lead: asSentence(status.trouble), parts };
  if (status.pausedUntil !== null) {
    return { tone: 'warn', lead: `All paused until ${namedDateTime(status.pausedUntil, now)}.`, parts };
  }
  if (!status.online) return { tone: 'warn', lead: 'Offline.', parts };
  const tone: Tone = status.active.length > 0 ? 'now' : 'ok';
  if (status.next === null && status.active.length === 0 && status.waiting.length === 0) {
    return { tone, lead: 'Running in this browser.', parts: [text('Nothing is scheduled'), ...parts] };
  }
  return { tone, lead: 'Running in this browser.', parts };
}

function text(words: string): TruthPart {
  return { kind: 'text', text: words };
}

function asSentence(words: string): string {
  const sentence = words.charAt(0).toUpperCase() + words.slice(1);
  return /[.!?…]$/.test(sentence) ? sentence : `${sentence}.`;
}
