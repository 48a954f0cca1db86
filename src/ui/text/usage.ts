import type { TokenUsage } from '../../domain/index.ts';
import { numberText } from './counts.ts';

/** `412 tokens sent and 96 answered, 0.0021 USD`; `about` where they were reckoned. */
export function usageText({ inputTokens, outputTokens, estimated, cost }: TokenUsage): string {
  const about = estimated === true ? 'about ' : '';
  const tokens = `${about}${numberText(inputTokens)} tokens sent and ${numberText(outputTokens)} answered`;
  return cost === undefined ? tokens : `${tokens}, ${about}${moneyText(cost.amount, cost.currency)}`;
}

/** An amount with two decimals, or with two digits that say something where it is less than a hundredth. */
function moneyText(amount: number, currency: string): string {
  const digits = amount === 0 || amount >= 0.01 ? 2 : Math.min(12, 1 - Math.floor(Math.log10(amount)));
  return `${amount.toFixed(digits)} ${currency}`;
}
