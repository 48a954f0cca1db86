import { LitElement, type TemplateResult, css, html, nothing } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import {
  type AutomationId,
  type Definition,
  type RunId,
  type StepStart,
  assertNever,
  definitionOf,
  isRepeatable,
  retryRuleOf,
  sameStepsBefore,
} from '../../domain/index.ts';
import type { AutomationView, RunDetail, RunProgress } from '../../rpc/index.ts';
import { answerRun, helpButton } from '../commands.ts';
import { icon } from '../icons/icon.ts';
import { announce } from '../parts/announcer.ts';
import { onTick } from '../parts/clock.ts';
import '../parts/network-access.ts';
import { pageHeader } from '../parts/page-header.ts';
import { empty, failed, placeholderStyles, skeleton } from '../parts/placeholder.ts';
import '../parts/run-bar.ts';
import { runTrace, runTraceStyles } from '../parts/run-trace-view.ts';
import { scriptStyles } from '../parts/script-view.ts';
import { stepsTrace, stepsTraceStyles } from '../parts/steps-trace.ts';
import { statusBadge, statusShape, statusStyles } from '../parts/status-mark.ts';
import { shared } from '../parts/styles.ts';
import '../parts/time.ts';
import { showToast } from '../parts/toast.ts';
import type { RemoteHost, Unsubscribe } from '../remote-host.ts';
import { href, nameScreen, navigate } from '../router.ts';
import { Shortcuts } from '../shortcuts.ts';
import { countText } from '../text/counts.ts';
import { clockTimeMs, fullDateTime, isoDateTime, namedDateTime } from '../text/dates.ts';
import { durationText, latenessText } from '../text/durations.ts';
import { errorSentence } from '../text/errors.ts';
import { scheduleSentence } from '../text/schedule.ts';
import { SOURCE_NAMES } from '../text/import-sources.ts';
import { causeText, statusOf, statusWord, waitingText } from '../text/status.ts';
import { Watched, problemOf } from '../watched.ts';
import { definitionWords } from './editor-words.ts';
import { reportOf } from './run-report.ts';
import { onlyReachability, saveAsReachability } from './only-reachability.ts';
import { isUnanswered, verdictOf } from './run-verdict.ts';

/** How many of the newest runs are looked through for other attempts at the same time. */
const LOOKED_THROUGH = 60;

