import type { EngineReport, StorageReport, Version } from '../../rpc/index.ts';
import type { StorageState } from '../persistence.ts';

/** All that is known of the engine. */
export interface Known {
  readonly version: Version;
  readonly engine: EngineReport;
  readonly storage: StorageReport;
  readonly browser: StorageState & { readonly userAgent: string };
}

/**
 * What is copied for a report, as JSON: ids, times, counts and outcomes. Each field is named here, so that nothing a person
 * wrote gets in by being added elsewhere: no name, no address, no header, no body, no template.
 */
export function diagnosticsText({ version, engine, storage, browser }: Known): string {
  const { build, protocol, schema } = version;
  return JSON.stringify(
    {
      version: { build, protocol, schema },
      now: engine.now,
      tabs: engine.tabs,
      hosts: engine.hosts.map(({ hostId, kind, build: hostBuild, startedAt, self }) => ({
        hostId,
        kind,
        build: hostBuild,
        startedAt,
        self,
      })),
      leases: engine.leases.map(({ lease, automationId, runId, hostId, since, deadline }) => ({
        lease,
        automationId,
        runId,
        hostId,
        since,
        deadline,
      })),
      claims: engine.claims.map(({ at, automationId, occurrence, outcome, tookMs }) => ({
        at,
        automationId,
        occurrence,
        outcome,
        tookMs,
      })),
      recoveries: engine.recoveries.map(({ at, runId, automationId, proof }) => ({
        at,
        runId,
        automationId,
        proof,
      })),
      storage: {
        stores: storage.stores.map(({ store, rows }) => ({ store, rows })),
        usageBytes: browser.usageBytes,
        quotaBytes: browser.quotaBytes,
        persisted: browser.persisted,
      },
      browser: browser.userAgent,
    },
    null,
    2,
  );
}
