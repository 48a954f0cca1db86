/**
 * One script in QuickJS, compiled to WebAssembly: an instance of its own with memory of its own, thrown away after it. What
 * it can reach is what the prelude makes; what passes between it and Rota is text alone, and all of that is checked here.
 *
 * Nothing in it can take longer than it may: QuickJS is asked to stop between instructions, which tells the line, and what
 * one instruction does is stopped by the module's own counters (metered.ts), which leave the instance as it is.
 */
import {
  type QuickJSContext,
  type QuickJSHandle,
  type QuickJSSyncVariant,
  newQuickJSWASMModuleFromVariant,
} from 'quickjs-emscripten-core';
import quickJs from '@jitl/quickjs-wasmfile-release-sync';
import type { ScriptCapability } from '../../domain/index.ts';
import { elapsedMs, others } from './platform.ts';
import { PRELUDE } from './prelude.ts';

/** Where in the source something is; lines and columns count from 1. */
export interface Place {
  readonly line?: number;
  readonly column?: number;
}

/** How a script ended. `threw` has the script's own words. */
export type SandboxEnding =
  | { readonly kind: 'returned'; readonly text: string | null }
  | { readonly kind: 'threw'; readonly error: Place & { readonly name: string; readonly message: string } }
  | (Place & {
      readonly kind: 'stopped';
      /**
       * `stretch`: it computed for longer than it may at a stretch. `total`: in all. `waits`: for something that never comes.
       * `memory` and `depth`: it took more than there is.
       */
      readonly why: 'stretch' | 'total' | 'memory' | 'depth' | 'waits';
    });

export interface SandboxLimits {
  /** How long it may compute before it lets others go on; `null` for as long as in all. */
  readonly stretchMs: number | null;
  /** How long it may compute in all. */
  readonly totalMs: number;
  readonly memoryBytes: number;
  /** Longest text that may leave it at once, in characters. */
  readonly textMost: number;
}

/** What a script is run with. */
export interface SandboxScript {
  readonly source: string;
  readonly allow: readonly ScriptCapability[];
  /** JSON text, or `null` when there is none. */
  readonly previous: string | null;
  /** JSON text of what the steps before it brought back, by their number; `null` where it is no step. */
  readonly steps: string | null;
}

/** The other side of what the prelude makes. Names and texts are whatever the sandbox says. */
export interface SandboxCalls {
  /** May throw, and then the script is stopped, and that is what {@link runInSandbox} rejects with. */
  readonly tell: (name: string, text: string) => void;
  /** Resolves with JSON text. An {@link Refused} is the script's to catch; anything else stops it, as in `tell`. */
  readonly ask: (name: string, text: string) => Promise<string>;
}

/** An answer that says why not, which the script is given as an error. */
export class Refused extends Error {
  override readonly name = 'Refused';
}

/** How long jobs are done before others in this worker have their turn. */
const TURN_MS = 8;
/** How much longer than it may a script has until it is cut off without being asked. */
const GRACE_MS = 10;
/** A machine that is busy with other things must not be taken for a long computation: a stretch has so many looks at the
 * clock, unless it has taken twice as long. */
const LOOKS_LEAST = 200;
const STACK_BYTES = 256 * 1024;
/** The line before the source, and its name in what QuickJS says. */
const HEAD = '(async function () { "use strict";\n';
const FILE = 'script.js';

/** What ends a stretch from outside; the instance is left as it is. */
class CutOff extends Error {
  override readonly name = 'CutOff';
}

/** What `source` has wrong as JavaScript, without running it; `null` when it parses. */
export async function findSyntaxError(
  module: WebAssembly.Module,
  source: string,
): Promise<(Place & { readonly message: string }) | null> {
  const clock = new Clock({ stretchMs: null, totalMs: 2_000 });
  const context = await newContext(module, clock, 64 * 1024 * 1024);
  try {
    return clock.stretch(() => {
      const parsed = context.evalCode(wrapped(source), FILE);
      if (parsed.error === undefined) return null;
      const { message, ...place } = errorOf(context, parsed.error);
      return { message, ...place };
    });
  } catch {
    return { message: 'it is nested too deeply' };
  }
}

/**
 * Runs a script to its end. Rejects with the reason of `signal`, and with what {@link SandboxCalls} threw; everything the
 * script itself does is an ending.
 */
