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
  },
  {
    id: 'fetch',
    title: 'Keep a reading every hour',
    why: 'Requests JSON and keeps each answer in the history. This one asks Open-Meteo for the temperature in Paris.',
    definition: {
      name: 'Temperature in Paris',
      tags: ['readings'],
      schedule: { kind: 'every', everyMs: HOUR_MS, anchor: 0 },
      action: {
        kind: 'http',
        method: 'GET',
        url: 'https://api.open-meteo.com/v1/forecast?latitude=48.85&longitude=2.35&current=temperature_2m',
        expect: { status: [200] },
      },
    },
  },
];

/** The starter called `id`, or `null`. */
export function findStarter(id: string): Starter | null {
  return starters.find((starter) => starter.id === id) ?? null;
}

function ownTimeZone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone;
}
