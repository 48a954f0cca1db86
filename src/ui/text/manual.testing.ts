/**
 * The manual in docs/, made of the texts that the screens show, so that neither can say what the other does not. Each page is
 * Markdown before it is formatted. Examples are definitions that Rota reads.
 */
import {
  AUTO_PAUSE_HELP,
  INTERRUPTED_HELP,
  MISSED_HELP,
  OVERLAP_HELP,
  RETRY_HELP,
  RETRY_ON_HELP,
  KEEP_HELP,
  RUNS_PER_DAY_HELP,
  TIMEOUT_HELP,
} from './help-rules.ts';
import {
  DEFAULT_RETRY,
  DEFAULT_RETRY_ON,
  DEFAULT_RULES,
  type DefinitionInput,
  HOUR_MS,
  MINUTE_MS,
  type MissedRule,
  type OverlapRule,
  PARALLEL_MOST,
  RETRY_CLASSES,
  SCRIPT_CAPABILITIES,
  autoPauseAfter,
} from '../../domain/index.ts';
import {
  autoPauseExample,
  missedExample,
  overlapExample,
  runsPerDayExample,
} from '../pages/editor-examples.ts';
import {
  ACTIONS,
  CAPABILITIES,
  HTTP_HELP,
  PROMPT_HELP,
  PROTOCOLS,
  SCRIPT_HELP,
  TEMPLATED,
  TEMPLATE_VALUES,
  WATCHED,
  WATCH_HELP,
  neverRepeated,
} from './help-actions.ts';
import { durationText } from './durations.ts';
import { MISSING_PARTS, missingText } from './errors.ts';
import { KNOW, LEGEND } from './legend.ts';
import { REASONS, WAITINGS, reasonText, statusWord, waitingText } from './status.ts';

/** One page of the manual. */
export interface ManualPage {
  readonly file: string;
  readonly text: string;
}

/** The examples of the manual, which a test has Rota read. */
export const EXAMPLES: Readonly<Record<string, DefinitionInput>> = {
  http: {
    name: 'Check the API',
    schedule: { kind: 'cron', expression: '*/5 9-17 * * mon-fri', timeZone: 'Europe/Paris' },
    action: {
      kind: 'http',
      url: 'https://api.example.com/health?at={{ run.scheduledFor }}',
      expect: { status: [200], json: [{ path: '$.queue', below: 100 }], withinMs: 2_000 },
    },
  },
  watch: {
    name: 'Releases',
    schedule: { kind: 'every', everyMs: HOUR_MS, anchor: 0 },
    action: { kind: 'watch', url: 'https://example.com/feed.xml', part: { kind: 'feed' } },
  },
  prompt: {
    name: 'What to cook tonight',
    schedule: { kind: 'cron', expression: '0 16 * * *', timeZone: 'Europe/Paris' },
    action: {
      kind: 'prompt',
      endpoint: { baseUrl: 'http://localhost:11434/v1' },
      model: 'llama3.2',
      prompt: 'Suggest what to cook tonight with what is in season.',
      limits: { tokensPerDay: 20_000 },
    },
  },
  script: {
    name: 'Count the runs',
    schedule: { kind: 'manual' },
    action: { kind: 'script', source: SCRIPT_HELP.example, allow: ['log', 'previous', 'remember'] },
  },
  remind: {
    name: 'Stand up and stretch',
    schedule: { kind: 'every', everyMs: HOUR_MS, anchor: 0 },
    action: { kind: 'remind', message: 'Look out of the window, drink some water.' },
  },
};

/** All pages. */
export function manual(): readonly ManualPage[] {
  return [
    { file: 'rules.md', text: rulesPage() },
    { file: 'actions.md', text: actionsPage() },
    { file: 'browsers.md', text: browsersPage() },
  ];
}

const MADE = '<!-- Made of the texts of the screens by `npm run manual`; change them in src/ui/text. -->';

