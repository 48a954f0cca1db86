import { CRON_NAMES } from './cron-names.ts';
import { assert } from './assert.ts';
import { type CronDays, type CronField, type CronWeekdays, cronTimes } from './cron-calendar.ts';
import { MONTHS } from './months.ts';
import { type LocalMs } from './zone.ts';

/*
 * Cron rules. Rota reads the text itself, so that a refusal can say which field is wrong, why, and what to write
 * instead, and so that a rule that two programs read differently is refused and not guessed. What it has read names times
 * in a calendar without zones (cron-calendar.ts); what zones make of them is for wall-next.ts. Tests hold both to croner.
 *
 *   rule     = [second] minute hour day-of-month month weekday, or all seven with a year, or a nickname
 *   field    = item *("," item)
 *   item     = "*" | "?" | "*" "/" step | value | value "-" value | value "-" value "/" step
 *   day      = item | "L" | "L-" n | n "W"; or "LW" alone
 *   weekday  = ["+"] of item | value "#" 1-5 | value "#L" | value "L"; "+" means: and the day of the month fits too
 *
 * Day of month and weekday both restricted mean either of them; a step counts as a restriction.
 */

/** A cron rule that is well formed and names at least one date. */
export interface CronRule {
  /**
   * Whether its second, minute and hour are fixed: no `*`, `?` or `/`, while lists and ranges are fixed. Decides what
   * daylight saving does to it.
   */
  readonly fixedTime: boolean;
  /** The first wall-clock time strictly after `after` that the rule names; `null` when there is none before 2201. */
  nextLocal(after: LocalMs): LocalMs | null;
}

/** What reading a cron rule gives; `messages` are sentences for the person who wrote it, one for each wrong field. */
export type CronParse =
  | { readonly kind: 'ok'; readonly rule: CronRule }
  | { readonly kind: 'invalid'; readonly messages: readonly string[] };

interface FieldKind {
  readonly name: string;
  readonly least: number;
  readonly most: number;
  /** Names that stand for values, the first for `least`. */
  readonly names?: readonly string[];
}

const SECOND: FieldKind = { name: 'second', least: 0, most: 59 };
const MINUTE: FieldKind = { name: 'minute', least: 0, most: 59 };
const HOUR: FieldKind = { name: 'hour', least: 0, most: 23 };
const DAY: FieldKind = { name: 'day-of-month', least: 1, most: 31 };
const MONTH: FieldKind = {
  name: 'month',
  least: 1,
  most: 12,
  names: ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'],
};
/** Sunday is 0 and 7. */
const WEEKDAY: FieldKind = {
  name: 'weekday',
  least: 0,
  most: 7,
  names: ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'],
};
const YEAR: FieldKind = { name: 'year', least: 1970, most: 2199 };

/** Thrown inside this file only, and turned into a message at its door. */
class Refusal extends Error {}

function refuse(kind: FieldKind, why: string): never {
  throw new Refusal(`In the ${kind.name} field, ${why}.`);
}

/** Reads a cron rule. Never throws. Takes milliseconds, also for a rule that names no date at all. */
export function parseCron(expression: string): CronParse {
  const text = expression.trim();
  if (text === '') return invalid('Enter a cron rule, such as 0 9 * * mon-fri.');
  if (/^(cron_)?tz=/i.test(text)) return invalid('Choose the time zone beside the rule, not inside it.');
  if (text.startsWith('@')) {
    const meaning = CRON_NAMES[text.toLowerCase()];
    if (meaning !== undefined) return parseCron(meaning);
    return invalid(`${quoted(text)} names no time; use one of ${Object.keys(CRON_NAMES).join(', ')}.`);
  }
  const parts = text.split(/\s+/);
  if (parts.length < 5 || parts.length > 7) {
    return invalid(
      'A cron rule has five fields (minute, hour, day of month, month, weekday), six with seconds first, or seven ' +
        `with a year last; this one has ${parts.length}.`,
    );
  }
  if (parts.length === 5) parts.unshift('0');
  if (parts.length === 6) parts.push('*');
  const [second = '', minute = '', hour = '', day = '', month = '', weekday = '', year = ''] = parts;

  const messages: string[] = [];
  const read = <Result>(reader: () => Result): Result | null => {
    try {
      return reader();
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      messages.push(error.message);
      return null;
    }
  };
  const seconds = read(() => readField(SECOND, second));
  const minutes = read(() => readField(MINUTE, minute));
  const hours = read(() => readField(HOUR, hour));
  const days = read(() => readDays(day));
  const months = read(() => readField(MONTH, month));
  const weekdays = read(() => readWeekdays(weekday));
  const years = read(() => readYears(year));
  if (
    seconds === null ||
    minutes === null ||
    hours === null ||
    days === null ||
    months === null ||
    weekdays === null ||
    years === null
  ) {
    return { kind: 'invalid', messages };
  }

  const nextLocal = cronTimes({
    second: seconds,
    minute: minutes,
    hour: hours,
    day: days,
    month: months,
    weekday: weekdays,
    year: years,
  });
  if (nextLocal(BEFORE_ALL) === null) return invalid(neverSentence(days, months, weekdays, years));
  return { kind: 'ok', rule: { fixedTime: !/[*?/]/.test(second + minute + hour), nextLocal } };
}

