/**
 * Whether what is stored of one automation fits together, and how it is put right where there is one right way. What it lacks,
 * decideRepair plans, and what only a person or time can decide is told and left. A pending row whose run the ledger has already needs nothing: the claim finds
 * that it is taken, and moves it on with its account.
 */
import type { Automation } from './automation.ts';
import type { AgendaRow } from './occurrence.ts';
import type { ActiveRun } from './run.ts';
import type { Finding } from './upkeep.ts';
import type { Write } from './writes.ts';

/** What is stored of one automation. */
export interface AutomationState {
  readonly automation: Automation;
  readonly agenda: readonly AgendaRow[];
  /** Its runs that are active. */
  readonly active: readonly ActiveRun[];
}

/** What is wrong, and all that is to be written about it. */
export interface Repair {
  readonly findings: readonly Finding[];
  readonly writes: readonly Write[];
}

/** Looks at one automation that this build can read all of. */
export function decideIntegrity(state: AutomationState): Repair {
  const findings: Finding[] = [];
  const writes: Write[] = [];
  let { automation, agenda } = state;
  const find = (finding: Omit<Finding, 'automationId' | 'automationName'>): void => {
    findings.push({ ...finding, automationId: automation.id, automationName: automation.name });
  };
  const remove = (row: AgendaRow): void => {
    writes.push({ op: 'delete', store: 'agenda', key: row.key });
    agenda = agenda.filter((other) => other !== row);
  };

  // The earliest is kept: what the others stand for comes again after it, and nothing is passed over.
  const [, ...others] = scheduledOf(agenda);
  for (const row of others) {
    find({ what: 'agenda-twice', key: row.key, did: 'removed' });
    remove(row);
  }
  const fence = Math.max(automation.fence, ...state.active.map((run) => run.fence));
  if (fence > automation.fence) {
    find({ what: 'run-ahead-of-fence', key: automation.id, did: 'corrected' });
    automation = { ...automation, fence };
    writes.push({ op: 'put', store: 'automations', row: automation });
  }
  const [scheduled] = scheduledOf(agenda);
  if (!automation.enabled && scheduled !== undefined && automation.pausedBecause?.kind !== 'unreadable') {
    find({ what: 'agenda-of-paused', key: scheduled.key, did: 'removed' });
    remove(scheduled);
    // What it stood for is owed until the pause ends, as if it had been paused in the usual way.
    automation = { ...automation, pausedFrom: automation.pausedFrom ?? scheduled.scheduledFor };
    writes.push({ op: 'put', store: 'automations', row: automation });
  }
  return { findings, writes };
}

function scheduledOf(agenda: readonly AgendaRow[]): readonly AgendaRow[] {
  return agenda.filter(({ cause }) => cause === 'schedule').sort((a, b) => a.scheduledFor - b.scheduledFor);
}

/** `gone` are pending rows of an automation that is not there: nothing could ever claim them. */
export function withoutAutomation(gone: readonly AgendaRow[]): Repair {
  return {
    findings: gone.map(({ key, automationId }) => ({
      what: 'agenda-without-automation',
      key,
      automationId,
      did: 'removed',
    })),
    writes: gone.map(({ key }) => ({ op: 'delete', store: 'agenda', key })),
  };
}
