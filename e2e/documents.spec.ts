/** What the documents say to type works as it stands there. */
import { readFile } from 'node:fs/promises';
import { expect, test } from './app.ts';

test('what the README and the manual say to try in the console works, line by line, in a new installation', async ({
  app,
}) => {
  const tab = await app.openTab();
  for (const [index, path] of ['README.md', 'docs/console.md'].entries()) {
    const [, code] = /```js\n([\s\S]+?)```/.exec(await readFile(path, 'utf8')) ?? [];
    if (code === undefined) throw new Error(`${path} has nothing to try.`);
    await tab.page.evaluate(`(async () => { ${code} })()`);
    // Each runs what is there once.
    const [run] = await tab.expectSettled(index + 1);
    expect(run).toMatchObject({ status: 'succeeded', summary: 'Returned 42' });
  }
  expect(app.complaints).toEqual([]);
});
