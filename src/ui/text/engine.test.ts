import { describe, expect, it } from 'vitest';
import type { EngineReport } from '../../rpc/index.ts';
import { OUTCOME_WORDS, engineSentence, outcomeTone } from './engine.ts';

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

  it('has a word for every outcome, and no two alike', () => {
    const words = Object.values(OUTCOME_WORDS);
    expect(new Set(words).size).toBe(words.length);
    expect(outcomeTone('claimed')).toBe('ok');
  });
});
