/** The steps of a run of several: how each ended, and on request what went in and what came out. */
import { type TemplateResult, css, html, nothing } from 'lit';
import { type RunStatus, type StepTrace, type StepsOutput, stepTitle } from '../../domain/index.ts';
import type { RunDetail } from '../../rpc/index.ts';
import type { RemoteHost } from '../remote-host.ts';
import { href } from '../router.ts';
import { durationText } from '../text/durations.ts';
import { ACTIONS } from '../text/help-actions.ts';
import { stepTrace } from './run-trace-view.ts';
import { statusShape } from './status-mark.ts';

/** The steps of `run`, which brought `output` back. The one that failed is open. */
export function stepsTrace(run: RunDetail, output: StepsOutput, host: RemoteHost): TemplateResult {
  return html`<ol class="steps-trace" aria-label="What each step did">
    ${output.steps.map((trace) => oneStep(run, trace, host))}
  </ol>`;
}

function oneStep(run: RunDetail, trace: StepTrace, host: RemoteHost): TemplateResult {
  const took =
    'totalMs' in trace ? html`<span class="mono quiet">${durationText(trace.totalMs)}</span>` : nothing;
  const brought = 'output' in trace ? trace.output : undefined;
  return html`<li>
    <p class="head">
      ${statusShape(STATUSES[trace.status])} <b>${stepTitle(trace.step, trace.name)}</b>
      <span class="quiet">${ACTIONS[trace.kind].label}, ${WORDS[trace.status]}</span> ${took}
    </p>
    ${said(trace)}
    ${
      brought === undefined
        ? nothing
        : html`<details ?open=${trace.status === 'failed'}>
            <summary>What went in and came out of step ${trace.step}</summary>
            ${
              brought.kind === 'watch' && brought.finding !== undefined
                ? html`<rota-watch-result .host=${host} .run=${alone(run, trace)}></rota-watch-result>`
                : nothing
            }
            ${stepTrace(alone(run, trace))}
          </details>`
    }
  </li>`;
}

function said(trace: StepTrace): TemplateResult | typeof nothing {
  switch (trace.status) {
    case 'succeeded':
      return html`<p class="said">${trace.summary}</p>`;
    case 'failed':
      return html`<p class="said">${trace.failure.message} ${trace.failure.advice ?? ''}</p>`;
    case 'taken':
      return html`<p class="said">
        ${trace.summary} <a href=${href.run(trace.from)}>The run that did it</a>
      </p>`;
    case 'left-out':
      return html`<p class="said">No watch before it found a change.</p>`;
    case 'stopped':
    case 'not-reached':
      return nothing;
  }
}

/** The run as it would be were the step of `trace` its only one. */
function alone({ effect: _effect, failure: _failure, ...run }: RunDetail, trace: StepTrace): RunDetail {
  const { definition } = run;
  const step = definition?.action.kind === 'steps' ? definition.action.steps[trace.step - 1] : undefined;
  return {
    ...run,
    status: STATUSES[trace.status],
    output: 'output' in trace ? (trace.output ?? null) : null,
    definition:
      definition === null || step === undefined ? definition : { ...definition, action: step.action },
    ...(trace.status === 'failed' ? { failure: trace.failure } : {}),
  };
}

const STATUSES: Readonly<Record<StepTrace['status'], Exclude<RunStatus, 'running'>>> = {
  succeeded: 'succeeded',
  taken: 'succeeded',
  failed: 'failed',
  stopped: 'interrupted',
  'left-out': 'skipped',
  'not-reached': 'skipped',
};

const WORDS: Readonly<Record<StepTrace['status'], string>> = {
  succeeded: 'succeeded',
  taken: 'taken from an earlier run',
  failed: 'failed',
  stopped: 'was under way when the run ended',
  'left-out': 'left out',
  'not-reached': 'not reached',
};

/** How the list looks. */
export const stepsTraceStyles = css`
  .steps-trace > li {
    display: grid;
    gap: 4px;
    padding: var(--space-3) 0;
    border-bottom: 1px solid var(--rule);
  }

  /* The trace that follows, and those inside, bring lines of their own. */
  .steps-trace > li:last-child,
  .steps-trace .trace > li:last-child {
    border-bottom: 0;
  }

  /* Its mark, what it is called and how long it took; below each other what it is and what came of it. */
  .steps-trace .head {
    display: grid;
    grid-template-columns: 16px minmax(0, 1fr) auto;
    align-items: center;
    gap: 2px 8px;
  }

  .steps-trace .head > .quiet:not(.mono) {
    grid-area: 2 / 2 / auto / -1;
    font-size: var(--size-s);
  }

  .steps-trace .head > .mono {
    grid-area: 1 / 3;
  }

  .steps-trace .said,
  .steps-trace details {
    margin-inline-start: 24px;
  }

  .steps-trace .said {
    color: var(--ink-2);
    overflow-wrap: anywhere;
  }

  .steps-trace summary {
    width: fit-content;
    min-height: 24px;
    font-size: var(--size-s);
  }

  @media (max-width: 560px) {
    .steps-trace details[open] > :not(summary) {
      margin-inline-start: -24px;
    }
  }
`;