function invalid(message: string): CronParse {
  return { kind: 'invalid', messages: [message] };
}

/** The years that `*` stands for: one more on each side, because a zone can be in it while UTC is not. */
const ANY_YEAR: CronField = { values: stretch(YEAR.least - 1, YEAR.most + 1, 1), isAny: true };

/** Before every wall-clock time of {@link ANY_YEAR}. */
const BEFORE_ALL: LocalMs = Date.UTC(YEAR.least - 1) - 1;

// Fields

function readField(kind: FieldKind, text: string): CronField {
  return join(
    text,
    itemsOf(kind, text).map((item) => readItem(kind, item)),
  );
}

function itemsOf(kind: FieldKind, text: string): string[] {
  const items = text.split(',');
  if (items.includes('')) {
    const tidy = items.filter((item) => item !== '').join(',');
    refuse(
      kind,
      `the list ${quoted(text)} has an empty place; ${tidy === '' ? example(kind) : `write ${clipped(tidy)}`}`,
    );
  }
  return items;
}

/** A list counts as a restriction whatever is in it, and so does a step. */
function join(text: string, items: readonly (readonly number[])[]): CronField {
  return { values: [...new Set(items.flat())].sort((a, b) => a - b), isAny: text === '*' || text === '?' };
}

/** The values of an item that any field may hold. */
function readItem(kind: FieldKind, item: string): readonly number[] {
  if (item === '*' || item === '?') return stretch(kind.least, lastOf(kind), 1);
  const [base = '', step, ...more] = item.split('/');
  if (more.length > 0) refuse(kind, `${quoted(item)} has more than one step; ${example(kind)}`);
  if (step === undefined) return readStretch(kind, item, base);

  if (base === '' || base === '?') refuse(kind, `${quoted(item)} has no start; write */${clipped(step)}`);
  const width = lastOf(kind) - kind.least + 1;
  if (!/^\d+$/.test(step) || Number(step) === 0) {
    refuse(kind, `the step of ${quoted(item)} is not a number from 1; write, for example, ${base}/2`);
  }
  const by = Number(step);
  if (by > width) {
    const unit = kind === SECOND || kind === MINUTE || kind === HOUR ? `${kind.name}s` : null;
    const instead = unit === null ? '' : ` (every ${by} ${unit} is an interval, not a cron rule)`;
    refuse(kind, `the step of ${quoted(item)} is longer than the field; use at most ${width}${instead}`);
  }
  if (base === '*') return stretch(kind.least, lastOf(kind), by);
  if (!base.includes('-')) {
    const start = readValue(kind, base, item);
    const every = kind === YEAR ? '' : `, or */${by} to start at ${kind.least}`;
    refuse(
      kind,
      `${quoted(item)} means different things to different programs; write ${start}-${lastOf(kind)}/${by} to start at ` +
        clipped(base) +
        every,
    );
  }
  const values = readStretch(kind, item, base);
  const [low = 0] = values;
  return values.filter((value) => (value - low) % by === 0);
}

