/** The next instants of the schedule that is being typed, asked of the host while nobody waits for them. */
import type { ReactiveController, ReactiveControllerHost } from 'lit';
import type { EpochMs, Parsed, Problem, Schedule } from '../../domain/index.ts';
import type { HostApi, PreviewInstant } from '../../rpc/index.ts';
import { type ReadProblem, problemOf } from '../watched.ts';

/** What is known of the next instants. */
export type PreviewState =
  | { readonly kind: 'waiting' }
  | {
      readonly kind: 'ok';
      readonly schedule: Schedule;
      readonly at: readonly PreviewInstant[];
      /** The schedule has changed since, and its own instants are on their way. */
      readonly stale: boolean;
    }
  | { readonly kind: 'invalid'; readonly problems: readonly Problem[] }
  | { readonly kind: 'failed'; readonly problem: ReadProblem };

/** How long typing has to pause before the host is asked. */
const PAUSE_MS = 250;
/** A timer may not be longer than this: browsers fire longer ones at once. */
const TIMER_MOST_MS = 86_400_000;

/**
 * Keeps the preview of one schedule. It asks again when the schedule changes, and when the first instant has passed.
 * Of several answers only that to the latest question counts.
 */
export class Preview implements ReactiveController {
  readonly #element: ReactiveControllerHost;
  readonly #ask: HostApi['preview'];
  readonly #now: () => EpochMs;
  #state: PreviewState = { kind: 'waiting' };
  #key = '';
  #latest = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    element: ReactiveControllerHost,
    ask: HostApi['preview'],
    now: () => EpochMs = () => Date.now(),
  ) {
    this.#element = element;
    this.#ask = ask;
    this.#now = now;
    element.addController(this);
  }

  get state(): PreviewState {
    return this.#state;
  }

  hostDisconnected(): void {
    this.#latest += 1;
    this.#key = '';
    clearTimeout(this.#timer);
  }

  /** Shows `read`: at once what is wrong with it, after a pause what it means. The same one again does nothing. */
  show(read: Parsed<Schedule>): void {
    const key = JSON.stringify(read);
    if (key === this.#key) return;
    this.#key = key;
    this.#latest += 1;
    clearTimeout(this.#timer);
    if (read.kind === 'invalid') {
      this.#state = { kind: 'invalid', problems: read.problems };
      return;
    }
    if (this.#state.kind === 'ok') this.#state = { ...this.#state, stale: true };
    const first = this.#state.kind === 'waiting';
    this.#timer = setTimeout(() => void this.#read(read.value), first ? 0 : PAUSE_MS);
  }

  async #read(schedule: Schedule): Promise<void> {
    const number = ++this.#latest;
    const state = await this.#answer(schedule);
    if (number !== this.#latest) return;
    this.#state = state;
    this.#element.requestUpdate();
    if (state.kind === 'ok') this.#again(schedule, state.at[0]?.at);
    if (state.kind === 'failed') this.#timer = setTimeout(() => void this.#read(schedule), 5_000);
  }

  async #answer(schedule: Schedule): Promise<PreviewState> {
    try {
      const result = await this.#ask({ schedule, count: 10 });
      return result.kind === 'ok'
        ? { kind: 'ok', schedule, at: result.at, stale: false }
        : { kind: 'invalid', problems: result.problems.map(inDefinition) };
    } catch (error) {
      return { kind: 'failed', problem: problemOf(error) };
    }
  }

  #again(schedule: Schedule, first: EpochMs | undefined): void {
    if (first === undefined) return;
    const wait = Math.min(Math.max(first - this.#now(), 0) + 50, TIMER_MOST_MS);
    this.#timer = setTimeout(() => void this.#read(schedule), wait);
  }
}

/** The preview speaks of a schedule, the form of a definition. */
function inDefinition(problem: Problem): Problem {
  const { path } = problem;
  if (path === 'schedule' || path.startsWith('schedule.')) return problem;
  return { ...problem, path: path === '' ? 'schedule' : `schedule.${path}` };
}
