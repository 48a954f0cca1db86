/** The steps of a run as a list along one line, each with what went in and what came out. */
import { type TemplateResult, css, html, nothing } from 'lit';
import type {
  AnswerEnd,
  PromptOutput,
  ReceivedResponse,
  SentRequest,
  ToolCall,
  ToolResult,
  ToolRound,
  WatchOutput,
} from '../../domain/index.ts';
import type { RunDetail, RunProgress } from '../../rpc/index.ts';
import { actionText } from '../pages/editor-words.ts';
import { type TraceStep, outputSteps, traceOf } from '../pages/run-trace.ts';
import { bytesText, countText, listText } from '../text/counts.ts';
import { clockTimeMs, clockTimeSeconds } from '../text/dates.ts';
import { durationText } from '../text/durations.ts';
import { type Tone, reasonText, statusOf, statusTone, statusWord } from '../text/status.ts';
import { usageText } from '../text/usage.ts';
import { scriptStep } from './script-view.ts';
import './answer-view.ts';
import './body-view.ts';
import './time.ts';

/** The list of steps of `run`. */
export function runTrace(run: RunDetail): TemplateResult {
  return traceList(traceOf(run), run);
}

/** What one of several steps did; `run` is the run as it would be were that step alone. */
export function stepTrace(run: RunDetail): TemplateResult | typeof nothing {
  const steps = outputSteps(run);
  return steps.length === 0 ? nothing : traceList(steps, run);
}

function traceList(steps: readonly TraceStep[], run: RunDetail): TemplateResult {
  return html`<ol class="trace">
    ${steps.map(
      (step) =>
        html`<li>
          <span class="at mono">${step.at === null ? '' : clockTimeMs(step.at)}</span>
          <span class="pin ${toneOf(step, run)}" aria-hidden="true"></span>
          <div class="what">${content(step, run)}</div>
          <span class="took mono">${step.tookMs === undefined ? '' : durationText(step.tookMs)}</span>
        </li>`,
    )}
  </ol>`;
}

function toneOf(step: TraceStep, run: RunDetail): Tone | 'hollow' {
  switch (step.kind) {
    case 'due':
      return 'hollow';
    case 'recorded':
      return 'quiet';
    case 'left':
      return run.mayHaveHappened === true ? 'warn' : 'ok';
    case 'running':
      return 'now';
    case 'ended':
      return statusTone(statusOf(run));
    case 'unanswered':
      return 'bad';
    case 'looked':
    case 'answered':
      return asExpected(step.response, run) ? 'ok' : 'bad';
    case 'computed':
    case 'reached':
    case 'replied':
      return run.status === 'succeeded' ? 'ok' : 'bad';
    case 'claimed':
    case 'asked':
    case 'sent':
    case 'shown':
      return 'ok';
  }
}