/** `5` or `1-5`. */
function readStretch(kind: FieldKind, item: string, base: string): readonly number[] {
  const [from = '', to, ...more] = base.split('-');
  if (more.length > 0) refuse(kind, `${quoted(item)} has more than one range; ${example(kind)}`);
  if (to !== undefined && (from === '' || to === '')) {
    refuse(kind, `the range ${quoted(base)} lacks an end; write both, from ${kind.least} to ${kind.most}`);
  }
  const low = readValue(kind, from, item);
  if (to === undefined) return [low];
  let high = readValue(kind, to, item);
  // SAT-SUN is the weekend; Sunday by its number says which Sunday it is.
  if (kind === WEEKDAY && high === 0 && low > 0 && /^sun$/i.test(to)) high = 7;
  if (low > high) {
    const meant = backwards(kind, low, high, /[a-z]/i.test(base));
    refuse(kind, `the range ${quoted(base)} runs backwards; write ${meant}`);
  }
  return stretch(low, high, 1);
}

/** What a backward range was probably meant to be, in parts that run forward. */
function backwards(kind: FieldKind, low: number, high: number, named: boolean): string {
  const word = (value: number): string =>
    (named ? kind.names?.[kind === WEEKDAY ? value % 7 : value - kind.least] : undefined) ?? String(value);
  const part = (from: number, to: number): string => (from === to ? word(from) : `${word(from)}-${word(to)}`);
  if (kind !== WEEKDAY) return `${part(low, kind.most)},${part(kind.least, high)}`;
  if (high === 0) return part(low, 7);
  return low === 7 ? part(0, high) : `${part(low, 7)},${part(1, high)}`;
}

function readValue(kind: FieldKind, text: string, item: string): number {
  const named = kind.names?.indexOf(text.toUpperCase()) ?? -1;
  if (named >= 0) return kind.least + named;
  const within = text === item ? '' : ` in ${quoted(item)}`;
  if (!/^\d+$/.test(text)) {
    const what = kind.names === undefined ? 'a number' : `a ${kind.name}`;
    refuse(kind, `${quoted(text)}${within} is not ${what}; ${example(kind)}`);
  }
  const value = Number(text);
  if (value < kind.least || value > kind.most) {
    const midnight = kind === HOUR && value === 24 ? ' (midnight is 0)' : '';
    refuse(kind, `${clipped(text)}${within} is out of range; ${example(kind)}${midnight}`);
  }
  return value;
}

function readDays(text: string): CronDays {
  const items = itemsOf(DAY, text);
  const plain: (readonly number[])[] = [];
  const beforeLast: number[] = [];
  const nearestTo: number[] = [];
  let lastWorking = false;
  for (const item of items) {
    const upper = item.toUpperCase();
    const nearest = /^(\d+)W$/.exec(upper)?.[1];
    const last = /^L-(\d+)$/.exec(upper)?.[1];
    if (upper === 'L') {
      beforeLast.push(0);
    } else if (upper === 'LW') {
      if (items.length > 1) refuse(DAY, 'LW, the last working day, must stand alone; use a rule of its own');
      lastWorking = true;
    } else if (last !== undefined) {
      const before = Number(last);
      if (before < 1 || before > 30) {
        refuse(
          DAY,
          `${quoted(item)} is out of range; use L for the last day, or L-1 to L-30 for days before it`,
        );
      }
      beforeLast.push(before);
    } else if (nearest !== undefined) {
      nearestTo.push(readValue(DAY, nearest, item));
    } else if (/[LW]/.test(upper)) {
      refuse(
        DAY,
        `${quoted(item)} is not understood; use L for the last day, L-2 for two days before it, 15W for the working ` +
          'day nearest to the 15th, or LW for the last working day',
      );
    } else {
      plain.push(readItem(DAY, item));
    }
  }
  return { ...join(text, plain), beforeLast, nearest: nearestTo, lastWorking };
}

function readWeekdays(text: string): CronWeekdays {
  const and = text.startsWith('+');
  const rest = and ? text.slice(1) : text;
  if (rest === '') refuse(WEEKDAY, `there is nothing after the +; ${example(WEEKDAY)}`);
  const counted: CronWeekdays['counted'][number][] = [];
  const plain = itemsOf(WEEKDAY, rest).flatMap((item) => {
    const read = readWeekday(item);
    if (!('which' in read)) return read.map((value) => value % 7);
    counted.push(read);
    return [];
  });
  return { ...join(rest, [plain]), counted, and };
}

