/**
 * *When*, as a person types it. Every field is text or a choice, for all kinds of schedule at once, so that switching a
 * kind there and back loses nothing. `readWhen(whenOf(schedule))` is `schedule` again, also for what the form does not
 * show: such fields come back from the schedule that the form was filled from.
 */
import {
  type AutomationId,
  type CalendarSchedule,
  DAY_MS,
  type DstChoice,
  type DurationMs,
  type EpochMs,
  type EverySchedule,
  type FollowOn,
  HOUR_MS,
  MINUTE_MS,
  type Problem,
  type Schedule,
  dstOf,
  isRepeating,
  jitterOf,
} from '../../domain/index.ts';
import { type Amount, amountOf, wholeCount, wholeMs } from './editor-amount.ts';
import {
  type DaysRule,
  EVERY_DAY,
  WEEKDAYS_MON_FRI,
  type Weekday,
  daysOf,
  expressionOf,
} from './editor-days.ts';
import { FIRST_OF_MONTH, type MonthRule, isDateOfMonth, monthExpressionOf, monthOf } from './editor-month.ts';
import { isZone, localTextOf, midnightBefore, readLocal } from './editor-zone-time.ts';

/** The choices of *When*. `days` and `month` are cron rules that need not be read as such. */
export type ScheduleChoice = 'manual' | 'once' | 'every' | 'days' | 'month' | 'calendar' | 'cron' | 'after';
/** What an interval is counted from: midnight, the moment it is saved, or a time of one's own. */
export type AnchorChoice = 'clock' | 'now' | 'at';

export interface WhenForm {
  readonly scheduleKind: ScheduleChoice;
  /** As `<input type="datetime-local">` gives it. */
  readonly onceText: string;
  readonly every: Amount;
  readonly anchor: AnchorChoice;
  readonly anchorText: string;
  /** Whether an interval keeps to hours and days. */
  readonly isActiveOnly: boolean;
  /** `HH:MM`; both empty for the whole day. */
  readonly activeFrom: string;
  readonly activeUntil: string;
  /** All seven for every day. */
  readonly activeDays: readonly Weekday[];
  readonly days: DaysRule;
  readonly month: MonthRule;
  readonly calendarEvery: string;
  readonly calendarUnit: CalendarSchedule['unit'];
  readonly calendarFirst: string;
  readonly calendarOverflow: 'skip' | 'clamp';
  readonly expression: string;
  /** The automation that it follows; empty while none is chosen. */
  readonly after: AutomationId | '';
  readonly afterOn: FollowOn;
  /** Of everything that goes by the wall clock. */
  readonly zone: string;

  /** A date, or a date and time; empty for none. */
  readonly start: string;
  readonly end: string;
  readonly maxRuns: string;
  /** Dates, separated by commas or spaces. */
  readonly excluded: string;
  /** Empty for none. */
  readonly jitter: Amount;
  readonly gap: DstChoice['gap'];
  readonly overlapPass: DstChoice['overlap'];
}

/** What reading a form needs of the world: the time, and the zone of the person. */
export interface FormContext {
  readonly now: EpochMs;
  readonly zone: string;
}

/** Every weekday at nine. */
export function emptyWhen({ now, zone }: FormContext): WhenForm {
  return {
    scheduleKind: 'days',
    onceText: localTextOf(Math.ceil((now + 5 * MINUTE_MS) / HOUR_MS) * HOUR_MS, zone),
    every: { n: '15', unit: 'minutes' },
    anchor: 'clock',
    anchorText: localTextOf(Math.ceil(now / HOUR_MS) * HOUR_MS, zone),
    isActiveOnly: false,
    activeFrom: '09:00',
    activeUntil: '17:00',
    activeDays: WEEKDAYS_MON_FRI,
    days: { days: WEEKDAYS_MON_FRI, time: '09:00' },
    month: FIRST_OF_MONTH,
    calendarEvery: '2',
    calendarUnit: 'weeks',
    calendarFirst: `${localTextOf(now + DAY_MS, zone).slice(0, 10)}T09:00`,
    calendarOverflow: 'skip',
    expression: '0 9 * * mon-fri',
    after: '',
    afterOn: 'success',
    zone,
    start: '',
    end: '',
    maxRuns: '',
    excluded: '',
    jitter: { n: '', unit: 'minutes' },
    gap: 'next-valid',
    overlapPass: 'first',
  };
}

/** What the form shows of `schedule`; the instants of intervals and of one-off times on the clock of `zone`. */
export function whenOf(schedule: Schedule, zone: string): Partial<WhenForm> {
  return { ...kindOf(schedule, zone), ...boundsOf(schedule) };
}

