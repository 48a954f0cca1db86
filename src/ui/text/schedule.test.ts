import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { nextAfter, prepareTime, problemsOf, type EpochMs, type Schedule } from '../../domain/index.ts';
import { scheduleSentence, scheduleText } from './schedule.ts';

const NOW = Date.UTC(2026, 2, 27, 8, 0);
beforeAll(() => prepareTime());
const cron = (expression: string, timeZone = 'Europe/Paris'): Schedule => ({
  kind: 'cron',
  expression,
  timeZone,
});

describe('a cron rule reads as a sentence', () => {
  test.each([
    ['* * * * *', 'Every minute'],
    ['*/5 * * * *', 'Every 5 minutes'],
    ['*/30 * * * *', 'Every 30 minutes, Europe/Paris'],
    ['*/10 * * * * *', 'Every 10 seconds'],
    ['0 * * * *', 'Every hour, on the hour, Europe/Paris'],
    ['15 * * * *', 'Every hour at :15, Europe/Paris'],
    ['0,30 * * * *', 'Every hour at :00 and :30, Europe/Paris'],
    ['*/5 9-16 * * mon-fri', 'Every 5 minutes, 09:00 to 16:55, weekdays, Europe/Paris'],
    ['0 9-17 * * 1-5', 'Every hour, 09:00 to 17:00, weekdays, Europe/Paris'],
    ['15 */2 * * *', 'Every 2 hours from 00:15, Europe/Paris'],
    ['0 */8 * * *', 'Every day at 00:00, 08:00 and 16:00, Europe/Paris'],
    ['30 2 * * *', 'Every day at 02:30, Europe/Paris'],
    ['30 2 * * 0-6', 'Every day at 02:30, Europe/Paris'],
    ['0 9 * * 1-5', 'Every weekday at 09:00, Europe/Paris'],
    ['0 9,18 * * MON,wed,Fri', 'Every Monday, Wednesday and Friday at 09:00 and 18:00, Europe/Paris'],
    ['0 10 * * 0,6', 'Every Saturday and Sunday at 10:00, Europe/Paris'],
    ['0 10 * * 7', 'Every Sunday at 10:00, Europe/Paris'],
    ['0 8 1 * *', 'On the 1st of each month at 08:00, Europe/Paris'],
    ['0 8 1,15 * *', 'On the 1st and 15th of each month at 08:00, Europe/Paris'],
    ['0 8 31 * *', 'On the 31st of each month that has one at 08:00, Europe/Paris'],
    ['0 8 L * *', 'On the last day of each month at 08:00, Europe/Paris'],
    ['0 8 LW * *', 'On the last weekday of each month at 08:00, Europe/Paris'],
    ['0 8 15W * *', 'On the weekday nearest the 15th of each month at 08:00, Europe/Paris'],
    ['0 16 * * 5L', 'On the last Friday of each month at 16:00, Europe/Paris'],
    ['0 16 * * fri#L', 'On the last Friday of each month at 16:00, Europe/Paris'],
    ['0 9 * * MON#2', 'On the second Monday of each month at 09:00, Europe/Paris'],
    ['0 9 1 1 *', 'On the 1st of January at 09:00, Europe/Paris'],
    ['0 9 * 6-8 *', 'Every day in June, July and August at 09:00, Europe/Paris'],
    ['0 9 1 * fri', 'On the 1st of each month, and also every Friday, at 09:00, Europe/Paris'],
    ['@daily', 'Every day at 00:00, Europe/Paris'],
  ])('%s: %s', (expression, sentence) => {
    expect(scheduleSentence(cron(expression), NOW)).toBe(sentence);
  });
});

describe('a cron rule that no sentence says exactly is shown as itself', () => {
  test.each([
    '*/7 * * * *',
    '7 4-9/2 * * +1',
    '0 9 13 * +fri',
    '*/5 */2 * * *',
    '30 0 9 * * * 2030',
    '0 9 L-3 * *',
    '0 9 29,31 * *',
    '0 9 * * 1#5',
    '0 0 1-20 * *',
  ])('%s', (expression) => {
    expect(scheduleText(cron(expression), NOW)).toEqual({
      text: `Cron ${expression}`,
      zone: 'Europe/Paris',
      phrased: false,
    });
  });
});

