/** A run as plain text, to paste into an issue or a message. */
import {
  type Definition,
  type PromptOutput,
  type PlainOutput,
  type ToolCall,
  type WatchOutput,
  type ScriptOutput,
  type StepTrace,
  assertNever,
  isRepeatable,
  stepTitle,
} from '../../domain/index.ts';
import type { RunDetail } from '../../rpc/index.ts';
import { isoDateTime } from '../text/dates.ts';
import { durationText } from '../text/durations.ts';
import { scheduleSentence } from '../text/schedule.ts';
import { usageText } from '../text/usage.ts';
import { causeText, statusOf, statusWord } from '../text/status.ts';
import { verdictOf } from './run-verdict.ts';

/** Longest piece of a body that a report quotes. */
const BODY_MOST = 2_000;

/**
 * Everything about `run` that helps somebody else to understand it. Header values that carry credentials are left out:
 * a report is made to be given away.
 */
export function reportOf(run: RunDetail, now: number): string {
  const { headline, more } = verdictOf(run, now);
  return [
    `${run.automationName}: ${statusWord(statusOf(run))}`,
    [headline, ...more].join(' '),
    '',
    ...facts(run).map(([name, value]) => `${name}: ${value}`),
    ...output(run),
    '',
  ].join('\n');
}

function facts(run: RunDetail): readonly (readonly [string, string])[] {
  const { host } = run;
  return [
    ['Scheduled for', isoDateTime(run.scheduledFor)],
    ...(run.covers !== undefined && run.covers.count > 1
      ? [['Covers', `${run.covers.count} times from ${isoDateTime(run.covers.from)}`] as const]
      : []),
    ...(run.startedAt === null ? [] : [['Started', isoDateTime(run.startedAt)] as const]),
    ...(run.settledAt === null ? [] : [['Ended', isoDateTime(run.settledAt)] as const]),
    ...(run.startedAt === null || run.settledAt === null
      ? []
      : [['Took', durationText(run.settledAt - run.startedAt)] as const]),
    ...(run.latenessMs === null ? [] : [['Late by', durationText(run.latenessMs)] as const]),
    ['Because', causeText(run.cause)],
    ['Attempt', String(run.attempt)],
    ...(run.failure === undefined ? [] : [['Failure', `${run.failure.class}/${run.failure.code}`] as const]),
    ...(run.definition === null ? [] : definitionFacts(run.definition, run.revision)),
    ...(host === null ? [] : [['Host', `${host.kind}, build ${host.build}`] as const]),
    ...(run.fence === null ? [] : [['Fence', String(run.fence)] as const]),
    ['Run', run.id],
    ['Automation', run.automationId],
  ];
}

function definitionFacts(
  definition: Definition,
  revision: number | null,
): readonly (readonly [string, string])[] {
  return [
    ['Schedule', scheduleSentence(definition.schedule, 0)],
    ['Safe to repeat', isRepeatable(definition.action) ? 'yes' : 'no'],
    ...(revision === null ? [] : [['Definition', `revision ${revision}`] as const]),
  ];
}

function output({ output: brought }: RunDetail): readonly string[] {
  if (brought === null) return [];
  return brought.kind === 'steps' ? brought.steps.flatMap(stepLines) : plainOutput(brought);
}

/** A step with what it sent and brought back. */
function stepLines(trace: StepTrace): readonly string[] {
  const took = 'totalMs' in trace ? ` in ${durationText(trace.totalMs)}` : '';
  const output = 'output' in trace ? trace.output : undefined;
  const why = trace.status === 'failed' ? `: ${trace.failure.message}` : '';
  return [
    '',
    `${stepTitle(trace.step, trace.name)}, ${trace.kind}: ${trace.status}${took}${why}`,
    ...(output === undefined ? [] : plainOutput(output)),
  ];
}

