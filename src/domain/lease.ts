import type { AutomationId, HostId, TabId } from './ids.ts';

declare const brand: unique symbol;
/** Name of the Web Lock that a run's host holds from before the claim until the settlement is durable. */
export type LeaseName = string & { readonly [brand]: 'LeaseName' };

/**
 * The lease for runs of an automation in `epoch`; with `slot` for one of those that may run in parallel. Lock names
 * are constants for ever: builds of any age must exclude each other.
 */
export function leaseName(automation: AutomationId, epoch: number, slot?: number): LeaseName {
  const name = `rota/automation/${automation}/${epoch}`;
  return (slot === undefined ? name : `${name}/${slot}`) as LeaseName;
}

/** The lock that a host holds for life. Whoever is granted it knows that the host died. */
export function hostLock(host: HostId): string {
  return `rota/host/${host}`;
}

/** The lock that a tab holds for life. */
export function tabLock(tab: TabId): string {
  return `rota/tab/${tab}`;
}

/** The lock that a tab holds for as long as the executor lives that it lends by this id. */
export function executorLock(id: string): string {
  return `rota/executor/${id}`;
}

/** The lock of the host that is on duty: a courtesy alone, on which nothing that must be right depends. */
export const DUTY_LOCK = 'rota/duty';

const HOST_LOCK = /^rota\/host\/(.+)$/;

/** The host whose life-long lock is called `name`, or `null` for any other lock. */
export function hostOfLock(name: string): HostId | null {
  const match = HOST_LOCK.exec(name);
  return match === null ? null : (match[1] as HostId);
}