export async function runInSandbox(
  module: WebAssembly.Module,
  script: SandboxScript,
  limits: SandboxLimits,
  calls: SandboxCalls,
  signal: AbortSignal,
): Promise<SandboxEnding & { readonly computedMs: number }> {
  const clock = new Clock(limits);
  const run = new Run(await newContext(module, clock, limits.memoryBytes), clock, limits, calls);
  const ending = await run.toEnd(script, signal);
  return { ...ending, computedMs: Math.round(clock.computedMs) };
}

class Run {
  readonly #context: QuickJSContext;
  readonly #clock: Clock;
  readonly #limits: SandboxLimits;
  readonly #calls: SandboxCalls;
  #ending: SandboxEnding | null = null;
  /** What the other side threw. */
  #thrown: { readonly error: unknown } | null = null;
  #asked = 0;
  readonly #answers: { readonly id: number; readonly kind: 'answer' | 'refusal'; readonly text: string }[] =
    [];
  #wake: () => void = () => undefined;
  #settle: QuickJSHandle | null = null;

  constructor(context: QuickJSContext, clock: Clock, limits: SandboxLimits, calls: SandboxCalls) {
    this.#context = context;
    this.#clock = clock;
    this.#limits = limits;
    this.#calls = calls;
    let isLooking = false;
    context.runtime.setInterruptHandler(() => {
      // It is asked in what it is asked for here, too.
      if (isLooking || !clock.isOver()) return false;
      isLooking = true;
      this.#place = placeIn(stackOf(context));
      isLooking = false;
      return true;
    });
  }

  async toEnd(script: SandboxScript, signal: AbortSignal): Promise<SandboxEnding> {
    signal.addEventListener('abort', () => this.#wake(), { once: true });
    this.#stretch(() => this.#start(script));
    for (;;) {
      signal.throwIfAborted();
      if (this.#thrown !== null) throw this.#thrown.error;
      if (this.#ending !== null) return this.#ending;
      const answer = this.#answers.shift();
      if (answer !== undefined) this.#stretch(() => this.#give(answer));
      else if (this.#context.runtime.hasPendingJob()) this.#stretch(() => this.#doJobs());
      else if (this.#asked === 0) return { kind: 'stopped', why: 'waits' };
      else {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
          if (this.#answers.length > 0 || signal.aborted) resolve();
        });
        continue;
      }
      // Whatever else there is to do in this worker comes first.
      await others();
    }
  }

  /** Lets the sandbox compute for one stretch, and ends it when that took too long or broke it. */
  #stretch(work: () => void): void {
    try {
      this.#clock.stretch(work);
    } catch (error) {
      if (!(error instanceof CutOff)) this.#ending ??= { kind: 'stopped', why: 'depth' };
    }
    const { overrun } = this.#clock;
    // Whatever came of it after it was told to stop does not count.
    if (overrun !== null) this.#ending = { kind: 'stopped', why: overrun, ...this.#place };
  }

  #place: Place = {};

  #start({ source, allow, previous, steps }: SandboxScript): void {
    const context = this.#context;
    const host = context.newFunction('host', (...given) => this.#hear(given));
    const allowed = context.newObject();
    for (const name of allow) context.setProp(allowed, name, context.true);
    const prelude = context.unwrapResult(context.evalCode(PRELUDE, 'rota.js'));
    const guest = context.unwrapResult(
      context.callFunction(
        prelude,
        context.undefined,
        host,
        allowed,
        previous === null ? context.null : context.newString(previous),
        steps === null ? context.null : context.newString(steps),
        context.newNumber(this.#limits.textMost),
      ),
    );
    this.#settle = context.getProp(guest, 'settle');
    const start = context.getProp(guest, 'start');
    const parsed = context.evalCode(wrapped(source), FILE);
    if (parsed.error !== undefined) this.#ending = endingOf(context, parsed.error);
    else this.#after(context.callFunction(start, context.undefined, parsed.value));
  }

  #give({ id, kind, text }: { readonly id: number; readonly kind: string; readonly text: string }): void {
    const context = this.#context;
    if (this.#settle === null) return;
    this.#after(
      context.callFunction(
        this.#settle,
        context.undefined,
        context.newNumber(id),
        context.newString(kind),
        context.newString(text),
      ),
    );
    this.#doJobs();
  }

  #doJobs(): void {
    const { runtime } = this.#context;
    while (this.#ending === null && this.#thrown === null && runtime.hasPendingJob()) {
      this.#after(runtime.executePendingJobs(1));
      if (this.#clock.stretchedMs > TURN_MS) return;
    }
  }

  /** A failure of the prelude or of a job is what cannot be caught: that the script was stopped, or that memory is out. */
  #after(result: { readonly error?: QuickJSHandle | undefined }): void {
    if (result.error === undefined) return;
    const ending = endingOf(this.#context, result.error);
    if (ending.kind === 'threw') {
      const { line, column } = ending.error;
      this.#place = {
        ...(line === undefined ? {} : { line }),
        ...(column === undefined ? {} : { column }),
      };
    }
    if (this.#clock.overrun === null) this.#ending ??= ending;
  }

  /** What the sandbox says. It may be anything: a script can get hold of this function, whatever the prelude does. */
  #hear(given: readonly QuickJSHandle[]): void {
    if (this.#ending !== null || this.#thrown !== null || this.#clock.overrun !== null) return;
    const [what, id, name, text] = given;
    try {
      const kind = this.#textOf(what);
      const words = this.#textOf(text);
      if (kind === null || words === null) return;
      switch (kind) {
        case 'returned':
          this.#ending = { kind: 'returned', text: words === '' ? null : words };
          return;
        case 'threw':
          this.#ending = thrownEnding(words);
          return;
        case 'tell':
          this.#calls.tell(this.#textOf(name) ?? '', words);
          return;
        case 'ask':
          if (id !== undefined && this.#context.typeof(id) === 'number')
            this.#ask(this.#context.getNumber(id), this.#textOf(name) ?? '', words);
          return;
        default:
          return;
      }
    } catch (error) {
      // A script that is cut off here is so again at its next loop.
      if (!(error instanceof CutOff)) this.#fail(error);
    }
  }

  /** Ends it with what the other side threw; it need not compute any further. */
  #fail(error: unknown): void {
    this.#thrown ??= { error };
    this.#clock.halt();
  }

  #ask(id: number, name: string, text: string): void {
    this.#asked += 1;
    const answered = (kind: 'answer' | 'refusal', words: string): void => {
      this.#asked -= 1;
      this.#answers.push({ id, kind, text: words });
      this.#wake();
    };
    this.#calls.ask(name, text).then(
      (answer) => answered('answer', answer),
      (error: unknown) => {
        if (error instanceof Refused) answered('refusal', error.message);
        else {
          this.#fail(error);
          answered('refusal', '');
        }
      },
    );
  }

  /** The text in `handle`; `null` when it is none, or longer than may leave the sandbox. */
  #textOf(handle: QuickJSHandle | undefined): string | null {
    const context = this.#context;
    if (handle === undefined || context.typeof(handle) !== 'string') return null;
    const length = context.getNumber(context.getProp(handle, 'length'));
    return length > 2 * this.#limits.textMost + 20_000 ? null : context.getString(handle);
  }
}

