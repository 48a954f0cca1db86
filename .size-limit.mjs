/**
 * What a first visit loads, gzipped. A bundle is an entry with all that it imports statically; what is imported when it is
 * first used costs nothing here. Names hold hashes, so they are found in what was built.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseAst } from 'vite';

const DIST = 'dist';

/** @param {string} pattern with one match in the built assets. */
function asset(pattern) {
  const found = readdirSync(join(DIST, 'assets')).filter((name) => new RegExp(pattern).test(name));
  if (found.length !== 1)
    throw new Error(`There should be one ${pattern} in ${DIST}/assets, and there are ${found.length}.`);
  return join(DIST, 'assets', found[0]);
}

/** The script that the page starts with. */
function pageEntry() {
  const found = /<script type="module"[^>]* src="\.\/([^"]+)"/.exec(
    readFileSync(join(DIST, 'index.html'), 'utf8'),
  );
  if (found === null) throw new Error(`${DIST}/index.html starts no script.`);
  return join(DIST, found[1]);
}

/** @param {string} entry */
function withStaticImports(entry) {
  const files = new Set([entry]);
  for (const file of files) {
    for (const statement of parseAst(readFileSync(file, 'utf8')).body) {
      if (
        statement.type === 'ImportDeclaration' ||
        statement.type === 'ExportAllDeclaration' ||
        (statement.type === 'ExportNamedDeclaration' && statement.source !== null)
      )
        files.add(join(dirname(file), statement.source.value));
    }
  }
  return [...files];
}

export default [
  {
    name: 'Tab, first load',
    path: withStaticImports(pageEntry()),
    gzip: true,
    limit: '120 kB',
  },
  {
    name: 'Host, without what its actions load',
    path: withStaticImports(asset(String.raw`^shared-worker-[\w-]+\.js$`)),
    gzip: true,
    // The goal is 60: what a claim does not need is to be loaded when it is used.
    limit: '62 kB',
  },
  {
    name: 'Service worker',
    path: join(DIST, 'service-worker.js'),
    gzip: true,
    limit: '10 kB',
  },
  {
    name: 'Host of last resort, with all that its actions load',
    path: join(DIST, 'service-worker-host.js'),
    gzip: true,
    // A service worker can load nothing later, so all libraries of all actions are in it; it is read only when the browser
    // wakes it with every page closed.
    limit: '300 kB',
  },
];
