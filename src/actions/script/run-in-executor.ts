/** The host's side of a script that runs in a worker which a tab lends: all that it asks for is done here. */
import type { Executor } from '../action-context.ts';
import { LimitReached } from '../limit-reached.ts';
import type { FromExecutor, ToExecutor } from './executor-messages.ts';
import { after } from './platform.ts';
import {
  Refused,
  type SandboxCalls,
  type SandboxEnding,
  type SandboxLimits,
  type SandboxScript,
} from './sandbox.ts';

/**
 * How much longer than it may compute a script may say nothing. Its sandbox stops it by itself and then tells the line; a
 * worker that does not even do that is frozen with its tab, or hangs.
 */
const SILENCE_MORE_MS = 15_000;

/** Scripts that this host has sent to workers. */
let runs = 0;

/**
 * Runs a script in `executor`, and gives that back: to be used again where the script came to its end, and else to be
 * ended with whatever still computes in it. Resolves with `lost` when the worker was gone before the end, or could not
 * run any. Rejects as `runInSandbox` does.
 */
export function runInExecutor(
  executor: Executor,
  script: SandboxScript,
  limits: SandboxLimits,
  calls: SandboxCalls,
  signal: AbortSignal,
): Promise<'lost' | (SandboxEnding & { readonly computedMs: number })> {
  runs += 1;
  const run = runs;
  const { port } = executor;
  const send = (message: ToExecutor): void => port.postMessage(message);
  return new Promise((resolve, reject) => {
    let isOver = false;
    let asked = 0;
    let undo: () => void = () => undefined;
    const end = (how: 'idle' | 'spoiled', settle: () => void): void => {
      if (isOver) return;
      isOver = true;
      undo();
      port.onmessage = null;
      signal.removeEventListener('abort', onAbort);
      executor.lost.removeEventListener('abort', onLost);
      executor.release(how);
      settle();
    };
    const onAbort = (): void => end('spoiled', () => reject(signal.reason as Error));
    const onLost = (): void => end('spoiled', () => resolve('lost'));
    const fail = (error: unknown): void =>
      end('spoiled', () => reject(error instanceof Error ? error : new Error(String(error))));
    /** While it waits for an answer, the deadline of the run is enough. */
    const expectWord = (): void => {
      undo();
      undo = asked > 0 ? () => undefined : after(limits.totalMs + SILENCE_MORE_MS, onLost);
    };
    const answer = async (name: string, text: string): Promise<Pick<Settled, 'how' | 'text'>> => {
      try {
        return { how: 'answer', text: await calls.ask(name, text) };
      } catch (error) {
        if (error instanceof Refused) return { how: 'refusal', text: error.message };
        throw error;
      }
    };
    const hear = (message: FromExecutor): void => {
      if (isOver || message.run !== run) return;
      switch (message.kind) {
        case 'tell':
          try {
            calls.tell(message.name, message.text);
          } catch (error) {
            fail(error);
          }
          return;
        case 'ask': {
          const { id, name, text } = message;
          asked += 1;
          expectWord();
          answer(name, text).then((settled) => {
            asked -= 1;
            if (isOver) return;
            send({ kind: 'settle', run, id, ...settled });
            expectWord();
          }, fail);
          return;
        }
        case 'ended':
          end('idle', () => resolve(message.ending));
          return;
        case 'overrun':
          fail(new LimitReached(OVERRUN));
          return;
        case 'unable':
          onLost();
          return;
      }
    };
    if (signal.aborted) {
      onAbort();
      return;
    }
    if (executor.lost.aborted) {
      onLost();
      return;
    }
    signal.addEventListener('abort', onAbort);
    executor.lost.addEventListener('abort', onLost);
    port.onmessage = ({ data }: MessageEvent<FromExecutor>) => hear(data);
    send({ kind: 'run', run, script, limits });
    expectWord();
  });
}

type Settled = Extract<ToExecutor, { kind: 'settle' }>;

const OVERRUN = {
  class: 'limit',
  code: 'script-too-much',
  message: 'The script was stopped: it asked for more, or said more, than Rota takes in one run.',
} as const;
