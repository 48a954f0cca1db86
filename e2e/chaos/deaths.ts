/**
 * Invariant 6: after any death, each active run of the dead host is settled by someone within `recoveryMs` of the machine's
 * time while a host lives, or from the next start.
 *
 * The time runs once a host lives through all of it: one that is killed before has not had its chance, and the next one's
 * begins anew. While nothing can be stored nobody can settle anything, nor for as long again, because hosts try ever more
 * rarely. A host that was asked to retire does not count any more. The other way round, a run that was ended as
 * interrupted while its host lived was taken from a healthy host: age alone proves nothing.
 */
import type { TimedHistory } from './clock.ts';
import type { Pace } from './pace.ts';
import type { EpochMs, HostLife, Kill, Span, Violation } from './record.ts';
import { type ClaimedRow, endedAt, endedBy } from './runs.ts';
import { at, the } from './words.ts';

/** How long a host's lock may still be seen held after the leases that went with it were free. */
const LOCKS_APART_MS = 1_000;

/** How long a host that could not store anything waits at first until it tries again. */
const RETRY_MS = 1_000;

/** What came of it, and how long each run of a dead host was active after the death. */
export interface Deaths {
  readonly violations: readonly Violation[];
  /** From the death, or from the next host's start where none was alive; by the clock. */
  readonly recoveriesMs: readonly number[];
}

export function judgeDeaths(
  { kills, hosts, ledger, fullSpans, pace }: TimedHistory,
  claimed: readonly ClaimedRow[],
  recoveryMs: number,
): Deaths {
  const violations: Violation[] = [];
  const recoveriesMs: number[] = [];
  const deathOf = new Map(kills.flatMap((kill) => kill.hosts.map((id) => [id, kill] as const)));
  const lives = hosts.map((life) => ({ life, until: endOf(life, deathOf.get(life.id)) }));
  const lifeOf = new Map(hosts.map((life) => [life.id, life]));

  for (const run of claimed) {
    const kill = deathOf.get(run.host.id);
    if (kill !== undefined && endedAt(run) > kill.doneBy && run.madeAt <= kill.doneBy) {
      const from = chanceFrom(kill, run.host.id, lives, fullSpans, pace, recoveryMs);
      if (from !== null && pace.between(from, endedAt(run)) > recoveryMs) {
        violations.push({
          invariant: 6,
          what:
            `${the(run)} was active when its host ${run.host.id} died (${kill.what}) at ${at(kill.doneBy)}; a host lived from ` +
            `${at(from)}, and it was settled ${run.settledAt === undefined ? 'never' : `at ${at(run.settledAt)}`}, ` +
            `not within ${recoveryMs} ms of the machine's time.`,
        });
      }
      if (run.settledAt !== undefined) {
        const first = chanceFrom(kill, run.host.id, lives, fullSpans, pace, 0);
        recoveriesMs.push(Math.max(0, run.settledAt - (first ?? kill.doneBy)));
      }
    }
    const host = lifeOf.get(run.host.id);
    const isGone = kill !== undefined || host === undefined || host.lastSeenAt < ledger.at;
    if (run.status === 'running' && isGone) {
      violations.push({
        invariant: 6,
        what: `${the(run)} is still active at the end, ${at(ledger.at)}, and its host ${run.host.id} is gone.`,
      });
    }
    const aliveAt = kill?.at ?? host?.lastSeenAt ?? -Infinity;
    const wasRetiring = (host?.retiredAt ?? Infinity) <= endedBy(run);
    if (
      run.status === 'interrupted' &&
      !wasRetiring &&
      pace.between(endedBy(run), aliveAt) > LOCKS_APART_MS
    ) {
      violations.push({
        invariant: 6,
        what:
          `${the(run)} was ended as interrupted at ${at(endedBy(run))}, though its host ${run.host.id} was alive at ` +
          `${at(aliveAt)}.`,
      });
    }
  }
  return { violations, recoveriesMs };
}

/** Until when a host could have recovered something, as far as is known. */
function endOf(life: HostLife, kill: Kill | undefined): EpochMs {
  return Math.min(life.retiredAt ?? Infinity, kill?.at ?? life.lastSeenAt);
}

/** From when a host lived that then lived for `long`: the death itself where one did already; `null` when none did. */
function chanceFrom(
  kill: Kill,
  dead: string,
  lives: readonly { readonly life: HostLife; readonly until: EpochMs }[],
  fullSpans: readonly Span[],
  pace: Pace,
  long: number,
): EpochMs | null {
  const chances = lives.flatMap(({ life, until }) => {
    const from = withRoom(Math.max(life.startedAt, kill.doneBy), long, fullSpans, pace);
    return life.id !== dead && until > kill.doneBy && until >= pace.after(from, long) ? [from] : [];
  });
  return chances.length === 0 ? null : Math.min(...chances);
}

/** The first moment from `from` on after which things can be stored for `long`. */
function withRoom(from: EpochMs, long: number, fullSpans: readonly Span[], pace: Pace): EpochMs {
  let start = from;
  for (const span of fullSpans) {
    const until = span.until + (span.until - span.from) + RETRY_MS;
    if (span.from <= pace.after(start, long) && until > start) start = until;
  }
  return start;
}