/** One run: what happened and what to do first, then each step with what went in and came out, and the facts beside. */
@customElement('rota-run-page')
export class RunPage extends LitElement {
  static override styles = [
    shared,
    placeholderStyles,
    statusStyles,
    runTraceStyles,
    stepsTraceStyles,
    scriptStyles,
    css`
      .meta {
        display: flex;
        flex-wrap: wrap;
        align-items: center;
        gap: 4px 12px;
        margin-top: var(--space-3);
        font-size: var(--size-s);
        color: var(--ink-2);
      }

      h1 a {
        color: inherit;
        text-decoration: none;
      }

      h1 a:hover {
        text-decoration: underline;
        text-decoration-thickness: 2px;
      }

      .verdict {
        margin: 0 var(--gutter) var(--space-5);
        padding: var(--space-4) var(--space-5);
        border-inline-start: 3px solid var(--edge);
        background: var(--sunk);
        max-width: 100%;
      }

      .verdict > p {
        max-width: 100ch;
        overflow-wrap: anywhere;
        text-wrap: pretty;
      }

      .verdict b {
        font-size: var(--size-l);
        font-weight: var(--weight-strong);
        letter-spacing: -0.01em;
      }

      .verdict .answers {
        display: flex;
        flex-wrap: wrap;
        gap: var(--space-2);
        margin-top: var(--space-3);
      }

      .verdict .help {
        display: block;
        margin-top: var(--space-3);
      }

      .verdict .rest {
        margin-top: 4px;
        color: var(--ink-2);
      }

      /* What went well is said and not shouted. */
      .verdict.ok {
        padding-block: var(--space-2);
        border-color: var(--ok);
        background: none;
        color: inherit;
      }

      .verdict.quiet {
        color: inherit;
      }

      .verdict.bad {
        border-color: var(--bad);
        background: var(--bad-soft);
        color: inherit;
      }

      .verdict.warn {
        border-color: var(--warn);
        background: var(--warn-soft);
        color: inherit;
      }

      .verdict.now {
        border-color: var(--now);
        background: var(--now-soft);
        color: inherit;
      }

      .columns {
        display: grid;
        grid-template-columns: minmax(0, 1fr) 320px;
        gap: var(--space-6);
        padding: 0 var(--gutter);
        align-items: start;
      }

      aside {
        padding-inline-start: var(--space-5);
        border-inline-start: 1px solid var(--rule);
      }

      aside h2 {
        margin-bottom: var(--space-2);
        font-size: var(--size-xs);
        font-weight: 500;
        color: var(--ink-3);
      }

      aside h2:not(:first-child) {
        margin-top: var(--space-5);
      }

      .facts > div {
        display: grid;
        grid-template-columns: 92px minmax(0, 1fr);
        gap: var(--space-3);
        padding: 6px 0;
        border-bottom: 1px solid var(--rule);
        font-size: var(--size-s);
      }

      .facts dt {
        color: var(--ink-3);
      }

      .facts dd {
        overflow-wrap: anywhere;
      }

      .facts .id {
        font: var(--size-xs) / 1.5 var(--font-mono);
      }

      details summary {
        width: fit-content;
        min-height: 24px;
        color: var(--act);
        cursor: pointer;
      }

      .words > div {
        padding: 5px 0;
      }

      .words dt {
        color: var(--ink-3);
        font-size: var(--size-xs);
      }

      .words dd {
        font-size: var(--size-s);
        overflow-wrap: anywhere;
        white-space: pre-wrap;
      }

      .attempts li {
        display: flex;
        align-items: center;
        gap: 8px;
        padding: 5px 0;
        border-bottom: 1px solid var(--rule);
        font-size: var(--size-s);
      }

      @media (max-width: 1000px) {
        .columns {
          grid-template-columns: minmax(0, 1fr);
        }

        aside {
          padding: 0;
          border: 0;
        }
      }

      @media (max-width: 760px) {
        .verdict {
          margin-inline: 0;
          padding: var(--space-3) var(--gutter);
        }
      }
    `,
  ];

  @property({ attribute: false }) host!: RemoteHost;
  @property({ attribute: false }) runId!: RunId;
  @state() private busy = false;
  #stop: (() => void) | null = null;
  /** What the run has told since it was read; a host that does not run it knows nothing of that. */
  @state() private told: { readonly runId: RunId; readonly progress: RunProgress } | null = null;
  #deaf: Unsubscribe | null = null;
  /** Ended while it was looked at, so that the end is told once. */
  #wasRunning: RunId | null = null;

