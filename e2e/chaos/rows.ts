/** Invariants 1 and 5: one run for each occurrence and attempt, and rows that move along the edges alone. */
import { type HostClock, RESTART_MS, type TimedRow } from './clock.ts';
import type { RunRow, Sighting, Violation } from './record.ts';
import { type ClaimedRow, byAutomation, grouped, isClaimed } from './runs.ts';
import { at, the } from './words.ts';

const TERMINAL = ['succeeded', 'failed', 'timed-out', 'cancelled', 'interrupted', 'missed', 'skipped'];
/** What a run may become; the statuses of rows that never were runs are none of it. */
const ENDINGS = TERMINAL.slice(0, 5);
/** What a row has from its first moment on, and for ever. */
const LASTING = [
  'automationId',
  'occurrence',
  'attempt',
  'cause',
  'scheduledFor',
  'claimedAt',
  'startedAt',
  'host',
  'fence',
];
const CLAIMED_FIELDS = ['startedAt', 'host', 'fence', 'revision', 'definition'] as const;

/** Whether a row has the form of its status, so that the other judges can read it. Says what is wrong if not. */
export function faultOf(row: RunRow): string | null {
  const lacking: string[] = [];
  if (row.status === 'missed' || row.status === 'skipped') {
    if (row.covers === undefined) lacking.push('covers');
    if (row.settledAt === undefined) lacking.push('settledAt');
  } else if (row.status === 'running' || TERMINAL.includes(row.status)) {
    lacking.push(...CLAIMED_FIELDS.filter((field) => row[field] === undefined));
    if (row.status === 'running' && row.settledAt !== undefined) return 'it runs and has settled';
    if (row.status === 'running' && row.lease === undefined) lacking.push('lease');
    if (row.status !== 'running' && row.settledAt === undefined) lacking.push('settledAt');
  } else return `there is no status "${row.status}"`;
  return lacking.length === 0 ? null : `it has no ${lacking.join(', no ')}`;
}

/** Invariant 1: at most one run for each occurrence and attempt. */
export function judgeUniqueness(runs: readonly RunRow[]): readonly Violation[] {
  return [...grouped(runs, (run) => `${run.occurrence}#${run.attempt}`).values()].flatMap((same) =>
    same.length === 1
      ? []
      : [
          {
            invariant: 1 as const,
            what: `Attempt ${same[0]?.attempt ?? 0} at ${same[0]?.occurrence ?? ''} has ${same.length} rows: ${same
              .map((run) => `${run.id} (${run.status}, claimed at ${at(run.claimedAt)})`)
              .join(', ')}.`,
          },
        ],
  );
}

/**
 * Invariant 5: rows move only along the edges, and terminal rows never change. From one export that cannot be seen, so
 * earlier sightings of the same rows are held against it; a terminal row may gain a person's answer and nothing else.
 * Attempts follow each other, each fence was given once, and none is left out.
 */
export function judgeEdges(
  timedRuns: readonly TimedRow[],
  sightings: readonly Sighting[],
  fences: ReadonlyMap<string, number>,
  clock: HostClock,
): readonly Violation[] {
  // What a row says of itself is by the hosts' clock, as it is stored.
  const runs = timedRuns.map(({ stored }) => stored);
  return [
    ...judgeChanges(runs, sightings),
    ...judgeTimes(runs),
    ...judgeAttempts(timedRuns, clock),
    ...judgeFences(timedRuns, fences),
  ];
}

function judgeChanges(runs: readonly RunRow[], sightings: readonly Sighting[]): readonly Violation[] {
  const violations: Violation[] = [];
  const final = new Map(runs.map((run) => [run.id, run]));
  const ordered = [...sightings].sort((a, b) => a.at - b.at);
  for (const [id, seen] of grouped(ordered, ({ row }) => row.id)) {
    // Each sighting with the next, and the last of them with the export; one that is gone is invariant 8's.
    const now = final.get(id);
    const states = [...seen, ...(now === undefined ? [] : [{ at: Infinity, row: now }])];
    for (const [index, { at: when, row }] of states.entries()) {
      const next = states[index + 1];
      if (next === undefined) continue;
      if (row.status === 'running' && next.row.status !== 'running' && !ENDINGS.includes(next.row.status)) {
        violations.push({
          invariant: 5,
          what: `The row of run ${id} was running when it was read at ${at(when)}, and then became ${next.row.status}.`,
        });
      }
      const changed = changedFields(row, next.row).filter(
        (field) => TERMINAL.includes(row.status) || LASTING.includes(field),
      );
      if (changed.length === 0) continue;
      violations.push({
        invariant: 5,
        what:
          `The row of run ${id} was ${row.status} when it was read at ${at(when)}, and ` +
          `${next.at === Infinity ? 'in the export' : `at ${at(next.at)}`} its ${changed.join(', ')} had changed` +
          `${row.status === next.row.status ? '' : `: it was ${next.row.status}`}.`,
      });
    }
  }
  return violations;
}

