/** Holds the documents to the code: what they name exists, and what is to be found in them is in them. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';

const root = fileURLToPath(new URL('../', import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const sorted = (names: Iterable<string>): readonly string[] => [...names].sort();

const inDocs = readdirSync(join(root, 'docs')).filter((name) => name.endsWith('.md'));
const documents = [
  'README.md',
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  ...inDocs.map((name) => `docs/${name}`),
  ...readdirSync(join(root, 'docs/decisions')).map((name) => `docs/decisions/${name}`),
];

/** The cells of the table that follows a heading, without its head. */
function tableBelow(text: string, heading: string): readonly (readonly string[])[] {
  const part = text.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
  return part
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .slice(2)
    .map((line) =>
      line
        .slice(1, -1)
        .split('|')
        .map((cell) => cell.trim()),
    );
}

describe('links between documents', () => {
  test.each(documents)('of %s lead somewhere', (path) => {
    for (const [, target = ''] of read(path).matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^(https?:|mailto:)/.test(target)) continue;
      const [file = '', anchor] = target.split('#');
      const found = file === '' ? path : normalize(join(dirname(path), file));
      expect(existsSync(join(root, found)), `${path} links to ${target}`).toBe(true);
      if (anchor !== undefined)
        expect(anchorsOf(read(found)), `${path} links to ${target}`).toContain(anchor);
    }
  });

  test('find every page of docs/ from its index, and the index from the README', () => {
    const index = read('docs/README.md');
    for (const name of inDocs) if (name !== 'README.md') expect(index).toContain(`](${name})`);
    expect(read('README.md')).toContain('](docs/README.md)');
  });
});

/** Headings as GitHub names them in addresses. */
function anchorsOf(text: string): readonly string[] {
  return [...text.matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replaceAll(/\s/g, '-'),
  );
}

