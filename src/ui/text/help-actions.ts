/**
 * What automations can do, and what the fields of it mean: what the editor says at those fields, and what docs/actions.md is
 * made of. Kinds are called as on screen.
 */
import type { PlainAction, ScriptCapability, WatchedPart } from '../../domain/index.ts';

/** One kind of action. */
interface ActionHelp {
  readonly label: string;
  /** What it is for, in a sentence; the editor shows the fields instead. */
  readonly does: string;
}

export const ACTIONS: Readonly<Record<PlainAction['kind'], ActionHelp>> = {
  http: { label: 'HTTP request', does: 'Sends a request, and checks what comes back.' },
  watch: { label: 'Watch', does: 'Fetches an address, and says what changed since the last time.' },
  prompt: { label: 'Prompt', does: 'Asks a model, and keeps its answer.' },
  script: { label: 'Script', does: 'Runs your own JavaScript, with what you allow it.' },
  remind: { label: 'Reminder', does: 'Shows a notification.' },
};

export const HTTP_HELP = {
  url: 'Or paste a curl command here.',
  json: 'It looks like JSON. Most servers want the header Content-Type: application/json with it.',
  status: 'Any other status is a failure. Several: 200, 204.',
  text: 'In capitals or not. Between slashes it is a pattern: /[0-9]+ left/',
  reachability: {
    label: 'Only check that something answers',
    does: 'Works with servers that do not let other sites read them (no CORS). It tells that something answered and how soon. What it said cannot be read: a page that says “500” or “not found” counts as an answer.',
  },
  repeats: 'Rota may send it again after a failure or an interruption.',
  idempotencyKey: {
    label: 'Send an Idempotency-Key header',
    does: 'For servers that drop a repeat with the same key. It is the same for all attempts at one scheduled time.',
  },
  repeatable: {
    label: 'Repeating it does no harm',
    does: 'For requests that set a value rather than add one.',
  },
} as const;

/** Why a request of this method is not sent again. */
export function neverRepeated(method: string): string {
  return `Sending a ${method} twice can do something twice, so Rota never repeats it by itself. An interrupted run asks you.`;
}

export const WATCH_HELP = {
  url: 'Its server must let other sites read it (CORS); many APIs and feeds do, most shops do not. Run it once to see.',
  select: {
    label: 'CSS selector',
    does: '“body” is the whole page, “#price” or “main h2” a part of it. The text of all that matches is compared, line by line, as it stands in the page’s source.',
  },
  attribute: {
    label: 'Attribute',
    does: 'Compares this attribute instead of the text. Empty for the text.',
  },
  without: {
    label: 'Leave out',
    does: 'Selectors of what is taken out first, one a line: adverts, clocks, counters.',
  },
  path: {
    label: 'JSONPath',
    does: 'Everything it finds is compared, one value a line. $ is the whole answer.',
  },
  feed: 'RSS, Atom, RDF or JSON Feed. Only items that were never in it before count; what is edited or comes back does not.',
  text: 'The whole answer is compared, line by line.',
  erase: { label: 'Take out of lines', does: 'What matches is cut out of each line first.' },
  minimum: 'Fewer do not count as a change; they add up until they do.',
  unchanged: {
    label: 'Days without a change',
    does: 'Notifies once when it has stayed as it is for so long.',
  },
} as const;

/** What can be watched of an answer. */
export const WATCHED: Readonly<Record<WatchedPart['kind'], string>> = {
  page: 'Part of a page',
  json: 'JSON',
  feed: 'Feed',
  text: 'Text',
};

export const PROMPT_HELP = {
  url: 'Ollama: http://localhost:11434/v1, LM Studio: http://localhost:1234/v1. Most others end in /v1 too.',
  key: 'Hosted endpoints want one; a model on your own machine needs none. It is sent to this address alone, and stands in no run and no report. An export has what is typed here.',
  builtIn: 'It takes no temperature, no longest answer and no tools.',
  limits:
    'All can stay empty. A run that reaches a limit of yours is stopped there, and says so. Costs are reckoned by the price that you state; what a run used that was cut off is estimated.',
  repeatable: {
    label: 'Ask again by itself when a run fails or is interrupted',
    does: 'Asking twice changes nothing elsewhere, but is paid twice. Without it an interrupted run asks you.',
  },
} as const;

/** How endpoints of models speak. */
export const PROTOCOLS = {
  openai: 'OpenAI-compatible',
  anthropic: 'Anthropic',
  'built-in': 'Built into this browser',
} as const;

export const SCRIPT_HELP = {
  source:
    'JavaScript, in a sandbox of its own: no page, no storage, no modules. What it returns is kept as JSON.',
  computes:
    'In seconds, waiting not counted. With every tab closed, at most 50 ms at a stretch: others wait meanwhile.',
  origins: 'One a line: scheme, host and port. Redirects are not followed.',
  repeatable: {
    label: 'Running it again does no harm',
    does: 'Then a failed or interrupted run is tried again by itself. Without it, one whose request may have arrived asks you.',
  },
  example: `// The body of an async function: await and return work here.
const count = ((await recall('count')) ?? 0) + 1;
remember('count', count);
log('This is run number', count);
return { count, before: previous };
`,
} as const;

/** What a script may be allowed, how it is used, and what it then does. */
export const CAPABILITIES: Readonly<
  Record<
    ScriptCapability,
    { readonly label: string; readonly name: string; readonly use: string; readonly what: string }
  >
> = {
  log: { label: 'log', name: 'log', use: 'log(value, …)', what: 'writes a line into the run' },
  previous: {
    label: 'previous',
    name: 'previous output',
    use: 'previous',
    what: 'is what the last run that succeeded returned',
  },
  remember: {
    label: 'remember',
    name: 'remember and recall',
    use: 'remember(key, value), await recall(key)',
    what: 'keeps values for later runs',
  },
  notify: {
    label: 'notify',
    name: 'notify',
    use: 'notify(title, body)',
    what: 'shows a notification when the run succeeds',
  },
  fetch: {
    label: 'fetch',
    name: 'fetch',
    use: 'await fetch(url, { method, headers, body })',
    what: 'sends a request to a listed origin, without cookies; the answer has status, text() and json()',
  },
};

/** Values that templates can name, and what they are. */
export const TEMPLATE_VALUES: readonly { readonly text: string; readonly what: string }[] = [
  { text: '{{ run.scheduledFor }}', what: 'when it was due, in epoch milliseconds' },
  { text: '{{ run.scheduledFor | date: "%Y-%m-%d" }}', what: 'the date it was due' },
  { text: '{{ run.scheduledFor | date: "%H:%M" }}', what: 'the time it was due' },
  { text: '{{ run.attempt }}', what: 'which attempt it is, from 1' },
  { text: '{{ run.cause }}', what: 'schedule, manual or retry' },
  { text: '{{ run.id }}', what: 'the id of the run' },
  { text: '{{ automation.name }}', what: 'this automation’s name' },
];

/** Where templates are filled in. */
export const TEMPLATED: Readonly<Record<Exclude<PlainAction['kind'], 'script'>, string>> = {
  http: 'the URL, header values and the body',
  watch: 'the URL and header values',
  prompt: 'the address, the key and both prompts',
  remind: 'the message',
};
