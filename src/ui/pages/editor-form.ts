/**
 * What the editor holds: a definition as a person types it. Every field is text or a choice, for all kinds at once, so
 * that half a number is a state and not an error, and switching a kind there and back loses nothing.
 *
 * `readForm(formOf(definition))` is `definition` again, also for what the form does not show: such fields travel in
 * {@link EditorForm.kept}, and an instant keeps its milliseconds and its pass of an overlap while its text is left alone.
 */
import {
  type Action,
  type Automation,
  DAY_MS,
  DEFAULT_RETRY,
  DEFAULT_RULES,
  type Definition,
  type DurationMs,
  type EpochMs,
  type EverySchedule,
  HOUR_MS,
  type HttpMethod,
  MINUTE_MS,
  type Parsed,
  type Problem,
  SECOND_MS,
  type Schedule,
  definitionOf,
  definitionSchema,
  isRepeatable,
  parseWith,
  pathText,
  scheduleSchema,
  withoutUnknown,
} from '../../domain/index.ts';
import { type DaysRule, WEEKDAYS_MON_FRI, daysOf, expressionOf } from './editor-days.ts';
import { isZone, localTextOf, midnightBefore, readLocal } from './editor-zone-time.ts';

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

/** A header as it is typed. Rows that are blank on both sides are left out. */
export interface HeaderRow {
  readonly name: string;
  readonly value: string;
}

/**
 * The choices of *When*. `days` is a cron rule shown as weekdays and one time; `kept` is a schedule of a kind that the
 * form has no fields for, and stays as it is.
 */
export type ScheduleChoice = 'manual' | 'once' | 'every' | 'days' | 'cron' | 'kept';
/** What an interval is counted from: midnight, the moment it is saved, or a time of one's own. */
export type AnchorChoice = 'clock' | 'now' | 'at';
/** `default` is what applies to an automation that states no retry rule. */
export type RetryChoice = 'default' | 'never' | 'own';

export interface EditorForm {
  readonly name: string;
  readonly enabled: boolean;
  /** Separated by commas. */
  readonly tags: string;

  readonly actionKind: Action['kind'];
  readonly method: HttpMethod;
  readonly url: string;
  readonly headers: readonly HeaderRow[];
  readonly body: string;
  /** Separated by commas or spaces; empty for any 2xx. */
  readonly status: string;
  readonly idempotencyKey: boolean;
  readonly repeatable: boolean;
  readonly message: string;

  readonly scheduleKind: ScheduleChoice;
  /** As `<input type="datetime-local">` gives it. */
  readonly onceText: string;
  readonly every: Amount;
  readonly anchor: AnchorChoice;
  readonly anchorText: string;
  readonly days: DaysRule;
  readonly expression: string;
  /** Of the one-off time, the weekdays and the cron rule alike. */
  readonly zone: string;

  readonly missed: Definition['rules']['missed']['kind'];
  readonly missedLimit: string;
  readonly missedHasMaxAge: boolean;
  readonly missedMaxAge: Amount;
  readonly overlap: Definition['rules']['overlap']['kind'];
  readonly overlapLimit: string;
  readonly timeout: Amount;
  readonly retry: RetryChoice;
  /** All attempts, the first among them. */
  readonly retryAttempts: string;
  readonly retryFirstDelay: Amount;
  readonly retryFactor: string;
  readonly retryMaxDelay: Amount;

  /** The definition that the form was filled from; `null` for one that starts empty. */
  readonly kept: Definition | null;
}

/** What reading a form needs of the world: the time, and the zone of the person. */
export interface FormContext {
  readonly now: EpochMs;
  readonly zone: string;
}

/** Whether a request with `method` may carry a body; browsers refuse one with GET and HEAD. */
export function takesBody(method: HttpMethod): boolean {
  return method !== 'GET' && method !== 'HEAD';
}

/** An empty form: a GET request, every day at nine, the default rules. */
export function emptyForm({ now, zone }: FormContext): EditorForm {
  return {
    name: '',
    enabled: true,
    tags: '',
    actionKind: 'http',
    method: 'GET',
    url: '',
    headers: [],
    body: '',
    status: '',
    idempotencyKey: false,
    repeatable: false,
    message: '',
    scheduleKind: 'days',
    onceText: localTextOf(Math.ceil((now + 5 * MINUTE_MS) / HOUR_MS) * HOUR_MS, zone),
    every: { n: '15', unit: 'minutes' },
    anchor: 'clock',
    anchorText: localTextOf(Math.ceil(now / HOUR_MS) * HOUR_MS, zone),
    days: { days: WEEKDAYS_MON_FRI, time: '09:00' },
    expression: '0 9 * * mon-fri',
    zone,
    ...rulesForm(DEFAULT_RULES),
    kept: null,
  };
}