/** Due each day at nine, around the days that the examples tell of. */
const DAILY = Array.from({ length: 12 }, (_, day) => Date.UTC(2027, 2, 1 + day, 9));
const HOURLY = Array.from({ length: 60 }, (_, hour) => Date.UTC(2027, 2, 1, 9 + hour));
const WHEN = new Intl.DateTimeFormat('en-GB', {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
  timeZone: 'UTC',
});
const WORDS = { when: (at: number): string => WHEN.format(at), long: durationText };

function rulesPage(): string {
  const missed = (rule: MissedRule): string => missedExample(rule, DAILY, WORDS) ?? '';
  const overlap = (rule: OverlapRule): string => overlapExample(rule, HOURLY, 90 * MINUTE_MS, WORDS) ?? '';
  const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10);
  const missedRules: Readonly<Record<MissedRule['kind'], MissedRule>> = {
    once: { kind: 'once' },
    skip: { kind: 'skip' },
    all: { kind: 'all', limit: 2 },
  };
  const overlapRules: Readonly<Record<OverlapRule['kind'], OverlapRule>> = {
    skip: { kind: 'skip' },
    queue: { kind: 'queue' },
    replace: { kind: 'replace' },
    parallel: { kind: 'parallel', limit: 2 },
  };
  const defaults = DEFAULT_RETRY;
  return `# Rules
${MADE}

Every automation has rules for when it cannot run or goes wrong. What an editor or a file leaves out has the default.
The examples are of an automation that is due each day at 9:00, or, for overlaps, each hour and takes up to 90 minutes.

## ${MISSED_HELP.label}

${table(
  ['choice', 'in a file, `rules.missed`', 'what it does', 'example'],
  MISSED_HELP.choices.map(({ value, label, does }) => [
    named(label, DEFAULT_RULES.missed.kind === value),
    json(missedRules[value]),
    does,
    missed(missedRules[value]),
  ]),
)}

With \`limit\`, _Run every missed one_ runs no more than so many: ${lower(MISSED_HELP.limit)}
With \`maxAgeMs\` (_${MISSED_HELP.maxAge}_) none runs that is later than that:
${missed({ kind: 'once', maxAgeMs: HOUR_MS })}

## ${OVERLAP_HELP.label}

${table(
  ['choice', 'in a file, `rules.overlap`', 'what it does', 'example'],
  OVERLAP_HELP.choices.map(({ value, label, does }) => [
    named(label, DEFAULT_RULES.overlap.kind === value),
    json(overlapRules[value]),
    does,
    overlap(overlapRules[value]),
  ]),
)}

Side by side can be up to ${PARALLEL_MOST}. ${overlapExample({ kind: 'skip' }, DAILY, DEFAULT_RULES.timeoutMs, WORDS) ?? ''}

## ${INTERRUPTED_HELP.label}

${table(
  ['choice', 'in a file, `rules.interrupted`', 'what it does'],
  INTERRUPTED_HELP.choices.map(({ value, label, does }) => [
    named(label, value === 'default'),
    value === 'default' ? 'left out' : json(value),
    does,
  ]),
)}

## ${TIMEOUT_HELP.label}

${TIMEOUT_HELP.does} In a file \`rules.timeoutMs\`; ${durationText(DEFAULT_RULES.timeoutMs)} where nobody chose, 24 hours at most.

## ${RETRY_HELP.label}

${table(
  ['choice', 'in a file, `rules.retry`', 'what it does'],
  RETRY_HELP.choices.map(({ value, label, does }) => [
    named(label, value === 'default'),
    {
      default: 'left out',
      never: json({ attempts: 1 }),
      own: json({ attempts: 5, firstDelayMs: 60_000, factor: 2 }),
    }[value],
    does,
  ]),
)}

For what does no harm twice the default is ${defaults.attempts} attempts; the first wait is up to ${durationText(defaults.firstDelayMs)}, each later one ${defaults.factor} times as long, and
none longer than ${durationText(defaults.maxDelayMs)}. ${RETRY_HELP.bound} _${RETRY_HELP.jitter.label}_: ${lower(RETRY_HELP.jitter.does)} In a file \`jitter\` is
\`"full"\` or \`"none"\`, and \`on\` lists after which failures:

${table(
  ['in a file', 'when', 'where nobody chose'],
  RETRY_CLASSES.map((value) => [
    `\`"${value}"\``,
    RETRY_ON_HELP[value].name,
    DEFAULT_RETRY_ON.includes(value) ? 'tried again' : 'not tried again',
  ]),
)}