function kindOf(schedule: Schedule, zone: string): Partial<WhenForm> {
  switch (schedule.kind) {
    case 'manual':
      return { scheduleKind: 'manual' };
    case 'once':
      return { scheduleKind: 'once', onceText: localTextOf(schedule.at, zone), zone };
    case 'date':
      return { scheduleKind: 'once', onceText: schedule.local, zone: schedule.timeZone };
    case 'every':
      return {
        scheduleKind: 'every',
        every: amountOf(schedule.everyMs),
        anchor: isAligned(schedule, zone) ? 'clock' : 'at',
        anchorText: localTextOf(schedule.anchor, zone),
        ...activeOf(schedule),
        zone: schedule.timeZone ?? zone,
      };
    case 'calendar':
      return {
        scheduleKind: 'calendar',
        calendarEvery: String(schedule.every),
        calendarUnit: schedule.unit,
        calendarFirst: schedule.first,
        calendarOverflow: schedule.overflow ?? 'skip',
        zone: schedule.timeZone,
      };
    case 'cron': {
      const shared = { expression: schedule.expression, zone: schedule.timeZone };
      return { ...readExpression(schedule.expression), ...shared };
    }
    case 'after':
      return { scheduleKind: 'after', after: schedule.automation, afterOn: schedule.on };
  }
}

/** The plainest choice that says all of a cron rule. */
function readExpression(expression: string): Partial<WhenForm> {
  const days = daysOf(expression);
  if (days !== null) return { scheduleKind: 'days', days };
  const month = monthOf(expression);
  return month === null ? { scheduleKind: 'cron' } : { scheduleKind: 'month', month };
}

function activeOf({ hours, days }: EverySchedule): Partial<WhenForm> {
  if (hours === undefined && days === undefined) return { isActiveOnly: false };
  return {
    isActiveOnly: true,
    activeFrom: hours?.from ?? '',
    activeUntil: hours?.until ?? '',
    activeDays: days === undefined ? EVERY_DAY : EVERY_DAY.filter((day) => days.includes(day)),
  };
}

function boundsOf(schedule: Schedule): Partial<WhenForm> {
  const jitterMs = jitterOf(schedule);
  const { start, end, maxRuns, excluded } = isRepeating(schedule) ? schedule : {};
  const dst = 'dst' in schedule ? dstOf(schedule) : null;
  return {
    start: start ?? '',
    end: end ?? '',
    maxRuns: maxRuns === undefined ? '' : String(maxRuns),
    excluded: (excluded ?? []).join(', '),
    jitter: jitterMs === 0 ? { n: '', unit: 'minutes' } : amountOf(jitterMs),
    gap: dst?.gap ?? 'next-valid',
    overlapPass: dst?.overlap ?? 'first',
  };
}

/** Whether an interval falls on the same times of each day as if it were counted from that day's midnight. */
function isAligned({ everyMs, anchor }: EverySchedule, zone: string): boolean {
  const midnight = midnightBefore(anchor, zone);
  return anchor === midnight || (DAY_MS % everyMs === 0 && (anchor - midnight) % everyMs === 0);
}

/** Weekdays and days of a month are cron rules: each choice begins with what the other says, where it can say it. */
export function carriedOver(form: WhenForm, to: ScheduleChoice): Partial<WhenForm> {
  if (to === 'days' && form.scheduleKind === 'cron') {
    const days = daysOf(form.expression);
    return days === null ? {} : { days };
  }
  if (to === 'month' && form.scheduleKind === 'cron') {
    const month = monthOf(form.expression);
    return month === null ? {} : { month };
  }
  if (to !== 'cron') return {};
  const expression = expressionFrom(form);
  const isPlain = daysOf(form.expression) !== null || monthOf(form.expression) !== null;
  // What says the same keeps the words it was written in.
  const isSame = expressionAnew(form.expression, form) === expression;
  return expression === null || isSame || !isPlain ? {} : { expression };
}

function expressionFrom(form: WhenForm): string | null {
  if (form.scheduleKind === 'days') return expressionOf(form.days);
  return form.scheduleKind === 'month' ? monthExpressionOf(form.month) : null;
}