function content(step: TraceStep, run: RunDetail): TemplateResult {
  switch (step.kind) {
    case 'claimed':
      return html`<p><b>Claimed</b></p>
        <p class="quiet small">
          due
          ${clockTimeMs(run.scheduledFor)}${
            run.host === null ? '' : ` · by the ${HOSTS[run.host.kind]}, build ${run.host.build}`
          }${run.fence === null ? '' : ` · fence ${run.fence}`}
        </p>`;
    case 'sent':
      return sentStep(step.request);
    case 'answered':
      return answeredStep(step.response, run);
    case 'looked':
      return lookedStep(step.response, run);
    case 'reached':
      return html`<p><b>Something answered</b></p>
        <p class="quiet small">
          What it said cannot be read: this was only a reachability check, without CORS.
        </p>`;
    case 'unanswered':
      return html`<p><b>${isReachability(run) ? 'Nothing answered' : 'No answer that Rota may read'}</b></p>
        ${run.failure === undefined ? nothing : html`<p class="quiet small">${run.failure.message}</p>`}`;
    case 'asked':
      return askedStep(step.output);
    case 'replied':
      return repliedStep(step.output);
    case 'computed':
      return scriptStep(
        step.output,
        run.definition?.action.kind === 'script' ? run.definition.action.source : null,
      );
    case 'shown':
      return html`<p><b>Reminder</b></p>
        <p class="message">${step.message}</p>`;
    case 'running':
      return html`<p>
          <b class="now">${run.cancelling === true ? 'Being cancelled' : 'Running'}</b>
          ${run.startedAt === null ? nothing : html`for <rota-time .at=${run.startedAt} form="elapsed"></rota-time>`}
        </p>
        ${run.progress === undefined ? nothing : underWay(run, run.progress)}`;
    case 'ended':
      return endedStep(run);
    case 'left':
      return html`<p><b>Request sent</b></p>
        <p class="quiet small">
          ${
            run.effect === 'sent'
              ? 'It arrived; its answer was not stored.'
              : 'Whether it arrived is not known.'
          }
        </p>`;
    case 'due':
      return html`<p>
        <b>Due</b>${
          run.covers !== undefined && run.covers.count > 1
            ? html` <span class="quiet small"
                >${countText(run.covers.count, 'time')}, the last at ${clockTimeMs(run.covers.to)}</span
              >`
            : nothing
        }
      </p>`;
    case 'recorded':
      return html`<p>
          <b>Recorded</b> <span class="quiet small">as ${statusWord(run.status).toLowerCase()}</span>
        </p>
        ${run.reason === undefined ? nothing : html`<p class="quiet small">${reasonText(run.reason)}</p>`}`;
  }
}

const HOSTS = {
  'shared-worker': 'shared worker',
  'tab-worker': 'worker of a tab',
  'service-worker': 'service worker',
} as const;

function sentStep({ method, url, headers, body, mode }: SentRequest): TemplateResult {
  return html`<p class="url"><b>${method}</b> ${url}</p>
    ${mode === 'no-cors' ? html`<p class="quiet small">Only to see whether something answers.</p>` : nothing}
    ${headerList(headers, 'sent', true)}
    ${
      body === undefined || body === ''
        ? nothing
        : html`<rota-body-view
            .text=${body}
            .contentType=${valueOf(headers, 'content-type')}
            label="Body of the request"
            name="request"
          ></rota-body-view>`
    }`;
}

/** The status line and the headers. */
function answerHead(response: Omit<ReceivedResponse, 'text'>, run: RunDetail): TemplateResult {
  const { status, statusText, headers, contentType, bytes } = response;
  const expected = expectedText(run);
  return html`<p>
      <b>${`${status} ${statusText}`.trimEnd()}</b
      >${asExpected(response, run) ? '' : `, expected ${expected}`}
      <span class="quiet small">${bytesText(bytes)}${contentType === '' ? '' : ` · ${contentType}`}</span>
    </p>
    ${headerList(headers, 'received', false)}`;
}

/** What a watch was answered. What it found in it stands above the steps. */
function lookedStep(response: NonNullable<WatchOutput['response']>, run: RunDetail): TemplateResult {
  const { contentType, text, truncated } = response;
  return html`${answerHead(response, run)}
  ${
    text === undefined || text === ''
      ? nothing
      : html`<rota-body-view
          .text=${text}
          .contentType=${contentType}
          label="Beginning of the answer"
          name="answer"
        ></rota-body-view>`
  }
  ${truncated ? html`<p class="warn small">The answer was longer; the rest of it was not read.</p>` : nothing}`;
}

function answeredStep(response: ReceivedResponse, run: RunDetail): TemplateResult {
  const { contentType, text, truncated } = response;
  return html`${answerHead(response, run)}
  ${
    text === null
      ? html`<p class="quiet small">The body is not text, so it is not shown.</p>`
      : text === ''
        ? html`<p class="quiet small">The body is empty.</p>`
        : html`<rota-body-view
            .text=${text}
            .contentType=${contentType}
            label="Body of the answer"
            name="answer"
          ></rota-body-view>`
  }
  ${truncated ? html`<p class="warn small">The answer was longer; the rest of it was not kept.</p>` : nothing}`;
}

