/** What a row of the benchmark comes to: its figures, whether the target was met, and how both are written down. */

/**
 * One measured figure. `value` is what the target is about; `sides` are the samples that it comes from, by name, unsorted,
 * in the order in which a reader compares them, so that the noise can be seen.
 * @typedef {object} Figure
 * @property {string} what what was measured, as the table says it
 * @property {number} value
 * @property {'×' | 'ms' | ''} unit `×` is the ratio of two sides that were measured in turn in one run
 * @property {{ readonly most: number } | { readonly least: number }} [target] absent: it is there to be looked at
 * @property {Readonly<Record<string, readonly number[]>>} sides in ms, unless `remark` says otherwise
 * @property {string} [remark]
 */

/**
 * The sample below which `share` of the samples lie; `NaN` without samples.
 * @param {readonly number[]} samples
 * @param {number} share
 */
export const quantile = (samples, share) =>
  [...samples].sort((a, b) => a - b)[Math.floor((samples.length - 1) * share)] ?? NaN;

/** @param {readonly number[]} samples */
export const median = (samples) => quantile(samples, 0.5);

/**
 * How many times the median of `samples` is that of `floor`.
 * @param {readonly number[]} samples
 * @param {readonly number[]} floor
 */
export const ratio = (samples, floor) => median(samples) / median(floor);

/**
 * Whether the target was met; `null` without one. What could not be measured meets nothing.
 * @param {Figure} figure
 */
export function isMet({ value, target }) {
  if (target === undefined) return null;
  return 'most' in target ? value <= target.most : value >= target.least;
}

/** @param {number} value */
function short(value) {
  const size = Math.abs(value);
  return value.toFixed(size >= 100 || Number.isInteger(value) ? 0 : size >= 10 ? 1 : 2);
}

/** @param {Figure} figure */
function writtenValue({ value, unit }) {
  return unit === '' ? short(value) : `${short(value)} ${unit}`;
}

/** @param {Figure} figure */
function writtenTarget({ target, unit }) {
  if (target === undefined) return '';
  const [word, bound] = 'most' in target ? ['at most', target.most] : ['at least', target.least];
  return unit === '' ? `${word} ${bound}` : `${word} ${bound} ${unit}`;
}

/** @param {readonly number[]} samples */
function writtenSide(samples) {
  const [low, mid, high] = [0.25, 0.5, 0.75].map((share) => short(quantile(samples, share)));
  return samples.length === 1 ? `${mid}` : `${mid} (${low} to ${high}, n ${samples.length})`;
}

/**
 * One line of the table.
 * @param {Figure} figure
 */
function line(figure) {
  const met = isMet(figure);
  const sides = Object.entries(figure.sides).map(([name, samples]) => `${name} ${writtenSide(samples)}`);
  const remarks = figure.remark === undefined ? sides : [...sides, figure.remark];
  return [
    figure.what,
    writtenValue(figure),
    writtenTarget(figure),
    met === null ? '' : met ? 'yes' : '**no**',
    remarks.join('; '),
  ];
}

/**
 * The figures as a Markdown table, as Prettier sets it: each side with its median, its middle half and how often it was
 * measured.
 * @param {readonly Figure[]} figures
 */
export function tableOf(figures) {
  const rows = [['what', 'measured', 'target', 'met', 'medians (middle half), ms'], ...figures.map(line)];
  const widths = [0, 1, 2, 3, 4].map((column) =>
    Math.max(3, ...rows.map((row) => (row[column] ?? '').length)),
  );
  const written = rows.map(
    (row) => `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`,
  );
  const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`;
  return [written[0], rule, ...written.slice(1)].join('\n');
}
