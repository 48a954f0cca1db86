/** Every screen in each of its main states, and a browser in which all of them can be found: what is looked at in pictures. */
import type { AutomationId, DefinitionInput, RunId } from './contract.ts';
import { type App, type Tab, byHand, expect } from './app.ts';
import type { HttpServer } from './http-server.ts';
import type { ModelServer } from './model-server.ts';
import { playScene, screensOf } from './scene.ts';

/** Something to look at: a screen in a state, and the way there. */
export interface State {
  /** Such as `run-failed`. */
  readonly name: string;
  readonly hash: string;
  /** What a person does there, once it stands. */
  readonly act?: (tab: Tab) => Promise<void>;
}

/** What can be looked at before there is any automation. */
export const FIRST_STATES: readonly State[] = [
  { name: 'first-visit', hash: '#/' },
  { name: 'first-runs', hash: '#/runs' },
  { name: 'first-timeline', hash: '#/timeline' },
  { name: 'first-notifications', hash: '#/notifications' },
];

const press = (role: 'button' | 'radio' | 'link' | 'menuitem', name: string | RegExp) => async (tab: Tab) => {
  const control = tab.page.getByRole(role, { name }).first();
  if (role === 'radio') await control.check({ force: true });
  else await control.click();
};

/** The editor of each kind of action and of schedule, what it says when it cannot save, and what lies over a screen. */
const EDITOR_STATES: readonly State[] = [
  ...['reminder', 'check', 'watch', 'prompt', 'script'].map((starter) => ({
    name: `editor-${starter}`,
    hash: `#/new?starter=${starter}`,
  })),
  ...['Once', 'Every', 'On days', 'Monthly', 'Calendar interval', 'Cron', 'After another'].map((kind) => ({
    name: `editor-when-${kind.toLowerCase().replaceAll(' ', '-')}`,
    hash: '#/new',
    act: press('radio', kind),
  })),
  { name: 'editor-refused', hash: '#/new', act: press('button', /^Save/) },
  { name: 'editor-offered', hash: '#/new?title=The%20news&url=https%3A%2F%2Fnews.example%2Ftoday' },
  { name: 'editor-offer-refused', hash: '#/new?link=web%2Brota%3Anew%3Fautomation%3D%7B' },
  {
    name: 'palette',
    hash: '#/',
    act: async ({ page }) => {
      await page.keyboard.press('Control+k');
      await page.keyboard.type('ch');
    },
  },
  { name: 'shortcuts', hash: '#/', act: ({ page }) => page.keyboard.press('?') },
  { name: 'menu', hash: '#/', act: press('button', /^More for Check the API/) },
  { name: 'pause-all', hash: '#/', act: press('button', /^Pause all/) },
];

/** Plays the scene and everything else, and answers with where to find each of it. */
export async function playGallery(
  app: App,
  server: HttpServer,
  models: ModelServer,
): Promise<{ readonly tab: Tab; readonly states: readonly State[] }> {
  // Reminders wait for the permission; where no test can give it, they are looked at as they wait.
  const allow = () =>
    app.context.grantPermissions(['notifications'], { origin: app.site.origin }).catch(() => undefined);
  await allow();
  const scene = await playScene(app, server);
  const { tab } = scene;
  const ids = await tab.add(...automations(server, models));
  const idAt = (index: number): AutomationId => {
    const id = ids[index];
    if (id === undefined) throw new Error(`There is no automation ${index}.`);
    return id;
  };
  const run = async (index: number): Promise<RunId | null> => {
    const started = await tab.rota.runNow({ id: idAt(index) });
    if (started.kind === 'waiting') return null;
    if (started.kind !== 'claimed') throw new Error(`${index}: ${started.kind}`);
    const { id } = started.run;
    await expect
      .poll(async () => (await tab.rota.getRun(id))?.status, { timeout: 30_000 })
      .not.toBe('running');
    return id;
  };
  models.says = ANSWER;
  server.serve('/shop', 'text/html', shop('Costs 12 euros, in stock'));
  await run(0);
  server.serve('/shop', 'text/html', shop('Costs 10 euros, three left'));
  const watched = await run(0);
  const unchanged = await run(0);
  const prompted = await run(1);
  const scripted = await run(2);
  const scriptFailed = await run(3);
  const stepped = await run(4);
  const stepsFailed = await run(5);
  const reminded = await run(6);
  await run(7);
  await run(7);
  // A request whose answer never comes: it may have happened when its host dies.
  const sent = await tab.rota.runNow({ id: idAt(8) });
  if (sent.kind !== 'claimed') throw new Error(sent.kind);
  await expect.poll(() => server.at('/order').length, { timeout: 30_000 }).toBe(1);

  await app.kill();
  await app.launch();
  await allow();
  const after = await app.newTab();
  await after.page.addInitScript(() => {
    // The last look was an hour ago, unless somebody has looked at it since.
    if (sessionStorage.getItem('looked') !== null) return;
    sessionStorage.setItem('looked', 'yes');
    localStorage.setItem('rota:seen-at', String(Date.now() - 3_600_000));
  });
  await after.open();
  await expect(after.page.getByRole('region', { name: 'While you were away' })).toBeVisible({
    timeout: 30_000,
  });
  await expect
    .poll(async () => (await after.rota.listRuns({ status: 'running' })).items.length, { timeout: 60_000 })
    .toBeGreaterThan(0);
  const [running] = (await after.rota.listRuns({ status: 'running' })).items;
  const states: readonly State[] = [
    { name: 'away', hash: '#/' },
    {
      name: 'away-seen',
      hash: '#/',
      act: press('button', 'Got it'),
    },
    ...screensOf({ ...scene, running: running?.id ?? scene.running }),
    ...Object.entries({
      watched,
      unchanged,
      prompted,
      scripted,
      reminded,
      stepped,
      'steps-failed': stepsFailed,
      'script-failed': scriptFailed,
    }).flatMap(([name, id]) => (id === null ? [] : [{ name: `run-${name}`, hash: `#/runs/${id}` }])),
    { name: 'run-needs-you', hash: `#/runs/${sent.run.id}` },
    { name: 'run-none', hash: '#/runs/01900000-0000-7000-8000-000000000001' },
    { name: 'automation-self-paused', hash: `#/automations/${idAt(7)}` },
    { name: 'automation-watch', hash: `#/automations/${idAt(0)}` },
    { name: 'automation-steps', hash: `#/automations/${idAt(4)}` },
    { name: 'editor-steps', hash: `#/automations/${idAt(4)}/edit` },
    ...EDITOR_STATES,
  ];
  return { tab: after, states };
}