/**
 * The definition in `automation` as this build knows it. Fields of a newer one stay in the store, which carries them
 * through a save itself: what is sent is strict.
 */
export function definitionIn(automation: Automation): Definition {
  return withoutUnknown(definitionSchema, definitionOf(automation));
}

/** The form for `definition`. Instants are shown in `context.zone`, cron rules in their own. */
export function formOf(definition: Definition, context: FormContext): EditorForm {
  const { name, enabled, tags, action, schedule, rules } = definition;
  return {
    ...emptyForm(context),
    name,
    enabled,
    tags: tags.join(', '),
    ...actionForm(action),
    ...formOfSchedule(schedule, context.zone),
    ...rulesForm(rules),
    kept: withoutUnknown(definitionSchema, definition),
  };
}

function actionForm(action: Action): Partial<EditorForm> {
  switch (action.kind) {
    case 'http':
      return {
        actionKind: 'http',
        method: action.method,
        url: action.url,
        headers: Object.entries(action.headers).map(([name, value]) => ({ name, value })),
        body: action.body ?? '',
        status: (action.expect?.status ?? []).join(', '),
        idempotencyKey: action.idempotencyKey,
        repeatable: action.repeatable,
      };
    case 'remind':
      return { actionKind: 'remind', message: action.message };
  }
}

/** What the form shows of `schedule`; the instants of intervals and of one-off times on the clock of `zone`. */
export function formOfSchedule(schedule: Schedule, zone: string): Partial<EditorForm> {
  switch (schedule.kind) {
    case 'manual':
      return { scheduleKind: 'manual' };
    case 'once':
      return { scheduleKind: 'once', onceText: localTextOf(schedule.at, zone) };
    case 'every':
      return {
        scheduleKind: 'every',
        every: amountOf(schedule.everyMs),
        anchor: isAligned(schedule, zone) ? 'clock' : 'at',
        anchorText: localTextOf(schedule.anchor, zone),
      };
    case 'cron': {
      const days = daysOf(schedule.expression);
      const shared = { expression: schedule.expression, zone: schedule.timeZone };
      return days === null ? { scheduleKind: 'cron', ...shared } : { scheduleKind: 'days', days, ...shared };
    }
    case 'date':
    case 'calendar':
    case 'after':
      return { scheduleKind: 'kept' };
  }
}

/** Whether an interval falls on the same times of each day as if it were counted from that day's midnight. */
function isAligned({ everyMs, anchor }: EverySchedule, zone: string): boolean {
  const midnight = midnightBefore(anchor, zone);
  return anchor === midnight || (DAY_MS % everyMs === 0 && (anchor - midnight) % everyMs === 0);
}

