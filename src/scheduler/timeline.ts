/** What a stretch of time held, and will hold, for all automations. Loaded when somebody first looks at it. */
import {
  type AutomationId,
  DAY_MS,
  type DurationMs,
  type EpochMs,
  type RunRow,
  dueInstants,
  gapsBetween,
  lanesOf,
  pausedUntil,
  runsLeft,
} from '../domain/index.ts';
import type { Timeline } from '../rpc/index.ts';
import type { Ledger } from '../store/index.ts';

/** Most runs that one answer is made of. */
const RUNS_MOST = 20_000;
/** Most rows of missed and of skipped times, each. */
const UNRUN_MOST = 2_000;
/** How long before the stretch a row may have been written that stands for times in it: it goes on growing. */
const UNRUN_BACK_MS: DurationMs = 31 * DAY_MS;
/** Most instants to come, of one automation and of all. */
const NEXT_MOST = 200;
const NEXT_ALL_MOST = 5_000;
const LANES_MOST = 300;

/** Answers {@link HostApi.timeline}. */
export async function timelineOf(
  ledger: Ledger,
  { from, until, now }: { readonly from: EpochMs; readonly until: EpochMs; readonly now: EpochMs },
): Promise<Timeline> {
  const [rows, missed, skipped, automations, presence, settings] = await Promise.all([
    ledger.listRunsBetween({ from, until, limit: RUNS_MOST + 1 }),
    ledger.listRunsBetween({
      from: from - UNRUN_BACK_MS,
      until: Infinity,
      status: 'missed',
      limit: UNRUN_MOST + 1,
    }),
    ledger.listRunsBetween({
      from: from - UNRUN_BACK_MS,
      until: Infinity,
      status: 'skipped',
      limit: UNRUN_MOST + 1,
    }),
    ledger.listAutomations(),
    ledger.getPresence(),
    ledger.getSettings(),
  ]);
  const runs = rows.slice(0, RUNS_MOST).filter((row) => !('covers' in row));
  const all: readonly RunRow[] = [...missed, ...skipped, ...runs];
  const lanes = new Map(lanesOf(all, { from, until, now }).map((lane) => [lane.automationId, lane]));
  const resumesAt = pausedUntil(settings.pauses ?? [], now) ?? now;
  const next = nextOf(automations, Math.max(now + 1, from, resumesAt), until);
  const names = new Map(automations.map(({ automation }) => [automation.id, automation.name]));
  const ids = new Set([...lanes.keys(), ...next.keys()]);
  const items = [...ids]
    .map((automationId) => ({
      automationId,
      automationName: names.get(automationId) ?? lanes.get(automationId)?.automationName ?? '',
      isGone: !names.has(automationId),
      marks: lanes.get(automationId)?.marks ?? [],
      next: next.get(automationId)?.at ?? [],
      nextIsCut: next.get(automationId)?.isCut ?? false,
    }))
    .sort((a, b) => a.automationName.localeCompare(b.automationName));
  return {
    from,
    until,
    now,
    lanes: items.slice(0, LANES_MOST),
    lanesLeftOff: Math.max(0, items.length - LANES_MOST),
    gaps: gapsBetween(presence, from, until),
    knownFrom: presence[0]?.from ?? null,
    isCut: rows.length > RUNS_MOST || missed.length > UNRUN_MOST || skipped.length > UNRUN_MOST,
  };
}

function nextOf(
  automations: Awaited<ReturnType<Ledger['listAutomations']>>,
  from: EpochMs,
  until: EpochMs,
): ReadonlyMap<AutomationId, { readonly at: readonly EpochMs[]; readonly isCut: boolean }> {
  const found = new Map<AutomationId, { readonly at: readonly EpochMs[]; readonly isCut: boolean }>();
  let left = NEXT_ALL_MOST;
  if (from >= until) return found;
  for (const { automation } of automations) {
    const runs = runsLeft(automation);
    if (!automation.enabled || runs <= 0) continue;
    if (left === 0) {
      found.set(automation.id, { at: [], isCut: true });
      continue;
    }
    const { instants, more } = dueInstants(
      automation.schedule,
      from,
      until - 1,
      Math.min(NEXT_MOST, left, runs),
    );
    left -= instants.length;
    if (instants.length > 0)
      found.set(automation.id, { at: instants, isCut: more && instants.length < runs });
  }
  return found;
}