const ANSWER = [
  '## Leek and potato soup\n\nTake **two leeks**, three potatoes and a litre of stock:\n\n',
  '1. Sweat the leeks in butter.\n2. Add the rest, and let it simmer for 20 minutes.\n3. Blend it.\n\n',
  '| For | Minutes |\n| --- | ---: |\n| Leeks | 8 |\n| Soup | 20 |\n\n```sh\necho "serve hot"\n```\n',
].join('');

const shop = (price: string): string =>
  `<!doctype html><title>Shop</title><main><p>Lamp, brass</p><p>${price}</p><p>Delivered within two days</p></main>`;

function automations(server: HttpServer, models: ModelServer): readonly DefinitionInput[] {
  const hand = { kind: 'manual' } as const;
  const fetching = { kind: 'http', url: server.url('/list') } as const;
  return [
    {
      name: 'Price of the lamp',
      tags: ['home'],
      schedule: hand,
      action: { kind: 'watch', url: server.url('/shop'), part: { kind: 'page', select: 'main > p' } },
    },
    {
      name: 'What to cook tonight',
      schedule: hand,
      action: {
        kind: 'prompt',
        endpoint: { baseUrl: models.url },
        model: 'tiny:1b',
        prompt: 'What to cook tonight?',
      },
    },
    {
      name: 'Days to go',
      schedule: hand,
      action: {
        kind: 'script',
        source:
          'const days = 42;\nlog("counted", { days });\nlog("a long line of a log that goes on and on, as logs do when nobody looks at them for a while");\nreturn { days, names: ["one", "two"] };',
        allow: ['log'],
      },
    },
    {
      name: 'Count the unread',
      schedule: hand,
      action: { kind: 'script', source: 'const mails = null;\nreturn mails.length;' },
      rules: { retry: { attempts: 1 } },
    },
    {
      name: 'Morning report',
      schedule: hand,
      action: {
        kind: 'steps',
        steps: [
          { name: 'Fetch the list', action: fetching },
          {
            name: 'Look for a change',
            action: { kind: 'watch', url: server.url('/shop'), part: { kind: 'text' } },
          },
          {
            name: 'Sum it up',
            action: {
              kind: 'script',
              source: 'log("summing");\nreturn previous ?? 0;',
              allow: ['log', 'previous'],
            },
          },
          {
            name: 'Tell me',
            onlyIf: 'changed',
            action: { kind: 'remind', message: 'Of {{ steps.1.json.path }}' },
          },
        ],
      },
    },
    {
      name: 'Publish the report',
      schedule: hand,
      action: {
        kind: 'steps',
        steps: [
          { name: 'Fetch the list', action: fetching },
          { name: 'Publish', action: { kind: 'http', url: server.url('/publish?status=502') } },
          { name: 'Tell me', action: { kind: 'remind', message: 'Published' } },
        ],
      },
      rules: { retry: { attempts: 1 } },
    },
    {
      name: 'Water the plants',
      schedule: hand,
      action: { kind: 'remind', message: 'Those on the balcony, too.' },
    },
    byHand('Feed of the museum', server.url('/feed?status=404'), {
      rules: { retry: { attempts: 1 }, autoPause: { kind: 'after', failures: 2 } },
    }),
    byHand('Order the paper', '', {
      action: { kind: 'http', method: 'POST', url: server.url('/order?delay=600000') },
    }),
  ];
}