/** What was asked, with the prompts as they were filled in. */
function askedStep({ request }: PromptOutput): TemplateResult {
  const { model, url, system, prompt, temperature, maxTokens, tools = [] } = request;
  const settings = [
    ...(temperature === undefined ? [] : [`temperature ${temperature}`]),
    ...(maxTokens === undefined ? [] : [`at most ${countText(maxTokens, 'token')}`]),
  ];
  const part = (text: string, label: string): TemplateResult =>
    html`<rota-body-view
      .text=${text}
      .contentType=${'text/plain'}
      label=${label}
      name="prompt"
    ></rota-body-view>`;
  return html`<p class="url"><b>Asked</b> ${model} <span class="quiet small">at ${url}</span></p>
    ${settings.length === 0 ? nothing : html`<p class="quiet small">${listText(settings)}</p>`}
    ${
      tools.length === 0
        ? nothing
        : html`<p class="quiet small">
            It may call ${listText(tools.map(({ host, name }) => `${name} (${host})`))}.
          </p>`
    }
    ${system === undefined ? nothing : part(system, 'System prompt')} ${part(prompt, 'Prompt')}`;
}

/** What a model answered, as far as it came, and what it used. */
function repliedStep({ rounds = [], answer, usage }: PromptOutput): TemplateResult {
  const used = usage === undefined ? nothing : html`<p class="quiet small">${usageText(usage)}</p>`;
  if (answer === undefined)
    return html`${roundsList(rounds)}
      <p><b>${rounds.length === 0 ? 'No word of an answer' : 'No word of a last answer'}</b></p>
      ${used}`;
  return html`${roundsList(rounds)}
    <p>
      <b>Answered</b>
      <span class="quiet small"
        >${ANSWER_ENDS[answer.end]}${answer.model === undefined ? '' : ` · ${answer.model}`}</span
      >
    </p>
    <rota-answer-view .text=${answer.text}></rota-answer-view>
    ${used}`;
}

const ANSWER_ENDS: Readonly<Record<AnswerEnd, string>> = {
  complete: 'to its end',
  length: 'cut at the longest answer that was asked for',
  filtered: 'cut by the rules of the endpoint',
  tool: 'and wanted to call a tool, which it could not',
  cut: 'as far as it came',
};

/** What was said and called before the last answer, each call folded. All of it is foreign, and shown as text. */
function roundsList(rounds: readonly ToolRound[]): TemplateResult | typeof nothing {
  if (rounds.length === 0) return nothing;
  return html`<ol class="calls" aria-label="Calls of tools">
    ${rounds.map(
      ({ text, calls }) =>
        html`${text.trim() === '' ? nothing : html`<li><p class="message">${text.trim()}</p></li>`}
        ${calls.map((call) => html`<li>${toolCall(call)}</li>`)}`,
    )}
  </ol>`;
}

function toolCall({ host, tool, arguments: written, result, tookMs }: ToolCall): TemplateResult {
  const [word, tone] = callWords(result);
  return html`<details class="call">
    <summary>
      <b>${tool === '' ? 'A tool without a name' : tool}</b>
      ${host === undefined ? '' : ` at ${host}`} · <span class=${tone}>${word}</span>${
        tookMs === undefined ? '' : ` · ${durationText(tookMs)}`
      }
    </summary>
    <rota-body-view
      .text=${written}
      .contentType=${'application/json'}
      label="Arguments of ${tool}"
      name="arguments"
    ></rota-body-view>
    ${callResult(tool, result)}
  </details>`;
}

