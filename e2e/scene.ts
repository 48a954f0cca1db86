/** A browser in which Rota has been used for a while: what the looks at every screen look at. */
import type { AutomationId, DefinitionInput, RunId } from './contract.ts';
import { type App, type Tab, byHand, every, expect } from './app.ts';
import type { HttpServer } from './http-server.ts';

export interface Scene {
  readonly tab: Tab;
  readonly succeeded: RunId;
  readonly failed: RunId;
  readonly running: RunId;
  readonly missed: RunId;
  readonly automation: AutomationId;
}

/** The sizes and colour schemes that every screen is looked at in. */
export const SIZES = [
  { name: '360', width: 360, height: 780 },
  { name: '768', width: 768, height: 1024 },
  { name: '1440', width: 1440, height: 900 },
] as const;
export const SCHEMES = ['light', 'dark'] as const;

function automations(server: HttpServer): readonly DefinitionInput[] {
  return [
    every('Check the API', 3_000, server.url('/health?delay=40'), { tags: ['ops'] }),
    every('Answer of the staging server', 4_000, server.url('/staging?status=503'), {
      tags: ['ops'],
      rules: { retry: { attempts: 1 } },
    }),
    byHand('Nightly export', server.url('/export?delay=600000')),
    {
      name: 'Morning digest',
      schedule: { kind: 'cron', expression: '30 2 * * *', timeZone: 'Europe/Paris' },
      action: { kind: 'http', url: server.url('/digest') },
    },
    {
      name: 'Quotes in office hours',
      schedule: { kind: 'cron', expression: '*/5 9-17 * * mon-fri', timeZone: 'America/New_York' },
      action: { kind: 'http', url: server.url('/quotes') },
    },
    {
      name: 'Back up the laptop',
      schedule: { kind: 'cron', expression: '0 16 * * 5L', timeZone: 'Europe/Paris' },
      action: { kind: 'remind', message: 'Plug in the disk and start the backup.' },
    },
    byHand('Post the numbers', server.url('/numbers'), {
      action: {
        kind: 'http',
        method: 'POST',
        url: server.url('/numbers'),
        headers: { 'content-type': 'application/json' },
        body: '{"attempt": {{ run.attempt }}}',
      },
    }),
    every('Price of the early train', 5_000, server.url('/price')),
  ];
}

/** Lets Rota run until it has something of everything to show, and answers with where to find it. */
export async function playScene(app: App, server: HttpServer): Promise<Scene> {
  const tab = await app.openTab();
  const ids = await tab.add(...automations(server));
  const [automation, , slow, , , , , price] = ids;
  if (automation === undefined || slow === undefined || price === undefined)
    throw new Error('nothing was imported');
  const run = await tab.rota.runNow({ id: slow });
  if (run.kind !== 'claimed') throw new Error(`not claimed: ${run.kind}`);
  await expect
    .poll(async () => new Set((await tab.runs()).map((row) => row.status)), { timeout: 30_000 })
    .toEqual(new Set(['running', 'succeeded', 'failed']));
  // A pause over an instant leaves a missed row, and one of the list stays paused.
  await tab.rota.setEnabled({ ids: [price], enabled: false });
  await new Promise((resolve) => setTimeout(resolve, 5_500));
  await tab.rota.setEnabled({ ids: [price], enabled: true });
  await tab.rota.setEnabled({ ids: [price], enabled: false });
  const rows = await tab.runs();
  const idOf = (status: string): RunId => {
    const found = rows.find((row) => row.status === status);
    if (found === undefined) throw new Error(`The scene has no run that is ${status}.`);
    return found.id;
  };
  return {
    tab,
    automation,
    running: run.run.id,
    succeeded: idOf('succeeded'),
    failed: idOf('failed'),
    missed: idOf('missed'),
  };
}

/** Every screen by name, with the hash that opens it. */
export function screensOf(scene: Scene): readonly { readonly name: string; readonly hash: string }[] {
  return [
    { name: 'automations', hash: '#/' },
    { name: 'automations-needs-you', hash: '#/?view=needs-you' },
    { name: 'automations-nothing-found', hash: '#/?q=zebra' },
    { name: 'new', hash: '#/new' },
    { name: 'edit', hash: `#/automations/${scene.automation}/edit` },
    { name: 'automation', hash: `#/automations/${scene.automation}` },
    { name: 'runs', hash: '#/runs' },
    { name: 'run-succeeded', hash: `#/runs/${scene.succeeded}` },
    { name: 'run-failed', hash: `#/runs/${scene.failed}` },
    { name: 'run-running', hash: `#/runs/${scene.running}` },
    { name: 'run-missed', hash: `#/runs/${scene.missed}` },
    { name: 'timeline', hash: '#/timeline' },
    { name: 'timeline-year', hash: '#/timeline?view=year' },
    { name: 'timeline-durations', hash: '#/timeline?view=durations' },
    { name: 'notifications', hash: '#/notifications' },
    { name: 'engine', hash: '#/engine' },
    { name: 'settings', hash: '#/settings' },
    { name: 'not-found', hash: '#/nowhere' },
  ];
}
