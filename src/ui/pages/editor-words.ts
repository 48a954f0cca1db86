/** The parts of a definition in words, for comparing two and for reading one that is past. */
import {
  type Action,
  type Definition,
  type EpochMs,
  type JsonCheck,
  type MissedRule,
  type ModelEndpoint,
  type OverlapRule,
  type PromptLimits,
  type PromptPrice,
  type PromptTools,
  type RetryRule,
  type Schedule,
  type Step,
  type WatchAction,
  type WatchFilter,
  type WatchedPart,
} from '../../domain/index.ts';
import { countText, listText } from '../text/counts.ts';
import { durationText } from '../text/durations.ts';
import { scheduleSentence } from '../text/schedule.ts';
import type { ConflictPath } from './editor-conflict.ts';

const LABELS: Readonly<Record<string, string>> = {
  name: 'Name',
  enabled: 'State',
  tags: 'Tags',
  schedule: 'When',
  action: 'What',
  'action.method': 'Method',
  'action.url': 'URL',
  'action.headers': 'Headers',
  'action.body': 'Body',
  'action.expect': 'Expected answer',
  'action.reachability': 'Only reachability',
  'action.idempotencyKey': 'Idempotency-Key header',
  'action.repeatable': 'Repeating it does no harm',
  'action.message': 'Message',
  'action.part': 'Watches',
  'action.filter': 'What counts',
  'action.minimumLines': 'Lines that must differ',
  'action.notify': 'Notify',
  'action.source': 'Script',
  'action.allow': 'It may use',
  'action.origins': 'Origins it may send requests to',
  'action.computeMs': 'May compute for',
  'action.endpoint': 'Endpoint',
  'action.model': 'Model',
  'action.system': 'System prompt',
  'action.prompt': 'Prompt',
  'action.temperature': 'Temperature',
  'action.maxTokens': 'Longest answer',
  'action.limits': 'Limits',
  'action.price': 'Price of a million tokens',
  'action.tools': 'Tools',
  'action.steps': 'Steps',
  'rules.missed': 'When missed',
  'rules.overlap': 'When still running',
  'rules.timeoutMs': 'Timeout',
  'rules.retry': 'After a failure',
};

/** What a part of a definition is called on screen. */
export function partLabel(path: ConflictPath): string {
  return LABELS[path] ?? path;
}

/** A part of a definition in words; `value` is what stands at `path` in a definition. */
export function partText(path: ConflictPath, value: unknown, now: EpochMs): string {
  switch (path) {
    case 'enabled':
      return value === true ? 'On' : 'Paused';
    case 'tags':
      return listText(value as readonly string[]) || 'none';
    case 'schedule':
      return scheduleSentence(value as Schedule, now);
    case 'action':
      return actionText(value as Action);
    case 'action.steps':
      return actionText({ kind: 'steps', steps: value as Step[] });
    case 'action.headers':
      return headersText(value as Readonly<Record<string, string>>);
    case 'action.reachability':
      return reachabilityText(value as ExpectPart | boolean);
    case 'action.expect':
      return expectText(value as ExpectPart);
    case 'action.part':
      return watchedText(value as WatchedPart);
    case 'action.filter':
      return filterText(value as WatchFilter);
    case 'action.notify':
      return notifyText(value as WatchAction['notify']);
    case 'action.endpoint':
      return endpointText(value as ModelEndpoint | undefined);
    case 'action.limits':
      return limitsText(value as PromptLimits | undefined);
    case 'action.price':
      return priceText(value as PromptPrice | undefined);
    case 'action.tools':
      return toolsText(value as PromptTools | undefined);
    case 'rules.missed':
      return missedText(value as MissedRule);
    case 'rules.overlap':
      return overlapText(value as OverlapRule);
    case 'action.allow':
    case 'action.origins':
      return listText((value as readonly string[] | undefined) ?? []) || 'none';
    case 'action.computeMs':
    case 'rules.timeoutMs':
      return durationText(value as number);
    case 'rules.retry':
      return retryText(value as RetryRule | undefined);
    default:
      return plainText(value);
  }
}

type ExpectPart = Extract<Action, { kind: 'http' }>['expect'];

/** `GET https://example.test/` or the message of a reminder. */
export function actionText(action: Action): string {
  switch (action.kind) {
    case 'http':
      return action.reachability === true
        ? `Check that something answers at ${action.url}`
        : `${action.method} ${action.url}`;
    case 'watch':
      return `Watch ${watchedText(action.part)} of ${action.url}`;
    case 'prompt':
      return action.endpoint.protocol === 'built-in'
        ? 'Prompt to the model of the browser'
        : `Prompt to ${action.model} at ${action.endpoint.baseUrl}`;
    case 'remind':
      return `Reminder: ${action.message}`;
    case 'script':
      return `Script: ${firstLine(action.source)}`;
    case 'steps':
      return action.steps.map((step, index) => `${index + 1}. ${stepText(step)}`).join('\n');
  }
}