  readonly #run = new Watched(this, {
    read: (id: RunId) => this.host.getRun(id),
    args: (): [RunId] => [this.runId],
    topics: ['runs'],
  });
  readonly #automation = new Watched(this, {
    read: async (id: AutomationId | null) => (id === null ? null : await this.host.getAutomation(id)),
    args: (): [AutomationId | null] => [this.#run.value?.automationId ?? null],
    topics: ['automations', 'runs'],
    keep: true,
  });
  readonly #siblings = new Watched(this, {
    read: async (id: AutomationId | null) =>
      id === null ? [] : (await this.host.listRuns({ automationId: id, limit: LOOKED_THROUGH })).items,
    args: (): [AutomationId | null] => [this.#run.value?.automationId ?? null],
    topics: ['runs'],
    keep: true,
  });

  constructor() {
    super();
    new Shortcuts(this, () => [
      { key: 'r', label: 'Run again', run: () => void this.#again() },
      { key: 'e', label: 'Edit the automation', run: this.#edit },
    ]);
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.#stop = onTick(() => {
      const run = this.#run.value;
      // What it says counts the seconds only while it runs or is about to be tried again.
      if (run?.status === 'running' || run?.retryAt !== undefined) this.requestUpdate();
    });
  }

  /** Whoever looks at the run has read what was told of it. */
  protected override firstUpdated(): void {
    this.host.readNotifications({ runId: this.runId }).catch(() => undefined);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#stop?.();
    this.#deaf?.();
    this.#deaf = null;
  }

  protected override willUpdate(): void {
    this.#deaf ??= this.host.onHint((hint) => {
      if (hint.topic === 'progress' && hint.runId === this.runId) this.told = hint;
    });
  }

  protected override updated(): void {
    const run = this.#run.value;
    if (run !== null) nameScreen(`${run.automationName}, ${statusWord(statusOf(run)).toLowerCase()}`);
    // With the library that compares, so only for who looks at a watch. Without it there is still the list of steps.
    const brought = run?.output;
    const hasWatch =
      brought?.kind === 'steps'
        ? brought.steps.some(({ kind }) => kind === 'watch')
        : brought?.kind === 'watch';
    if (hasWatch) void import('../parts/watch-result.ts').catch(() => undefined);
    if (run?.status === 'running') this.#wasRunning = run.id;
    else if (run !== null && this.#wasRunning === run.id) {
      this.#wasRunning = null;
      announce(`${statusWord(statusOf(run))}. ${verdictOf(run, Date.now()).headline}`);
    }
  }

  readonly #again = async (from?: StepStart): Promise<void> => {
    const run = this.#run.value;
    if (run === null || this.busy) return;
    this.busy = true;
    try {
      const name = run.automationName;
      const result = await this.host.runNow({
        id: run.automationId,
        ...(from === undefined ? {} : { from }),
      });
      switch (result.kind) {
        case 'claimed':
          navigate(href.run(result.run.id));
          break;
        case 'already-active': {
          const { runId } = result;
          showToast({
            text: result.queued
              ? `${name} is running, and will run once more after that.`
              : `${name} is already running.`,
            action: {
              label: 'Open the run',
              run: () => {
                navigate(href.run(runId));
              },
            },
          });
          break;
        }
        case 'at-capacity':
          showToast({
            text: `${name} will run as soon as another run ends: as many as allowed are running.`,
          });
          break;
        case 'waiting':
          showToast({
            text: `${name} will run when it can. ${waitingText(result.for, result.secret)}.`,
            ...helpButton(this.host, result),
          });
          break;
        case 'not-continued':
          showToast({ text: result.why, tone: 'bad' });
          break;
        case 'busy':
          showToast({ text: `${name} is just starting or ending a run. Try again in a moment.` });
          break;
        case 'not-found':
          showToast({ text: `${name} was deleted, so it cannot run again.`, tone: 'bad' });
          break;
        default:
          assertNever(result);
      }
    } catch (error) {
      showToast({ text: errorSentence(problemOf(error).code), tone: 'bad' });
    } finally {
      this.busy = false;
    }
  };

  readonly #cancel = async (): Promise<void> => {
    const run = this.#run.value;
    if (run === null || this.busy) return;
    this.busy = true;
    try {
      const result = await this.host.cancelRun({ runId: run.id });
      if (result.kind !== 'cancelling') showToast({ text: 'It had already ended.' });
      await this.#run.refresh();
    } catch (error) {
      showToast({ text: errorSentence(problemOf(error).code), tone: 'bad' });
    } finally {
      this.busy = false;
    }
  };

  readonly #answer = async (answer: 'happened' | 'run-again'): Promise<void> => {
    const run = this.#run.value;
    if (run === null || this.busy) return;
    this.busy = true;
    try {
      await answerRun(this.host, run, answer);
      await this.#run.refresh();
    } catch (error) {
      showToast({ text: errorSentence(problemOf(error).code), tone: 'bad' });
    } finally {
      this.busy = false;
    }
  };

  readonly #edit = (): void => {
    const automation = this.#automation.value;
    if (automation !== null) navigate(href.edit(automation.id));
  };

  readonly #copy = async (): Promise<void> => {
    const run = this.#run.value;
    if (run === null) return;
    try {
      await navigator.clipboard.writeText(reportOf(run, Date.now()));
      showToast({ text: 'Report copied, without credentials.' });
    } catch {
      showToast({ text: 'The browser did not let Rota copy it.', tone: 'bad' });
    }
  };

  protected override render(): TemplateResult {
    const { state } = this.#run;
    switch (state.kind) {
      case 'loading':
        return html`${this.#head('Run')} ${skeleton(4)}`;
      case 'failed':
        return html`${this.#head('Run')}
        ${failed(state.problem, () => {
          void this.#run.refresh();
        })}`;
      case 'ready':
        return state.value === null ? this.#unknown() : this.#shown(state.value);
    }
  }

  #head(title: string): TemplateResult {
    return pageHeader({ title, up: { label: 'Runs', href: href.runs() } });
  }

  #unknown(): TemplateResult {
    return html`${this.#head('No such run')}
    ${empty(
      'There is no run at this address.',
      'Old runs are removed in time, and each browser has its own. The newest are in the list.',
      html`<a class="btn primary" href=${href.runs()}>All runs</a>`,
    )}`;
  }

  #shown(run: RunDetail): TemplateResult {
    const now = Date.now();
    const kind = statusOf(run);
    const { tone, headline, more } = verdictOf(run, now);
    const exists = this.#automation.state.kind !== 'ready' || this.#automation.state.value !== null;
    return html`${pageHeader({
        title: html`<a href=${href.automation(run.automationId)}>${run.automationName}</a>`,
        up: { label: 'Runs', href: href.runs() },
        below: html`<p class="meta">
          ${statusBadge(kind)}
          <time datetime=${isoDateTime(run.scheduledFor)} title=${fullDateTime(run.scheduledFor)}
            >${namedDateTime(run.scheduledFor, now)}</time
          >
          ${run.attempt > 1 ? html`<span>attempt ${run.attempt}</span>` : nothing}
          ${exists ? nothing : html`<span>its automation was deleted</span>`}
        </p>`,
        actions: this.#actions(run, exists),
      })}
      <div class="verdict ${tone}">
        <p><b>${headline}</b></p>
        ${more.length === 0 ? nothing : html`<p class="rest">${more.join(' ')}</p>`}
        ${isUnanswered(run) ? this.#question(exists) : nothing} ${this.#fromStep(run)} ${this.#help(run)}
      </div>
      <div class="columns">
        <section aria-label="Steps">
          ${
            run.output?.kind === 'watch' && run.output.finding !== undefined
              ? html`<rota-watch-result .host=${this.host} .run=${run}></rota-watch-result>`
              : nothing
          }
          ${run.output?.kind === 'steps' ? stepsTrace(run, run.output, this.host) : nothing}
          ${runTrace(this.#withTold(run))}
        </section>
        <aside aria-label="Facts">${this.#facts(run, now)}</aside>
      </div>`;
  }

  /** `run` with the latest that it told: of the last step that it came to the longest. */
  #withTold(run: RunDetail): RunDetail {
    const { told } = this;
    if (run.status !== 'running' || told?.runId !== run.id) return run;
    const { progress = told.progress } = run;
    const length = ({ text, thought, isCut }: RunProgress): number =>
      isCut ? Infinity : text.length + thought;
    const ahead = (told.progress.step ?? 0) - (progress.step ?? 0);
    const isLater = ahead === 0 ? length(told.progress) >= length(progress) : ahead > 0;
    return { ...run, progress: isLater ? told.progress : progress };
  }

  /** What can be done at once about why it failed. */
  #help({ failure, output }: RunDetail): TemplateResult | typeof nothing {
    const address = output !== null && 'request' in output ? output.request.url : null;
    if (failure?.code === 'local-network-blocked' && address !== null)
      return html`<rota-network-access class="help" .address=${address}></rota-network-access>`;
    const automation = this.#automation.value;
    if (failure?.code !== 'blocked-by-cors' || automation === null) return nothing;
    if (onlyReachability(definitionOf(automation)) === null) return nothing;
    return html`<p class="answers">
      <button
        type="button"
        class="btn"
        ?disabled=${this.busy}
        @click=${() => void this.#onlyReach(automation)}
      >
        Only check that it answers
      </button>
      <span class="quiet small">Needs nothing of the server. What it says cannot be read then.</span>
    </p>`;
  }

  readonly #onlyReach = async (automation: AutomationView): Promise<void> => {
    this.busy = true;
    try {
      await saveAsReachability(this.host, automation);
      await this.#automation.refresh();
    } finally {
      this.busy = false;
    }
  };

  /** Only a person can know whether an effect happened whose answer was lost. */
  #question(exists: boolean): TemplateResult {
    return html`<p class="answers">
      <button type="button" class="btn" ?disabled=${this.busy} @click=${() => void this.#answer('happened')}>
        ${icon('check', 14)}It did happen
      </button>
      ${
        exists
          ? html`<button
              type="button"
              class="btn"
              ?disabled=${this.busy}
              @click=${() => void this.#answer('run-again')}
            >
              ${icon('play', 14)}It did not: run it again
            </button>`
          : nothing
      }
    </p>`;
  }

  /** What several steps did before one of them failed need not be done again. */
  #fromStep(run: RunDetail): TemplateResult | typeof nothing {
    const step = run.failure?.step ?? 1;
    const automation = this.#automation.value;
    if (step === 1 || run.output?.kind !== 'steps' || run.definition === null || automation === null)
      return nothing;
    if (!sameStepsBefore(run.definition.action, automation.action, step))
      return html`<p class="rest">
        It cannot go on from step ${step}: the steps before it have been edited since. Run it from the first.
      </p>`;
    return html`<p class="answers">
      <button
        type="button"
        class="btn"
        ?disabled=${this.busy}
        @click=${() => void this.#again({ runId: run.id, step })}
      >
        ${icon('play', 14)}Retry from step ${step}
      </button>
    </p>`;
  }

  #actions(run: RunDetail, exists: boolean): TemplateResult {
    return html`<button type="button" class="btn bare" @click=${this.#copy}>
        ${icon('copy', 14)}Copy report
      </button>
      ${exists ? html`<a class="btn" href=${href.edit(run.automationId)}>${icon('pencil', 14)}Edit</a>` : nothing}
      ${
        run.status === 'running'
          ? html`<button
              type="button"
              class="btn danger"
              ?disabled=${this.busy || run.cancelling === true}
              @click=${this.#cancel}
            >
              ${icon('stop', 14)}${run.cancelling === true ? 'Cancelling…' : 'Cancel'}
            </button>`
          : exists
            ? html`<button
                type="button"
                class="btn primary"
                ?disabled=${this.busy}
                @click=${() => void this.#again()}
              >
                ${icon('play', 14)}Run again
              </button>`
            : nothing
      }`;
  }

  #facts(run: RunDetail, now: number): TemplateResult {
    const automation = this.#automation.value;
    return html`<h2>This run</h2>
      <dl class="facts">
        ${fact('Scheduled', instant(run.scheduledFor, now))}
        ${run.startedAt === null ? nothing : fact('Started', instant(run.startedAt, now))}
        ${
          run.latenessMs === null || run.cause === 'manual'
            ? nothing
            : fact('Late by', latenessOf(run.latenessMs))
        }
        ${
          run.startedAt === null || run.settledAt === null
            ? nothing
            : fact(
                'Took',
                html`<span title="${run.settledAt - run.startedAt} ms"
                  >${durationText(run.settledAt - run.startedAt)}</span
                >`,
              )
        }
        ${
          run.covers !== undefined && run.covers.count > 1
            ? fact(
                'Stands for',
                `${countText(run.covers.count, 'time')}, ${namedDateTime(run.covers.from, now)} to ${namedDateTime(run.covers.to, now)}`,
              )
            : nothing
        }
        ${fact('Because', becauseOf(run, now))}
        ${run.startedAt === null ? nothing : fact('Attempt', attemptOf(run))}
        ${run.definition === null ? nothing : fact('Effect', effectOf(run.definition))}
        ${run.host === null ? nothing : fact('Ran in', `${HOSTS[run.host.kind]}, build ${run.host.build}`)}
        ${run.imported === undefined ? nothing : fact('Imported', importedOf(run.imported, now))}
        ${fact('Run id', html`<span class="id">${run.id}</span>`)}
        ${run.definition === null ? nothing : fact('Definition', definitionFact(run.definition, run, automation, now))}
      </dl>
      ${this.#attempts(run)}
      ${
        automation === null || automation.recent.length === 0
          ? nothing
          : html`<h2>
                ${automation.recent.length === 1 ? 'Last run' : `Last ${automation.recent.length} runs`}
              </h2>
              <rota-run-bar .runs=${automation.recent} .active=${automation.active}></rota-run-bar>`
      }`;
  }

  #attempts(run: RunDetail): TemplateResult | typeof nothing {
    const others = (this.#siblings.value ?? [])
      .filter((one) => one.occurrence === run.occurrence && one.id !== run.id)
      .sort((a, b) => a.attempt - b.attempt);
    if (others.length === 0) return nothing;
    return html`<h2>Other attempts at this time</h2>
      <ul class="attempts">
        ${others.map(
          (one) =>
            html`<li>
              ${statusShape(statusOf(one))}
              <a href=${href.run(one.id)}>Attempt ${one.attempt}</a>
              <span class="quiet">${statusWord(statusOf(one)).toLowerCase()}</span>
            </li>`,
        )}
      </ul>`;
  }
}