function callResult(tool: string, result: ToolResult): TemplateResult {
  switch (result.kind) {
    case 'answered':
      return html`${
        result.text === ''
          ? html`<p class="quiet small">It answered nothing.</p>`
          : html`<rota-body-view
              .text=${result.text}
              .contentType=${'text/plain'}
              label="Answer of ${tool}"
              name="result"
            ></rota-body-view>`
      }
      ${
        result.cutFrom === undefined
          ? nothing
          : html`<p class="warn small">
              Cut: it answered ${countText(result.cutFrom, 'character')}, and neither the model nor this run
              got the rest.
            </p>`
      }`;
    case 'refused':
      return html`<p class="small"><b>Not called.</b> The model was told: ${result.message}</p>`;
    case 'failed':
      return html`<p class="small">${result.message}</p>`;
    case 'cut':
      return html`<p class="small">The run ended before it had answered. It may have happened.</p>`;
  }
}

/** What came of a call in two words, and how they are coloured. */
function callWords(result: ToolResult): readonly [string, string] {
  switch (result.kind) {
    case 'answered':
      return result.isError === true ? ['answered with an error', 'warn'] : ['answered', 'quiet'];
    case 'refused':
      return ['refused', 'warn'];
    case 'failed':
      return ['failed', 'bad'];
    case 'cut':
      return ['not answered', 'warn'];
  }
}

/** Which of several steps runs, and what there is of it. */
function underWay({ definition }: RunDetail, progress: RunProgress): TemplateResult | typeof nothing {
  const action = definition?.action;
  const place = progress.step;
  if (action?.kind !== 'steps' || place === undefined) return soFar(progress);
  const step = action.steps[place - 1];
  if (step === undefined) return nothing;
  return html`<p class="step-now">
      Step ${place} of ${action.steps.length}: ${step.name ?? actionText(step.action)}
    </p>
    ${step.action.kind === 'prompt' ? soFar(progress) : nothing}`;
}

/** An answer as it comes. It is read out once it is whole. */
function soFar({ text, isCut, thought }: RunProgress): TemplateResult {
  if (text === '')
    return thought === 0
      ? html`<p class="quiet small">Waiting for the first word of the answer.</p>`
      : html`<p class="quiet small">It is thinking: ${countText(thought, 'character')} so far.</p>`;
  return html`<p class="message" role="region" aria-label="Answer so far">${isCut ? '… ' : ''}${text}</p>`;
}

/** Headers that were sent are few and chosen; those that came back are many and mostly dull. */
function headerList(
  headers: Readonly<Record<string, string>>,
  what: string,
  open: boolean,
): TemplateResult | typeof nothing {
  const entries = Object.entries(headers);
  if (entries.length === 0) return nothing;
  const list = html`<dl class="headers">
    ${entries.map(
      ([name, value]) =>
        html`<div>
          <dt>${name}</dt>
          <dd>${value}</dd>
        </div>`,
    )}
  </dl>`;
  if (open) return list;
  return html`<details>
    <summary>${countText(entries.length, 'header')} ${what}</summary>
    ${list}
  </details>`;
}

function endedStep(run: RunDetail): TemplateResult {
  const word = statusWord(run.status);
  return html`<p><b>Settled</b> <span class="quiet small">as ${word.toLowerCase()}</span></p>
    ${run.summary === undefined ? nothing : html`<p class="quiet small">${run.summary}</p>`}
    ${
      run.retryAt === undefined
        ? nothing
        : html`<p class="quiet small">next attempt at ${clockTimeSeconds(run.retryAt)}</p>`
    }`;
}

function isReachability({ output }: RunDetail): boolean {
  return output?.kind === 'http' && output.request.mode === 'no-cors';
}

function asExpected(response: Pick<ReceivedResponse, 'status'>, run: RunDetail): boolean {
  const wanted = statusesOf(run);
  return wanted === null
    ? response.status >= 200 && response.status <= 299
    : wanted.includes(response.status);
}

function expectedText(run: RunDetail): string {
  const wanted = statusesOf(run);
  return wanted === null ? 'any 2xx' : listText(wanted.map(String)).replace(/ and (\d+)$/, ' or $1');
}