/** The schedule that `form` says; what is wrong goes to `problems`, with paths as in a definition. */
export function readWhen(
  form: WhenForm,
  kept: Schedule | undefined,
  context: FormContext,
  problems: Problem[],
): Schedule {
  switch (form.scheduleKind) {
    case 'manual':
      return { ...(kept?.kind === 'manual' ? kept : {}), kind: 'manual' };
    case 'once':
      return onceFrom(form, kept, context, problems);
    case 'every':
      return everyFrom(form, kept?.kind === 'every' ? kept : undefined, context, problems);
    case 'calendar': {
      const base = kept?.kind === 'calendar' ? kept : undefined;
      const { overflow: _overflow, dst: _dst, ...others } = withoutBounds(base);
      return {
        ...others,
        kind: 'calendar',
        every: wholeCount(form.calendarEvery, 'schedule.every', problems),
        unit: form.calendarUnit,
        first: form.calendarFirst,
        timeZone: zoneFrom(form, problems),
        ...chosen('overflow', form.calendarOverflow, base?.overflow, 'skip'),
        ...dstFrom(form, base?.dst),
        ...boundsFrom(form, base, problems),
      };
    }
    case 'after':
      return {
        ...(kept?.kind === 'after' ? kept : {}),
        kind: 'after',
        automation: form.after as AutomationId,
        on: form.afterOn,
      };
    case 'days':
    case 'month':
    case 'cron': {
      const base = kept?.kind === 'cron' ? kept : undefined;
      const { dst: _dst, ...others } = withoutBounds(base);
      return {
        ...others,
        kind: 'cron',
        expression: cronFrom(form, base?.expression, problems),
        timeZone: zoneFrom(form, problems),
        ...dstFrom(form, base?.dst),
        ...boundsFrom(form, base, problems),
      };
    }
  }
}

/** `kept` without what the form shows and says anew. */
function withoutBounds<Kept extends object>(kept: Kept | undefined): Partial<Kept> {
  if (kept === undefined) return {};
  const others = { ...kept };
  for (const key of ['start', 'end', 'maxRuns', 'excluded', 'jitterMs']) Reflect.deleteProperty(others, key);
  return others;
}

/** A choice is written down unless it is the default and was not written down before. */
function chosen<Key extends string, const Value extends string>(
  key: Key,
  value: Value,
  before: NoInfer<Value> | undefined,
  otherwise: NoInfer<Value>,
): { readonly [key in Key]?: Value } {
  return value === otherwise && before === undefined ? {} : ({ [key]: value } as { [key in Key]?: Value });
}

function dstFrom(
  { gap, overlapPass }: WhenForm,
  kept: { readonly gap?: DstChoice['gap']; readonly overlap?: DstChoice['overlap'] } | undefined,
): { readonly dst?: NonNullable<typeof kept> } {
  const dst = {
    ...chosen('gap', gap, kept?.gap, 'next-valid'),
    ...chosen('overlap', overlapPass, kept?.overlap, 'first'),
  };
  return kept === undefined && Object.keys(dst).length === 0 ? {} : { dst };
}

interface Bounds {
  readonly start?: string;
  readonly end?: string;
  readonly maxRuns?: number;
  readonly excluded?: string[];
  readonly jitterMs?: DurationMs;
}

function boundsFrom(form: WhenForm, kept: Bounds | undefined, problems: Problem[]): Bounds {
  const excluded = form.excluded.split(/[\s,;]+/).filter((date) => date !== '');
  return {
    ...(form.start === '' ? {} : { start: form.start }),
    ...(form.end === '' ? {} : { end: form.end }),
    ...(form.maxRuns.trim() === ''
      ? {}
      : { maxRuns: wholeCount(form.maxRuns, 'schedule.maxRuns', problems) }),
    ...(excluded.length === 0 && kept?.excluded === undefined ? {} : { excluded }),
    ...jitterFrom(form, kept?.jitterMs, problems),
  };
}

function jitterFrom(
  { jitter }: WhenForm,
  kept: DurationMs | undefined,
  problems: Problem[],
): { readonly jitterMs?: DurationMs } {
  if (jitter.n.trim() === '') return kept === 0 ? { jitterMs: 0 } : {};
  return { jitterMs: wholeMs(jitter, 'schedule.jitterMs', problems) };
}

/** A time that nobody changed stays the instant that it was; one that was typed is a time of the wall clock. */
function onceFrom(
  form: WhenForm,
  kept: Schedule | undefined,
  context: FormContext,
  problems: Problem[],
): Schedule {
  if (
    kept?.kind === 'once' &&
    form.zone === context.zone &&
    localTextOf(kept.at, form.zone) === form.onceText
  ) {
    const { jitterMs: _jitterMs, ...others } = kept;
    return { ...others, ...jitterFrom(form, kept.jitterMs, problems) };
  }
  const base = kept?.kind === 'date' ? kept : undefined;
  const { dst: _dst, jitterMs: _jitterMs, ...others } = base ?? {};
  const timeZone = zoneFrom(form, problems);
  if (isZone(timeZone)) instantFrom(form.onceText, timeZone, undefined, 'schedule.local', problems);
  return {
    ...others,
    kind: 'date',
    local: form.onceText,
    timeZone,
    ...dstFrom(form, base?.dst),
    ...jitterFrom(form, base?.jitterMs, problems),
  };
}