function rulesForm({ missed, overlap, timeoutMs, retry }: Definition['rules']) {
  const delays = retry ?? DEFAULT_RETRY;
  return {
    missed: missed.kind,
    missedLimit: String(missed.kind === 'all' ? missed.limit : 10),
    missedHasMaxAge: missed.maxAgeMs !== undefined,
    missedMaxAge: amountOf(missed.maxAgeMs ?? DAY_MS),
    overlap: overlap.kind,
    overlapLimit: String(overlap.kind === 'parallel' ? overlap.limit : 2),
    timeout: amountOf(timeoutMs),
    retry: retry === undefined ? 'default' : retry.attempts === 1 ? 'never' : 'own',
    retryAttempts: String(delays.attempts === 1 ? DEFAULT_RETRY.attempts : delays.attempts),
    retryFirstDelay: amountOf(delays.firstDelayMs),
    retryFactor: String(delays.factor),
    retryMaxDelay: amountOf(delays.maxDelayMs),
  } satisfies Partial<EditorForm>;
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

/** The definition that `form` says, or everything that is wrong with it, with the paths that the host uses too. */
export function readForm(form: EditorForm, context: FormContext): Parsed<Definition> {
  const problems: Problem[] = [];
  const candidate = {
    ...form.kept,
    name: form.name,
    enabled: form.enabled,
    tags: form.tags
      .split(',')
      .map((tag) => tag.trim())
      .filter((tag) => tag !== ''),
    action: actionFrom(form, problems),
    schedule: scheduleFrom(form, context, problems),
    rules: rulesFrom(form, problems),
  };
  return merged(problems, parseWith(definitionSchema, candidate));
}

/** What the form found comes first: it speaks of what was typed, where the schema sees only a stand-in. */
function merged<Value>(problems: readonly Problem[], parsed: Parsed<Value>): Parsed<Value> {
  if (parsed.kind === 'ok') return problems.length === 0 ? parsed : { kind: 'invalid', problems };
  const named = new Set(problems.map(({ path }) => path));
  return {
    kind: 'invalid',
    problems: [...problems, ...parsed.problems.filter(({ path }) => !named.has(path))],
  };
}

/** Whether what `form` says is safe to repeat, as the host will judge it; half-typed forms count by what they have. */
export function formIsRepeatable(form: EditorForm): boolean {
  return isRepeatable(actionFrom(form, []));
}

/** The schedule that `form` says, with paths as in a definition (`schedule.…`), so that it can be previewed alone. */
export function readSchedule(form: EditorForm, context: FormContext): Parsed<Schedule> {
  const problems: Problem[] = [];
  const candidate = scheduleFrom(form, context, problems);
  return merged(problems, parseWith(scheduleSchema, candidate, ['schedule']));
}

function actionFrom(form: EditorForm, problems: Problem[]): Action {
  const kept = form.kept?.action;
  switch (form.actionKind) {
    case 'http': {
      const base = kept?.kind === 'http' ? kept : undefined;
      const { body: keptBody, expect: keptExpect, ...rest } = base ?? {};
      const body = bodyFrom(form, keptBody);
      const expect = expectFrom(form, keptExpect, problems);
      return {
        ...rest,
        kind: 'http',
        method: form.method,
        url: form.url,
        headers: headersFrom(form, problems),
        idempotencyKey: form.idempotencyKey,
        repeatable: form.repeatable,
        ...(body === undefined ? {} : { body }),
        ...(expect === undefined ? {} : { expect }),
      };
    }
    case 'remind':
      return { ...(kept?.kind === 'remind' ? kept : {}), kind: 'remind', message: form.message };
  }
}

type HttpAction = Extract<Action, { kind: 'http' }>;

/** An empty body is none, unless it was there. */
function bodyFrom(form: EditorForm, kept: string | undefined): string | undefined {
  if (!takesBody(form.method)) return undefined;
  return form.body === '' ? (kept === '' ? '' : undefined) : form.body;
}

function expectFrom(form: EditorForm, kept: HttpAction['expect'], problems: Problem[]): HttpAction['expect'] {
  const { status: _shown, ...others } = kept ?? {};
  const words = form.status.split(/[\s,;]+/).filter((word) => word !== '');
  const status = words.map(Number);
  if (words.some((word) => !/^\d+$/.test(word))) {
    problems.push({
      path: 'action.expect.status',
      message: 'List statuses as numbers, such as 200, 204. Leave it empty for any 2xx.',
    });
    return kept;
  }
  if (status.length > 0) return { ...others, status };
  return kept === undefined || (kept.status !== undefined && Object.keys(others).length === 0)
    ? undefined
    : others;
}

function headersFrom(form: EditorForm, problems: Problem[]): Record<string, string> {
  const seen = new Set<string>();
  const entries: [string, string][] = [];
  for (const { name, value } of form.headers) {
    const key = name.trim();
    if (key === '' && value.trim() === '') continue;
    if (key === '') {
      problems.push({ path: 'action.headers', message: `The value “${value}” has no header name.` });
    } else if (seen.has(key)) {
      const path = pathText(['action', 'headers', key]);
      problems.push({
        path,
        message: `${key} is there twice. Put both values in one row, with a comma between them.`,
      });
    }
    seen.add(key);
    entries.push([key, value]);
  }
  return Object.fromEntries(entries);
}

function scheduleFrom(form: EditorForm, context: FormContext, problems: Problem[]): Schedule {
  const kept = form.kept?.schedule;
  switch (form.scheduleKind) {
    case 'kept':
      return kept ?? { kind: 'manual' };
    case 'manual':
      return { ...(kept?.kind === 'manual' ? kept : {}), kind: 'manual' };
    case 'once': {
      const base = kept?.kind === 'once' ? kept : undefined;
      const at = instantFrom(form.onceText, form.zone, base?.at, 'schedule.at', problems);
      return { ...base, kind: 'once', at };
    }
    case 'every': {
      const base = kept?.kind === 'every' ? kept : undefined;
      const everyMs = wholeMs(form.every, 'schedule.everyMs', problems);
      return { ...base, kind: 'every', everyMs, anchor: anchorFrom(form, everyMs, context, problems) };
    }
    case 'days':
    case 'cron': {
      const base = kept?.kind === 'cron' ? kept : undefined;
      return {
        ...base,
        kind: 'cron',
        expression: cronFrom(form, base?.expression, problems),
        timeZone: zoneFrom(form, problems),
      };
    }
  }
}

function cronFrom(form: EditorForm, kept: string | undefined, problems: Problem[]): string {
  if (form.scheduleKind === 'cron') return form.expression;
  if (form.days.days.length === 0) {
    problems.push({ path: 'schedule.expression', message: 'Choose at least one day.' });
    return '0 9 * * *';
  }
  const expression = expressionOf(form.days);
  if (expression === null) {
    problems.push({ path: 'schedule.expression', message: 'Enter a time of day, such as 09:00.' });
    return '0 9 * * *';
  }
  // The same days and time keep the words they were written in.
  const before = kept === undefined ? null : daysOf(kept);
  return kept !== undefined && before !== null && expressionOf(before) === expression ? kept : expression;
}

function zoneFrom(form: EditorForm, problems: Problem[]): string {
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
  form: EditorForm,
  everyMs: DurationMs,
  context: FormContext,
  problems: Problem[],
): EpochMs {
  const kept = form.kept?.schedule.kind === 'every' ? form.kept.schedule : undefined;
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

function rulesFrom(form: EditorForm, problems: Problem[]): Definition['rules'] {
  const { retry: keptRetry, ...others } = form.kept?.rules ?? {};
  const retry = retryFrom(form, keptRetry, problems);
  return {
    ...others,
    missed: missedFrom(form, problems),
    overlap: overlapFrom(form, problems),
    timeoutMs: wholeMs(form.timeout, 'rules.timeoutMs', problems),
    ...(retry === undefined ? {} : { retry }),
  };
}

function missedFrom(form: EditorForm, problems: Problem[]): Definition['rules']['missed'] {
  const kept = form.kept?.rules.missed;
  // A maximum age means nothing beside `skip`, whose own is a minute; one that a file gave stays.
  if (form.missed === 'skip') return kept?.kind === 'skip' ? kept : { kind: 'skip' };
  const age = form.missedHasMaxAge
    ? { maxAgeMs: wholeMs(form.missedMaxAge, 'rules.missed.maxAgeMs', problems) }
    : {};
  if (form.missed === 'once') return { kind: 'once', ...age };
  return { kind: 'all', limit: wholeCount(form.missedLimit, 'rules.missed.limit', problems), ...age };
}

function overlapFrom(form: EditorForm, problems: Problem[]): Definition['rules']['overlap'] {
  const kept = form.kept?.rules.overlap;
  const base = kept?.kind === form.overlap ? kept : {};
  if (form.overlap !== 'parallel') return { ...base, kind: form.overlap };
  return { ...base, kind: 'parallel', limit: wholeCount(form.overlapLimit, 'rules.overlap.limit', problems) };
}

function retryFrom(
  form: EditorForm,
  kept: Definition['rules']['retry'],
  problems: Problem[],
): Definition['rules']['retry'] {
  switch (form.retry) {
    case 'default':
      return undefined;
    case 'never':
      return { ...DEFAULT_RETRY, ...kept, attempts: 1 };
    case 'own':
      return {
        ...kept,
        attempts: wholeCount(form.retryAttempts, 'rules.retry.attempts', problems),
        firstDelayMs: wholeMs(form.retryFirstDelay, 'rules.retry.firstDelayMs', problems),
        factor: decimal(form.retryFactor, 'rules.retry.factor', problems),
        maxDelayMs: wholeMs(form.retryMaxDelay, 'rules.retry.maxDelayMs', problems),
      };
  }
}

/** Reads `amount`, or reports it at `path` and gives a value that the schema takes. */
function wholeMs(amount: Amount, path: string, problems: Problem[]): DurationMs {
  const ms = amountMs(amount);
  if (ms !== null) return ms;
  problems.push({
    path,
    message: amount.n.trim() === '' ? 'Enter a number.' : `“${amount.n}” is not a number of ${amount.unit}.`,
  });
  return MINUTE_MS;
}

function wholeCount(text: string, path: string, problems: Problem[]): number {
  if (/^\d{1,9}$/.test(text.trim())) return Number(text);
  problems.push({ path, message: 'Enter a whole number.' });
  return 2;
}

function decimal(text: string, path: string, problems: Problem[]): number {
  const plain = text.trim().replace(',', '.');
  if (/^\d{1,9}(\.\d{1,9})?$/.test(plain)) return Number(plain);
  problems.push({ path, message: 'Enter a number, such as 2.' });
  return 2;
}