describe('ARCHITECTURE.md', () => {
  const text = read('ARCHITECTURE.md');

  test('has the rooms that there are, with the realm of each and what it may import', () => {
    const rooms = tableBelow(text, 'Rooms');
    expect(sorted(rooms.map(([name = '']) => name.replaceAll('`', '')))).toEqual(
      sorted(readdirSync(join(root, 'src'))),
    );
    const { forbidden } = createRequire(import.meta.url)('../.dependency-cruiser.cjs') as {
      readonly forbidden: readonly { readonly name: string; readonly to: { readonly pathNot?: unknown } }[];
    };
    for (const [cell = '', , realm = '', imports = ''] of rooms) {
      const name = cell.replaceAll('`', '');
      expect(existsSync(join(root, 'src', name, 'index.ts')) || /entry|page|service/.test(realm), name).toBe(
        true,
      );
      const allowed = forbidden.find((rule) => rule.name === `${name}-rooms`)?.to.pathNot;
      const may = String(allowed).match(/(?<=\^src\/)\w+(?=\/index)/g) ?? [];
      expect(sorted(imports === '–' ? [] : imports.split(', ')), name).toEqual(sorted(may));
      const { lib } = (
        JSON.parse(read(`src/${name}/tsconfig.json`)) as { compilerOptions: { lib: string[] } }
      ).compilerOptions;
      const hasWorker = lib.includes('WebWorker');
      const hasPage = lib.includes('DOM');
      expect({ hasWorker, hasPage }, `${name} is ${realm}`).toEqual({
        hasWorker: realm.includes('worker'),
        hasPage: realm === 'page',
      });
    }
  });

  test('names only files that exist, by their paths in src or from the root', () => {
    const named = [...text.matchAll(/`([\w./-]+\.(?:ts|mjs|cjs))`/g)].map(([, path = '']) => path);
    expect(named.length).toBeGreaterThan(10);
    const all = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], {
      cwd: root,
      encoding: 'utf8',
    }).split('\n');
    for (const path of named)
      expect(
        all.some((one) => one === path || one === `src/${path}` || one.endsWith(`/${path}`)),
        path,
      ).toBe(true);
  });

  test('has every entry, which the build or a worker starts', () => {
    const entries = tableBelow(text, 'Entries').map(([path = '']) => path.replaceAll('`', ''));
    const config = read('vite.config.ts');
    const started = new Set<string>(['ui/main.ts', 'sw/service-worker.ts']);
    for (const path of sourceFiles())
      for (const [, address = ''] of read(path).matchAll(/new (?:Shared)?Worker\(\s*new URL\('([^']+)'/g))
        started.add(normalize(join(dirname(path), address)).replace(/^src\//, ''));
    for (const [, path = ''] of config.matchAll(/src\/(sw\/[\w-]+\.ts)/g)) started.add(path);
    expect(sorted(entries)).toEqual(sorted(started));
  });

  test('has every store with its key', () => {
    const stores = tableBelow(text, 'Stores').map(([name = '']) => name.replaceAll('`', ''));
    expect(sorted(stores)).toEqual(sorted(membersOf('src/store/schema.ts', 'RotaSchema')));
  });

  test('uses words that the code has, each with one meaning', () => {
    const words = tableBelow(text, 'Words').flatMap(([cell = '']) => cell.split(', '));
    for (const word of [
      'automation',
      'occurrence',
      'agenda',
      'claim',
      'run',
      'host',
      'lease',
      'fence',
      'epoch',
      'settle',
      'missed',
      'skipped',
      'hint',
    ])
      expect(words).toContain(word);
    const code = sourceFiles()
      .filter((path) => /^src\/(domain|rpc|store|scheduler)\//.test(path))
      .map(read)
      .join('\n');
    for (const word of words) expect(code, word).toMatch(new RegExp(String.raw`\b\w*${word}\w*\b`, 'i'));
  });
});

function sourceFiles(): readonly string[] {
  return execFileSync('git', ['ls-files', 'src'], { cwd: root, encoding: 'utf8' })
    .split('\n')
    .filter(
      (path) => path.endsWith('.ts') && !/\.(test|testing|d)\.ts$/.test(path) && existsSync(join(root, path)),
    );
}

/** The names of an interface's members. */
function membersOf(path: string, name: string): readonly string[] {
  const file = ts.createSourceFile(path, read(path), ts.ScriptTarget.Latest);
  const found = file.statements.find(
    (one): one is ts.InterfaceDeclaration => ts.isInterfaceDeclaration(one) && one.name.text === name,
  );
  return (
    found?.members.flatMap((member) =>
      member.name !== undefined && ts.isIdentifier(member.name) ? [member.name.text] : [],
    ) ?? []
  );
}

test('docs/console.md has every call of the console, and none that is not there', () => {
  const calls = [
    ...read('docs/console.md')
      .split('\n')
      .filter((line) => line.startsWith('| `'))
      .flatMap((line) =>
        [...(line.split(/(?<!\\)\|/)[1] ?? '').matchAll(/`(\w+)\(/g)].map(([, name = '']) => name),
      ),
  ];
  const contract = [
    'src/rpc/contract.ts',
    ...readdirSync(join(root, 'src/rpc')).map((name) => `src/rpc/${name}`),
  ];
  const there = new Set(contract.flatMap((path) => (path.endsWith('.ts') ? hostCalls(path) : [])));
  expect(sorted(calls)).toEqual(sorted(there));
});

/** The calls of `HostApi` in a file, and of the interfaces there that it extends. */
function hostCalls(path: string): readonly string[] {
  const text = read(path);
  const parts =
    /interface HostApi extends ([\w<>, ]+)\{/.exec(read('src/rpc/contract.ts'))?.[1]?.split(',') ?? [];
  return ['HostApi', ...parts.map((part) => part.replace(/<.*>/, '').trim())].flatMap((name) =>
    text.includes(`interface ${name}`) ? membersOf(path, name) : [],
  );
}

describe('the release', () => {
  const { version } = JSON.parse(read('package.json')) as { readonly version: string };

  test('has its part in the changelog, above those before it', () => {
    const parts = [...read('CHANGELOG.md').matchAll(/^## (\S+)/gm)].map(([, name]) => name);
    expect(parts.filter((name) => name !== 'Next')[0]).toBe(version);
  });

  test('upgrades from the one before it', () => {
    const previous = (JSON.parse(read('scripts/previous-release.json')) as { readonly version: string })
      .version;
    const parts = [...read('CHANGELOG.md').matchAll(/^## (\d\S+)/gm)].map(([, name]) => name);
    expect(parts[parts.indexOf(version) + 1]).toBe(previous);
  });
});