/** One of several steps, by its name and by what it does. */
function stepText({ name, onlyIf, action }: Step): string {
  const condition = onlyIf === undefined ? '' : ', only after a change';
  return `${name === undefined ? '' : `${name}: `}${actionText(action)}${condition}`;
}

/** The first line of a script that says something, as short as a list wants it. */
function firstLine(source: string): string {
  const line = source.split('\n').find((one) => one.trim() !== '') ?? '';
  return line.trim().length <= 80 ? line.trim() : `${line.trim().slice(0, 79)}…`;
}

/** Everything in `definition` that is not said by its name, as labels and texts. */
export function definitionWords(
  definition: Definition,
  now: EpochMs,
): readonly { readonly label: string; readonly text: string }[] {
  const { action, rules } = definition;
  const paths: readonly (readonly [ConflictPath, unknown])[] = [
    ['schedule', definition.schedule],
    ...actionParts(action),
    ['rules.missed', rules.missed],
    ['rules.overlap', rules.overlap],
    ['rules.timeoutMs', rules.timeoutMs],
    ['rules.retry', rules.retry],
  ];
  return paths.map(([path, value]) => ({ label: partLabel(path), text: partText(path, value, now) }));
}

function actionParts(action: Action): readonly (readonly [ConflictPath, unknown])[] {
  switch (action.kind) {
    case 'http':
      return [
        ['action', action],
        ...(Object.keys(action.headers).length === 0 ? [] : [['action.headers', action.headers] as const]),
        ...(action.body === undefined ? [] : [['action.body', action.body] as const]),
        action.reachability === true
          ? ['action.reachability', action.expect]
          : ['action.expect', action.expect],
      ];
    case 'watch':
      return [
        ['action', action],
        ...(Object.keys(action.headers).length === 0 ? [] : [['action.headers', action.headers] as const]),
        ['action.filter', action.filter],
        ['action.minimumLines', action.minimumLines],
        ['action.notify', action.notify],
      ];
    case 'prompt':
      return [
        ['action', action],
        ...(action.system === undefined ? [] : [['action.system', action.system] as const]),
        ['action.prompt', action.prompt],
        ...(action.maxTokens === undefined ? [] : [['action.maxTokens', action.maxTokens] as const]),
        ...(action.limits === undefined ? [] : [['action.limits', action.limits] as const]),
        ...(action.price === undefined ? [] : [['action.price', action.price] as const]),
        ...(action.tools === undefined ? [] : [['action.tools', action.tools] as const]),
      ];
    case 'remind':
      return [['action.message', action.message]];
    case 'script':
      return [
        ['action.source', action.source],
        ['action.allow', action.allow],
        ...(action.origins.length === 0 ? [] : [['action.origins', action.origins] as const]),
        ['action.computeMs', action.computeMs],
      ];
    case 'steps':
      return [['action.steps', action.steps]];
  }
}

/** The key is not shown: one who looks over a shoulder must not read it. */
function endpointText({ protocol, baseUrl, apiKey }: Partial<ModelEndpoint> = {}): string {
  if (protocol === 'built-in') return 'The model of the browser';
  const spoken = protocol === 'anthropic' ? 'Anthropic' : 'OpenAI-compatible';
  return `${baseUrl ?? ''}, ${spoken}, ${apiKey === undefined || apiKey === '' ? 'without a key' : 'with a key'}`;
}

function limitsText(limits: PromptLimits | undefined): string {
  const { tokensPerRun, tokensPerDay, costPerRun, costPerDay } = limits ?? {};
  const parts: readonly (readonly [number | undefined, string])[] = [
    [tokensPerRun, 'tokens a run'],
    [tokensPerDay, 'tokens a day'],
    [costPerRun, 'cost a run'],
    [costPerDay, 'cost a day'],
  ];
  return listText(parts.flatMap(([most, what]) => (most === undefined ? [] : [`${most} ${what}`]))) || 'none';
}

function priceText(price: PromptPrice | undefined): string {
  return price === undefined
    ? 'not stated'
    : `${price.inputPerMillion} sent and ${price.outputPerMillion} answered, in ${price.currency}`;
}

