const rules = new Intl.PluralRules('en-GB', { type: 'ordinal' });
const SUFFIX: Readonly<Record<Intl.LDMLPluralRule, string>> = {
  zero: 'th',
  one: 'st',
  two: 'nd',
  few: 'rd',
  many: 'th',
  other: 'th',
};

/** `1st`, `22nd`, `13th` */
export function ordinalText(value: number): string {
  return `${value}${SUFFIX[rules.select(value)]}`;
}
