/** Words for what is stored, what was removed of it, and what was found to contradict each other. */
import type { Finding, FindingKind, KeepLimit, Mending, Swept } from '../../domain/index.ts';
import type { UpkeepReport, UsageReport } from '../../rpc/index.ts';
import { countText, listText, numberText } from './counts.ts';

/** What people tell apart of what is stored. */
export type UsageKind = 'automations' | 'runs' | 'outputs' | 'snapshots' | 'other';

/** How much there is of one kind. */
export interface KindUsage {
  readonly kind: UsageKind;
  readonly rows: number;
  readonly bytes: number;
}

/** The words for each kind, in the order in which they are shown. */
export const USAGE_WORDS: Readonly<Record<UsageKind, string>> = {
  automations: 'Automations',
  runs: 'Runs',
  outputs: 'What runs brought back',
  snapshots: 'What automations remember',
  other: 'Settings and the rest',
};

const KIND_OF_STORE: Readonly<Record<string, UsageKind>> = {
  automations: 'automations',
  agenda: 'automations',
  runs: 'runs',
  outputs: 'outputs',
  values: 'snapshots',
};

/** What each kind takes, the stores of one kind together. */
export function usageByKind({ stores }: UsageReport): readonly KindUsage[] {
  return (Object.keys(USAGE_WORDS) as UsageKind[]).map((kind) => {
    const of = stores.filter(({ store }) => (KIND_OF_STORE[store] ?? 'other') === kind);
    const sum = (field: 'rows' | 'bytes'): number => of.reduce((total, one) => total + one[field], 0);
    return { kind, rows: sum('rows'), bytes: sum('bytes') };
  });
}

const FINDING_WORDS: Readonly<Record<FindingKind, string>> = {
  'enabled-without-agenda': 'It is on and had no next time',
  'agenda-without-automation': 'A pending occurrence of an automation that is not there',
  'agenda-of-paused': 'It is paused and had a next time',
  'agenda-twice': 'It had two next times',
  'run-not-marked-active': 'A run that goes on did not count as active',
  'ended-run-marked-active': 'A run that has ended still counted as active',
  'run-ahead-of-fence': 'A run had a higher fence than its automation',
  'output-without-run': 'An output of a run that is not there',
  'value-without-automation': 'Something remembered for an automation that is not there',
  'follower-not-told': 'It did not know of what runs after it',
  unreadable: 'A row that cannot be read',
  'active-run-without-lease': 'A run whose host is gone',
  'lease-without-run': 'A lease that nobody runs under',
};

const MENDING_WORDS: Readonly<Record<Mending, string>> = {
  planned: 'the next time was planned',
  removed: 'removed',
  corrected: 'corrected',
  'set-aside': 'set aside as it was',
  recovered: 'ended as interrupted',
};

/** `It is on and had no next time: the next time was planned.` */
export function findingSentence({ what, did }: Finding): string {
  return `${FINDING_WORDS[what]}: ${did === undefined ? 'left as it is' : MENDING_WORDS[did]}.`;
}

/** What the last check came to, in one sentence; `null`: there was none. */
export function checkedSentence(checked: UpkeepReport['checked']): string | null {
  if (checked === null) return null;
  const { count, findings, wholly } = checked;
  if (count === 0)
    return wholly ? 'No problem in anything that is stored.' : 'No problem in what is pending.';
  const mended = findings.filter(({ did }) => did !== undefined).length;
  const left = findings.length - mended;
  return `Found ${countText(count, 'problem')}: ${listText([
    ...(mended > 0 ? [`${numberText(mended)} corrected`] : []),
    ...(left > 0 ? [`${numberText(left)} left as ${left === 1 ? 'it is' : 'they are'}`] : []),
  ])}.`;
}

/** `Removed 1,204 runs and the output of 1 more run.` */
export function sweptSentence({ runs, outputs, trouble }: Swept): string {
  const parts = [
    ...(runs > 0 ? [countText(runs, 'run')] : []),
    ...(outputs > 0 ? [`the output of ${countText(outputs, runs > 0 ? 'more run' : 'run')}`] : []),
  ];
  const what = parts.length === 0 ? 'Nothing was past its limit' : `Removed ${listText(parts)}`;
  return trouble === undefined ? `${what}.` : `${what}, then it stopped: ${trouble}`;
}

/** `for 400 days and among the newest 10,000`; `for ever`. */
export function keepText({ days, most }: KeepLimit): string {
  const parts = [
    ...(days === null ? [] : [`for ${countText(days, 'day')}`]),
    ...(most === null ? [] : [`among the newest ${numberText(most)}`]),
  ];
  return parts.length === 0 ? 'for ever' : parts.join(' and ');
}