/** The fields of a terminal row that are not as they were. The definition is not in sightings. */
function changedFields(before: Sighting['row'], after: Sighting['row']): readonly string[] {
  const maySay =
    before.status === 'interrupted' && before.mayHaveHappened === true && before.answer === undefined;
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (field) =>
      field !== 'definition' &&
      !(field === 'answer' && maySay) &&
      JSON.stringify(Reflect.get(before, field)) !== JSON.stringify(Reflect.get(after, field)),
  );
}

function judgeTimes(runs: readonly RunRow[]): readonly Violation[] {
  return runs.flatMap((run): Violation[] => {
    if (run.settledAt !== undefined && run.settledAt < (run.startedAt ?? run.claimedAt)) {
      return [{ invariant: 5, what: `${the(run)} settled at ${at(run.settledAt)}, before it began.` }];
    }
    // A repeat is due some time after its first attempt, which a clock may show that was set back since.
    if (run.attempt === 1 && run.scheduledFor > run.claimedAt && run.occurrence.includes('@')) {
      const early = `was decided at ${at(run.claimedAt)}, before it was due at ${at(run.scheduledFor)}`;
      return [{ invariant: 5, what: `${the(run)} ${early}.` }];
    }
    return [];
  });
}

/** An attempt follows one that settled before and was to be repeated, by rule or because a person said so. */
function judgeAttempts(timedRuns: readonly TimedRow[], clock: HostClock): readonly Violation[] {
  const madeAt = new Map(timedRuns.map((run) => [run.id, run.madeAt]));
  const runs = timedRuns.map(({ stored }) => stored);
  const byKey = new Map(runs.map((run) => [`${run.occurrence}#${run.attempt}`, run]));
  return runs.flatMap((run): Violation[] => {
    if (run.attempt <= 1) return [];
    const before = byKey.get(`${run.occurrence}#${run.attempt - 1}`);
    if (before === undefined) {
      return [{ invariant: 5, what: `${the(run)} has no attempt ${run.attempt - 1} before it.` }];
    }
    const allowedFrom =
      before.retryAt ?? (before.answer?.said === 'run-again' ? before.answer.at : undefined);
    if (before.settledAt === undefined || allowedFrom === undefined) {
      return [{ invariant: 5, what: `${the(run)} repeats ${the(before)}, which was not to be repeated.` }];
    }
    if (run.claimedAt >= allowedFrom) return [];
    // After the clock went back by hours, what a person asked for is due at once, and what the rule repeats keeps its distance
    // to the attempt before it, by the clock that then is.
    const shown = clock.latestBy(madeAt.get(run.id) ?? 0, madeAt.get(before.id));
    const isByRule = run.cause === 'retry' && before.retryAt !== undefined;
    const hadBeen = run.cause === 'manual' ? allowedFrom : isByRule ? before.settledAt : Infinity;
    if (shown >= hadBeen && allowedFrom - run.claimedAt >= RESTART_MS) return [];
    return [
      {
        invariant: 5,
        what: `${the(run)} was claimed at ${at(run.claimedAt)}, before its repeat was due at ${at(allowedFrom)}.`,
      },
    ];
  });
}

/** Each claim gives the next fence, so the fences of an automation's runs are 1 to its own, each once. */
function judgeFences(runs: readonly TimedRow[], fences: ReadonlyMap<string, number>): readonly Violation[] {
  const violations: Violation[] = [];
  for (const [automationId, rows] of byAutomation(runs.filter(isClaimed))) {
    const byFence = [...rows].sort((a, b) => a.fence - b.fence || a.madeAt - b.madeAt);
    let before: ClaimedRow | null = null;
    for (const run of byFence) {
      const last: number = before?.fence ?? 0;
      if (run.fence === last && before !== null) {
        violations.push({ invariant: 5, what: `${the(run)} has fence ${run.fence}, as has ${the(before)}.` });
      } else if (run.fence !== last + 1) {
        const missing = last + 1 === run.fence - 1 ? `${last + 1}` : `${last + 1} to ${run.fence - 1}`;
        const between = `between ${before === null ? 'the first claim' : the(before)} and ${the(run)}`;
        violations.push({
          invariant: 5,
          what: `Automation ${automationId} has no run with fence ${missing}, ${between}.`,
        });
      }
      before = run;
    }
    const given = fences.get(automationId);
    if (given !== undefined && before !== null && before.fence !== given) {
      const reached = `its newest run in the ledger, ${before.id}, has ${before.fence}`;
      violations.push({
        invariant: 5,
        what: `Automation ${automationId} has given fence ${given}, but ${reached}.`,
      });
    }
  }
  return violations;
}
