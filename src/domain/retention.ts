/**
 * What the ledger forgets, by rule. A row goes when it is older than its rule says, or when there are more of its
 * automation; never what something still stands on: see {@link mayForgetRun}.
 */
import { isOpen } from './answer.ts';
import { RECENT_RUNS_MOST } from './automation.ts';
import { instantOf } from './occurrence.ts';
import { REWIND_KEPT_MS } from './edit.ts';
import type { KeepLimit, KeepRule } from './keep.ts';
import type { Rules } from './rules.ts';
import { type RunRow, isActive } from './run.ts';
import { DAY_MS, type DurationMs, type EpochMs } from './time.ts';

/**
 * The key of a scheduled instant stays for so long (protocol, section 7): a clock that is set back plans instants again,
 * and only the row says that they were decided.
 */
export const KEY_KEPT_MS: DurationMs = 40 * DAY_MS;
/** What was asked for by hand, or followed another run, comes no second time once its command is forgotten. */
export const ASKED_KEPT_MS: DurationMs = 8 * DAY_MS;
/** Runs that failed, timed out or were interrupted stay so many times as long, and among so many times as many. */
const TROUBLE_KEPT_LONGER = 2;

/** Further than this a clock does not go between two looks without being doubted. Far less than any key is kept. */
export const LEAP_MOST_MS: DurationMs = 7 * DAY_MS;
/** For so long a clock that is doubted must go on as it does, while someone could still set it right. */
const DOUBTED_MS: DurationMs = 3 * DAY_MS;

/** What the clock of this browser said, as far as forgetting is concerned. */
export interface Seen {
  readonly at: EpochMs;
  /** Since then it has neither leapt ahead nor gone back. */
  readonly since: EpochMs;
}

/**
 * What was seen of the clock when it says `now`: what is old by a clock that is wrong must not be lost, and a clock that leapt
 * by more than {@link LEAP_MOST_MS} may be wrong as well as that of a machine that was off for so long.
 */
export function seenNow(seen: Seen | null, now: EpochMs): Seen {
  const isDoubted = seen === null || now - seen.at > LEAP_MOST_MS || now < seen.at - REWIND_KEPT_MS;
  return { at: now, since: isDoubted ? now : Math.min(seen.since, now) };
}

/** Whether history may be forgotten by a clock of which that was seen. */
export function isTrusted({ at, since }: Seen): boolean {
  return at - since >= DOUBTED_MS;
}

/** What applies to an automation with `rules`; `null`: it was deleted, and the rule for all applies to its history. */
export function keepRuleOf(rules: Pick<Rules, 'keep'> | null, all: KeepRule): KeepRule {
  const { runs, outputs } = rules?.keep ?? {};
  return { runs: { ...all.runs, ...runs }, outputs: { ...all.outputs, ...outputs } };
}

/** How many newer rows of its automation a row must have to be beyond what is kept by number. */
export interface KeptByNumber {
  /** Beyond this a row may go. */
  readonly most: number;
  /** Beyond this also one that speaks of trouble. */
  readonly longer: number;
}

/** The counts that decide over `limit`; `Infinity` without one. */
export function keptByNumber({ most }: KeepLimit): KeptByNumber {
  const counted = most ?? Infinity;
  return { most: counted, longer: counted * TROUBLE_KEPT_LONGER };
}

/** What is known of a row besides itself. */
export interface Standing {
  readonly now: EpochMs;
  /** How many newer rows there are of its automation, as far as it matters. */
  readonly newer: number;
  /** Something that is pending or runs takes up where this run stopped. */
  readonly isContinued: boolean;
  /** The first instant that no row of the automation accounts for yet; `null`: there is none. */
  readonly owedFrom: EpochMs | null;
}

/** Whether `run` speaks of something that went wrong, and so is kept longer. */
export function isTrouble({ status }: Pick<RunRow, 'status'>): boolean {
  return status === 'failed' || status === 'timed-out' || status === 'interrupted';
}

/**
 * Whether `run` may be forgotten by `limit`. Never: what runs, what waits for an answer of a person, what another run goes on
 * from, the newest {@link RECENT_RUNS_MOST} of an automation, and any row whose key may still be needed ({@link KEY_KEPT_MS}),
 * be it a run's or one that stands for a stretch of missed or skipped instants. However old it is, a row stays that decided
 * something which is still to be accounted for: after a clock was set back, it is what keeps that from being counted twice.
 */
export function mayForgetRun(run: RunRow, limit: KeepLimit, standing: Standing): boolean {
  if (standing.newer < RECENT_RUNS_MOST) return false;
  const isKey = instantOf(run.occurrence) !== null;
  if (isKey && run.scheduledFor >= (standing.owedFrom ?? Infinity)) return false;
  const least = isKey ? KEY_KEPT_MS : ASKED_KEPT_MS;
  return ageOf(run, standing.now) > least && isBeyond(run, limit, standing);
}

/**
 * Whether what `run` brought back may be forgotten by `limit`, with or without its row. By age alone, nothing of the newest
 * {@link RECENT_RUNS_MOST} rows of an automation goes.
 */
export function mayForgetOutput(run: RunRow, limit: KeepLimit, standing: Standing): boolean {
  return isBeyond(run, limit, standing);
}

function isBeyond(run: RunRow, limit: KeepLimit, { now, newer, isContinued }: Standing): boolean {
  if (isActive(run) || isOpen(run) || isContinued) return false;
  const longer = isTrouble(run);
  const { most, longer: mostLonger } = keptByNumber(limit);
  if (newer >= (longer ? mostLonger : most)) return true;
  const days = limit.days === null ? Infinity : limit.days * (longer ? TROUBLE_KEPT_LONGER : 1);
  return newer >= RECENT_RUNS_MOST && ageOf(run, now) > days * DAY_MS;
}

/** How long ago the last happened that `run` speaks of. Negative for what a clock dated that was ahead. */
function ageOf(run: RunRow, now: EpochMs): DurationMs {
  const settledAt = isActive(run) ? now : run.settledAt;
  return now - Math.max(run.claimedAt, settledAt, run.scheduledFor);
}