const HOSTS = {
  'shared-worker': 'shared worker',
  'tab-worker': 'worker of a tab',
  'service-worker': 'service worker',
} as const;

function fact(name: string, value: TemplateResult | string): TemplateResult {
  return html`<div>
    <dt>${name}</dt>
    <dd>${value}</dd>
  </div>`;
}

function instant(at: number, now: number): TemplateResult {
  return html`<time datetime=${isoDateTime(at)} title=${fullDateTime(at)}
    >${namedDateTime(at, now).replace(/ \d\d:\d\d$/, '')} <span class="mono">${clockTimeMs(at)}</span></time
  >`;
}

function latenessOf(ms: number): TemplateResult {
  const late = latenessText(ms) !== null;
  return html`<span class=${late ? 'warn' : ''} title="${ms} ms">${durationText(ms)}</span>`;
}

/** Where a run that ran somewhere else came from, and when. */
function importedOf({ from, at }: NonNullable<RunDetail['imported']>, now: number): string {
  return `with ${SOURCE_NAMES[from]}, ${namedDateTime(at, now)}`;
}

function becauseOf(run: RunDetail, now: number): string {
  const words = causeText(run.cause);
  return run.definition === null || run.cause === 'manual'
    ? words
    : `${words}, ${lowerFirst(scheduleSentence(run.definition.schedule, now))}`;
}

