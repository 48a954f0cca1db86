/**
 * Times as a person writes them (`every weekday at 9`), as a rule that fills the form. Offline, English, and strict: a
 * word that is not understood is named, and nothing is guessed around it. What it answers is shown in the form and in
 * the sentence before anything is saved.
 *
 * It reads back what `text/schedule.ts` says; `text/read-times.test.ts` holds that the instants are the same.
 */
import { type CalendarSchedule, type DurationMs, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../domain/index.ts';
import { DAYS, DAY_NAMES, MONTHS, MONTH_NAMES } from './calendar-names.ts';
import type { FirstDay, TimeOfDay } from './first-time.ts';

/** What the words say. */
export type ReadTimes =
  | {
      readonly kind: 'cron';
      readonly expression: string;
      /** As it was written; `null` when no zone was. */
      readonly zone: string | null;
      /** No time of day was given, and 09:00 was put in its place. */
      readonly timeAssumed: boolean;
    }
  | { readonly kind: 'every'; readonly everyMs: DurationMs }
  /** So many days, weeks, months or years from a first time, which {@link firstTime} finds. */
  | {
      readonly kind: 'calendar';
      readonly every: number;
      readonly unit: CalendarSchedule['unit'];
      readonly first: FirstDay;
      readonly time: TimeOfDay;
      readonly overflow: 'skip' | 'clamp';
      readonly zone: string | null;
      readonly timeAssumed: boolean;
    }
  /** Nothing here repeats: perhaps a date, which {@link readDate} knows about. */
  | { readonly kind: 'date' }
  /** `message` is for a person, and ends with a full stop. */
  | { readonly kind: 'unread'; readonly message: string };

/** When a day has begun for most people, as the empty form has it. */
const TIME_ASSUMED: TimeOfDay = { hour: 9, minute: 0 };

/** Reads `text`, such as `mondays and thursdays at 18:30` or `every 15 minutes`. */
export function readTimes(text: string): ReadTimes {
  const words = wordsOf(text);
  if (words.length === 0) return unread('Write when, such as “every weekday at 9”.');
  const ambiguous = words.find((word) => /^bi-?(?:week|month|year|annual)ly$/i.test(word));
  if (ambiguous !== undefined)
    return unread(`“${ambiguous}” has two meanings. Write “every 2 weeks” or the days.`);
  const nth = words.findIndex(
    (word, index) =>
      /^(?:every|each)$/i.test(word) &&
      /^(?:second|2nd|third|3rd|fourth|4th)$/i.test(words[index + 1] ?? '') &&
      dayOf((words[index + 2] ?? '').toLowerCase()) !== null &&
      !/^(?:of|in)$/i.test(words[index + 3] ?? ''),
  );
  if (nth !== -1) {
    const phrase = words.slice(nth, nth + 3).join(' ');
    const day = words[nth + 2] ?? '';
    return unread(
      `“${phrase}” has two meanings. Write “every other ${day}” or “the ${words[nth + 1] ?? ''} ${day} of each month”.`,
    );
  }
  const reader = new Reader(words);
  const found = reader.read();
  if (found.kind !== 'found') return found;
  return ruleOf(found.parts);
}

/** What the phrases of a text said, before they are put together. */
interface Parts {
  rhythm: { readonly n: number; readonly unit: 'second' | 'minute' | 'hour' } | null;
  /** `every 2 weeks`, which counts from a day. */
  interval: { readonly n: number; readonly unit: CalendarSchedule['unit'] } | null;
  /** The day that it counts from, as it was written. */
  from: Extract<FirstDay, { kind: 'date' }> | null;
  /** What an interval does in months without its day. */
  overflow: 'skip' | 'clamp' | null;
  /** Minutes past each hour. */
  past: number[];
  times: TimeOfDay[];
  window: { readonly from: TimeOfDay; readonly to: TimeOfDay } | null;
  /** Day-of-week items of a cron rule. */
  week: string[];
  /** Day-of-month items of a cron rule. */
  dates: string[];
  months: number[];
  /** `day`, `week`, `month` or `year` was said without which. */
  period: 'day' | 'week' | 'month' | 'year' | null;
  zone: string | null;
  /** `every`, `each` or an adverb such as `weekly` was said. */
  readonly repeats: boolean;
}

type Found =
  { readonly kind: 'found'; readonly parts: Parts } | Extract<ReadTimes, { kind: 'date' | 'unread' }>;

function wordsOf(text: string): readonly string[] {
  return text
    .trim()
    .replaceAll(/[.!]+$/g, '')
    .replaceAll(/\b([ap])\.?m\b\.?/gi, '$1m')
    .replaceAll(/(\d)\s+([ap]m)\b/gi, '$1$2')
    .replaceAll(/\b(\d{1,3}),(\d{3})\b/g, '$1$2')
    .replaceAll(/\s*,\s*/g, ' , ')
    .replaceAll(/\s*[–—]\s*/g, '-')
    .replaceAll('&', ' and ')
    .split(/\s+/)
    .filter((word) => word !== '');
}

class Reader {
  readonly #words: readonly string[];
  #at = 0;
  readonly #parts: Parts;

  constructor(words: readonly string[]) {
    this.#words = words;
    this.#parts = {
      rhythm: null,
      interval: null,
      from: null,
      overflow: null,
      past: [],
      times: [],
      window: null,
      week: [],
      dates: [],
      months: [],
      period: null,
      zone: null,
      repeats: words.some((word) =>
        /^(?:every|each)$|^(?:dai|week|month|year|annual|hour|fortnight|quarter)ly$/i.test(word),
      ),
    };
  }

  read(): Found {
    while (this.#at < this.#words.length) {
      if (this.#eat(',', 'and', 'also', 'run', 'on', 'of')) continue;
      const before = this.#at;
      const read =
        this.#readInterval() ||
        this.#readOverflow() ||
        this.#readFrom() ||
        this.#readRhythm() ||
        this.#readPast() ||
        this.#readWindow() ||
        this.#readTimes() ||
        this.#readDates() ||
        this.#readWeek() ||
        this.#readMonths() ||
        this.#readPeriod() ||
        this.#readZone();
      if (read) continue;
      this.#at = before;
      const { repeats, week, dates, past } = this.#parts;
      // `tomorrow at 5` and `June 3rd` are dates; `every blue moon` is not.
      if (!repeats && week.length + past.length === 0 && dates.length <= 1) return { kind: 'date' };
      return unread(
        `“${this.#unknown()}” is not understood here. Try “every weekday at 9” or “on the 1st of each month at noon”.`,
      );
    }
    return { kind: 'found', parts: this.#parts };
  }

  /** What to name as not understood: the next word, with the small ones before it. */
  #unknown(): string {
    const small = new Set(['every', 'each', 'at', 'in', 'the', 'a', 'an', 'from', 'between', 'once']);
    const rest = this.#words.slice(this.#at);
    const length = rest.findIndex((word) => !small.has(word.toLowerCase()));
    return rest.slice(0, length === -1 ? rest.length : length + 1).join(' ');
  }

  /** The next word in lower case; empty at the end. */
  #peek(ahead = 0): string {
    return (this.#words[this.#at + ahead] ?? '').toLowerCase();
  }

  /** Takes the next word if it is one of `words`. */
  #eat(...words: readonly string[]): boolean {
    if (!words.includes(this.#peek()) || this.#at >= this.#words.length) return false;
    this.#at += 1;
    return true;
  }

  /** `every 10 days`, `every other week`, `every third month`, `fortnightly`, `every other Monday`. */
  #readInterval(): boolean {
    const start = this.#at;
    if (this.#eat('fortnightly')) return this.#setInterval(2, 'weeks');
    if (this.#eat('quarterly')) return this.#setInterval(3, 'months', 'quarter');
    if (this.#eat('every', 'each')) {
      if (this.#eat('fortnight')) return this.#setInterval(2, 'weeks');
      if (this.#peek() === 'quarter' && this.#peek(1) !== 'of' && !/^(?:an?|hour)$/.test(this.#peek(1))) {
        this.#at += 1;
        return this.#setInterval(3, 'months', 'quarter');
      }
      if (this.#eat('other')) {
        const unit = CALENDAR_UNITS[this.#peek()];
        if (unit !== undefined) {
          this.#at += 1;
          return this.#setInterval(2, unit);
        }
        // The day itself is read next.
        if (dayOf(this.#peek()) !== null) return this.#setInterval(2, 'weeks');
      } else {
        const n = numberOf(this.#peek()) ?? ORDINALS[this.#peek()] ?? null;
        const unit = CALENDAR_UNITS[this.#peek(1)];
        if (n !== null && unit !== undefined) {
          this.#at += 2;
          return this.#setInterval(n, unit);
        }
      }
    }
    this.#at = start;
    return false;
  }

  #setInterval(n: number, unit: CalendarSchedule['unit'], of: 'quarter' | null = null): boolean {
    if (this.#parts.interval !== null || n < 1) return false;
    this.#parts.interval = { n, unit };
    if (of === 'quarter') this.#parts.dates.push('quarter');
    return true;
  }

  /** `on the last day of shorter months`, `in months that have that day`. */
  #readOverflow(): boolean {
    for (const [overflow, words] of OVERFLOWS) {
      if (!words.every((word, index) => this.#peek(index) === word)) continue;
      this.#at += words.length;
      this.#parts.overflow = overflow;
      return true;
    }
    return false;
  }

  /** `from Mon 30 Nov 2026`, `starting June 3rd`, `from 2026-12-01`; the time of day follows by itself. */
  #readFrom(): boolean {
    const start = this.#at;
    if (this.#parts.from === null && this.#eat('from', 'starting', 'beginning')) {
      this.#eat('on', 'from');
      this.#eat('the');
      if (dayOf(this.#peek()) !== null) this.#at += 1;
      const date = this.#readFullDate();
      if (date !== null) {
        this.#parts.from = date;
        return true;
      }
    }
    this.#at = start;
    return false;
  }

  #readFullDate(): Extract<FirstDay, { kind: 'date' }> | null {
    const iso = /^(\d{4})-(\d\d)-(\d\d)$/.exec(this.#peek());
    if (iso !== null) {
      this.#at += 1;
      return { kind: 'date', year: Number(iso[1]), month: Number(iso[2]), day: Number(iso[3]) };
    }
    const isDayFirst = monthOf(this.#peek()) === null;
    const [dayAt, monthAt] = isDayFirst ? [0, this.#peek(1) === 'of' ? 2 : 1] : [1, 0];
    const day = dateOf(this.#peek(dayAt)) ?? bareDateOf(this.#peek(dayAt));
    const month = monthOf(this.#peek(monthAt));
    if (day === null || month === null) return null;
    this.#at += Math.max(dayAt, monthAt) + 1;
    const comma = this.#peek() === ',' ? 1 : 0;
    const year = /^(?:19|20|21)\d\d$/.test(this.#peek(comma)) ? Number(this.#peek(comma)) : null;
    if (year !== null) this.#at += comma + 1;
    return { kind: 'date', year, month, day };
  }

  /** `every 15 minutes`, `every hour`, `hourly`, `every half hour`. */
  #readRhythm(): boolean {
    const from = this.#at;
    if (this.#eat('hourly')) return this.#setRhythm(1, 'hour');
    if (this.#eat('every', 'each')) {
      if (this.#eat('half')) {
        this.#eat('an', 'a');
        if (this.#eat('hour')) return this.#setRhythm(30, 'minute');
      } else if (this.#eat('quarter')) {
        this.#eat('of');
        this.#eat('an', 'a');
        if (this.#eat('hour')) return this.#setRhythm(15, 'minute');
      } else {
        const n = numberOf(this.#peek());
        if (n !== null) this.#at += 1;
        // `every second Monday of the month` beats in no seconds.
        const unit = dayOf(this.#peek(1)) === null ? UNITS[this.#peek()] : undefined;
        if (unit !== undefined) {
          this.#at += 1;
          // `Every hour, on the hour`
          if (unit === 'hour' && this.#peek() === ',' && this.#peek(1) === 'on' && this.#peek(3) === 'hour')
            this.#at += 4;
          return this.#setRhythm(n ?? 1, unit);
        }
      }
    }
    this.#at = from;
    return false;
  }

  #setRhythm(n: number, unit: 'second' | 'minute' | 'hour'): boolean {
    if (this.#parts.rhythm !== null || n < 1) return false;
    this.#parts.rhythm = { n, unit };
    return true;
  }

  /** `at :15`, `at 15 past`, `from :05`: minutes of each hour. */
  #readPast(): boolean {
    const from = this.#at;
    this.#eat('at');
    const found: number[] = [];
    for (;;) {
      const colon = /^:([0-5]\d)$/.exec(this.#peek());
      const past = /^([0-5]?\d)$/.exec(this.#peek());
      if (colon !== null) {
        this.#at += 1;
        found.push(Number(colon[1]));
      } else if (
        past !== null &&
        (this.#peek(1) === 'past' || (this.#peek(1) === 'minutes' && this.#peek(2) === 'past'))
      ) {
        this.#at += this.#peek(1) === 'past' ? 2 : 3;
        found.push(Number(past[1]));
      } else break;
      if (!/^:/.test(this.#peek(1)) || !this.#eat(',', 'and')) break;
    }
    if (found.length === 0) {
      this.#at = from;
      return false;
    }
    this.#parts.past.push(...found);
    return true;
  }

  /** `between 9 and 17`, `from 9am to 5pm`, `09:00 to 16:55`, `9-17`. */
  #readWindow(): boolean {
    const start = this.#at;
    const joined = /^([^-]+)-([^-]+)$/.exec(this.#peek());
    if (joined !== null) {
      const from = timeOf(joined[1] ?? '');
      const to = timeOf(joined[2] ?? '');
      if (from !== null && to !== null) {
        this.#at += 1;
        return this.#setWindow(from, to, start);
      }
    }
    const named = this.#eat('between', 'from');
    const from = timeOf(this.#peek());
    if (from !== null) {
      this.#at += 1;
      const joins = named ? ['and', 'to', 'until', 'till'] : ['to', 'until', 'till'];
      if (this.#eat(...joins)) {
        const to = timeOf(this.#peek());
        if (to !== null) {
          this.#at += 1;
          return this.#setWindow(from, to, start);
        }
      }
      // `Every 2 hours from 00:15`
      if (named && this.#parts.rhythm?.unit === 'hour' && this.#parts.window === null) {
        return this.#setWindow(from, { hour: 23, minute: 59 }, start);
      }
    }
    this.#at = start;
    return false;
  }

  #setWindow(from: TimeOfDay, to: TimeOfDay, start: number): boolean {
    if (this.#parts.window !== null) {
      this.#at = start;
      return false;
    }
    this.#parts.window = { from, to };
    return true;
  }

  /** `at 9`, `at 09:00 and 18:00`, `18:30`, `noon`. */
  #readTimes(): boolean {
    const start = this.#at;
    const named = this.#eat('at', '@');
    const found: TimeOfDay[] = [];
    for (;;) {
      const time = timeOf(this.#peek());
      // A bare number is a time only where a time is announced.
      if (time === null || (!named && found.length === 0 && /^\d+$/.test(this.#peek()))) break;
      this.#at += 1;
      this.#eat('o’clock', "o'clock", 'oclock');
      found.push(time);
      const joined =
        this.#peek() === ',' && this.#peek(1) === 'and'
          ? 2
          : this.#peek() === ',' || this.#peek() === 'and'
            ? 1
            : 0;
      if (joined === 0 || timeOf(this.#peek(joined)) === null) break;
      this.#at += joined;
    }
    if (found.length === 0) {
      this.#at = start;
      return false;
    }
    this.#parts.times.push(...found);
    return true;
  }

  /** `the 1st and 15th`, `the last day`, `the second Monday`, `the last weekday`, `the weekday nearest the 15th`. */
  #readDates(): boolean {
    const start = this.#at;
    this.#eat('every', 'each');
    this.#eat('the');
    const first = this.#peek();
    if (first === 'weekday' && this.#peek(1) === 'nearest') {
      this.#at += 2;
      this.#eat('the');
      const near = dateOf(this.#peek());
      if (near !== null && near <= 28) {
        this.#at += 1;
        this.#parts.dates.push(`${near}W`);
        return true;
      }
    }
    const nth = NTH[first];
    if (nth !== undefined) {
      const day = dayOf(this.#peek(1));
      if (day !== null) {
        this.#at += 2;
        this.#parts.week.push(`${DAY_NAMES[day] ?? ''}#${nth}`);
        return true;
      }
      if (nth === 'L' && this.#peek(1) === 'day') {
        this.#at += 2;
        this.#parts.dates.push('L');
        return true;
      }
      if (nth === 'L' && WORKDAY.has(this.#peek(1))) {
        this.#at += 2;
        this.#parts.dates.push('LW');
        return true;
      }
      if (nth === '1' && this.#peek(1) === 'day') {
        this.#at += 2;
        this.#parts.dates.push('1');
        return true;
      }
    }
    // `3 January`
    const bare = monthOf(this.#peek(1)) === null ? null : bareDateOf(first);
    const date = dateOf(first) ?? bare;
    if (date !== null) {
      this.#at += 1;
      this.#eat('day');
      this.#parts.dates.push(String(date));
      return true;
    }
    this.#at = start;
    return false;
  }

  /** `every weekday`, `Mondays`, `mon-fri`, `Saturday and Sunday`. */
  #readWeek(): boolean {
    const start = this.#at;
    this.#eat('every', 'each', 'on');
    const word = this.#peek();
    const plain = word.replace(/s$/, '');
    if (WORKDAY.has(word) || WORKDAY.has(plain)) {
      this.#at += 1;
      this.#parts.week.push('mon-fri');
      return true;
    }
    if (BUSINESS.has(word) && /^days?$/.test(this.#peek(1))) {
      this.#at += 2;
      this.#parts.week.push('mon-fri');
      return true;
    }
    if (plain === 'weekend') {
      this.#at += 1;
      this.#parts.week.push('sat', 'sun');
      return true;
    }
    const range = /^([a-z]+)-([a-z]+)$/.exec(word);
    const from = range === null ? dayOf(word) : dayOf(range[1] ?? '');
    if (from !== null) {
      this.#at += 1;
      let to = range === null ? from : dayOf(range[2] ?? '');
      if (range === null && this.#peek() === 'to' && dayOf(this.#peek(1)) !== null) {
        to = dayOf(this.#peek(1));
        this.#at += 2;
      }
      if (to !== null) {
        for (let day = from; ; day = (day + 1) % 7) {
          this.#parts.week.push(DAY_NAMES[day] ?? '');
          if (day === to) return true;
        }
      }
    }
    this.#at = start;
    return false;
  }

  /** `in June, July and August`, `of January`. `each month` says nothing more than a date does. */
  #readMonths(): boolean {
    const start = this.#at;
    this.#eat('in');
    if (
      this.#eat('the', 'each', 'every') &&
      this.#eat('month') &&
      this.#parts.dates.length + this.#parts.week.length > 0
    ) {
      // `the 31st of each month that has one`
      if (this.#peek() === 'that' && this.#peek(1) === 'has' && this.#peek(2) === 'one') this.#at += 3;
      return true;
    }
    this.#at = start;
    this.#eat('in', 'every', 'each');
    const month = monthOf(this.#peek());
    if (month === null) {
      this.#at = start;
      return false;
    }
    this.#at += 1;
    this.#parts.months.push(month);
    // `January 3rd`, `January 3`
    const isBare = this.#parts.week.length === 0 && this.#parts.period !== 'day';
    const readDate = (ahead: number): number | null =>
      dateOf(this.#peek(ahead)) ?? (isBare ? bareDateOf(this.#peek(ahead)) : null);
    for (let ahead = 0, date = readDate(0); date !== null; date = readDate(ahead)) {
      this.#at += ahead + 1;
      this.#parts.dates.push(String(date));
      ahead = this.#peek() === ',' && this.#peek(1) === 'and' ? 2 : 1;
      // `, 24` and `and 24` go on; anything else is for the next phrase.
      if (this.#peek() !== ',' && this.#peek() !== 'and') break;
    }
    return true;
  }

  /** `daily`, `every day`, `weekly`, `each month`. */
  #readPeriod(): boolean {
    const start = this.#at;
    const every = this.#eat('every', 'each', 'once');
    if (every) this.#eat('a', 'an', 'per');
    const period = (every ? PERIODS[this.#peek()] : undefined) ?? PERIOD_ADVERBS[this.#peek()];
    if (period === undefined || this.#parts.period !== null) {
      this.#at = start;
      return false;
    }
    this.#at += 1;
    this.#parts.period = period;
    return true;
  }

  /** `in Europe/Paris`, `UTC`. Whether there is such a zone is for the form to say. */
  #readZone(): boolean {
    const start = this.#at;
    this.#eat('in');
    const written = this.#words[this.#at] ?? '';
    const zone = /^utc$|^gmt$/i.test(written) ? 'UTC' : written;
    if (zone !== 'UTC' && !/^[A-Z][A-Za-z_]+(\/[A-Za-z0-9_+-]+)+$/.test(written)) {
      this.#at = start;
      return false;
    }
    this.#at += 1;
    this.#eat('time');
    this.#parts.zone = zone;
    return true;
  }
}

function ruleOf(parts: Parts): ReadTimes {
  const { rhythm, past, times, window, period, zone } = parts;
  const week = unique(parts.week);
  const dates = unique(parts.dates);
  const restricted = week.length + dates.length + parts.months.length > 0;
  const interval = parts.interval ?? periodInterval(parts);
  if (interval !== null) return calendarOf(parts, interval);
  if (parts.from !== null) return unread('Set the first day in its own field, under Start, end, exceptions.');
  if (parts.overflow !== null) return unread('Say how many months apart, such as “every 3 months”.');
  if (rhythm !== null) {
    if (times.length > 0) return unread('Say either how often or at what time, not both.');
    if (!restricted && window === null && past.length === 0 && zone === null) return intervalOf(rhythm);
    const fields = rhythmFields(rhythm, past, window);
    if (fields === null) {
      return unread(
        `Every ${rhythm.n} ${rhythm.unit}s does not fall on the same times of each ${rhythm.unit === 'hour' ? 'day' : 'hour'}. Choose a number that divides it evenly.`,
      );
    }
    return cronOf(`${fields} ${daysField(parts, dates, week)}`, zone, false);
  }
  if (past.length > 0) return cronOf(`${past.join(',')} * ${daysField(parts, dates, week)}`, zone, false);
  if (window !== null) return unread('Say how often between these times, such as “every hour from 9 to 17”.');
  if (!restricted && period === null) return { kind: 'date' };
  // `June 3rd at 5` is one day. Dates of a month that is not named repeat, which the sentence beside the form says.
  if (dates.length > 0 && parts.months.length > 0 && !parts.repeats) return { kind: 'date' };
  const [first = TIME_ASSUMED, ...others] = times;
  if (others.some(({ minute }) => minute !== first.minute)) {
    return unread(
      'One rule has the same minute at all its hours. Make a second automation for the other time.',
    );
  }
  const hours = [...unique([first, ...others].map(({ hour }) => hour))].sort((a, b) => a - b);
  const days = restricted ? daysField(withPeriod(parts), dates, week) : PERIOD_DAYS[period ?? 'day'];
  return cronOf(`${first.minute} ${hours.join(',')} ${days}`, zone, times.length === 0);
}

/** `every week from 30 November` counts from that day; without one, weeks and months are those of the calendar. */
function periodInterval({ period, from }: Parts): Parts['interval'] {
  return period === null || from === null ? null : { n: 1, unit: `${period}s` };
}

function calendarOf(parts: Parts, { n, unit }: NonNullable<Parts['interval']>): ReadTimes {
  const { times, window, rhythm, past, zone, overflow } = parts;
  const every = `every ${n} ${unit}`;
  if (rhythm !== null || past.length > 0 || window !== null)
    return unread(`Say either ${every} or how often within a day, not both.`);
  if (times.length > 1)
    return unread(`A rule for ${every} has one time of day. Make a second automation for the other time.`);
  const first = firstDayOf(parts, unit);
  if (first === null) return unread(INTERVAL_DAYS[unit](every));
  const [time = TIME_ASSUMED] = times;
  return {
    kind: 'calendar',
    every: n,
    unit,
    first,
    time,
    overflow: overflow ?? 'skip',
    zone,
    timeAssumed: times.length === 0,
  };
}

/** The day that an interval counts from; `null` when what was said of days does not fit its unit. */
function firstDayOf(
  { from, week, dates, months, period }: Parts,
  unit: CalendarSchedule['unit'],
): FirstDay | null {
  const said = week.length + dates.length + months.length;
  if (from !== null) return said === 0 ? from : null;
  if (period !== null && `${period}s` !== unit) return null;
  if (said === 0) return { kind: 'next' };
  const [day = ''] = week;
  const weekday = DAY_NAMES.findIndex((name) => name === day);
  const [date = ''] = dates;
  switch (unit) {
    case 'days':
      return null;
    case 'weeks':
      return said === 1 && weekday !== -1 ? { kind: 'next', weekday } : null;
    case 'months': {
      const others = dates.filter((one) => one !== 'quarter');
      if (dates.includes('quarter') && said <= 2 && others.length === said - 1) {
        const [own = '1'] = others;
        return /^\d+$/.test(own) ? { kind: 'next', day: Number(own), months: [1, 4, 7, 10] } : null;
      }
      return said === 1 && /^\d+$/.test(date) ? { kind: 'next', day: Number(date) } : null;
    }
    case 'years':
      return said === 2 && months.length === 1 && /^\d+$/.test(date)
        ? { kind: 'next', day: Number(date), months }
        : null;
  }
}

/** What an interval of each unit can be told of days. */
const INTERVAL_DAYS: Readonly<Record<CalendarSchedule['unit'], (every: string) => string>> = {
  days: (every) => `Leave the day out: ${every} falls on another one each time.`,
  weeks: (every) => `Name one day of the week, such as “${every} on Monday”, or none.`,
  months: (every) => `Name one date of the month, such as “${every} on the 1st”, or none.`,
  years: (every) => `Name one day of the year, such as “${every} on March 3”, or none.`,
};

/** `weekly` beside a day adds nothing; `yearly` beside a date without a month would be every month. */
function withPeriod(parts: Parts): Parts {
  return parts.period === 'year' && parts.months.length === 0 ? { ...parts, months: [1] } : parts;
}

function intervalOf({
  n,
  unit,
}: {
  readonly n: number;
  readonly unit: 'second' | 'minute' | 'hour';
}): ReadTimes {
  return { kind: 'every', everyMs: n * { second: SECOND_MS, minute: MINUTE_MS, hour: HOUR_MS }[unit] };
}

/** Minute and hour of a rhythm, `second` first where it beats in seconds; `null` when no cron rule beats so. */
function rhythmFields(
  { n, unit }: NonNullable<Parts['rhythm']>,
  past: readonly number[],
  window: Parts['window'],
): string | null {
  if (unit === 'second') return null;
  if (unit === 'minute') {
    if (60 % n !== 0 || n > 30 || past.length > 0) return null;
    const minutes = n === 1 ? '*' : `*/${n}`;
    if (window === null) return `${minutes} *`;
    const { from, to } = window;
    if (from.minute !== 0 || from.hour >= to.hour + (to.minute > 0 ? 1 : 0)) return null;
    // `to 17:00` ends before it; `to 16:55` is how the sentence says the same of every five minutes.
    if (to.minute !== 0 && to.minute !== 60 - n && !(to.hour === 23 && to.minute === 59)) return null;
    const last = to.minute === 0 ? to.hour - 1 : to.hour;
    return last < from.hour ? null : `${minutes} ${from.hour}-${last}`;
  }
  if (24 % n !== 0) return null;
  if (window === null) return `${past.length === 0 ? 0 : past.join(',')} ${n === 1 ? '*' : `*/${n}`}`;
  const { from, to } = window;
  if (past.length > 0 || from.hour > to.hour) return null;
  const last = to.minute >= from.minute ? to.hour : to.hour - 1;
  if (last < from.hour) return null;
  return `${from.minute} ${from.hour}-${last}${n === 1 ? '' : `/${n}`}`;
}

function daysField({ months }: Parts, dates: readonly string[], week: readonly string[]): string {
  return `${dates.length === 0 ? '*' : dates.join(',')} ${months.length === 0 ? '*' : unique(months).join(',')} ${
    week.length === 0 ? '*' : week.join(',')
  }`;
}

function cronOf(expression: string, zone: string | null, timeAssumed: boolean): ReadTimes {
  return { kind: 'cron', expression, zone, timeAssumed };
}

function unread(message: string): Extract<ReadTimes, { kind: 'unread' }> {
  return { kind: 'unread', message };
}

const OVERFLOWS = [
  ['clamp', ['the', 'last', 'day', 'of', 'shorter', 'months']],
  ['skip', ['in', 'months', 'that', 'have', 'that', 'day']],
] as const;
const CALENDAR_UNITS: Readonly<Record<string, CalendarSchedule['unit']>> = {
  day: 'days',
  days: 'days',
  week: 'weeks',
  weeks: 'weeks',
  month: 'months',
  months: 'months',
  year: 'years',
  years: 'years',
};
const ORDINALS: Readonly<Record<string, number>> = {
  second: 2,
  '2nd': 2,
  third: 3,
  '3rd': 3,
  fourth: 4,
  '4th': 4,
  fifth: 5,
  '5th': 5,
  sixth: 6,
  '6th': 6,
};
const PERIOD_DAYS = { day: '* * *', week: '* * mon', month: '1 * *', year: '1 1 *' } as const;
const PERIODS: Readonly<Record<string, Parts['period']>> = {
  day: 'day',
  week: 'week',
  month: 'month',
  year: 'year',
};
const PERIOD_ADVERBS: Readonly<Record<string, Parts['period']>> = {
  daily: 'day',
  weekly: 'week',
  monthly: 'month',
  yearly: 'year',
  annually: 'year',
};
const WORKDAY: ReadonlySet<string> = new Set(['weekday', 'workday']);
const BUSINESS: ReadonlySet<string> = new Set(['business', 'working', 'work']);
const UNITS: Readonly<Record<string, 'second' | 'minute' | 'hour'>> = {
  second: 'second',
  seconds: 'second',
  sec: 'second',
  secs: 'second',
  s: 'second',
  minute: 'minute',
  minutes: 'minute',
  min: 'minute',
  mins: 'minute',
  m: 'minute',
  hour: 'hour',
  hours: 'hour',
  hr: 'hour',
  hrs: 'hour',
  h: 'hour',
};
const NTH: Readonly<Record<string, string>> = {
  first: '1',
  '1st': '1',
  second: '2',
  '2nd': '2',
  third: '3',
  '3rd': '3',
  fourth: '4',
  '4th': '4',
  last: 'L',
};
const NUMBERS = [
  'one',
  'two',
  'three',
  'four',
  'five',
  'six',
  'seven',
  'eight',
  'nine',
  'ten',
  'eleven',
  'twelve',
];

/** The day that `word` names, in full, short or plural; 0 is Sunday. */
function dayOf(word: string): number | null {
  const day = DAYS.findIndex((name, index) => {
    const long = name.toLowerCase();
    const isShortened = word.length > 3 && word.length < long.length && long.startsWith(word);
    return word === long || word === `${long}s` || word === DAY_NAMES[index] || isShortened;
  });
  return day === -1 ? null : day;
}

function monthOf(word: string): number | null {
  if (word === 'sept') return 9;
  const month = MONTHS.findIndex((name, index) => word === name.toLowerCase() || word === MONTH_NAMES[index]);
  return month === -1 ? null : month + 1;
}

/** A date of the month: `1st`, `22nd`; a bare number is none. */
function dateOf(word: string): number | null {
  const match = /^([12]?\d|3[01])(?:st|nd|rd|th)$/.exec(word);
  const date = match === null ? 0 : Number(match[1]);
  return date >= 1 ? date : null;
}

/** A date of the month without its ending, where only a date can stand. */
function bareDateOf(word: string): number | null {
  return /^(?:[1-9]|[12]\d|3[01])$/.test(word) ? Number(word) : null;
}

function numberOf(word: string): number | null {
  if (/^\d{1,4}$/.test(word)) return Number(word);
  const index = NUMBERS.indexOf(word);
  return index === -1 ? null : index + 1;
}

/** A time of day: `9`, `9am`, `9.30pm`, `09:00`, `noon`, `midnight`. */
function timeOf(word: string): TimeOfDay | null {
  if (word === 'noon' || word === 'midday') return { hour: 12, minute: 0 };
  if (word === 'midnight') return { hour: 0, minute: 0 };
  const match = /^(\d{1,2})(?:[:.h]([0-5]\d))?([ap]m)?$/.exec(word);
  if (match === null) return null;
  const hour = Number(match[1]);
  const minute = Number(match[2] ?? 0);
  const half = match[3];
  if (half === undefined) return hour <= 23 ? { hour, minute } : null;
  if (hour < 1 || hour > 12) return null;
  return { hour: (hour % 12) + (half === 'pm' ? 12 : 0), minute };
}

function unique<Value>(values: readonly Value[]): readonly Value[] {
  return [...new Set(values)];
}
