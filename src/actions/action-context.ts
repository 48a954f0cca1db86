import type {
  Action,
  ActiveRun,
  Brought,
  EpochMs,
  Failure,
  LocalNetworkPermission,
  NearNetwork,
  RunId,
  RunOutput,
  Spending,
  StepTrace,
} from '../domain/index.ts';
import type { RunSecrets } from './run-secrets.ts';

/** What an action may know of the run that it is: an {@link ActiveRun} as the claim gave it, and nothing later. */
export type RunFacts = Pick<
  ActiveRun,
  | 'id'
  | 'automationId'
  | 'automationName'
  | 'occurrence'
  | 'scheduledFor'
  | 'cause'
  | 'attempt'
  | 'definition'
  | 'from'
> & {
  /** Where the action is one of several steps. */
  readonly step?: StepFacts;
};

/** What a step may know of the steps around it. */
export interface StepFacts {
  /** From 1. */
  readonly place: number;
  /** What became of those before it. `unknown`: it has not run yet, and what it names is only looked at. */
  readonly before: readonly StepTrace[] | 'unknown';
}

/** How far an effect got that must not be repeated (protocol, section 5). */
export type EffectMark = 'sending' | 'sent';

/** What a request and its diagnosis need of the world. */
export type NetworkContext = Pick<
  ActionContext,
  'signal' | 'now' | 'fetch' | 'online' | 'origin' | 'localNetworkPermission' | 'secrets' | 'borrow'
>;

/** How far an action that tells got; nothing of it is stored. */
export interface Progress {
  /** What there is to read so far, whole. */
  readonly text: string;
  /** How many characters a model has thought before its answer. */
  readonly thought: number;
  /** Which of several steps it is, from 1. */
  readonly step?: number;
}

/**
 * What a tab lends: a worker, for what would keep others waiting in the host, or itself, for what only a window can do. It has
 * nothing of its own but its code.
 */
export interface Executor {
  readonly port: MessagePort;
  /** Aborts when it is gone, mostly with its tab. */
  readonly lost: AbortSignal;
  /** Gives it back, once: `idle` to be lent again, `spoiled` to be ended with whatever it does. */
  readonly release: (how: 'idle' | 'spoiled') => void;
}

/** All that a run is given. An action touches nothing of the world that is not in here. */
export interface ActionContext {
  readonly run: RunFacts;
  /** Fires on the deadline, on cancel, when the run was ended by someone else, and when the host retires. */
  readonly signal: AbortSignal;
  readonly now: () => EpochMs;
  readonly fetch: typeof globalThis.fetch;
  /** Whether the browser believes that it is connected. `false` is certain, `true` is not. */
  readonly online: () => boolean;
  /**
   * What the browser's permission to reach hosts on the local network or on this device says (`local-network`,
   * `loopback-network`). Absent where the browser has no such permission.
   */
  readonly localNetworkPermission?: (network: NearNetwork) => Promise<LocalNetworkPermission>;
  /** The origin Rota is served from, such as `https://rota.example`: what servers must allow. */
  readonly origin: string;
  /**
   * Records in the run's row how far an unrepeatable effect got, and resolves when that is durable. Rejects when the
   * run has been ended by someone else: then the effect must not leave.
   */
  readonly markEffect: (mark: EffectMark, step?: number) => Promise<void>;
  /** The secrets that templates may name, where there are any to open. */
  readonly secrets?: RunSecrets;
  /** What the automation remembers under `key` ({@link Brought.remember}); `undefined`: nothing. Foreign data. */
  readonly recall: (key: string) => Promise<unknown>;
  /**
   * Tells how far the action got, to whoever looks at the run, as often as it likes. `brought` says what is to be kept if
   * the run is stopped now. Absent where nobody listens.
   */
  readonly tell?: (progress: Progress, brought: () => Brought) => void;
  /**
   * A worker of a tab, or a tab with the model of its browser; `null` when no open tab lends one. Waits while all that may be
   * lent are in use, and rejects with the reason of the run's signal. Absent where there is nobody who could lend.
   */
  readonly borrow?: (what: 'script' | 'model', signal: AbortSignal) => Promise<Executor | null>;
  /** What an earlier run of the automation did and brought back; `null` when it is not there any more. */
  readonly findRun?: (
    id: RunId,
  ) => Promise<{ readonly action: Action; readonly output: RunOutput | null } | null>;
  /** What the automation's prompts have used today, before this run. Absent: nothing. */
  readonly spentToday?: () => Promise<Spending>;
  /**
   * Records in the run's row the most that its prompts may have used once the next request has left: what counts if this
   * host dies before it can say what they did. Resolves and rejects like {@link markEffect}.
   */
  readonly mayUse?: (spending: Spending) => Promise<void>;
}

/**
 * How an action ended by itself. An abort is not an ending: it is thrown through as `signal.reason`, and the runner
 * knows why it aborted.
 */
export type ActionEnding =
  | (Brought & {
      readonly kind: 'succeeded';
      /** One short line: what came of it. */
      readonly summary: string;
      readonly output: RunOutput;
    })
  | (Brought & { readonly kind: 'failed'; readonly failure: Failure });