/** What headers hold is not shown, for the same reason as keys. */
function toolsText(tools: PromptTools | undefined): string {
  if (tools === undefined) return 'none';
  const servers = tools.servers.map(({ url, tools: allowed }) => {
    const names = allowed.map(({ name, repeatable }) => (repeatable ? `${name} (safe to repeat)` : name));
    return `${listText(names)} at ${url}`;
  });
  return `${servers.join('; ')}; at most ${tools.maxRounds} ${tools.maxRounds === 1 ? 'round' : 'rounds'} of calls, ${durationText(tools.callMs)} each`;
}

/** What of an answer is watched, as it stands in a sentence. */
function watchedText(part: WatchedPart): string {
  switch (part.kind) {
    case 'page':
      return part.attribute === undefined ? part.select : `${part.attribute} of ${part.select}`;
    case 'json':
      return part.select;
    case 'feed':
      return 'the feed';
    case 'text':
      return 'the text';
  }
}

function filterText({ erase, keep, drop, numbers, space, unique, sort }: WatchFilter): string {
  const ignored = [
    ...(numbers ? ['numbers'] : []),
    ...(space ? ['white space'] : []),
    ...(unique ? ['repeated lines'] : []),
    ...(sort ? ['the order'] : []),
  ];
  const parts = [
    ...(erase.length === 0 ? [] : [`without ${listText(erase)}`]),
    ...(keep.length === 0 ? [] : [`only lines with ${listText(keep)}`]),
    ...(drop.length === 0 ? [] : [`no lines with ${listText(drop)}`]),
    ...(ignored.length === 0 ? [] : [`ignoring ${listText(ignored)}`]),
  ];
  return parts.length === 0 ? 'everything counts' : parts.join('; ');
}

function notifyText({ change, gone, unchangedDays }: WatchAction['notify']): string {
  const parts = [
    ...(change ? ['when it changes'] : []),
    ...(gone ? ['when it is gone or there again'] : []),
    ...(unchangedDays === undefined ? [] : [`after ${countText(unchangedDays, 'day')} without a change`]),
  ];
  return listText(parts) || 'never';
}

function headersText(headers: Readonly<Record<string, string>> | undefined): string {
  const lines = Object.entries(headers ?? {}).map(([name, value]) => `${name}: ${value}`);
  return lines.length === 0 ? 'none' : lines.join('\n');
}

function expectText(expect: ExpectPart): string {
  const status = expect?.status === undefined ? 'any 2xx' : listText(expect.status.map(String));
  const { contains, lacks } = expect?.text ?? {};
  return [
    status,
    ...(contains === undefined ? [] : [`contains ${contains}`]),
    ...(lacks === undefined ? [] : [`does not contain ${lacks}`]),
    ...(expect?.json ?? []).map(checkText),
    ...(expect?.withinMs === undefined ? [] : [`within ${durationText(expect.withinMs)}`]),
  ].join('\n');
}

/** `value` is what is expected of the time, or, where two definitions are compared, whether it is one at all. */
function reachabilityText(value: ExpectPart | boolean): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  const within = value?.withinMs === undefined ? '' : `, within ${durationText(value.withinMs)}`;
  return `Something answers${within}; what it says cannot be read`;
}

function checkText({ path, equals, above, below, absent }: JsonCheck): string {
  if (absent === true) return `${path} is not there`;
  if (equals !== undefined) return `${path} is ${JSON.stringify(equals)}`;
  const ends = [
    ...(above === undefined ? [] : [`above ${above}`]),
    ...(below === undefined ? [] : [`below ${below}`]),
  ];
  return ends.length === 0 ? `${path} is there` : `${path} is ${ends.join(' and ')}`;
}

function missedText(rule: MissedRule): string {
  const age = rule.maxAgeMs === undefined ? '' : `, if less than ${durationText(rule.maxAgeMs)} late`;
  switch (rule.kind) {
    case 'once':
      return `Run once when I’m back${age}`;
    case 'skip':
      return 'Skip';
    case 'all':
      return `Run every missed one, at most ${rule.limit}${age}`;
  }
}

function overlapText(rule: OverlapRule): string {
  switch (rule.kind) {
    case 'skip':
      return 'Skip the next';
    case 'queue':
      return 'Queue one';
    case 'replace':
      return 'Replace it';
    case 'parallel':
      return `Run side by side, at most ${rule.limit}`;
  }
}

function retryText(rule: RetryRule | undefined): string {
  if (rule === undefined) return 'Default';
  if (rule.attempts === 1) return 'Do not try again';
  const { attempts, firstDelayMs, factor, maxDelayMs } = rule;
  return `${attempts} attempts, waits from ${durationText(firstDelayMs)}, times ${factor}, to ${durationText(maxDelayMs)}`;
}

function plainText(value: unknown): string {
  if (value === undefined || value === '') return 'none';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