function statusesOf(run: RunDetail): readonly number[] | null {
  const action = run.definition?.action;
  return action?.kind === 'http' ? (action.expect?.status ?? null) : null;
}

function valueOf(headers: Readonly<Record<string, string>>, name: string): string {
  return Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1] ?? '';
}

/** How the list looks. */
export const runTraceStyles = css`
  .trace > li {
    position: relative;
    display: grid;
    grid-template-columns: 104px 14px minmax(0, 1fr) auto;
    gap: var(--space-4);
    padding: var(--space-3) 0 var(--space-4);
    border-bottom: 1px solid var(--rule);
  }

  .trace > li:first-child {
    border-top: 1px solid var(--rule);
  }

  .trace .at,
  .trace .took {
    padding-top: 2px;
    color: var(--ink-3);
    white-space: nowrap;
  }

  .trace .pin {
    position: relative;
    width: 11px;
    height: 11px;
    margin-top: 6px;
    border: 2px solid currentColor;
    border-radius: 50%;
    background: var(--paper);
  }

  /* The line that the steps hang on. */
  .trace > li:not(:last-child)::after {
    content: '';
    position: absolute;
    top: 33px;
    bottom: -14px;
    inset-inline-start: calc(104px + var(--space-4) + 4.5px);
    width: 2px;
    background: var(--rule);
  }

  .trace .pin.quiet {
    color: var(--ink-3);
  }

  .trace .pin.bad {
    background: currentColor;
  }

  .trace .pin.hollow {
    color: var(--warn);
    border-style: dashed;
  }

  .trace .pin.now {
    background: currentColor;
    animation: trace-breathe 1.5s ease-in-out infinite alternate;
  }

  @keyframes trace-breathe {
    to {
      opacity: 0.35;
    }
  }

  .trace .what {
    display: grid;
    gap: 6px;
    min-width: 0;
  }

  .trace .url {
    overflow-wrap: anywhere;
  }

  .trace .message {
    padding: var(--space-2) var(--space-3);
    border-inline-start: 2px solid var(--rule-strong);
    white-space: pre-wrap;
    overflow-wrap: anywhere;
  }

  .trace .calls {
    display: grid;
    gap: 6px;
    margin: 0;
    padding: 0;
    list-style: none;
  }

  .trace .call[open] {
    display: grid;
    gap: 6px;
  }

  .trace .call summary {
    width: auto;
    overflow-wrap: anywhere;
  }

  .trace .headers {
    padding: 2px 0;
    font: var(--size-s) / 1.5 var(--font-mono);
    letter-spacing: -0.01em;
  }

  .trace .headers > div {
    display: flex;
    gap: 1ch;
    overflow-wrap: anywhere;
  }

  .trace .headers dt {
    flex: none;
    max-width: 50%;
    color: var(--ink-3);
  }

  .trace .headers dt::after {
    content: ':';
  }

  .trace summary {
    width: fit-content;
    min-height: 24px;
    color: var(--ink-2);
    font-size: var(--size-s);
    cursor: pointer;
  }

  @media (max-width: 760px) {
    .trace > li {
      grid-template-columns: 14px minmax(0, 1fr) auto;
      gap: 2px var(--space-3);
    }

    .trace > li:not(:last-child)::after {
      top: 31px;
      inset-inline-start: 4.5px;
    }

    .trace .pin {
      grid-row: 1;
      margin-top: 4px;
    }

    .trace .at {
      grid-column: 2;
      grid-row: 1;
      padding: 0;
    }

    .trace .took {
      grid-column: 3;
      grid-row: 1;
      padding: 0;
    }

    .trace .what {
      grid-column: 2 / 4;
      grid-row: 2;
    }
  }

  @media (prefers-reduced-motion: reduce) {
    .trace .pin.now {
      animation: none;
    }
  }
`;
