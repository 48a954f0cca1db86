import { expect, it } from 'vitest';
import type { EngineReport } from '../../rpc/index.ts';
import { diagnosticsText } from './diagnostics.ts';

const SECRET = 'hunter2';

it('says ids, times, counts and outcomes, and nothing that a person wrote, whatever is added to a report', () => {
  const ids = { automationId: 'a-1', runId: 'r-1', hostId: 'h-1' };
  const wrote = {
    automationName: SECRET,
    url: `https://api.test/?key=${SECRET}`,
    headers: { authorization: SECRET },
  };
  const engine = {
    now: 5,
    tabs: 2,
    hosts: [{ hostId: 'h-1', kind: 'shared-worker', build: '0.1.0', startedAt: 1, self: true, ...wrote }],
    leases: [{ ...ids, lease: 'rota/automation/a-1/0', since: 2, deadline: 9, ...wrote }],
    claims: [{ ...ids, at: 3, occurrence: 'a-1@3', outcome: 'claimed', tookMs: 1.5, ...wrote }],
    recoveries: [{ ...ids, at: 4, proof: 'lease-granted', ...wrote }],
    ...wrote,
  } as unknown as EngineReport;
  const text = diagnosticsText({
    version: { build: '0.1.0', protocol: 1, schema: 1, ...wrote },
    engine,
    storage: { stores: [{ store: 'runs', rows: 7, ...wrote }] },
    browser: { usageBytes: 10, quotaBytes: 100, persisted: false, userAgent: 'Browser/1' },
  });
  expect(text).not.toContain(SECRET);
  expect(JSON.parse(text)).toEqual({
    version: { build: '0.1.0', protocol: 1, schema: 1 },
    now: 5,
    tabs: 2,
    hosts: [{ hostId: 'h-1', kind: 'shared-worker', build: '0.1.0', startedAt: 1, self: true }],
    leases: [{ ...ids, lease: 'rota/automation/a-1/0', since: 2, deadline: 9 }],
    claims: [{ automationId: 'a-1', at: 3, occurrence: 'a-1@3', outcome: 'claimed', tookMs: 1.5 }],
    recoveries: [{ automationId: 'a-1', runId: 'r-1', at: 4, proof: 'lease-granted' }],
    storage: { stores: [{ store: 'runs', rows: 7 }], usageBytes: 10, quotaBytes: 100, persisted: false },
    browser: 'Browser/1',
  });
});
