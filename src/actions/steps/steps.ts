/**
 * Several things done one after another, in one run. Each is performed as it would be alone, with what the steps before
 * it brought back in its templates; the first that fails ends the run. What a finished step did is done: what it
 * remembers and asks to be shown is kept although a later one fails.
 */
import {
  boundedOutput,
  type Brought,
  type Failure,
  hasChanged,
  type NotificationText,
  type PlainAction,
  type PlainOutput,
  type Spending,
  type Step,
  type StepsAction,
  type StepStart,
  type StepsOutput,
  type StepTrace,
  stepId,
  stepTitle,
} from '../../domain/index.ts';
import type { ActionContext, ActionEnding } from '../action-context.ts';
import { shortened } from '../amounts.ts';
import { stepsTaken } from './taken.ts';

const SUMMARY_MOST = 120;

/** Performs one action of a step; it ends as it would alone. */
export type PerformPlain = (action: PlainAction, context: ActionContext) => Promise<ActionEnding>;

/**
 * Performs the steps of `action` and resolves with how they ended. A run that continues an earlier one takes the outputs
 * of the steps before from its record, and performs none of them. Rejects with `signal.reason` on an abort, and with what
 * `markEffect` rejected with.
 */
export async function performSteps(
  action: StepsAction,
  context: ActionContext,
  perform: PerformPlain,
): Promise<ActionEnding> {
  const { from } = context.run;
  const taken =
    from === undefined ? ({ kind: 'taken', traces: [] } as const) : await takeFrom(from, action, context);
  if (taken.kind === 'failed') return taken;
  return await new Performance(action, context, taken.traces).run(perform);
}

/** What the steps before `from.step` brought back in the run that is continued, or why that cannot be used. */
async function takeFrom(
  from: StepStart,
  action: StepsAction,
  { findRun }: ActionContext,
): Promise<
  | { readonly kind: 'taken'; readonly traces: readonly StepTrace[] }
  | { readonly kind: 'failed'; readonly failure: Failure }
> {
  const taken = stepsTaken((await findRun?.(from.runId)) ?? null, action, from);
  if (taken.kind === 'taken') return taken;
  const failure: Failure = {
    class: 'invalid',
    code: 'not-continued',
    message: taken.why,
    advice: 'Run it from the first step.',
  };
  return { kind: 'failed', failure };
}

class Performance {
  readonly #steps: readonly Step[];
  readonly #context: ActionContext;
  readonly #traces: StepTrace[];
  readonly #notifications: NotificationText[] = [];
  readonly #remember: Record<string, unknown> = {};
  #spent: Spending | null = null;

  constructor({ steps }: StepsAction, context: ActionContext, taken: readonly StepTrace[]) {
    this.#steps = steps;
    this.#context = context;
    this.#traces = [...taken];
  }

