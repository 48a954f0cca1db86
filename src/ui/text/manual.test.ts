import { fileURLToPath } from 'node:url';
import { format, resolveConfig } from 'prettier';
import { expect, test } from 'vitest';
import { parseFile, prepareTime } from '../../domain/index.ts';
import { EXAMPLES, manual } from './manual.testing.ts';

const docs = fileURLToPath(new URL('../../../docs/', import.meta.url));

test.each(manual())('docs/$file is what the texts of the screens make', async ({ file, text }) => {
  const settings = await resolveConfig(`${docs}${file}`);
  // `npm run manual` writes them.
  await expect(await format(text, { ...settings, parser: 'markdown' })).toMatchFileSnapshot(`${docs}${file}`);
});

test('every example of the manual is a definition that Rota reads', async () => {
  await prepareTime();
  const text = JSON.stringify({ format: 'rota', version: 1, automations: Object.values(EXAMPLES) });
  expect(parseFile(text)).toMatchObject({ kind: 'ok' });
});