function attemptOf(run: RunDetail): string {
  const of = run.definition === null ? 1 : retryRuleOf({ definition: run.definition }).attempts;
  return of > 1 ? `${run.attempt} of ${of}` : String(run.attempt);
}

function effectOf(definition: Definition): string {
  const { action } = definition;
  const hasTools = action.kind === 'prompt' && action.tools !== undefined;
  const kind = EFFECTS[action.kind] ?? (action.kind === 'http' ? action.method : '');
  const what = hasTools ? `${kind} with tools` : kind;
  return isRepeatable(action) ? `${what}, safe to repeat` : `${what}, never repeated by itself`;
}

const EFFECTS: Readonly<Partial<Record<Definition['action']['kind'], string>>> = {
  watch: 'GET',
  remind: 'Reminder',
  prompt: 'Prompt',
  script: 'Script',
  steps: 'Steps',
};

function definitionFact(
  definition: Definition,
  run: RunDetail,
  automation: AutomationView | null,
  now: number,
): TemplateResult {
  const since =
    automation === null || run.revision === null || automation.revision === run.revision
      ? 'as it still is'
      : `as it was then; it is at revision ${automation.revision} now`;
  return html`<details>
    <summary>Revision ${run.revision ?? '?'}</summary>
    <p class="quiet">${since}</p>
    <dl class="words">${definitionWords(definition, now).map(({ label, text }) => fact(label, text))}</dl>
  </details>`;
}

function lowerFirst(text: string): string {
  return /^[A-Z][a-z]/.test(text) ? text.charAt(0).toLowerCase() + text.slice(1) : text;
}

declare global {
  interface HTMLElementTagNameMap {
    'rota-run-page': RunPage;
  }
}
