/** What WebKit alone does: when the process of a SharedWorker has died, it runs its script again, behind ports that are deaf from then on. */
import { byHand, expect } from './app.ts';
import { type RotaTab, unlessLost } from './installation.ts';
import { PATH, arm } from './pause-points.ts';
import { openInTurn, test } from './place.ts';
import { hostProcesses, killNow } from './processes.ts';

/** Writes down each sentence that the strip at the top says from now on, with its tone. */
function hearStrip(tab: RotaTab): Promise<void> {
  return tab.view.evaluate(() => {
    const find = (root: ParentNode): ShadowRoot | null => {
      for (const element of root.querySelectorAll('*')) {
        if (element.localName === 'rota-truth-strip') return element.shadowRoot;
        const inside = element.shadowRoot === null ? null : find(element.shadowRoot);
        if (inside !== null) return inside;
      }
      return null;
    };
    const strip = find(document);
    if (strip === null) throw new Error('There is no strip.');
    const said: string[] = [];
    const listen = (): void => {
      const tone = strip.querySelector('.dot')?.classList.item(1) ?? 'none';
      const sentence = `${tone}: ${strip.querySelector('strong')?.textContent.trim() ?? ''}`;
      if (said.at(-1) !== sentence) said.push(sentence);
    };
    listen();
    new MutationObserver(listen).observe(strip, {
      subtree: true,
      childList: true,
      characterData: true,
      attributes: true,
    });
    Object.assign(globalThis, { said });
  }, null);
}

test('The process of the host is killed, and WebKit runs its script again: each tab notices and joins that host anew, a command pressed meanwhile is done once, and nobody is told more than that the engine restarts', async ({
  place,
  server,
}) => {
  const tabs = (await openInTurn(place, 3, PATH)) as [RotaTab, RotaTab, RotaTab];
  const [seen, hidden] = tabs;
  const id = await seen.addOne(byHand('Once', server.url('/once')));
  const before = (await seen.rota.status()).hostId;
  await hearStrip(seen);
  const [process, ...others] = hostProcesses(place.browser.pid);
  expect(others).toEqual([]);
  await (
    await arm(hidden, 'now')
  ).reached;
  // The host hears nothing any more: this waits for whoever comes after it.
  const pressed = seen.rota.runNow({ id });
  killNow(Number(process?.pid));
  expect((await pressed).kind).toBe('claimed');
  expect(await seen.expectSettled(1)).toMatchObject([{ status: 'succeeded', attempt: 1 }]);
  expect(server.at('/once')).toHaveLength(1);

  // No page was in that process, and one host has come after the one that was in it.
  for (const tab of tabs) {
    const status = await tab.rota.status();
    expect(status.hostId).not.toBe(before);
    expect(status.hosts).toHaveLength(1);
  }
  await expect.poll(async () => (await unlessLost(hidden.rota.status()))?.tabs).toBe(tabs.length);

  await expect.poll(() => seen.shown()).not.toContain('The engine is restarting.');
  const said = await seen.view.evaluate(() => Reflect.get(globalThis, 'said') as readonly string[], null);
  expect(said).toContain('warn: The engine is restarting.');
  expect(said.filter((sentence) => /^(warn|bad)/.test(sentence))).toEqual([
    'warn: The engine is restarting.',
  ]);
  expect(place.complaints).toEqual([]);
});

test('A tab that goes elsewhere counts as closed, and a person who goes back finds it as it was, and with a host', async ({
  place,
}) => {
  test.setTimeout(180_000);
  const [stays, goes] = (await openInTurn(place, 2)) as [RotaTab, RotaTab];
  const expectTabs = (count: number): Promise<void> =>
    expect.poll(async () => (await unlessLost(stays.rota.status()))?.tabs).toBe(count);
  await expectTabs(2);
  await goes.view.evaluate(() => void Object.assign(globalThis, { isKept: true }), null);
  await goes.view.goto(`${goes.url}favicon.svg`);
  await expectTabs(1);
  // Answered before the page is gone.
  await goes.view.evaluate(() => void setTimeout(() => history.back(), 0), null);
  await expectTabs(2);
  expect(await goes.view.evaluate(() => 'isKept' in globalThis, null)).toBe(true);
  expect((await goes.rota.status()).hostId).toBe((await stays.rota.status()).hostId);
});
