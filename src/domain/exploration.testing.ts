/**
 * Explores the world in the small breadth first, through every order of its steps, until one breaks an invariant or there is
 * no new state. What is found is found by a shortest history.
 *
 * Where nothing is broken, it looks for states from which the world cannot come to rest: whatever has happened, the hosts
 * that are left can still settle and account for all. States with the same future are one: see exploration-key.testing.ts.
 */
import { findFault, isAtRest } from './exploration-faults.testing.ts';
import { keysOf } from './exploration-key.testing.ts';
import {
  type Fault,
  type FaultKind,
  type Scope,
  type State,
  type Step,
  start,
  stepsFrom,
} from './exploration-world.testing.ts';

/** What came of an exploration. `depth` is how many steps the last new state is from the start. */
export type Report =
  | { readonly kind: 'holds'; readonly states: number; readonly depth: number }
  | {
      readonly kind: 'broken';
      readonly fault: Fault;
      /** The steps that led to it. */
      readonly history: readonly string[];
      readonly states: number;
    }
  | { readonly kind: 'too-large'; readonly states: number };

/** Where to stop: after `most` states; with `fault`, only at a fault of that kind. */
export interface Bounds {
  readonly most?: number;
  readonly fault?: FaultKind;
}

/** Explores `scope`. */
export function explore(scope: Scope, { most = 5_000_000, fault: kind }: Bounds = {}): Report {
  const keyOf = keysOf(scope);
  const graph = new Graph();
  const first = start(scope);
  graph.add(keyOf(first), -1, '');
  let frontier: readonly { readonly index: number; readonly state: State }[] = [{ index: 0, state: first }];
  let depth = -1;
  for (; frontier.length > 0; depth++) {
    const next: { index: number; state: State }[] = [];
    for (const { index, state } of frontier) {
      if (isAtRest(state, scope)) graph.resting.push(index);
      const isDeserted = !state.hosts.some((host) => host.kind === 'alive' && !host.hung);
      for (const step of stepsFrom(state, scope)) {
        const fault = isSame(state, step.to) ? null : findFault(step.to, scope, kind);
        if (fault !== null)
          return {
            kind: 'broken',
            fault,
            history: [...graph.historyOf(index), step.label],
            states: graph.size,
          };
        const key = keyOf(step.to);
        let target = graph.find(key);
        if (target === undefined) {
          if (graph.size >= most) return { kind: 'too-large', states: graph.size };
          target = graph.add(key, index, step.label);
          next.push({ index: target, state: step.to.fault === null ? step.to : { ...step.to, fault: null } });
        }
        if (happensByItself(step, isDeserted)) graph.connect(index, target);
      }
    }
    frontier = next;
  }
  const stuck = kind === undefined || kind === 'never-at-rest' ? graph.firstThatNeverRests() : null;
  if (stuck === null) return { kind: 'holds', states: graph.size, depth };
  const fault: Fault = { kind: 'never-at-rest', detail: 'no order of steps settles and accounts for all' };
  return { kind: 'broken', fault, history: graph.historyOf(stuck), states: graph.size };
}

/** Whether no invariant can tell the two apart. */
function isSame(before: State, after: State): boolean {
  return (
    before.ledger === after.ledger &&
    before.agenda === after.agenda &&
    before.effects === after.effects &&
    after.fault === null
  );
}

function happensByItself({ kind }: Step, isDeserted: boolean): boolean {
  return kind === 'start' ? isDeserted : kind !== 'trouble';
}

/** The states that were seen, by number, and how they hang together. */
class Graph {
  /** The states at rest. */
  readonly resting: number[] = [];
  readonly #numbers = new Map<string, number>();
  /** Of each state: the one before it in a shortest history, and the step between. */
  readonly #before: number[] = [];
  readonly #by: string[] = [];
  /** The steps that happen by themselves: pairs of states. */
  readonly #edges: number[] = [];

  get size(): number {
    return this.#before.length;
  }

  find(key: string): number | undefined {
    return this.#numbers.get(key);
  }

  add(key: string, before: number, by: string): number {
    const number = this.size;
    this.#numbers.set(key, number);
    this.#before.push(before);
    this.#by.push(by);
    return number;
  }

  connect(from: number, to: number): void {
    if (from !== to) this.#edges.push(from, to);
  }

  historyOf(state: number): readonly string[] {
    const history: string[] = [];
    for (let at = state; at > 0; at = this.#before[at] ?? 0) history.push(this.#by[at] ?? '');
    return history.reverse();
  }

  /** The first state that was found from which nothing that happens by itself leads to rest; `null` for none. */
  firstThatNeverRests(): number | null {
    const before = this.#reversed();
    const rests = new Uint8Array(this.size);
    const queue = [...this.resting];
    for (const state of queue) rests[state] = 1;
    for (let state = queue.pop(); state !== undefined; state = queue.pop()) {
      for (const source of before(state)) {
        if (rests[source] === 1) continue;
        rests[source] = 1;
        queue.push(source);
      }
    }
    const stuck = rests.indexOf(0);
    return stuck < 0 ? null : stuck;
  }

  /** For each state those from which a step leads to it: one list for all, because there are millions. */
  #reversed(): (state: number) => Int32Array {
    const ends = new Int32Array(this.size + 1);
    const edges = Int32Array.from(this.#edges);
    const count = (at: number, by: number): number => (ends[at] = (ends[at] ?? 0) + by);
    for (let at = 1; at < edges.length; at += 2) count(edges[at] ?? 0, 1);
    for (let state = 1; state <= this.size; state++) count(state, ends[state - 1] ?? 0);
    const sources = new Int32Array(edges.length / 2);
    // Filled from the back, so that each end comes to be the start.
    for (let at = 0; at < edges.length; at += 2) sources[count(edges[at + 1] ?? 0, -1)] = edges[at] ?? 0;
    return (state) => sources.subarray(ends[state], ends[state + 1]);
  }
}

/**
 * Two histories of `scope` whose states count as one and have not the same future, each with what can come next; `null` if
 * there are none. If there were, a key would leave out what matters, and an exploration might miss a fault.
 */
export function findFalseTwins(scope: Scope): readonly (readonly string[])[] | null {
  const keyOf = keysOf(scope);
  const futureOf = (state: State): readonly string[] => {
    const steps = stepsFrom(state, scope).map(
      ({ to, kind }) => `${kind}: ${findFault(to, scope)?.kind ?? keyOf(to)}`,
    );
    return [isAtRest(state, scope) ? 'at rest' : 'not at rest', ...new Set(steps.sort())];
  };
  const first = start(scope);
  const seen = new Map([[keyOf(first), { state: first, history: [] as string[], future: futureOf(first) }]]);
  for (const { state, history } of seen.values()) {
    for (const { label, to } of stepsFrom(state, scope)) {
      if (findFault(to, scope) !== null) continue;
      const key = keyOf(to);
      const next = { state: to, history: [...history, label], future: futureOf(to) };
      const twin = seen.get(key);
      if (twin === undefined) seen.set(key, next);
      else if (twin.future.join() !== next.future.join())
        return [twin, next].map((one) => [...one.history, `that is ${key}`, ...one.future]);
    }
  }
  return null;
}
