/** Stories of prompts: a model is found, asked, heard while it answers, and its answer is shown and does nothing. */
import AxeBuilder from '@axe-core/playwright';
import type { Page } from '@playwright/test';
import { test as base, expect } from './app.ts';
import type { DefinitionInput } from './contract.ts';
import { ModelServer } from './model-server.ts';
import { ToolServer } from './tool-server.ts';

const test = base.extend<{ readonly models: ModelServer }>({
  models: async ({}, use) => {
    const models = await ModelServer.start();
    await use(models);
    await models.close();
  },
});

function asking(models: ModelServer, prompt: string): DefinitionInput {
  const endpoint = { baseUrl: models.url };
  return {
    name: 'Ask',
    schedule: { kind: 'manual' },
    action: { kind: 'prompt', endpoint, model: 'tiny:1b', prompt },
  };
}

const answerOf = (page: Page) => page.getByRole('region', { name: 'Answer', exact: true });

test('a model is chosen from those that its endpoint lists, and every tab hears the answer as it comes', async ({
  app,
  models,
}) => {
  base.setTimeout(120_000);
  const tab = await (await app.newTab()).open('#/new');
  const { page } = tab;
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Tonight');
  await page.getByRole('radio', { name: 'Prompt' }).check({ force: true });
  await page.getByRole('combobox', { name: 'Address of the endpoint' }).fill(models.url);
  await page.getByRole('textbox', { name: 'Key' }).fill('sk-test-4711');

  // A server that lets no page ask it is told from one that is not there, with what to do.
  models.allows = false;
  const test = page.getByRole('button', { name: 'Test and list models' });
  await test.click();
  await expect(page.getByText('does not let Rota read its answers (CORS)')).toBeVisible({ timeout: 20_000 });
  await expect(page.getByText(/OLLAMA_ORIGINS=http:\/\//)).toBeVisible();
  models.allows = true;
  await test.click();
  await expect(page.getByText('It answers: 2 models')).toBeVisible({ timeout: 20_000 });
  await page.getByRole('combobox', { name: 'Models of this endpoint' }).selectOption('small:3b');
  await expect(page.getByRole('textbox', { name: 'Model', exact: true })).toHaveValue('small:3b');

  await page
    .getByRole('textbox', { name: 'Prompt', exact: true })
    .fill('What to cook on {{ run.scheduledFor | date: "%A" }}?');
  await page.getByRole('radio', { name: 'By hand' }).check({ force: true });
  // The preview beside fades while it is computed anew, and is looked at elsewhere.
  const editor = new AxeBuilder({ page }).exclude({
    fromShadowDom: ['rota-app', 'rota-editor-page', '.when-aside'],
  });
  expect((await editor.analyze()).violations).toEqual([]);
  await page.getByRole('button', { name: /^Save/ }).click();
  await expect.poll(async () => (await tab.rota.listAutomations()).counts.all).toBe(1);
  const [automation] = (await tab.rota.listAutomations()).items;
  if (automation === undefined) throw new Error('nothing was saved');
  const started = await tab.rota.runNow({ id: automation.id });
  if (started.kind !== 'claimed') throw new Error(started.kind);
  await page.goto(`${tab.url}#/runs/${started.run.id}`);
  const other = await (await app.newTab()).open(`#/runs/${started.run.id}`);

  await expect.poll(() => models.questions.length, { timeout: 20_000 }).toBe(1);
  const [question] = models.questions;
  expect(question).toMatchObject({ authorization: 'Bearer sk-test-4711', body: { model: 'small:3b' } });
  question?.answer.say('## Soup\n\n');
  question?.answer.say('Take **leeks');
  for (const shown of [page, other.page])
    await expect(shown.getByRole('region', { name: 'Answer so far' })).toContainText('Take **leeks');
  question?.answer.say('** and [butter](https://example.test/butter).');
  question?.answer.end();

  for (const shown of [page, other.page]) {
    await expect(answerOf(shown).getByRole('heading', { name: 'Soup' })).toBeVisible({ timeout: 20_000 });
    await expect(answerOf(shown).locator('strong')).toHaveText('leeks');
    await expect(shown.getByText('20 tokens sent and 3 answered')).toBeVisible();
  }
  await expect(answerOf(page).getByRole('link', { name: 'butter' })).toHaveAttribute('rel', /noopener/);
  expect((await new AxeBuilder({ page }).analyze()).violations).toEqual([]);
  await page.getByRole('button', { name: 'Show as text' }).click();
  await expect(answerOf(page)).toContainText('## Soup');
  expect(JSON.stringify(await tab.rota.getRun(started.run.id).then((run) => run?.output))).not.toContain(
    '4711',
  );
  expect(app.complaints).toEqual([]);
});

test('tools that were allowed are called, no others, and all of it is shown as text', async ({
  app,
  models,
}) => {
  base.setTimeout(120_000);
  const tools = await ToolServer.start();
  try {
    tools.answers = '<img src=x onerror="pwned=1"> 4 °C';
    const tab = await (await app.newTab()).open('#/new');
    const { page } = tab;
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Weather');
    await page.getByRole('radio', { name: 'Prompt' }).check({ force: true });
    await page.getByRole('combobox', { name: 'Address of the endpoint' }).fill(models.url);
    await page.getByRole('textbox', { name: 'Model', exact: true }).fill('tiny:1b');
    await page.getByRole('textbox', { name: 'Prompt', exact: true }).fill('What to wear?');
    await page.getByText('Tools', { exact: true }).click();
    await page.getByRole('button', { name: 'Add a server of tools' }).click();
    await page.getByRole('textbox', { name: 'Address of server 1' }).fill(tools.url);
    await page.getByRole('button', { name: 'Add a header' }).click();
    await page.getByRole('textbox', { name: 'Name of header 1' }).fill('Authorization');
    await page.getByRole('textbox', { name: 'Value of header 1' }).fill('Bearer weather-1');

    // A server that lets no page ask it is told with all that it must send.
    tools.allows = false;
    const list = page.getByRole('button', { name: 'List tools' });
    await list.click();
    await expect(page.getByText('Access-Control-Expose-Headers: Mcp-Session-Id')).toBeVisible({
      timeout: 30_000,
    });
    tools.allows = true;
    await list.click();
    await expect(page.getByText('Weather answers: 2 tools')).toBeVisible({ timeout: 30_000 });
    await expect(page.getByText('Tells the weather of a <b>place</b>.')).toBeVisible();
    await expect(page.getByText('The server says that it may delete or overwrite.')).toBeVisible();
    await page.getByRole('checkbox', { name: /^forecast/ }).check({ force: true });
    await expect(page.getByText('forecast is safe to repeat')).toBeVisible();
    await page.getByRole('radio', { name: 'By hand' }).check({ force: true });
    const editor = new AxeBuilder({ page }).exclude({
      fromShadowDom: ['rota-app', 'rota-editor-page', '.when-aside'],
    });
    expect((await editor.analyze()).violations).toEqual([]);
    await page.getByRole('button', { name: /^Save/ }).click();
    await expect.poll(async () => (await tab.rota.listAutomations()).counts.all).toBe(1);
    const [automation] = (await tab.rota.listAutomations()).items;
    if (automation === undefined) throw new Error('nothing was saved');
    const started = await tab.rota.runNow({ id: automation.id });
    if (started.kind !== 'claimed') throw new Error(started.kind);

    await expect.poll(() => models.questions.length, { timeout: 30_000 }).toBe(1);
    models.questions[0]?.answer.call('forecast', { city: 'Rome' });
    models.questions[0]?.answer.call('delete_everything', {});
    models.questions[0]?.answer.end();
    await expect.poll(() => models.questions.length, { timeout: 30_000 }).toBe(2);
    models.questions[1]?.answer.say('A coat.');
    models.questions[1]?.answer.end();
    await page.goto(`${tab.url}#/runs/${started.run.id}`);
    await expect(answerOf(page)).toContainText('A coat.', { timeout: 30_000 });
    expect(tools.calls).toEqual([{ name: 'forecast', args: { city: 'Rome' } }]);
    expect([...tools.authorizations]).toEqual(['Bearer weather-1']);
    const calls = page.getByRole('list', { name: 'Calls of tools' });
    await calls.getByText('forecast').first().click();
    await expect(calls.getByText('<img src=x onerror="pwned=1"> 4 °C')).toBeVisible();
    await calls.getByText('delete_everything').first().click();
    await expect(calls.getByText('The person has not allowed a tool of this name.')).toBeVisible();
    expect(await page.evaluate(() => 'pwned' in globalThis)).toBe(false);
    expect((await new AxeBuilder({ page }).analyze()).violations).toEqual([]);
    expect(app.complaints).toEqual([]);
  } finally {
    await tools.close();
  }
});

/** What a hostile model may answer; each tries to run, to fetch, to style or to lead away by itself. */
const HOSTILE: readonly ((evil: string) => string)[] = [
  (evil) => `<script>fetch('${evil}')</script>`,
  (evil) => `<script src="${evil}"></script>`,
  (evil) => `<img src="${evil}" onerror="pwned=1">`,
  () => `<img src=x onerror=globalThis.pwned=1>`,
  (evil) => `![picture](${evil})`,
  (evil) => `![ref][pic]\n\n[pic]: ${evil}`,
  () => `![data](data:image/svg+xml;base64,PHN2ZyBvbmxvYWQ9InB3bmVkPTEiLz4=)`,
  (evil) => `<svg onload="pwned=1"><image href="${evil}"/></svg>`,
  () => `<svg><animate onbegin=pwned=1 attributeName=x dur=1s></svg>`,
  (evil) => `<style>@import "${evil}"; * { display: none !important }</style>`,
  (evil) => `<link rel="stylesheet" href="${evil}">`,
  (evil) => `<link rel="prefetch" href="${evil}">`,
  (evil) => `<meta http-equiv="refresh" content="0;url=${evil}">`,
  (evil) => `<base href="${evil}">`,
  (evil) => `<form action="${evil}"><input name=q autofocus onfocus=pwned=1><button>Go</button></form>`,
  (evil) => `<iframe src="${evil}"></iframe>`,
  () => `<iframe srcdoc="<script>parent.pwned=1</script>"></iframe>`,
  (evil) => `<object data="${evil}"></object><embed src="${evil}">`,
  (evil) => `<video src="${evil}" autoplay></video><audio src="${evil}" autoplay></audio>`,
  (evil) => `<div style="position:fixed;inset:0;background:url(${evil})">over everything</div>`,
  (evil) => `<a href="${evil}" ping="${evil}" onclick="pwned=1">a link</a>`,
  () => `[a](javascript:pwned=1)`,
  () => `[a](JaVaScRiPt&#58;pwned=1)`,
  () => `[a](&#106;avascript&colon;pwned=1)`,
  () => `[a](java\tscript:pwned=1) [b](<java\nscript:pwned=1>)`,
  () => `[a](data:text/html,<script>pwned=1</script>)`,
  () => `[a](vbscript:pwned=1) [b](file:///etc/passwd) [c](blob:https://example.test/1)`,
  () => `[a](#/settings) [b](./next/) [c](//example.test/x) [d](/x)`,
  () => `[trust me](https://bank.test@example.test/)`,
  () => `<javascript:pwned=1> <https://example.test/fine>`,
  () => `&lt;script&gt;pwned=1&lt;/script&gt; &#60;img src=x onerror=pwned=1&#62;`,
  () => `[x]: javascript:pwned=1\n\n[x]`,
  () => `\`\`\`html"><script>pwned=1</script>\n<script>pwned=1</script>\n\`\`\``,
  () => `| a |\n|---|\n| <img src=x onerror=pwned=1> |`,
  () => `<details open ontoggle=pwned=1><summary>x</summary></details>`,
  () => `<math><mtext></mtext><mglyph><style><img src=x onerror=pwned=1></style></mglyph></math>`,
  () => `<noscript><p title="</noscript><img src=x onerror=pwned=1>">`,
  () => `[a](https://example.test/"onmouseover="pwned=1) ![x"onerror="pwned=1](y)`,
  () => `<rota-app></rota-app><template shadowrootmode="open"><script>pwned=1</script></template>`,
  () => `{{ run.id }} \${pwned=1} <%= pwned=1 %>`,
];

test('whatever a model answers runs nothing, fetches nothing, styles nothing and leads nowhere by itself', async ({
  app,
  models,
  server,
}) => {
  base.setTimeout(120_000);
  models.says = HOSTILE.map(
    (make, at) => `Case ${at + 1}.\n\n${make(server.url(`/evil?case=${at + 1}`))}`,
  ).join('\n\n---\n\n');
  const tab = await (await app.newTab()).open();
  const { page } = tab;
  const id = await tab.addOne(asking(models, 'Attack'));
  const started = await tab.rota.runNow({ id });
  if (started.kind !== 'claimed') throw new Error(started.kind);
  const requests: string[] = [];
  const origin = new URL(tab.url).origin;
  page.on('request', (request) => {
    if (!request.url().startsWith(`${origin}/`)) requests.push(request.url());
  });
  await page.goto(`${tab.url}#/runs/${started.run.id}`);
  await expect(answerOf(page)).toBeVisible({ timeout: 30_000 });
  await expect(answerOf(page)).toContainText(`Case ${HOSTILE.length}.`);

  const found = await answerOf(page).evaluate((answer) => {
    const elements = [...answer.querySelectorAll('*')];
    return {
      names: [...new Set(elements.map(({ localName }) => localName))],
      attributes: [...new Set(elements.flatMap((element) => element.getAttributeNames()))],
      links: [...answer.querySelectorAll('a')].map(({ href, rel, target }) => ({
        scheme: new URL(href).protocol,
        user: new URL(href).username,
        rel,
        target,
      })),
    };
  });
  const allowed =
    'a blockquote br code del div em h2 h3 h4 h5 h6 hr li ol p pre span strong table tbody td th thead tr ul';
  expect(found.names.filter((name) => !allowed.split(' ').includes(name))).toEqual([]);
  const harmless = ['aria-label', 'class', 'href', 'rel', 'role', 'start', 'tabindex', 'target'];
  expect(found.attributes.filter((name) => !harmless.includes(name))).toEqual([]);
  expect(found.links.length).toBeGreaterThan(0);
  for (const link of found.links) {
    expect(link).toMatchObject({ user: '', target: '_blank', rel: 'noopener noreferrer nofollow' });
    expect(['http:', 'https:', 'mailto:']).toContain(link.scheme);
  }
  expect(await page.evaluate(() => 'pwned' in globalThis)).toBe(false);
  expect(page.url()).toBe(`${tab.url}#/runs/${started.run.id}`);
  expect(requests).toEqual([]);
  expect(server.hits).toEqual([]);
  expect((await new AxeBuilder({ page }).analyze()).violations).toEqual([]);

  // One that is nested deeper than can be read is shown as the text that it is.
  models.says = `${'> '.repeat(9_000)}deep`;
  const again = await tab.rota.runNow({ id });
  if (again.kind !== 'claimed') throw new Error(again.kind);
  await page.goto(`${tab.url}#/runs/${again.run.id}`);
  await expect(page.getByRole('region', { name: 'Answer', exact: true })).toContainText('> > >', {
    timeout: 30_000,
  });
  expect(app.complaints).toEqual([]);
});

/** Puts a model of the browser into pages, or takes away the one that they have. No real one was tried: it is gigabytes. */
function fakeModel(availability: string | null): void {
  let goOn: () => void = () => undefined;
  const told = new Promise<void>((resolve) => (goOn = resolve));
  const create = ({ initialPrompts = [] }: { initialPrompts?: { content: string }[] }): Promise<object> =>
    Promise.resolve({
      promptStreaming: (prompt: string) =>
        new ReadableStream<string>({
          start: async (controller) => {
            controller.enqueue('Soup, ');
            await told;
            controller.enqueue(`says ${initialPrompts[0]?.content} of <b>${prompt}</b>`);
            controller.close();
          },
        }),
      destroy: () => undefined,
    });
  const value =
    availability === null ? undefined : { availability: () => Promise.resolve(availability), create };
  Object.defineProperty(globalThis, 'LanguageModel', { value, configurable: true });
  Object.assign(globalThis, { modelGoesOn: goOn });
}

test('a prompt to the model of the browser waits for an open tab that has it, and is answered there word by word', async ({
  app,
}) => {
  const without = await app.newTab('/');
  await without.page.addInitScript(fakeModel, null);
  await without.open('#/new');
  const { page } = without;
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Tonight');
  await page.getByRole('radio', { name: 'Prompt' }).check({ force: true });
  await page.getByRole('radio', { name: 'Built into this browser' }).check({ force: true });
  await expect(page.getByText(/This browser has no model of its own/)).toBeVisible();
  await page.getByRole('textbox', { name: 'System prompt' }).fill('the cook');
  await page.getByRole('textbox', { name: 'Prompt', exact: true }).fill('dinner');
  await page.getByRole('radio', { name: 'By hand' }).check({ force: true });
  await page.getByRole('button', { name: /^Save/ }).first().click();
  await expect.poll(async () => (await without.rota.listAutomations()).items.length).toBe(1);
  const id = (await without.rota.listAutomations()).items[0]?.id;
  if (id === undefined) throw new Error('It was not saved.');
  expect(await without.rota.runNow({ id })).toEqual({ kind: 'waiting', for: 'built-in-model' });
  await without.open(`#/automations/${id}`);
  await expect(page.getByText('Waiting for an open tab with the model of the browser').first()).toBeVisible({
    timeout: 20_000,
  });

  const having = await app.newTab('/');
  await having.page.addInitScript(fakeModel, 'available');
  await having.open();
  await expect.poll(async () => (await without.runs()).length, { timeout: 30_000 }).toBe(1);
  const [claimed] = await without.runs();
  if (claimed === undefined) throw new Error('There is no run.');
  await expect
    .poll(async () => (await without.rota.getRun(claimed.id))?.progress?.text, { timeout: 30_000 })
    .toBe('Soup, ');
  await having.page.evaluate(() => (Reflect.get(globalThis, 'modelGoesOn') as () => void)());
  expect(await without.expectSettled(1)).toMatchObject([{ status: 'succeeded' }]);
  expect((await without.rota.getRun(claimed.id))?.output).toMatchObject({
    answer: { text: 'Soup, says the cook of <b>dinner</b>', end: 'complete' },
  });
});