function wrapped(source: string): string {
  return `${HEAD}${source}\n})`;
}

function endingOf(context: QuickJSContext, error: QuickJSHandle): SandboxEnding {
  const { name, message, ...place } = errorOf(context, error);
  if (name === '' && message === '') return { kind: 'stopped', why: 'memory' };
  return limitOf(name, message, place) ?? { kind: 'threw', error: { name, message, ...place } };
}

/** What a script says was thrown in it. */
function thrownEnding(text: string): SandboxEnding {
  let told: unknown;
  try {
    told = JSON.parse(text);
  } catch {
    told = null;
  }
  const of = (key: string): string => {
    const value = typeof told === 'object' && told !== null ? (told as Record<string, unknown>)[key] : '';
    return typeof value === 'string' ? value : '';
  };
  const place = placeIn(of('stack'));
  const [name, message] = [of('name'), of('message')];
  return limitOf(name, message, place) ?? { kind: 'threw', error: { name, message, ...place } };
}

/** QuickJS has its own errors for what is used up; a script that throws the same means the same. */
function limitOf(name: string, message: string, place: Place): SandboxEnding | null {
  if (name === 'InternalError' && message === 'out of memory')
    return { kind: 'stopped', why: 'memory', ...place };
  if (/^(Internal|Range)Error$/.test(name) && /stack (size )?(overflow|exceeded)/i.test(message))
    return { kind: 'stopped', why: 'depth', ...place };
  return null;
}

/** Reads an error. A getter of the script may run for it, within what the script may take. */
function errorOf(context: QuickJSContext, error: QuickJSHandle): Place & { name: string; message: string } {
  const read = (key: string): string => {
    if (context.typeof(error) !== 'object') return '';
    const value = context.getProp(error, key);
    return context.typeof(value) === 'string' ? context.getString(value).slice(0, 4_000) : '';
  };
  return { name: read('name'), message: read('message'), ...placeIn(read('stack')) };
}