  async run(perform: PerformPlain): Promise<ActionEnding> {
    const { signal } = this.#context;
    for (const [index, step] of this.#steps.entries()) {
      const place = index + 1;
      if (place <= this.#traces.length) continue;
      signal.throwIfAborted();
      if (step.onlyIf === 'changed' && !this.#hasChanged()) {
        this.#traces.push({ ...this.#base(step, place), status: 'left-out' });
        continue;
      }
      const failure = await this.#perform(step, place, perform);
      if (failure !== null) return { kind: 'failed', failure, ...this.#brought() };
    }
    return { kind: 'succeeded', summary: this.#summary(), ...this.#brought() };
  }

  /** Performs one step; resolves with the failure that ends the run, if it is one. */
  async #perform(step: Step, place: number, perform: PerformPlain): Promise<Failure | null> {
    const { now, secrets: all } = this.#context;
    const startedAt = now();
    // Clocks can be set back meanwhile.
    const ran = () => ({ ...this.#base(step, place), startedAt, totalMs: Math.max(0, now() - startedAt) });
    let soFar: () => Brought = () => ({});
    const stopped = (): Brought => {
      const { output, ...more } = soFar();
      const trace: StepTrace = { ...ran(), status: 'stopped', ...boundedField(output) };
      return this.#brought(more, trace);
    };
    this.#context.tell?.({ text: '', thought: 0, step: place }, stopped);
    const secrets = all?.apart();
    const found = await perform(
      step.action,
      this.#contextOf(step, place, secrets, (brought) => {
        soFar = brought;
        return stopped;
      }),
    );
    // Here already: what a server echoes of a secret must not go on to where that secret may not.
    const ending = secrets?.redact(found) ?? found;
    this.#keep(step, place, ending);
    if (ending.kind === 'failed') {
      const failure = inStep(ending.failure, place, step.name);
      this.#traces.push({
        ...ran(),
        status: 'failed',
        failure: ending.failure,
        ...boundedField(ending.output),
      });
      return failure;
    }
    const { summary } = ending;
    this.#traces.push({
      ...ran(),
      status: 'succeeded',
      summary,
      output: boundedOutput(plain(ending.output)),
    });
    return null;
  }

  #contextOf(
    step: Step,
    place: number,
    secrets: ActionContext['secrets'],
    listen: (brought: () => Brought) => () => Brought,
  ): ActionContext {
    const { run, recall, markEffect, tell, spentToday, mayUse, ...world } = this.#context;
    const { secrets: _all, ...rest } = world;
    const key = keyOf(stepId(step, place));
    return {
      ...rest,
      ...(secrets === undefined ? {} : { secrets }),
      run: {
        ...run,
        definition: { ...run.definition, action: step.action },
        step: { place, before: [...this.#traces] },
      },
      markEffect: (mark) => markEffect(mark, place),
      ...(mayUse === undefined ? {} : { mayUse: (more) => mayUse(addedUp(this.#spent, more) ?? more) }),
      recall: (name) => recall(key(name)),
      ...(tell === undefined
        ? {}
        : {
            tell: (progress, brought) => {
              tell({ ...progress, step: place }, listen(brought));
            },
          }),
      ...(spentToday === undefined
        ? {}
        : {
            spentToday: async () => {
              const before = await spentToday();
              const here = this.#spent ?? { tokens: 0, cost: 0 };
              return {
                until: before.until,
                tokens: before.tokens + here.tokens,
                cost: before.cost + here.cost,
              };
            },
          }),
    };
  }

  /** What a step brought besides its output. */
  #keep(step: Step, place: number, { notifications = [], remember = {}, spent }: Brought): void {
    const key = keyOf(stepId(step, place));
    this.#notifications.push(...notifications);
    for (const [name, value] of Object.entries(remember)) this.#remember[key(name)] = value;
    this.#spent = addedUp(this.#spent, spent);
  }

  #base({ name, action }: Step, place: number) {
    const step = this.#steps[place - 1] ?? {};
    return {
      step: place,
      id: stepId(step, place),
      kind: action.kind,
      ...(name === undefined ? {} : { name }),
    };
  }

  /** All that there is to keep; `more` and `trace` are of the step that is under way. */
  #brought(more: Brought = {}, trace: StepTrace | null = null): Brought & { readonly output: StepsOutput } {
    const traces = trace === null ? this.#traces : [...this.#traces, trace];
    const rest = this.#steps.slice(traces.length).map((step, index): StepTrace => ({
      ...this.#base(step, traces.length + index + 1),
      status: 'not-reached',
    }));
    const notifications = [...this.#notifications, ...(more.notifications ?? [])];
    const spent = addedUp(this.#spent, more.spent);
    return {
      output: { kind: 'steps', steps: [...traces, ...rest] },
      ...(notifications.length === 0 ? {} : { notifications }),
      ...(Object.keys(this.#remember).length === 0 ? {} : { remember: { ...this.#remember } }),
      ...(spent === null ? {} : { spent }),
    };
  }

  #hasChanged(): boolean {
    return this.#traces.some(
      (trace) =>
        (trace.status === 'succeeded' || trace.status === 'taken') &&
        trace.output.kind === 'watch' &&
        hasChanged(trace.output),
    );
  }

  #summary(): string {
    const done = this.#traces.filter(({ status }) => status !== 'left-out');
    const left = this.#traces.length - done.length;
    const last = done.findLast((trace) => 'summary' in trace);
    const count = `${done.length} ${done.length === 1 ? 'step' : 'steps'}${left === 0 ? '' : `, ${left} left out`}`;
    return shortened(last === undefined ? count : `${count}: ${last.summary}`, SUMMARY_MOST);
  }
}

/** What a step remembers is its own; the step with the id 1 keeps what its action remembered when it was alone. */
function keyOf(id: number): (name: string) => string {
  return (name) => (id === 1 ? name : `steps/${id}/${name}`);
}

function addedUp(sum: Spending | null, more: Spending | undefined): Spending | null {
  if (more === undefined) return sum;
  return sum === null
    ? more
    : {
        until: Math.max(sum.until, more.until),
        tokens: sum.tokens + more.tokens,
        cost: sum.cost + more.cost,
      };
}

function plain(output: Exclude<Brought['output'], undefined>): PlainOutput {
  if (output.kind === 'steps') throw new TypeError('a step is no list of steps');
  return output;
}

function boundedField(output: Brought['output']): { readonly output?: PlainOutput } {
  return output === undefined ? {} : { output: boundedOutput(plain(output)) };
}

/** `failure` as the run tells it: with its step. */
function inStep(failure: Failure, place: number, name: string | undefined): Failure {
  return { ...failure, message: `${stepTitle(place, name)}: ${failure.message}`, step: place };
}
