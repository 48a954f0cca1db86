import { describe, expect, it } from 'vitest';
import { readE2eResults, readUnitResults } from './results.mjs';
import { ROOT } from './steps.mjs';

const test = (fullName: string, status: string, ...failureMessages: string[]) => ({
  fullName,
  status,
  failureMessages,
});

describe('The end of npm test', () => {
  it('names each unit test that failed and why, without colours', () => {
    const results = readUnitResults(
      JSON.stringify({
        numPassedTests: 2,
        numFailedTests: 1,
        testResults: [
          {
            name: `${ROOT}src/a.test.ts`,
            status: 'failed',
            message: '',
            assertionResults: [
              test('runs once', 'passed'),
              test('ends', 'failed', '\u001b[31mexpected 1\u001b[39m\nat b'),
            ],
          },
          {
            name: `${ROOT}src/b.test.ts`,
            status: 'passed',
            message: '',
            assertionResults: [test('c', 'passed')],
          },
        ],
      }),
    );
    expect(results).toEqual({
      passed: 2,
      failed: 1,
      failures: ['src/a.test.ts › ends\n    expected 1\n    at b'],
    });
  });

  it('names a file of unit tests that could not be loaded', () => {
    const { failures } = readUnitResults(
      JSON.stringify({
        numPassedTests: 0,
        numFailedTests: 0,
        testResults: [
          { name: `${ROOT}src/a.test.ts`, status: 'failed', message: 'no such room', assertionResults: [] },
        ],
      }),
    );
    expect(failures).toEqual(['src/a.test.ts\n    no such room']);
  });

  it('names each story that failed, with its engine, wherever it stands', () => {
    const story = (projectName: string, message?: string) => ({
      projectName,
      results: [message === undefined ? {} : { error: { message } }],
    });
    const spec = { title: 'runs once', file: 'kills.spec.ts', line: 7 };
    const results = readE2eResults(
      JSON.stringify({
        stats: { expected: 1, unexpected: 1, flaky: 1 },
        suites: [
          {
            specs: [{ ...spec, ok: true, tests: [story('firefox')] }],
            suites: [{ specs: [{ ...spec, ok: false, tests: [story('chromium', 'never came')] }] }],
          },
        ],
      }),
    );
    expect(results).toEqual({
      passed: 1,
      failed: 2,
      failures: ['[chromium] kills.spec.ts:7 › runs once\n    never came'],
    });
  });

  it('repeats no more than the beginning of a long reason', () => {
    const [failure] = readUnitResults(
      JSON.stringify({
        numPassedTests: 0,
        numFailedTests: 1,
        testResults: [
          {
            name: `${ROOT}a.test.ts`,
            status: 'failed',
            message: '',
            assertionResults: [
              test('ends', 'failed', Array.from({ length: 90 }, (_, at) => `line ${at}`).join('\n')),
            ],
          },
        ],
      }),
    ).failures;
    expect(failure?.split('\n')).toHaveLength(13);
  });
});