/** Where a script is, asked while it is there; by syntax alone, because it may have changed all that has a name. */
function stackOf(context: QuickJSContext): string {
  const found = context.evalCode('try { null.x } catch (error) { error.stack }', 'rota.js');
  return found.error === undefined && context.typeof(found.value) === 'string'
    ? context.getString(found.value).slice(0, 4_000)
    : '';
}

/** The first place in the script itself that a stack names. */
function placeIn(stack: string): Place {
  const found = /script\.js:(\d+)(?::(\d+))?/.exec(stack);
  if (found === null) return {};
  const line = Number(found[1]) - 1;
  if (line < 1) return {};
  return found[2] === undefined ? { line } : { line, column: Number(found[2]) };
}

/** How long a sandbox has computed, and when it must stop. */
class Clock {
  readonly #stretchMs: number;
  readonly #totalMs: number;
  #before = 0;
  #since: number | null = null;
  #looks = 0;
  #overrun: 'stretch' | 'total' | null = null;
  #isHalted = false;

  constructor({ stretchMs, totalMs }: Pick<SandboxLimits, 'stretchMs' | 'totalMs'>) {
    this.#stretchMs = stretchMs ?? Infinity;
    this.#totalMs = totalMs;
  }

  /** Why it had to stop; `null` while it has not. */
  get overrun(): 'stretch' | 'total' | null {
    return this.#overrun;
  }

  get stretchedMs(): number {
    return this.#since === null ? 0 : elapsedMs() - this.#since;
  }

  get computedMs(): number {
    return this.#before + this.stretchedMs;
  }

  stretch<Result>(work: () => Result): Result {
    this.#looks = 0;
    this.#since = elapsedMs();
    try {
      return work();
    } finally {
      this.#before += this.stretchedMs;
      this.#since = null;
    }
  }

  /** Whether QuickJS is to stop now; from then on it is. */
  isOver(): boolean {
    this.#overrun ??= this.#reasonAfter(0);
    return this.#isHalted || this.#overrun !== null;
  }

  /** It is to compute no more, whatever time it has. */
  halt(): void {
    this.#isHalted = true;
  }

  /** Called from within the module's loops. Throws once the sandbox has gone on for longer than it takes to stop when asked. */
  look(): void {
    this.#looks += 1;
    if (this.#since === null) return;
    const reason = this.#reasonAfter(GRACE_MS);
    if (reason === null) return;
    this.#overrun ??= reason;
    throw new CutOff();
  }

  #reasonAfter(graceMs: number): 'stretch' | 'total' | null {
    const stretched = this.stretchedMs - graceMs;
    if (this.#before + stretched > this.#totalMs) return 'total';
    if (stretched <= this.#stretchMs) return null;
    return this.#looks >= LOOKS_LEAST || stretched > 2 * this.#stretchMs ? 'stretch' : null;
  }
}

async function newContext(
  module: WebAssembly.Module,
  clock: Clock,
  memoryBytes: number,
): Promise<QuickJSContext> {
  const sandbox = await newQuickJSWASMModuleFromVariant(variantOver(module, clock));
  const runtime = sandbox.newRuntime();
  runtime.setMemoryLimit(memoryBytes);
  runtime.setMaxStackSize(STACK_BYTES);
  runtime.setInterruptHandler(() => clock.isOver());
  return runtime.newContext();
}

/** QuickJS over a compiled module whose looks at the clock `clock` hears. */
function variantOver(module: WebAssembly.Module, clock: Clock): QuickJSSyncVariant {
  return {
    type: 'sync',
    importFFI: quickJs.importFFI,
    importModuleLoader: async () => {
      const load = await quickJs.importModuleLoader();
      if (typeof load !== 'function') throw new TypeError('QuickJS is not of the form that it was.');
      return (options) =>
        load({
          ...options,
          instantiateWasm: (
            imports: WebAssembly.Imports,
            done: (instance: WebAssembly.Instance) => void,
          ): object => {
            void WebAssembly.instantiate(module, hearing(imports, clock)).then(done);
            return {};
          },
        } as typeof options);
    },
  };
}

/** `imports` with every function without parameters looking at `clock` first: the module's own clock is one of them. */
function hearing(imports: WebAssembly.Imports, clock: Clock): WebAssembly.Imports {
  return Object.fromEntries(
    Object.entries(imports).map(([name, values]) => [
      name,
      Object.fromEntries(
        Object.entries(values).map(([key, value]) => [
          key,
          typeof value === 'function' && value.length === 0
            ? (): unknown => {
                clock.look();
                return (value as () => unknown)();
              }
            : value,
        ]),
      ),
    ]),
  );
}
