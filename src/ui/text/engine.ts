import type { HostKind } from '../../domain/index.ts';
import type { ClaimOutcome, EngineReport } from '../../rpc/index.ts';
import type { StorageState } from '../persistence.ts';
import { bytesText, countText } from './counts.ts';
import type { Tone } from './status.ts';

/** What a claim came to, in words. */
export const OUTCOME_WORDS: Readonly<Record<ClaimOutcome, string>> = {
  claimed: 'Claimed',
  taken: 'Taken by another',
  'already-active': 'Already active',
  'at-capacity': 'No room',
  missed: 'Missed, recorded',
  waiting: 'Waiting',
  'not-due': 'Not due',
  'day-full': 'Enough for today',
  resumed: 'Resumed',
  'not-found': 'Deleted',
  paused: 'Paused',
  'stale-lease': 'Changed meanwhile',
  'lease-busy': 'Lease busy',
  'unverifiable-owner': 'Owner unknown',
};

/** How an outcome is coloured beside its word. */
export function outcomeTone(outcome: ClaimOutcome): Tone {
  switch (outcome) {
    case 'claimed':
      return 'ok';
    case 'unverifiable-owner':
      return 'bad';
    case 'already-active':
    case 'at-capacity':
    case 'missed':
    case 'waiting':
      return 'warn';
    default:
      return 'quiet';
  }
}

const HOST_WORDS: Readonly<Record<HostKind, string>> = {
  'shared-worker': 'Shared worker',
  'tab-worker': 'Worker of a tab',
  'service-worker': 'Service worker',
};

/** A kind of host in words. */
export function hostWord(kind: HostKind): string {
  return HOST_WORDS[kind];
}

/** Why a run could be ended for another host. */
export function proofSentence(proof: EngineReport['recoveries'][number]['proof']): string {
  return proof === 'lease-granted'
    ? 'Its host was gone: the lease was free.'
    : 'Its host hung past the deadline and was fenced out.';
}

/** What the browser says of the storage, and how many rows were set aside. */
export function storageSentence(
  { usageBytes, quotaBytes, persisted }: StorageState,
  setAside: number,
): string {
  const room = quotaBytes === null ? '' : ` of about ${bytesText(quotaBytes)}`;
  const used =
    usageBytes === null
      ? 'This browser does not say how much is used'
      : `${bytesText(usageBytes)}${room} used, app and data together`;
  const kept =
    persisted === null
      ? ''
      : persisted
        ? '; the browser keeps it, also when the disk is nearly full'
        : '; when the disk is nearly full, the browser may remove it';
  const aside =
    setAside === 0
      ? ' No row had to be set aside.'
      : ` ${countText(setAside, 'row')} could not be read and ${setAside === 1 ? 'was' : 'were'} set aside: see Settings.`;
  return `${used}${kept}.${aside}`;
}

/** The engine in one sentence: who runs, what is held, how the last claims went. */
export function engineSentence({ hosts, tabs, leases, claims }: EngineReport): string {
  const who = hosts.length === 1 ? 'One engine serves' : `${hosts.length} engines share`;
  const where = tabs === 1 ? 'one tab' : `${tabs} tabs`;
  const held =
    leases.length === 0
      ? 'nothing runs now'
      : leases.length === 1
        ? 'one run is on'
        : `${leases.length} runs are on`;
  const claimed = claims.filter(({ outcome }) => outcome === 'claimed').length;
  const tally = claims.length === 0 ? '' : ` Of its last ${claims.length} claims ${claimed} gave a run.`;
  return `${who} ${where}; ${held}.${tally}`;
}
