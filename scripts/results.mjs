/** What the two runners of tests leave behind, read for the last lines of `npm test`. */
import { relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { ROOT } from './steps.mjs';

/**
 * What a run of tests found. `failures` holds each test that failed: its name, and below it the first lines of why.
 * @typedef {{ readonly passed: number, readonly failed: number, readonly failures: readonly string[] }} Results
 */

/** How many lines of why a test failed are repeated. The rest stands where it ran. */
const WHY_LINES = 12;

/**
 * @param {string} test
 * @param {readonly string[]} why
 */
function tellFailure(test, why) {
  // The colours of a terminal are not for a log.
  const lines = stripVTControlCharacters(why.join('\n')).trim().split('\n').slice(0, WHY_LINES);
  return [test, ...lines.map((line) => `    ${line}`)].join('\n');
}

/** @typedef {{ fullName: string, status: string, failureMessages: string[] }} UnitTest */
/** @typedef {{ name: string, message: string, status: string, assertionResults: UnitTest[] }} UnitFile */

/**
 * @param {string} text the results of Vitest's JSON reporter.
 * @returns {Results}
 * @throws {SyntaxError} if it is none.
 */
export function readUnitResults(text) {
  const { numPassedTests, numFailedTests, testResults } =
    /** @type {{ numPassedTests: number, numFailedTests: number, testResults: UnitFile[] }} */ (
      JSON.parse(text)
    );
  return {
    passed: numPassedTests,
    failed: numFailedTests,
    failures: testResults.flatMap(({ name, message, status, assertionResults }) => {
      const file = relative(ROOT, name);
      const failed = assertionResults.filter((test) => test.status === 'failed');
      // A file that could not be loaded has no test that failed, and its own reason.
      if (status === 'failed' && failed.length === 0) return [tellFailure(file, [message])];
      return failed.map((test) => tellFailure(`${file} › ${test.fullName}`, test.failureMessages));
    }),
  };
}

/** @typedef {{ projectName: string, results: { error?: { message?: string } }[] }} Story */
/** @typedef {{ title: string, file: string, line: number, ok: boolean, tests: Story[] }} Spec */
/** @typedef {{ specs?: Spec[], suites?: Suite[] }} Suite */

/**
 * @param {Suite} suite
 * @returns {Spec[]}
 */
const specsOf = ({ specs = [], suites = [] }) => [...specs, ...suites.flatMap(specsOf)];

/**
 * @param {string} text the results of Playwright's JSON reporter.
 * @returns {Results}
 * @throws {SyntaxError} if it is none.
 */
export function readE2eResults(text) {
  const { stats, suites } =
    /** @type {{ stats: { expected: number, unexpected: number, flaky: number }, suites: Suite[] }} */ (
      JSON.parse(text)
    );
  return {
    passed: stats.expected,
    // Nothing is retried, so nothing can be flaky; if that ever changes, a test that failed once has failed.
    failed: stats.unexpected + stats.flaky,
    failures: suites
      .flatMap(specsOf)
      .filter(({ ok }) => !ok)
      .map(({ title, file, line, tests }) =>
        tellFailure(
          `[${tests.map(({ projectName }) => projectName).join(', ')}] ${file}:${line} › ${title}`,
          tests.flatMap(({ results }) => results.map(({ error }) => error?.message ?? '')),
        ),
      ),
  };
}
