/**
 * Runs scripts in a worker that a tab lends to a host. It has the sandbox and nothing else: what a script asks for goes to
 * the host as a message, and only the host decides and does it. Here is no secret, no storage and no request.
 */
import type { FromExecutor, ToExecutor } from './executor-messages.ts';
import { loadQuickJs } from './quickjs.ts';
import { Refused, type SandboxCalls, runInSandbox } from './sandbox.ts';

/**
 * A script can say things for as long as it computes, and the host hears each of them: it must not get so many that others
 * wait there. The host refuses far less than this, and has said so by the time that a script comes to it.
 */
const TOLD_MOST = 2_500;
const TOLD_LENGTH_MOST = 16_000_000;
/** What waits for an answer, at once. */
const ASKED_MOST = 1_500;
const ASKED_LENGTH_MOST = 16_000_000;

/** The script has said more than any may. */
class Overrun extends Error {
  override readonly name = 'Overrun';
}

/** Runs what the host at the other end of `port` sends, one script at a time, for as long as this worker lives. */
export function serveScripts(port: MessagePort): void {
  let current: Courier | null = null;
  const send = (message: FromExecutor): void => port.postMessage(message);
  port.onmessage = ({ data }: MessageEvent<ToExecutor>) => {
    if (data.kind === 'settle') {
      if (current?.run === data.run) current.settle(data);
      return;
    }
    current = new Courier(data.run, send);
    void runOne(data, current).then(send);
  };
}

async function runOne(
  { run, script, limits }: Extract<ToExecutor, { kind: 'run' }>,
  courier: Courier,
): Promise<FromExecutor> {
  let module: WebAssembly.Module;
  try {
    module = await loadQuickJs();
  } catch {
    return { kind: 'unable', run };
  }
  try {
    // Nobody aborts it here: the host has the tab end this worker.
    const ending = await runInSandbox(module, script, limits, courier, new AbortController().signal);
    return { kind: 'ended', run, ending };
  } catch {
    return { kind: 'overrun', run };
  }
}

/** Carries what one script says to the host, and the answers back. */
class Courier implements SandboxCalls {
  readonly run: number;
  readonly #send: (message: FromExecutor) => void;
  readonly #waiting = new Map<
    number,
    { readonly length: number; readonly settle: (how: 'answer' | 'refusal', text: string) => void }
  >();
  #told = 0;
  #toldLength = 0;
  #asked = 0;
  #askedLength = 0;

  constructor(run: number, send: (message: FromExecutor) => void) {
    this.run = run;
    this.#send = send;
  }

  readonly tell = (name: string, text: string): void => {
    this.#told += 1;
    this.#toldLength += text.length;
    if (this.#told > TOLD_MOST || this.#toldLength > TOLD_LENGTH_MOST) throw new Overrun();
    this.#send({ kind: 'tell', run: this.run, name, text });
  };

  readonly ask = (name: string, text: string): Promise<string> => {
    this.#askedLength += text.length;
    if (this.#waiting.size >= ASKED_MOST || this.#askedLength > ASKED_LENGTH_MOST)
      return Promise.reject(new Overrun());
    this.#asked += 1;
    const id = this.#asked;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, {
        length: text.length,
        settle: (how, words) => {
          if (how === 'answer') resolve(words);
          else reject(new Refused(words));
        },
      });
      this.#send({ kind: 'ask', run: this.run, id, name, text });
    });
  };

  settle({ id, how, text }: Extract<ToExecutor, { kind: 'settle' }>): void {
    const asked = this.#waiting.get(id);
    if (asked === undefined) return;
    this.#waiting.delete(id);
    this.#askedLength -= asked.length;
    asked.settle(how, text);
  }
}
