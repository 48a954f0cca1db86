/** What prompts use, and the limits that a person sets to it. */
import type { PromptLimits, PromptPrice } from './action-prompt.ts';
import type { Automation } from './automation.ts';
import { endOfDay } from './local-time.ts';
import type { TokenUsage } from './output-prompt.ts';
import { zoneOf } from './schedule.ts';
import { DAY_MS, type EpochMs } from './time.ts';
import type { Spending } from './spent.ts';

/**
 * What `automation` has used on the calendar day of `now`, in the zone of its schedule or else in `timeZone`; all zero
 * when nothing yet.
 */
export function spendingOn(
  { schedule, spent }: Pick<Automation, 'schedule' | 'spent'>,
  now: EpochMs,
  timeZone: string,
): Spending {
  // A day that ends too far off was begun by a clock that has gone back since.
  if (spent !== undefined && now < spent.until && spent.until - now <= 2 * DAY_MS) return spent;
  return { until: endOfDay(zoneOf(schedule) ?? timeZone, now), tokens: 0, cost: 0 };
}

/** `stored` with `more` added, which counts on the later of both days. */
export function withSpending(stored: Spending | undefined, more: Spending): Spending {
  if (stored === undefined || stored.until < more.until || stored.until - more.until > DAY_MS) return more;
  return { until: stored.until, tokens: stored.tokens + more.tokens, cost: stored.cost + more.cost };
}

/** Which limit of a prompt. */
export type PromptLimit = keyof PromptLimits;

/**
 * How long the answer to a prompt may be: `outputTokens` at most, because of `by`; `unlimited`; or the prompt must not be
 * sent, because what it would take alone reaches the limit `by`.
 */
export type Budget =
  | { readonly kind: 'unlimited' }
  | { readonly kind: 'limited'; readonly by: PromptLimit; readonly outputTokens: number }
  | { readonly kind: 'reached'; readonly by: PromptLimit };

/**
 * Decides how much may be answered to a prompt of `inputTokens`, after `today` was used before its run and `thisRun` by
 * what the run has asked already.
 */
export function budgetOf(
  limits: PromptLimits | undefined,
  price: PromptPrice | undefined,
  inputTokens: number,
  today: Pick<Spending, 'tokens' | 'cost'>,
  thisRun: Pick<Spending, 'tokens' | 'cost'> = { tokens: 0, cost: 0 },
): Budget {
  const used = { tokens: today.tokens + thisRun.tokens, cost: today.cost + thisRun.cost };
  const left: [PromptLimit, number][] = [];
  const { tokensPerRun, tokensPerDay, costPerRun, costPerDay } = limits ?? {};
  if (tokensPerDay !== undefined) left.push(['tokensPerDay', tokensPerDay - used.tokens - inputTokens]);
  if (costPerDay !== undefined && price !== undefined)
    left.push(['costPerDay', affordable(costPerDay - used.cost, price, inputTokens)]);
  if (tokensPerRun !== undefined) left.push(['tokensPerRun', tokensPerRun - thisRun.tokens - inputTokens]);
  if (costPerRun !== undefined && price !== undefined)
    left.push(['costPerRun', affordable(costPerRun - thisRun.cost, price, inputTokens)]);
  const [first, ...others] = left;
  if (first === undefined) return { kind: 'unlimited' };
  const [by, outputTokens] = others.reduce((least, one) => (one[1] < least[1] ? one : least), first);
  if (outputTokens < 1) return { kind: 'reached', by };
  return outputTokens === Infinity
    ? { kind: 'unlimited' }
    : { kind: 'limited', by, outputTokens: Math.floor(outputTokens) };
}

/** How many tokens of answer `amount` pays for once the input is paid. */
function affordable(amount: number, price: PromptPrice, inputTokens: number): number {
  const rest = amount - (inputTokens * price.inputPerMillion) / 1e6;
  if (rest <= 0) return 0;
  return price.outputPerMillion === 0 ? Infinity : (rest / price.outputPerMillion) * 1e6;
}

/** What `usage` costs by `price`. */
export function costOf(
  { inputTokens, outputTokens }: Pick<TokenUsage, 'inputTokens' | 'outputTokens'>,
  price: PromptPrice,
): number {
  return (inputTokens * price.inputPerMillion + outputTokens * price.outputPerMillion) / 1e6;
}
