import { describe, expect, it } from 'vitest';
import type { EngineReport } from '../../rpc/index.ts';
import { OUTCOME_WORDS, engineSentence, outcomeTone, storageSentence } from './engine.ts';

const quiet: EngineReport = { now: 0, hosts: [], tabs: 1, leases: [], claims: [], recoveries: [] };
const host = { hostId: 'h', kind: 'shared-worker', build: '0.1.0', startedAt: 0, self: true } as never;
const claim = (outcome: string) =>
  ({ at: 0, automationId: 'a', automationName: 'A', occurrence: 'o', outcome, tookMs: 1 }) as never;

describe('The engine in a sentence', () => {
  it('says that one engine serves one tab and rests', () => {
    expect(engineSentence({ ...quiet, hosts: [host] })).toBe('One engine serves one tab; nothing runs now.');
  });

  it('counts hosts, tabs, runs, and how many of the last claims gave a run', () => {
    const report = {
      ...quiet,
      hosts: [host, host],
      tabs: 4,
      leases: [{}, {}] as never,
      claims: [claim('claimed'), claim('taken')],
    };
    expect(engineSentence(report)).toBe(
      '2 engines share 4 tabs; 2 runs are on. Of its last 2 claims 1 gave a run.',
    );
  });

  it('says what the browser says of the storage, and what it does not', () => {
    const known = { usageBytes: 1_200_000, quotaBytes: 10_000_000_000, persisted: true };
    expect(storageSentence(known, 0)).toBe(
      '1.2 MB of about 10 GB used, app and data together; the browser keeps it, also when the disk is nearly full. ' +
        'No row had to be set aside.',
    );
    expect(storageSentence({ ...known, quotaBytes: null, persisted: false }, 1)).toBe(
      '1.2 MB used, app and data together; when the disk is nearly full, the browser may remove it. ' +
        '1 row could not be read and was set aside: see Settings.',
    );
    expect(storageSentence({ usageBytes: null, quotaBytes: null, persisted: null }, 2)).toBe(
      'This browser does not say how much is used. 2 rows could not be read and were set aside: see Settings.',
    );
  });

  it('has a word for every outcome, and no two alike', () => {
    const words = Object.values(OUTCOME_WORDS);
    expect(new Set(words).size).toBe(words.length);
    expect(outcomeTone('claimed')).toBe('ok');
  });
});
