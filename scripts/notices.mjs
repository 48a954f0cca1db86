/**
 * The licences of what Rota ships of others: which packages are in a build, under which licence, and the text that a build
 * carries with it, since nearly every licence asks for its text to go with the code.
 */
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** The file of a build that holds the licences, beside `index.html`. */
export const NOTICES_FILE = 'third-party-notices.txt';

/** Licences that what is shipped may have: each lets anybody use, change and pass on, and asks for its text alone. */
export const ALLOWED_LICENCES = [
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC0-1.0',
  'ISC',
  'MIT',
];

/**
 * One package, or one part of one that has a licence of its own.
 * @typedef {{ readonly name: string, readonly version: string, readonly licence: string, readonly text: string }} Notice
 */

/** The text of the MIT licence below its line of copyright (https://spdx.org/licenses/MIT). */
const MIT = `Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated
documentation files (the "Software"), to deal in the Software without restriction, including without limitation the
rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit
persons to whom the Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the
Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE
WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR
COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR
OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.`;

/**
 * What is compiled into the file of a package, and named by none of its files: by the name of that package.
 * @type {Readonly<Record<string, readonly Notice[]>>}
 */
const COMPILED_IN = {
  '@jitl/quickjs-wasmfile-release-sync': [
    {
      name: 'Emscripten (the run time of the WebAssembly file of QuickJS)',
      version: '',
      licence: 'MIT',
      text: `Copyright (c) 2010-2014 Emscripten authors, see AUTHORS file.\n\n${MIT}`,
    },
    {
      name: 'musl libc (in the WebAssembly file of QuickJS)',
      version: '',
      licence: 'MIT',
      text: `Copyright (c) 2005-2020 Rich Felker, et al.\n\n${MIT}`,
    },
  ],
};

/**
 * The folder of the package that a module of a build is from, or `null` for one of Rota's own. What the bundler adds of itself
 * is the bundler's.
 * @param {string} id of the module, as the bundler names it.
 * @param {string} root the folder of the project, with a slash at its end.
 * @returns {string | null}
 */
export function packageFolderOf(id, root) {
  if (/^\0?(vite|rolldown)\//.test(id))
    return `${root}node_modules/${id.includes('vite/') ? 'vite' : 'rolldown'}`;
  const found = /^\0?(?<folder>.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/?]+)(?:[\\/?]|$)/.exec(id);
  return found?.groups?.['folder'] ?? null;
}

/**
 * What the package in a folder says of its licence; `licence` is an SPDX expression, or empty where it says none.
 * @param {string} folder
 * @returns {Notice}
 */
export function noticeOf(folder) {
  /** @type {{ readonly name?: string, readonly version?: string, readonly license?: unknown }} */
  const {
    name = folder,
    version = '',
    license,
  } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const files = readdirSync(folder).filter((file) => /^(licen[cs]e|copying|notice)(\.|$)/i.test(file));
  const text = files.map((file) => readFileSync(join(folder, file), 'utf8').trim()).join('\n\n');
  return {
    name,
    version,
    licence: typeof license === 'string' ? license : '',
    // Vite's file goes on with what is in Vite itself, which stays here.
    text: (text.split('\n# Licenses of bundled dependencies')[0] ?? '').trim(),
  };
}

/**
 * Everything in these folders, and what is compiled into them, by name.
 * @param {Iterable<string>} folders
 * @returns {readonly Notice[]}
 */
export function noticesOf(folders) {
  const own = [...folders].filter((folder) => existsSync(join(folder, 'package.json'))).map(noticeOf);
  const all = own.flatMap((notice) => [notice, ...(COMPILED_IN[notice.name] ?? [])]);
  const byName = new Map(all.map((notice) => [`${notice.name} ${notice.version}`, notice]));
  return [...byName.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, notice]) => notice);
}

/**
 * Whether an SPDX expression allows what Rota does: of `OR` one side must, of `AND` both.
 * https://spdx.github.io/spdx-spec/v2.3/SPDX-license-expressions/
 * @param {string} expression
 * @returns {boolean}
 */
export function isAllowed(expression) {
  const bare = expression.replaceAll(/[()]/g, ' ').trim();
  if (bare === '') return false;
  return bare
    .split(/\s+OR\s+/)
    .some((side) => side.split(/\s+AND\s+/).every((one) => ALLOWED_LICENCES.includes(one.trim())));
}

/**
 * What is wrong with shipping these, a sentence each.
 * @param {readonly Notice[]} notices
 * @returns {readonly string[]}
 */
export function problemsOf(notices) {
  return notices.flatMap(({ name, version, licence, text }) => {
    const what = `${name} ${version}`.trim();
    if (!isAllowed(licence))
      return [
        `${what} is under ${licence === '' ? 'no licence that it names' : licence}, which is not allowed.`,
      ];
    return text === '' ? [`${what} has no text of its licence (${licence}) to be shipped with it.`] : [];
  });
}

/**
 * The file that goes with a build. Packages with the same text are named above it together.
 * @param {readonly Notice[]} notices
 * @returns {string}
 */
export function noticesText(notices) {
  /** @type {Map<string, Notice[]>} */
  const byText = new Map();
  for (const notice of notices) byText.set(notice.text, [...(byText.get(notice.text) ?? []), notice]);
  const parts = [...byText].map(([text, sharers]) => {
    const names = sharers.map(({ name, version, licence }) => `${name} ${version}`.trim() + ` (${licence})`);
    return `${names.join('\n')}\n\n${text}\n`;
  });
  const line = `\n${'-'.repeat(80)}\n\n`;
  return `Rota is under the MIT licence. It contains work of others, whose licences follow.\n${line}${parts.join(line)}`;
}