describe('other schedules', () => {
  test.each<[Schedule, string]>([
    [{ kind: 'manual' }, 'Only by hand'],
    [{ kind: 'every', everyMs: 60_000, anchor: 0 }, 'Every minute'],
    [{ kind: 'every', everyMs: 90 * 60_000, anchor: 0 }, 'Every 90 minutes'],
    [{ kind: 'every', everyMs: 24 * 3_600_000, anchor: 0 }, 'Every 24 hours'],
    [{ kind: 'every', everyMs: 90_000, anchor: 0 }, 'Every 90 seconds'],
    [{ kind: 'every', everyMs: 1_500, anchor: 0 }, 'Every 1,500 ms'],
  ])('%j: %s', (schedule, sentence) => {
    expect(scheduleSentence(schedule, NOW)).toBe(sentence);
  });
});

test('every sentence, read back by a reader of its own, names the very instants that the schedule runs at', () => {
  const field = (...choices: readonly fc.Arbitrary<string>[]) => fc.oneof(...choices);
  const whole = (least: number, most: number) => fc.integer({ min: least, max: most }).map(String);
  const list = (least: number, most: number) =>
    fc
      .uniqueArray(fc.integer({ min: least, max: most }), { minLength: 1, maxLength: 3 })
      .map((l) => l.join(','));
  const span = (least: number, most: number) =>
    fc
      .tuple(fc.integer({ min: least, max: most }), fc.integer({ min: least, max: most }))
      .map(([a, b]) => `${Math.min(a, b)}-${Math.max(a, b)}`);
  const step = (most: number) => fc.integer({ min: 2, max: most }).map((by) => `*/${by}`);
  const star = fc.constant('*');
  const rules = fc
    .tuple(
      field(whole(0, 59), list(0, 59), step(30), star),
      field(whole(0, 23), list(0, 23), span(0, 23), step(12), star),
      field(star, star, whole(1, 31), list(1, 28), fc.constantFrom('L', 'LW', '15W', '1W,20W')),
      field(star, star, whole(1, 12), list(1, 12), span(1, 12), step(6)),
      field(star, star, list(0, 7), span(0, 7), step(6), fc.constantFrom('5L', '1#1', '2#3,4#4', 'mon#L')),
    )
    .map((parts) => parts.join(' '));

  let phrased = 0;
  fc.assert(
    fc.property(rules, fc.integer({ min: Date.UTC(2025, 0, 1), max: Date.UTC(2029, 0, 1) }), (rule, from) => {
      const schedule = cron(rule, 'UTC');
      if (problemsOf(schedule).length > 0) return;
      const { text, phrased: isPhrase } = scheduleText(schedule, NOW);
      if (!isPhrase) return;
      phrased++;
      const named = readSentence(text);
      // Each instant that the schedule names must fit the sentence, and nothing between two of them may.
      let before: EpochMs = from;
      for (let count = 0; count < 4; count++) {
        const next = nextAfter(schedule, before);
        if (next === null) return;
        expect(named(next), `${rule} runs at ${new Date(next).toISOString()}: ${text}`).toBe(true);
        const between = firstFit(named, before, Math.min(next, before + 3 * 86_400_000));
        expect(between, `${rule} does not run then: ${text}`).toBeNull();
        before = next;
      }
    }),
    { numRuns: 600 },
  );
  expect(phrased, 'enough of the rules have a sentence for this to mean something').toBeGreaterThan(150);
});

/** The first whole minute strictly between the two that `named` accepts. */
function firstFit(named: (at: EpochMs) => boolean, after: EpochMs, before: EpochMs): string | null {
  for (let at = Math.floor(after / 60_000) * 60_000 + 60_000; at < before; at += 60_000) {
    if (named(at)) return new Date(at).toISOString();
  }
  return null;
}

const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const MONTHS = 'January February March April May June July August September October November December'.split(
  ' ',
);
const NTH = ['first', 'second', 'third', 'fourth'];

