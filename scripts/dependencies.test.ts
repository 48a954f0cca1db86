import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { licenceProblems, type LockFile, readAudit, shippable } from './dependencies.mjs';
import { isAllowed, noticesOf, noticesText, packageFolderOf, problemsOf } from './notices.mjs';

const root = fileURLToPath(new URL('../', import.meta.url));
const read = (name: string): unknown => JSON.parse(readFileSync(`${root}${name}`, 'utf8'));
const lock = read('package-lock.json') as LockFile;

test('every package is of one exact version, with the hash of what it must be', () => {
  const { dependencies, devDependencies } = read('package.json') as Record<string, Record<string, string>>;
  for (const [name, version] of Object.entries({ ...dependencies, ...devDependencies }))
    expect(version, name).toMatch(/^\d+\.\d+\.\d+$/);
  const others = Object.entries(lock.packages).filter(([folder]) => folder !== '');
  expect(others.length).toBeGreaterThan(100);
  for (const [folder, { integrity }] of others) expect(integrity, folder).toMatch(/^sha512-/);
});

describe('licences', () => {
  test('of all that can come into a build are among those that may be shipped', () => {
    expect(licenceProblems(lock, () => null)).toEqual([]);
    expect(shippable(lock).map(([folder]) => folder)).toContain('node_modules/lit');
  });

  test('a package of another licence fails the check by its name', () => {
    const packages = {
      '': { version: '1.0.0' },
      'node_modules/good': { version: '1.0.0', license: 'MIT' },
      'node_modules/good/node_modules/@some/one': { version: '2.1.0', license: 'GPL-3.0-only' },
      'node_modules/silent': { version: '3.0.0' },
      'node_modules/tool': { version: '1.0.0', license: 'GPL-3.0-only', dev: true },
    };
    expect(licenceProblems({ packages }, () => null)).toEqual([
      '@some/one 2.1.0 is under GPL-3.0-only.',
      'silent 3.0.0 is under no licence that it names.',
    ]);
    // What is installed counts, and not what the lock file remembers.
    expect(licenceProblems({ packages }, () => 'UNLICENSED')).toHaveLength(3);
  });

  test.each([
    ['MIT', true],
    ['(MIT OR GPL-3.0-only)', true],
    ['MIT AND GPL-3.0-only', false],
    ['(MIT AND ISC)', true],
    ['SEE LICENSE IN LICENSE', false],
    ['', false],
  ])('%j may be shipped: %s', (expression, expected) => {
    expect(isAllowed(expression)).toBe(expected);
  });
});

describe('the licences that go with a build', () => {
  test.each([
    ['/p/node_modules/lit/index.js', '/p/node_modules/lit'],
    ['/p/node_modules/@a/b/node_modules/c/x.js?url', '/p/node_modules/@a/b/node_modules/c'],
    [String.raw`C:\p\node_modules\@a\b\x.js`, String.raw`C:\p\node_modules\@a\b`],
    ['\0/p/node_modules/lit/index.js?commonjs', '/p/node_modules/lit'],
    ['\0vite/preload-helper.js', '/p/node_modules/vite'],
    ['\0rolldown/runtime.js', '/p/node_modules/rolldown'],
    ['/p/src/ui/main.ts', null],
  ])('know which package %j is from', (id, folder) => {
    expect(packageFolderOf(id, '/p/')).toBe(folder);
  });

  const folders = ['lit', 'lit-html', 'vite', '@jitl/quickjs-wasmfile-release-sync'].map(
    (name) => `${root}node_modules/${name}`,
  );

  test('have the text of each, once where several share it, and what is compiled into one', () => {
    const text = noticesText(noticesOf([...folders, ...folders]));
    expect(text).toMatch(/lit \d\S+ \(BSD-3-Clause\)\nlit-html \d\S+ \(BSD-3-Clause\)\n\n/);
    expect(text.match(/Copyright \(c\) 2017 Google LLC/g)).toHaveLength(1);
    for (const holder of ['Fabrice Bellard', 'Rich Felker', 'Emscripten authors', 'VoidZero'])
      expect(text).toContain(holder);
    expect(text).not.toContain('Licenses of bundled dependencies');
    expect(problemsOf(noticesOf(folders))).toEqual([]);
  });

  test('are not made without the text of a licence, nor with one that may not be shipped', () => {
    expect(
      problemsOf([
        { name: 'silent', version: '1.0.0', licence: 'MIT', text: '' },
        { name: 'other', version: '2.0.0', licence: 'GPL-3.0-only', text: 'All of it.' },
      ]),
    ).toEqual([
      'silent 1.0.0 has no text of its licence (MIT) to be shipped with it.',
      'other 2.0.0 is under GPL-3.0-only, which is not allowed.',
    ]);
  });
});

describe('what the registry knows of faults', () => {
  const report = (vulnerabilities: object): string =>
    JSON.stringify({ auditReportVersion: 2, vulnerabilities, metadata: { vulnerabilities: { total: 0 } } });

  test('that are grave fails the check by their names, and others are told', () => {
    const low = { severity: 'moderate', range: '<2' };
    expect(readAudit(report({ a: low }))).toEqual({ kind: 'passed', milder: ['a <2: moderate'] });
    expect(
      readAudit(report({ a: low, b: { severity: 'high', range: '<3' }, c: { severity: 'critical' } })),
    ).toEqual({
      kind: 'failed',
      found: ['b <3: high', 'c : critical'],
    });
    expect(readAudit(report({}))).toEqual({ kind: 'passed', milder: [] });
  });

  test.each([
    ['{"message":"405 Method Not Allowed","method":"POST"}', '405 Method Not Allowed'],
    ['{"error":{"code":"ENOLOCK","summary":"This needs a lock file."}}', 'This needs a lock file.'],
    ['{"vulnerabilities":{}}', 'npm audit gave no report'],
    ['null', 'npm audit gave no report'],
    ['npm warn audit', 'npm audit printed no report'],
    ['', 'npm audit printed no report'],
  ])('no answer of the registry is never taken for a pass', (printed, why) => {
    expect(readAudit(printed)).toEqual({ kind: 'not-checked', why });
  });
});