## ${AUTO_PAUSE_HELP.label}

${AUTO_PAUSE_HELP.choices[0]?.does ?? ''} ${autoPauseExample(3, DAILY, WORDS) ?? ''} In a file \`rules.autoPause\` is
${json({ kind: 'after', failures: 3 })} or ${json({ kind: 'never' })}; after ${autoPauseAfter({})} failures in a row where nobody chose.

## ${RUNS_PER_DAY_HELP.label}

${RUNS_PER_DAY_HELP.does} In a file \`rules.runsPerDay\`; no limit where nobody chose. With 5 a day and an automation that is due each hour:
${runsPerDayExample(5, HOURLY, Date.UTC(2027, 2, 1, 8), dayOf, WORDS) ?? ''}

## ${KEEP_HELP.label}

${KEEP_HELP.does} In a file \`rules.keep\`, such as ${json({ runs: { days: 30, most: 100 }, outputs: { days: null } })}, where \`null\` is without that limit. See
[storage](storage.md) for what stays in any case.

## What is told

What of all this notifies you is a rule, too: see [notifications](notifications.md).
`;
}

function actionsPage(): string {
  const of = ({ label, does }: { readonly label: string; readonly does: string }): string =>
    `- **${label}**: ${does}`;
  return `# Actions
${MADE}

What an automation does when it is due. Several can be done one after another: see [steps](steps.md).

## ${ACTIONS.http.label}

${ACTIONS.http.does} A curl command can be pasted in the place of the address.

- **Expected status**: ${HTTP_HELP.status} Any 2xx where nobody chose.
- **Must contain**: ${HTTP_HELP.text}
${of(HTTP_HELP.reachability)}
${of(HTTP_HELP.idempotencyKey)}
${of(HTTP_HELP.repeatable)}

${neverRepeated('POST')} The same holds for PUT, PATCH and DELETE, unless one of the last two is chosen.

${example('http')}

## ${ACTIONS.watch.label}

${ACTIONS.watch.does} ${WATCH_HELP.url}

${table(
  ['watches', 'what is compared'],
  [
    [
      WATCHED.page,
      `${WATCH_HELP.select.does} ${WATCH_HELP.attribute.label}: ${lower(WATCH_HELP.attribute.does)} ${WATCH_HELP.without.label}: ${lower(WATCH_HELP.without.does)}`,
    ],
    [WATCHED.json, WATCH_HELP.path.does],
    [WATCHED.feed, WATCH_HELP.feed],
    [WATCHED.text, WATCH_HELP.text],
  ],
)}

${of(WATCH_HELP.erase)}
- **Lines that must differ**: ${WATCH_HELP.minimum}
${of(WATCH_HELP.unchanged)}

${example('watch')}

## ${ACTIONS.prompt.label}

${ACTIONS.prompt.does} Endpoints are ${PROTOCOLS.openai}, ${PROTOCOLS.anthropic} or ${PROTOCOLS['built-in'].toLowerCase()}.

- **Address of the endpoint**: ${PROMPT_HELP.url}
- **Key**: ${PROMPT_HELP.key}
- **${PROTOCOLS['built-in']}**: ${PROMPT_HELP.builtIn}
- **Length, limits and price**: ${PROMPT_HELP.limits}
${of(PROMPT_HELP.repeatable)}

Its model can call tools: see [tools](tools.md).

${example('prompt')}

## ${ACTIONS.script.label}

${ACTIONS.script.does} ${SCRIPT_HELP.source}

${table(
  ['it may use', 'so', 'what it does'],
  SCRIPT_CAPABILITIES.map((one) => [
    CAPABILITIES[one].name,
    `\`${CAPABILITIES[one].use}\``,
    CAPABILITIES[one].what,
  ]),
)}