function plainOutput(brought: PlainOutput): readonly string[] {
  switch (brought.kind) {
    case 'remind':
      return ['', brought.message];
    case 'prompt':
      return promptLines(brought);
    case 'watch': {
      const { request, response } = brought;
      return [
        '',
        `> ${request.method} ${withoutSecrets(request.url)}`,
        ...headerLines('>', request.headers),
        ...(response === undefined
          ? []
          : [
              '',
              `< ${response.status} ${response.statusText}`.trimEnd(),
              ...headerLines('<', response.headers),
              ...(response.text === undefined || response.text === '' ? [] : ['<', quoted(response.text)]),
            ]),
        ...watchLines(brought.finding),
      ];
    }
    case 'script':
      return scriptLines(brought);
    case 'http': {
      const { request, response, reached } = brought;
      return [
        '',
        `> ${request.method} ${withoutSecrets(request.url)}${request.mode === 'no-cors' ? ' (reachability only, without CORS)' : ''}`,
        ...(reached === true ? ['', '< something answered; what it said cannot be read'] : []),
        ...headerLines('>', request.headers),
        ...(request.body === undefined ? [] : ['>', quoted(request.body)]),
        ...(response === undefined
          ? []
          : [
              '',
              `< ${response.status} ${response.statusText}`.trimEnd(),
              ...headerLines('<', response.headers),
              ...(response.text === null || response.text === '' ? [] : ['<', quoted(response.text)]),
            ]),
      ];
    }
    default:
      return assertNever(brought);
  }
}

/** What was asked, what it used and what was answered. The key is not in a run's output. */
function promptLines({ request, rounds = [], answer, usage }: PromptOutput): readonly string[] {
  const { protocol, url, model, system, prompt, temperature, maxTokens } = request;
  return [
    '',
    `> POST ${withoutSecrets(url)}`,
    `> ${protocol}, ${model}${temperature === undefined ? '' : `, temperature ${temperature}`}${
      maxTokens === undefined ? '' : `, at most ${maxTokens} tokens`
    }`,
    ...(system === undefined ? [] : ['> System prompt', quoted(system)]),
    '> Prompt',
    quoted(prompt),
    ...rounds.flatMap(({ text, calls }) => [
      ...(text.trim() === '' ? [] : ['', `< ${model}`, quoted(text)]),
      ...calls.flatMap(callLines),
    ]),
    ...(answer === undefined ? [] : ['', `< ${answer.model ?? model}, ${answer.end}`, quoted(answer.text)]),
    ...(usage === undefined ? [] : ['', usageText(usage)]),
  ];
}

/** A call of a tool: what with, and what came of it. */
function callLines({ host, tool, arguments: written, result }: ToolCall): readonly string[] {
  const said = result.kind === 'answered' ? result.text : result.kind === 'cut' ? '' : result.message;
  const how = result.kind === 'answered' && result.isError === true ? 'answered with an error' : result.kind;
  return [
    '',
    `> Tool ${tool}${host === undefined ? '' : ` at ${host}`}`,
    quoted(written),
    `< ${how}`,
    ...(said === '' ? [] : [quoted(said)]),
  ];
}

function watchLines(finding: WatchOutput['finding']): readonly string[] {
  if (finding === undefined || !('snapshot' in finding) || finding.snapshot.text === '') return [];
  return ['', 'Found:', quoted(finding.snapshot.text)];
}

/** What a script logged and returned, and where it stopped. */
function scriptLines({ log, requests, value, error }: ScriptOutput): readonly string[] {
  return [
    '',
    ...requests.map(
      ({ method, url, status }) => `> ${method} ${withoutSecrets(url)} ${status ?? 'no answer'}`,
    ),
    ...(log.length === 0 ? [] : [quoted(log.map(({ at, text }) => `${isoDateTime(at)} ${text}`).join('\n'))]),
    ...(error === undefined
      ? []
      : [`! ${error.name}: ${error.message}${error.line === undefined ? '' : ` (line ${error.line})`}`]),
    ...(value === undefined ? [] : [`= ${quoted(value)}`]),
  ];
}

function headerLines(mark: string, headers: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(headers).map(
    ([name, value]) => `${mark} ${name}: ${isCredential(name) ? '(left out)' : value}`,
  );
}

/** Whether the value of a header called `name` gives access to something. */
export function isCredential(name: string): boolean {
  return /authorization|cookie|token|secret|password|api-?key|session|signature/i.test(name);
}

/** Passwords and tokens can stand in a URL too. */
function withoutSecrets(url: string): string {
  return url
    .replace(/^([a-z]+:\/\/)[^/?#@]*@/i, '$1')
    .replace(/([?&]([^=&#]*)=)[^&#]*/g, (all, head: string, name: string) =>
      isCredential(name) ? `${head}(left out)` : all,
    );
}

function quoted(text: string): string {
  return text.length <= BODY_MOST
    ? text
    : `${text.slice(0, BODY_MOST)}\n… (${text.length - BODY_MOST} more characters)`;
}
