/**
 * What is asked of the packages that Rota depends on. `node scripts/dependencies.mjs licences` reads the licence of each that can
 * come into a build; `audit` asks the registry for known faults in them, and ends with {@link NOT_CHECKED} where it does not answer.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { argv, exit, platform, stdout } from 'node:process';
import { fileURLToPath } from 'node:url';
import { isAllowed, noticeOf } from './notices.mjs';
import { NOT_CHECKED, ROOT } from './steps.mjs';

/** How long the registry may take, in ms. */
const AUDIT_MOST_MS = 60_000;

/**
 * The lock file of npm, as far as it is read here (https://docs.npmjs.com/cli/v10/configuring-npm/package-lock-json).
 * @typedef {{ readonly version?: string, readonly integrity?: string, readonly dev?: boolean, readonly optional?: boolean, readonly license?: string, readonly link?: boolean }} Locked
 * @typedef {{ readonly packages: Readonly<Record<string, Locked>> }} LockFile
 */

/**
 * The packages that are not there for development alone, by their folders from the root, such as `node_modules/lit`.
 * @param {LockFile} lock
 * @returns {readonly (readonly [folder: string, locked: Locked])[]}
 */
export function shippable({ packages }) {
  return Object.entries(packages).filter(([folder, { dev }]) => folder !== '' && dev !== true);
}

/**
 * What is wrong with the licences of the packages that can come into a build, a sentence each.
 * @param {LockFile} lock
 * @param {(folder: string) => string | null} licenceIn what the package in a folder says; `null` where it is not installed, as
 *   one for another system is not: then the lock file's word counts.
 * @returns {readonly string[]}
 */
export function licenceProblems(lock, licenceIn) {
  return shippable(lock).flatMap(([folder, { version, license }]) => {
    const licence = licenceIn(folder) ?? license ?? '';
    if (isAllowed(licence)) return [];
    const name = folder.slice(folder.lastIndexOf('node_modules/') + 'node_modules/'.length);
    return [`${name} ${version ?? ''} is under ${licence === '' ? 'no licence that it names' : licence}.`];
  });
}

/**
 * What `npm audit` found.
 * @typedef {{ readonly kind: 'passed', readonly milder: readonly string[] }
 *   | { readonly kind: 'failed', readonly found: readonly string[] }
 *   | { readonly kind: 'not-checked', readonly why: string }} Audit
 */

/**
 * Reads what `npm audit --json` printed. Only a whole report counts: whatever else it prints, nothing was checked.
 * @param {string} printed
 * @returns {Audit}
 */
export function readAudit(printed) {
  /** @type {unknown} */
  let report;
  try {
    report = JSON.parse(printed);
  } catch {
    return { kind: 'not-checked', why: 'npm audit printed no report' };
  }
  const { vulnerabilities, metadata, message, error } =
    /** @type {{ vulnerabilities?: Record<string, { severity: string, range?: string }>, metadata?: { vulnerabilities?: object }, message?: unknown, error?: { summary?: unknown } }} */ (
      Object(report)
    );
  if (typeof vulnerabilities !== 'object' || typeof metadata?.vulnerabilities !== 'object') {
    const why = message ?? error?.summary;
    return {
      kind: 'not-checked',
      why: typeof why === 'string' && why !== '' ? why : 'npm audit gave no report',
    };
  }
  const named = Object.entries(vulnerabilities).map(([name, { severity, range }]) => ({
    isGrave: severity === 'high' || severity === 'critical',
    text: `${name} ${range ?? ''}: ${severity}`,
  }));
  const grave = named.filter(({ isGrave }) => isGrave).map(({ text }) => text);
  return grave.length > 0
    ? { kind: 'failed', found: grave }
    : { kind: 'passed', milder: named.map(({ text }) => text) };
}

/** @returns {number} the exit code. */
function checkLicences() {
  /** @type {LockFile} */
  const lock = JSON.parse(readFileSync(`${ROOT}package-lock.json`, 'utf8'));
  const problems = licenceProblems(lock, (folder) =>
    existsSync(`${ROOT}${folder}/package.json`) ? noticeOf(`${ROOT}${folder}`).licence : null,
  );
  for (const problem of problems) stdout.write(`${problem}\n`);
  if (problems.length > 0) stdout.write('What may be shipped is listed in scripts/notices.mjs.\n');
  else stdout.write(`${shippable(lock).length} packages, all under licences that may be shipped.\n`);
  return problems.length === 0 ? 0 : 1;
}

/** @returns {number} the exit code. */
function checkAudit() {
  const { stdout: printed } = spawnSync(
    'npm',
    ['audit', '--omit=dev', '--json', '--fetch-retries=0', `--fetch-timeout=${AUDIT_MOST_MS / 2}`],
    { cwd: ROOT, encoding: 'utf8', timeout: AUDIT_MOST_MS, shell: platform === 'win32' },
  );
  const audit = readAudit(printed);
  switch (audit.kind) {
    case 'passed':
      stdout.write(`No grave fault is known. ${audit.milder.map((one) => `\n  ${one}`).join('')}\n`);
      return 0;
    case 'failed':
      stdout.write(`Known faults:${audit.found.map((one) => `\n  ${one}`).join('')}\n`);
      return 1;
    case 'not-checked':
      stdout.write(`Not checked: ${audit.why}\n`);
      return NOT_CHECKED;
  }
}

if (argv[1] !== undefined && resolve(argv[1]) === fileURLToPath(import.meta.url))
  exit(argv[2] === 'audit' ? checkAudit() : checkLicences());
