/** Numbers and lengths of time as they are typed. */
import { DAY_MS, type DurationMs, HOUR_MS, MINUTE_MS, type Problem, SECOND_MS } from '../../domain/index.ts';

export const TIME_UNITS = ['seconds', 'minutes', 'hours', 'days'] as const;
export type TimeUnit = (typeof TIME_UNITS)[number];

const UNIT_MS: Readonly<Record<TimeUnit, DurationMs>> = {
  seconds: SECOND_MS,
  minutes: MINUTE_MS,
  hours: HOUR_MS,
  days: DAY_MS,
};

/** A length of time as it is typed. */
export interface Amount {
  readonly n: string;
  readonly unit: TimeUnit;
}

/** `ms` in the largest unit that divides it, else in seconds with decimals. */
export function amountOf(ms: DurationMs): Amount {
  for (const unit of [...TIME_UNITS].reverse()) {
    if (ms % UNIT_MS[unit] === 0 && ms > 0) return { n: String(ms / UNIT_MS[unit]), unit };
  }
  return { n: String(ms / SECOND_MS), unit: 'seconds' };
}

/** The milliseconds that `amount` says, or `null` when it is no number of them. A comma is read as a decimal point. */
export function amountMs({ n, unit }: Amount): DurationMs | null {
  const text = n.trim().replace(',', '.');
  if (!/^\d+(\.\d*)?$|^\.\d+$/.test(text)) return null;
  const ms = Number(text) * UNIT_MS[unit];
  const whole = Math.round(ms);
  // Decimals are not exact in binary: a thousandth of a millisecond off is what was meant.
  return Math.abs(ms - whole) < 1e-3 ? whole : null;
}

/** Reads `amount`, or reports it at `path` and gives a value that the schema takes. */
export function wholeMs(amount: Amount, path: string, problems: Problem[]): DurationMs {
  const ms = amountMs(amount);
  if (ms !== null) return ms;
  problems.push({
    path,
    message:
      amount.n.trim() === ''
        ? `Enter a number of ${amount.unit}, such as 15.`
        : `“${amount.n}” is not a number of ${amount.unit}. Use digits, such as 15 or 1.5.`,
  });
  return MINUTE_MS;
}

/** Reads a whole number, or reports it at `path` and gives a value that the schema takes. */
export function wholeCount(text: string, path: string, problems: Problem[]): number {
  if (/^\d{1,9}$/.test(text.trim())) return Number(text);
  problems.push({
    path,
    message:
      text.trim() === ''
        ? 'Enter a whole number, such as 2.'
        : `“${text}” is not a whole number. Use digits alone, such as 2.`,
  });
  return 2;
}

/** Reads a number with decimals, or reports it at `path` and gives a value that the schema takes. */
export function decimal(text: string, path: string, problems: Problem[]): number {
  const plain = text.trim().replace(',', '.');
  if (/^\d{1,9}(\.\d{1,9})?$/.test(plain)) return Number(plain);
  problems.push({
    path,
    message:
      plain === ''
        ? 'Enter a number, such as 2.'
        : `“${text}” is not a number. Use digits, such as 2 or 1.5.`,
  });
  return 2;
}