function everyFrom(
  form: WhenForm,
  kept: EverySchedule | undefined,
  context: FormContext,
  problems: Problem[],
): EverySchedule {
  const { hours: _hours, days: _days, timeZone: keptZone, ...others } = withoutBounds(kept);
  const everyMs = wholeMs(form.every, 'schedule.everyMs', problems);
  const bounds = boundsFrom(form, kept, problems);
  const active = form.isActiveOnly ? activeFrom(form, problems) : {};
  // Elapsed time needs no zone; hours, days and dates do.
  const isLocal = form.isActiveOnly || bounds.start !== undefined || bounds.end !== undefined;
  const needsZone = isLocal || bounds.excluded !== undefined || keptZone !== undefined;
  return {
    ...others,
    kind: 'every',
    everyMs,
    anchor: anchorFrom(form, everyMs, kept, context, problems),
    ...(needsZone ? { timeZone: zoneFrom(form, problems) } : {}),
    ...active,
    ...bounds,
  };
}

function activeFrom(form: WhenForm, problems: Problem[]): Pick<EverySchedule, 'hours' | 'days'> {
  const { activeFrom: from, activeUntil: until, activeDays } = form;
  const days = activeDays.length === EVERY_DAY.length ? {} : { days: [...activeDays] };
  if (from === '' && until === '') return days;
  if (from === '' || until === '') {
    const path = `schedule.hours.${from === '' ? 'from' : 'until'}`;
    problems.push({ path, message: 'Enter both times, or neither for the whole day.' });
    return days;
  }
  return { hours: { from, until }, ...days };
}

function cronFrom(form: WhenForm, kept: string | undefined, problems: Problem[]): string {
  if (form.scheduleKind === 'cron') return form.expression;
  const expression = expressionFrom(form);
  if (expression === null) {
    problems.push({ path: 'schedule.expression', message: whatIsMissing(form) });
    return '0 9 * * *';
  }
  // What says the same keeps the words it was written in, be it stored so or typed.
  const written = [kept, form.expression].find(
    (one) => one !== undefined && expressionAnew(one, form) === expression,
  );
  return written ?? expression;
}

function expressionAnew(expression: string, form: WhenForm): string | null {
  const days = form.scheduleKind === 'days' ? daysOf(expression) : null;
  const month = form.scheduleKind === 'month' ? monthOf(expression) : null;
  if (days !== null) return expressionOf(days);
  return month === null ? null : monthExpressionOf(month);
}

function whatIsMissing({ scheduleKind, days, month }: WhenForm): string {
  if (scheduleKind === 'days' && days.days.length === 0) return 'Choose at least one day.';
  if (scheduleKind === 'month' && month.on === 'date' && !isDateOfMonth(month.date.trim()))
    return 'Enter a day of the month, from 1 to 31.';
  return 'Enter a time of day, such as 09:00.';
}

function zoneFrom(form: WhenForm, problems: Problem[]): string {
  const zone = form.zone.trim();
  if (zone !== '' && !isZone(zone)) problems.push(unknownZone(zone));
  return zone;
}

function unknownZone(zone: string): Problem {
  const message =
    zone.trim() === ''
      ? 'Choose a time zone.'
      : `This browser knows no time zone “${zone}”. Zones are named like Europe/Paris.`;
  return { path: 'schedule.timeZone', message };
}

function anchorFrom(
  form: WhenForm,
  everyMs: DurationMs,
  kept: EverySchedule | undefined,
  context: FormContext,
  problems: Problem[],
): EpochMs {
  switch (form.anchor) {
    case 'clock': {
      const still = kept?.everyMs === everyMs && isAligned(kept, context.zone);
      return still ? kept.anchor : midnightBefore(context.now, context.zone);
    }
    case 'now':
      return context.now;
    case 'at':
      return instantFrom(form.anchorText, context.zone, kept?.anchor, 'schedule.anchor', problems);
  }
}

function instantFrom(
  text: string,
  zone: string,
  kept: EpochMs | undefined,
  path: string,
  problems: Problem[],
): EpochMs {
  if (!isZone(zone)) {
    problems.push(unknownZone(zone));
    return 0;
  }
  if (kept !== undefined && localTextOf(kept, zone) === text) return kept;
  const read = readLocal(text, zone);
  switch (read.kind) {
    case 'ok':
      return read.at;
    case 'unreadable':
      problems.push({ path, message: 'Enter a date and a time.' });
      return 0;
    case 'no-such-date':
      problems.push({ path, message: `This date does not exist in ${zone}: its calendar skipped it.` });
      return 0;
  }
}
