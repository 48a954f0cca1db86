/**
 * What the first visit offers: automations that do something real within a minute and need no key. Each opens in the
 * editor as a draft; nothing is stored, asked for or sent before the person saves it.
 */
import { HOUR_MS, MINUTE_MS, type DefinitionInput } from '../domain/index.ts';

/** An automation to begin with. */
export interface Starter {
  /** In the address of the editor: `#/new?starter=…`. */
  readonly id: string;
  readonly title: string;
  /** Why one would want it, and what it needs. */
  readonly why: string;
  readonly definition: DefinitionInput;
  /** What it is called with another address, on the server `host`; not there where its name speaks of no address. */
  readonly nameFor?: (host: string) => string;
}

/**
 * The starters, in the order in which they are shown. Both addresses answer any origin
 * (`Access-Control-Allow-Origin: *`), and at these intervals stay far below their limits.
 */
export const starters: readonly Starter[] = [
  {
    id: 'reminder',
    title: 'Remind me',
    why: 'A notification every weekday at ten. The browser asks once whether Rota may show it.',
    definition: {
      name: 'Stand up and stretch',
      schedule: { kind: 'cron', expression: '0 10 * * mon-fri', timeZone: ownTimeZone() },
      action: { kind: 'remind', message: 'Stand up, look out of the window, drink some water.' },
      // Yesterday's reminder is of no use today.
      rules: { missed: { kind: 'skip' } },
    },
  },
  {
    id: 'check',
    title: 'Check that a service answers',
    why: 'A request every five minutes to an address of yours; a failure stands in the list. This one asks GitHub.',
    definition: {
      name: 'GitHub answers',
      tags: ['checks'],
      schedule: { kind: 'every', everyMs: 5 * MINUTE_MS, anchor: 0 },
      action: { kind: 'http', method: 'GET', url: 'https://api.github.com/zen', expect: { status: [200] } },
      rules: { missed: { kind: 'skip' }, timeoutMs: 30_000 },
    },
    nameFor: (host) => `${host} answers`,
  },
  {
    id: 'watch',
    title: 'Watch for a change',
    why: 'A part of a page, JSON or a feed: a notification says what is new. This one looks for releases of Node.js.',
    definition: {
      name: 'New releases of Node.js',
      tags: ['watches'],
      schedule: { kind: 'every', everyMs: 6 * HOUR_MS, anchor: 0 },
      action: {
        kind: 'watch',
        url: 'https://api.github.com/repos/nodejs/node/releases/latest',
        part: { kind: 'json', select: '$.tag_name' },
      },
      rules: { missed: { kind: 'once' }, timeoutMs: MINUTE_MS },
    },
    nameFor: (host) => `What is new at ${host}`,
  },
];

/**
 * Templates for what takes a look at its fields first: each opens paused, because it watches, asks or counts something that
 * only the person knows. None needs a key.
 */
export const templates: readonly Starter[] = [
  {
    id: 'fetch',
    title: 'Keep a reading every hour',
    why: 'Requests JSON and keeps each answer in the history. This one asks Open-Meteo for the temperature in Paris.',
    definition: {
      name: 'Temperature in Paris',
      enabled: false,
      tags: ['readings'],
      schedule: { kind: 'every', everyMs: HOUR_MS, anchor: 0 },
      action: {
        kind: 'http',
        method: 'GET',
        url: 'https://api.open-meteo.com/v1/forecast?latitude=48.85&longitude=2.35&current=temperature_2m',
        expect: { status: [200] },
      },
    },
    nameFor: (host) => `Reading from ${host}`,
  },
  {
    id: 'prompt',
    title: 'Ask a model',
    why: 'Asks a model on this machine (Ollama) each weekday at 8. Choose the model that you have.',
    definition: {
      name: 'What to cook tonight',
      enabled: false,
      schedule: { kind: 'cron', expression: '0 8 * * mon-fri', timeZone: ownTimeZone() },
      action: {
        kind: 'prompt',
        endpoint: { baseUrl: 'http://localhost:11434/v1' },
        model: 'llama3.2',
        prompt:
          'It is {{ run.scheduledFor | date: "%A, %e %B" }}. Suggest one dish for tonight with what is in season, in three sentences.',
      },
      rules: { missed: { kind: 'skip' } },
    },
  },
  {
    id: 'script',
    title: 'Run a script',
    why: 'Counts the days to a date in JavaScript and logs them. Put in a date of yours.',
    definition: {
      name: 'Days to go',
      enabled: false,
      schedule: { kind: 'cron', expression: '0 7 * * *', timeZone: ownTimeZone() },
      action: {
        kind: 'script',
        source: [
          'const day = new Date("2030-01-01T00:00:00");',
          'const left = Math.ceil((day.getTime() - Date.now()) / 86_400_000);',
          'log(`${left} days to go`);',
          'return left;',
        ].join('\n'),
        allow: ['log'],
      },
      rules: { missed: { kind: 'skip' } },
    },
  },
];

/** The starter or template called `id`, or `null`. */
export function findStarter(id: string): Starter | null {
  return [...starters, ...templates].find((starter) => starter.id === id) ?? null;
}

function ownTimeZone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone;
}