/** The weekdays of an item, or which weekday of its month it counts. */
function readWeekday(item: string): readonly number[] | CronWeekdays['counted'][number] {
  if (/^L$/i.test(item))
    refuse(WEEKDAY, 'L needs a weekday before it; write, for example, FRIL for the last Friday');
  if (!/#|L$/i.test(item)) return readItem(WEEKDAY, item);
  const [, base = '', which = ''] = /^([^#]*?)(?:#(.*)|L)$/is.exec(item) ?? [];
  const nth = item.includes('#') ? which.toUpperCase() : 'L';
  if (base.includes('-') || base.includes('/') || base === '*') {
    refuse(WEEKDAY, `${quoted(item)} counts more than one weekday; list them, such as MON#2,TUE#2`);
  }
  const value = readValue(WEEKDAY, base, item) % 7;
  if (!/^([1-5]|L)$/.test(nth)) {
    refuse(
      WEEKDAY,
      `the count of ${quoted(item)} must be 1 to 5, or L for the last; write, for example, MON#2`,
    );
  }
  return { weekday: value, which: nth === 'L' ? 0 : Number(nth) };
}

function readYears(text: string): CronField {
  if (text === '*' || text === '?') return ANY_YEAR;
  if (/\*\//.test(text)) {
    refuse(YEAR, `${quoted(text)} does not say which year it starts in; write, for example, 2026-2199/2`);
  }
  return readField(YEAR, text);
}

// Dates

function lengthsOf(month: number): readonly number[] {
  if (month === 2) return [28, 29];
  return [4, 6, 9, 11].includes(month) ? [30] : [31];
}

/** Why a rule whose fields are right names no date. */
function neverSentence(days: CronDays, months: CronField, weekdays: CronWeekdays, years: CronField): string {
  const [shortest] = days.values;
  const isPlain = !days.lastWorking && days.nearest.length === 0 && days.beforeLast.length === 0;
  const longest = Math.max(...months.values.flatMap(lengthsOf));
  if (shortest !== undefined && shortest > longest && isPlain) {
    const names = new Intl.ListFormat('en').format(months.values.map((month) => MONTHS[month - 1] ?? ''));
    return (
      `This rule never runs: in the day-of-month field, ${shortest} never comes in ${names}. ` +
      `Use a day up to ${longest}, or L for the last day of the month.`
    );
  }
  const fields = ['day-of-month', 'month', ...(weekdays.isAny ? [] : ['weekday'])];
  if (!years.isAny) fields.push('year');
  const list = new Intl.ListFormat('en').format(fields);
  return `This rule never runs: no date fits its ${list} fields together. Use a combination that a calendar has.`;
}

// Words

function lastOf(kind: FieldKind): number {
  return kind === WEEKDAY ? 6 : kind.most;
}

function stretch(from: number, to: number, by: number): number[] {
  return Array.from({ length: Math.floor((to - from) / by) + 1 }, (_, index) => from + index * by);
}

function example(kind: FieldKind): string {
  const names = kind.names === undefined ? '' : `, or ${kind.names[0] ?? ''} to ${kind.names.at(-1) ?? ''}`;
  return `use ${kind.least} to ${kind.most}${names}`;
}

/** Text that a person typed, short enough for a sentence. */
function clipped(text: string): string {
  return text.length > 24 ? `${text.slice(0, 23)}…` : text;
}

function quoted(text: string): string {
  return `"${clipped(text)}"`;
}

// Cache

/** To read a rule costs more than to find its next time. */
const RULES_CACHED_MOST = 100;
const rules = new Map<string, CronRule>();

/** The rule that `expression` states. Asserts that {@link parseCron} accepts it. Remembers the rules used last. */
export function cronRule(expression: string): CronRule {
  let rule = rules.get(expression);
  if (rule === undefined) {
    const parsed = parseCron(expression);
    assert(parsed.kind === 'ok', `a stored cron rule must be readable: ${expression}`);
    ({ rule } = parsed);
    if (rules.size >= RULES_CACHED_MOST) {
      for (const oldest of rules.keys()) {
        rules.delete(oldest);
        break;
      }
    }
  } else {
    rules.delete(expression); // to the end again: the first is the one not used for longest
  }
  rules.set(expression, rule);
  return rule;
}
