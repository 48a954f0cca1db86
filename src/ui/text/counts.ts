const number = new Intl.NumberFormat('en-GB');

/** `1,204` */
export function numberText(value: number): string {
  return number.format(value);
}

/** `1 tab`, `4 tabs`, `1,204 runs`; `plural` where an s will not do. */
export function countText(value: number, one: string, plural = `${one}s`): string {
  return `${numberText(value)} ${value === 1 ? one : plural}`;
}

/** `a`, `a and b`, `a, b and c` */
export function listText(items: readonly string[]): string {
  if (items.length < 2) return items.join('');
  return `${items.slice(0, -1).join(', ')} and ${items.at(-1) ?? ''}`;
}

const BYTE_UNITS = ['byte', 'kB', 'MB', 'GB'] as const;
const bytesFormat = new Intl.NumberFormat('en-GB', { maximumFractionDigits: 1 });

/** `412 bytes`, `1.2 kB`, `18.4 MB`: powers of 1,000. */
export function bytesText(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1000 && unit < BYTE_UNITS.length - 1) {
    value /= 1000;
    unit++;
  }
  return unit === 0 ? countText(value, 'byte') : `${bytesFormat.format(value)} ${BYTE_UNITS[unit] ?? ''}`;
}