/** Reads an English sentence as a person would and answers whether an instant (UTC) fits it. Knows nothing of cron. */
function readSentence(sentence: string): (at: EpochMs) => boolean {
  let rest = sentence.charAt(0).toLowerCase() + sentence.slice(1);
  const tests: ((date: Date) => boolean)[] = [];
  const take = (pattern: RegExp): RegExpExecArray | null => {
    const match = pattern.exec(rest);
    if (match !== null) rest = rest.slice(match[0].length);
    return match;
  };
  const minuteOfDay = (date: Date): number => date.getUTCHours() * 60 + date.getUTCMinutes();
  const timeOf = (text: string): number => Number(text.slice(0, 2)) * 60 + Number(text.slice(3));
  const items = (text: string): string[] => text.split(/, | and /);

  const rhythm = take(/^every (?:(\d+) )?(minutes?|hours?)(?=$|,| at| from)/);
  if (rhythm !== null) {
    const by = Number(rhythm[1] ?? 1) * (rhythm[2]?.startsWith('hour') === true ? 60 : 1);
    const past = take(/^ at (:\d\d(?:(?:, | and ):\d\d)*)/) ?? take(/^, on the (hour)/);
    const start = take(/^ from (\d\d:\d\d)/);
    const span = take(/^, (\d\d:\d\d) to (\d\d:\d\d)/);
    if (past !== null) {
      const minutes = past[1] === 'hour' ? [0] : items(past[1] ?? '').map((item) => Number(item.slice(1)));
      tests.push((date) => minutes.includes(date.getUTCMinutes()));
    } else {
      const from = timeOf(start?.[1] ?? span?.[1] ?? '00:00');
      const to = timeOf(span?.[2] ?? '23:59');
      tests.push((date) => {
        const minute = minuteOfDay(date);
        return minute >= from && minute <= to && (minute - from) % by === 0;
      });
    }
    take(/^, /);
  } else {
    const at = / at ((?:\d\d:\d\d(?:, | and )?)+)$/.exec(rest);
    if (at === null) throw new Error(`no time in: ${sentence}`);
    const times = items(at[1] ?? '').map(timeOf);
    tests.push((date) => times.includes(minuteOfDay(date)));
    rest = rest.slice(0, at.index);
  }
  if (rest !== '') tests.push(readDays(rest));
  return (at) => at % 60_000 === 0 && tests.every((fits) => fits(new Date(at)));
}

function readDays(text: string): (date: Date) => boolean {
  const [one = '', other] = text.replace(/,$/, '').split(', and also ');
  if (other !== undefined) {
    const [a, b] = [readDays(one), readDays(other)];
    return (date) => a(date) || b(date);
  }
  let rest = text;
  let inMonth: (date: Date) => boolean = () => true;
  const months =
    / ?(?:in|of) ((?:each month(?: that has one)?)|[A-Z][A-Za-z, ]+?(?: and [A-Z][a-z]+)?)$/.exec(rest) ??
    /^in ([A-Z].+)$/.exec(rest);
  if (months !== null) {
    rest = rest.slice(0, months.index);
    const names = (months[1] ?? '').split(/, | and /);
    if (!(months[1] ?? '').startsWith('each month')) {
      for (const name of names) if (!MONTHS.includes(name)) throw new Error(`no month: ${name} in ${text}`);
      inMonth = (date) => names.includes(MONTHS[date.getUTCMonth()] ?? '');
    }
  }
  const day = readDay(rest.replace(/^(every|on) /, ''), text);
  return (date) => inMonth(date) && day(date);
}

function readDay(text: string, whole: string): (date: Date) => boolean {
  if (text === '' || text === 'day') return () => true;
  const items = text.replace(/^the (?=\d)/, '').split(/, | and /);
  const fits = items.map((item): ((date: Date) => boolean) => {
    if (item === 'weekday' || item === 'weekdays') return isWeekday;
    const weekday = DAYS.indexOf(item.replace(/s$/, ''));
    if (weekday !== -1) return (date) => date.getUTCDay() === weekday;
    const date = /^(\d+)(st|nd|rd|th)$/.exec(item);
    if (date !== null) return (d) => d.getUTCDate() === Number(date[1]);
    if (item === 'the last day') return (d) => d.getUTCDate() === lastDate(d);
    if (item === 'the last weekday') return (d) => d.getUTCDate() === nearestWeekday(d, lastDate(d));
    const near = /^the weekday nearest the (\d+)/.exec(item);
    if (near !== null) return (d) => d.getUTCDate() === nearestWeekday(d, Number(near[1]));
    const nth = /^the (first|second|third|fourth|last) (\w+)$/.exec(item);
    if (nth !== null) {
      return (d) => {
        if (DAYS[d.getUTCDay()] !== nth[2]) return false;
        if (nth[1] === 'last') return d.getUTCDate() > lastDate(d) - 7;
        return Math.ceil(d.getUTCDate() / 7) === NTH.indexOf(nth[1] ?? '') + 1;
      };
    }
    throw new Error(`cannot read "${item}" in: ${whole}`);
  });
  return (date) => fits.some((one) => one(date));
}

function isWeekday(date: Date): boolean {
  return date.getUTCDay() >= 1 && date.getUTCDay() <= 5;
}

function lastDate(date: Date): number {
  return new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
}

/** The working day nearest to `target` in the month of `date`, without leaving the month. */
function nearestWeekday(date: Date, target: number): number {
  const dayOf = (value: number): number =>
    new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), value)).getUTCDay();
  if (dayOf(target) === 6) return target === 1 ? 3 : target - 1;
  if (dayOf(target) === 0) return target === lastDate(date) ? target - 2 : target + 1;
  return target;
}