- **Origins it may send requests to**: ${SCRIPT_HELP.origins}
- **May compute for**: ${SCRIPT_HELP.computes}
${of(SCRIPT_HELP.repeatable)}

\`\`\`js
${SCRIPT_HELP.example.trim()}
\`\`\`

## ${ACTIONS.remind.label}

${ACTIONS.remind.does} What must ring with the browser closed belongs into your calendar: an automation's screen makes a file for it (\`.ics\`).

${example('remind')}

## Values

${Object.entries(TEMPLATED)
  .map(([kind, where]) => `- ${ACTIONS[kind as keyof typeof TEMPLATED].label}: ${where}`)
  .join('\n')}

may name values, which are filled in for each run. A name that is not there is an error. They are
[Liquid](https://liquidjs.com) templates; in a URL, add \`| url_encode\` to what may hold spaces.

${table(
  ['value', 'is'],
  TEMPLATE_VALUES.map(({ text, what }) => [`\`${text.replaceAll('|', String.raw`\|`)}\``, what]),
)}

\`{{ secrets.NAME }}\` is a secret, which is kept in the settings and sent only to the origins that it is bound to.
`;
}

function browsersPage(): string {
  return `# What a browser lets Rota do
${MADE}

**${KNOW.first}**${KNOW.rest}

- **Closed.** Nothing runs, except that Chromium wakes an installed Rota now and then, twice a day at most; do not count on the hour. To be
  there on time, install Rota as an app and let it open when you sign in.
- **Asleep.** A machine that sleeps runs nothing. What was due meanwhile is treated as your rule for missed runs says ([rules](rules.md)).
- **Hidden tabs.** The engine runs in a worker of its own, which browsers do not slow down with the tab.
- **Other sites.** A page may read another site's answer only if that site allows it (CORS). A run that this stops says so, and what the server would
  have to send; _${HTTP_HELP.reachability.label}_ works without.
- **Headers.** \`Cookie\`, \`Host\`, \`Origin\`, \`User-Agent\` and a few others belong to the browser and cannot be set. No cookie is sent.
- **Broken connections.** A browser may send a request a second time by itself when a connection breaks before the answer. For what must not happen twice,
  switch on _${HTTP_HELP.idempotencyKey.label}_.
- **Your own network.** Chromium asks before a page may reach this device or the local network; a press in the editor or on the run has it ask.
- **Storage.** A browser may clear a site's storage when the disk is full, unless it was asked to keep it: the settings say whether it does.

## What Rota needs

${table(
  ['when', 'what helps'],
  MISSING_PARTS.map((part) => [missingText(part).what, missingText(part).help]),
)}

## How to read the history

${table(
  ['state', 'means'],
  LEGEND.map(({ kind, means }) => [statusWord(kind), means]),
)}

A row that did not run, or ended otherwise, says why:

${REASONS.map((reason) => `- ${reasonText(reason)}`).join('\n')}

## What something that is due can wait for

It stays due and says so, and runs as soon as it can; when it is no longer worth it is for the rule for missed runs to say.

${WAITINGS.map((waiting) => `- ${waitingText(waiting)}`).join('\n')}
`;
}

function example(kind: keyof typeof EXAMPLES): string {
  return `\`\`\`json\n${JSON.stringify(EXAMPLES[kind], null, 2)}\n\`\`\``;
}

function named(label: string, isDefault: boolean): string {
  return isDefault ? `**${label}** (where nobody chose)` : label;
}

function json(value: unknown): string {
  return `\`${JSON.stringify(value).replaceAll(/([,:])/g, '$1 ')}\``;
}

function lower(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
