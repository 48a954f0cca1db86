/** The part *When* of the editor: one of eight kinds of schedule, with its zone, and what bounds it. */
import { type TemplateResult, html, nothing } from 'lit';
import { guard } from 'lit/directives/guard.js';
import { DAY_MS } from '../../domain/index.ts';
import { TIME_UNITS, amountMs } from '../pages/editor-amount.ts';
import { EVERY_DAY, WEEKDAYS_MON_FRI, type Weekday, toggled, weekOf } from '../pages/editor-days.ts';
import type { EditorForm } from '../pages/editor-form.ts';
import { type MonthDay, NTHS, type Nth } from '../pages/editor-month.ts';
import { type ScheduleChoice, carriedOver } from '../pages/editor-when-form.ts';
import { isZone, offsetMs, offsetText, readLocal } from '../pages/editor-zone-time.ts';
import { clockTime } from '../text/dates.ts';
import { boundFields } from './editor-bounds.ts';
import { type EditorView, fieldDomId } from './editor-view.ts';
import './editor-when-words.ts';
import { amountField, checkField, choiceField, manyField, selectField, textField } from './form-field.ts';

const CHOICES: readonly { readonly value: ScheduleChoice; readonly label: string }[] = [
  { value: 'manual', label: 'By hand' },
  { value: 'once', label: 'Once' },
  { value: 'every', label: 'Every' },
  { value: 'days', label: 'On days' },
  { value: 'month', label: 'Monthly' },
  { value: 'calendar', label: 'Calendar interval' },
  { value: 'cron', label: 'Cron' },
  { value: 'after', label: 'After another' },
];

/** The fields of *When*. */
export function whenFields(view: EditorView): TemplateResult {
  const { form, set, context } = view;
  return html`<rota-when-words .context=${context} .zone=${form.zone} .fill=${set}></rota-when-words>
    ${choiceField({
      id: 'f-schedule',
      label: 'Schedule',
      labelHidden: true,
      value: form.scheduleKind,
      options: CHOICES,
      onChange: (scheduleKind) => {
        set({ scheduleKind, ...carriedOver(form, scheduleKind) });
      },
    })}
    ${kindFields(view)} ${boundFields(view)}`;
}

function kindFields(view: EditorView): TemplateResult {
  switch (view.form.scheduleKind) {
    case 'manual':
      return html`<p class="hint">
        It runs when you press <b>Run now</b> in the list, and at no other time.
      </p>`;
    case 'once':
      return onceFields(view);
    case 'every':
      return everyFields(view);
    case 'days':
      return daysFields(view);
    case 'month':
      return monthFields(view);
    case 'calendar':
      return calendarFields(view);
    case 'cron':
      return cronFields(view);
    case 'after':
      return afterFields(view);
  }
}

function onceFields(view: EditorView): TemplateResult {
  const { form, set } = view;
  const read = isZone(form.zone) ? readLocal(form.onceText, form.zone) : null;
  const remark = read?.kind === 'ok' ? read.remark : undefined;
  return html`${textField({
    id: fieldDomId('once'),
    label: 'Date and time',
    type: 'datetime-local',
    step: 1,
    width: 'medium',
    value: form.onceText,
    required: true,
    hint: remark === undefined ? undefined : capital(`${remark}.`),
    problem: view.problem('once'),
    onInput: (onceText) => {
      set({ onceText });
    },
  })}
  ${zoneField(view)}`;
}

function everyFields(view: EditorView): TemplateResult {
  const { form, set } = view;
  return html`${amountField({
    id: fieldDomId('every'),
    label: 'Every',
    n: form.every.n,
    unit: form.every.unit,
    units: TIME_UNITS,
    problem: view.problem('every'),
    hint:
      form.every.unit === 'days'
        ? 'Days of 24 hours. For the same time of day across clock changes, choose On days.'
        : undefined,
    onChange: (every) => {
      set({ every });
    },
  })}
  ${choiceField({
    id: 'f-anchor-kind',
    label: 'Counted from',
    value: form.anchor,
    options: [
      { value: 'clock', label: 'Midnight' },
      { value: 'now', label: 'When I save' },
      { value: 'at', label: 'A time' },
    ],
    hint: anchorHint(form),
    onChange: (anchor) => {
      set({ anchor });
    },
  })}
  ${
    form.anchor === 'at'
      ? textField({
          id: fieldDomId('anchor'),
          label: `Date and time, ${view.context.zone}`,
          type: 'datetime-local',
          step: 1,
          width: 'medium',
          value: form.anchorText,
          problem: view.problem('anchor'),
          onInput: (anchorText) => {
            set({ anchorText });
          },
        })
      : nothing
  }
  ${checkField({
    id: 'f-active-only',
    label: 'Only at certain hours or days',
    checked: form.isActiveOnly,
    onChange: (isActiveOnly) => {
      set({ isActiveOnly });
    },
  })}
  ${form.isActiveOnly ? activeFields(view) : nothing}
  ${form.isActiveOnly || hasDates(form) ? zoneField(view) : nothing}`;
}

/** Whether a zone is needed to say which dates are meant. */
function hasDates({ start, end, excluded }: EditorForm): boolean {
  return start !== '' || end !== '' || excluded.trim() !== '';
}

function activeFields(view: EditorView): TemplateResult {
  const { form, set } = view;
  const problem = view.problem('activeHours');
  return html`<div class="row-of-fields" role="group" aria-label="Active hours">
      ${textField({
        id: fieldDomId('activeHours'),
        label: 'From',
        type: 'time',
        width: 'time',
        value: form.activeFrom,
        problem,
        hint: 'The last is the one that is due at the end itself. Both empty: the whole day.',
        onInput: (activeFrom) => {
          set({ activeFrom });
        },
      })}
      ${textField({
        id: fieldDomId('activeUntil'),
        label: 'to',
        type: 'time',
        width: 'time',
        value: form.activeUntil,
        problem: view.problem('activeUntil'),
        onInput: (activeUntil) => {
          set({ activeUntil });
        },
      })}
    </div>
    ${weekField(view, 'activeDays', form.activeDays, (activeDays) => {
      set({ activeDays });
    })}`;
}

function anchorHint(form: EditorForm): string {
  const everyMs = amountMs(form.every);
  switch (form.anchor) {
    case 'clock':
      return everyMs !== null && everyMs > 0 && DAY_MS % everyMs !== 0
        ? 'Counted from the last midnight here. It does not divide a day evenly, so the times move from day to day.'
        : 'Aligned to the clock: the same times every day, except when clocks change.';
    case 'now':
      return 'The first run is one interval after you save, and not at once.';
    case 'at':
      return 'The first run is at that time; if it is past, at the next whole interval after it.';
  }
}

const DAY_DATES: readonly number[] = [0, 1, 2, 3, 4, 5, 6].map((day) => Date.UTC(2023, 0, 1 + day));

function dayName(day: Weekday, style: 'short' | 'long'): string {
  return new Intl.DateTimeFormat('en', { weekday: style, timeZone: 'UTC' }).format(DAY_DATES[day] ?? 0);
}

/** Days of the week, with ways to choose all or the working ones. */
function weekField(
  view: EditorView,
  field: 'days' | 'activeDays',
  days: readonly Weekday[],
  choose: (days: readonly Weekday[]) => void,
): TemplateResult {
  const quick = (label: string, chosen: readonly Weekday[]): TemplateResult =>
    html`<button
      type="button"
      class="link"
      @click=${() => {
        choose(chosen);
      }}
    >
      ${label}
    </button>`;
  return html`<div>
    ${manyField({
      id: fieldDomId(field),
      label: 'On',
      chosen: days,
      options: weekOf(navigator.language).map((value) => ({
        value,
        label: dayName(value, 'short'),
        name: dayName(value, 'long'),
      })),
      problem: view.problem(field),
      onToggle: (day) => {
        choose(toggled(days, day));
      },
    })}
    <p class="quick">${quick('Every day', EVERY_DAY)} ${quick('Monday to Friday', WEEKDAYS_MON_FRI)}</p>
  </div>`;
}

function daysFields(view: EditorView): TemplateResult {
  const { form, set } = view;
  return html`${weekField(view, 'days', form.days.days, (days) => {
      set({ days: { ...form.days, days } });
    })}
    <div class="row-of-fields">
      ${timeField(view, form.days.time, (time) => {
        set({ days: { ...form.days, time } });
      })}
      ${zoneField(view)}
    </div>`;
}

function timeField(view: EditorView, value: string, onInput: (time: string) => void): TemplateResult {
  return textField({
    id: fieldDomId('time'),
    label: 'At',
    type: 'time',
    width: 'time',
    value,
    required: true,
    problem: view.problem('time'),
    onInput,
  });
}

const MONTH_DAYS: readonly { readonly value: MonthDay; readonly label: string }[] = [
  { value: 'date', label: 'A date' },
  { value: 'nth', label: 'A day of the week' },
  { value: 'last-day', label: 'The last day' },
  { value: 'last-weekday', label: 'The last weekday' },
];
const NTH_LABELS: Readonly<Record<Nth, string>> = {
  1: 'the first',
  2: 'the second',
  3: 'the third',
  4: 'the fourth',
  L: 'the last',
};

function monthFields(view: EditorView): TemplateResult {
  const { form, set } = view;
  const { month } = form;
  return html`${choiceField({
      id: 'f-month-on',
      label: 'On',
      value: month.on,
      options: MONTH_DAYS,
      hint: month.on === 'last-weekday' ? 'The last Monday to Friday of the month.' : undefined,
      onChange: (on) => {
        set({ month: { ...month, on } });
      },
    })}
    <div class="row-of-fields">${monthDayFields(view)}</div>
    <div class="row-of-fields">
      ${timeField(view, month.time, (time) => {
        set({ month: { ...month, time } });
      })}
      ${zoneField(view)}
    </div>`;
}

function monthDayFields(view: EditorView): TemplateResult | typeof nothing {
  const { form, set } = view;
  const { month } = form;
  switch (month.on) {
    case 'date':
      return textField({
        id: fieldDomId('month'),
        label: 'Day of the month',
        width: 'narrow',
        inputmode: 'numeric',
        value: month.date,
        problem: view.problem('month'),
        hint: Number(month.date) > 28 ? SHORT_MONTHS : undefined,
        onInput: (date) => {
          set({ month: { ...month, date } });
        },
      });
    case 'nth':
      return html`${selectField({
        id: fieldDomId('month'),
        label: 'Which',
        width: 'medium',
        value: month.nth,
        options: NTHS.map((value) => ({ value, label: NTH_LABELS[value] })),
        onChange: (nth) => {
          set({ month: { ...month, nth } });
        },
      })}
      ${selectField({
        id: 'f-month-weekday',
        label: 'Day of the week',
        width: 'medium',
        value: String(month.weekday),
        options: weekOf(navigator.language).map((day) => ({
          value: String(day),
          label: dayName(day, 'long'),
        })),
        onChange: (day) => {
          set({
            month: { ...month, weekday: EVERY_DAY.find((one) => String(one) === day) ?? month.weekday },
          });
        },
      })}`;
    case 'last-day':
    case 'last-weekday':
      return nothing;
  }
}

const SHORT_MONTHS =
  'Months that have no such day are left out. The last day of each month, or a calendar interval that clamps, are other choices.';

const UNITS = [
  { value: 'days', label: 'days' },
  { value: 'weeks', label: 'weeks' },
  { value: 'months', label: 'months' },
  { value: 'years', label: 'years' },
] as const;

function calendarFields(view: EditorView): TemplateResult {
  const { form, set } = view;
  const day = Number(form.calendarFirst.slice(8, 10));
  const isLate = day > 28 && (form.calendarUnit === 'months' || form.calendarUnit === 'years');
  return html`${amountField({
      id: fieldDomId('calendarEvery'),
      label: 'Every',
      n: form.calendarEvery,
      unit: form.calendarUnit,
      units: UNITS.map(({ value }) => value),
      problem: view.problem('calendarEvery'),
      hint: 'At the same time of day, also when clocks change.',
      onChange: ({ n, unit }) => {
        set({ calendarEvery: n, calendarUnit: unit });
      },
    })}
    <div class="row-of-fields">
      ${textField({
        id: fieldDomId('calendarFirst'),
        label: 'Counted from',
        type: 'datetime-local',
        width: 'medium',
        value: form.calendarFirst,
        required: true,
        problem: view.problem('calendarFirst'),
        onInput: (calendarFirst) => {
          set({ calendarFirst });
        },
      })}
      ${zoneField(view)}
    </div>
    ${
      isLate
        ? choiceField({
            id: 'f-overflow',
            label: 'In months without that day',
            value: form.calendarOverflow,
            options: [
              { value: 'skip', label: 'Leave them out' },
              { value: 'clamp', label: 'Take their last day' },
            ],
            onChange: (calendarOverflow) => {
              set({ calendarOverflow });
            },
          })
        : nothing
    }`;
}

function afterFields(view: EditorView): TemplateResult {
  const { form, set, others } = view;
  if (others.length === 0)
    return html`<p class="hint">There is no other automation yet that it could follow.</p>`;
  const isKnown = form.after === '' || others.some(({ id }) => id === form.after);
  return html`${selectField<string>({
    id: fieldDomId('after'),
    label: 'After',
    value: form.after,
    options: [
      ...(form.after === '' ? [{ value: '', label: 'Choose an automation' }] : []),
      ...(isKnown ? [] : [{ value: form.after, label: 'One that was deleted' }]),
      ...others.map(({ id, name }) => ({ value: id, label: name })),
    ],
    problem: view.problem('after'),
    onChange: (chosen) => {
      set({ after: others.find(({ id }) => id === chosen)?.id ?? '' });
    },
  })}
  ${choiceField({
    id: 'f-after-on',
    label: 'When it',
    value: form.afterOn,
    options: [
      { value: 'success', label: 'Succeeds' },
      { value: 'failure', label: 'Fails' },
      { value: 'any', label: 'Ends either way' },
    ],
    hint:
      form.afterOn === 'success'
        ? undefined
        : 'A failure counts once no attempt is to come. A run that was cancelled starts nothing.',
    onChange: (afterOn) => {
      set({ afterOn });
    },
  })}`;
}

const PRESETS: readonly { readonly label: string; readonly expression: string }[] = [
  { label: 'Every hour', expression: '0 * * * *' },
  { label: 'Daily', expression: '0 9 * * *' },
  { label: 'Weekdays', expression: '0 9 * * mon-fri' },
  { label: 'Weekly', expression: '0 9 * * mon' },
  { label: 'Monthly', expression: '0 9 1 * *' },
  { label: 'Last day of the month', expression: '0 9 L * *' },
];

function cronFields(view: EditorView): TemplateResult {
  const { form, set } = view;
  return html`<div>
      ${textField({
        id: fieldDomId('expression'),
        label: 'Cron rule',
        value: form.expression,
        mono: true,
        required: true,
        placeholder: '0 9 * * mon-fri',
        hint: html`<span class="mono">${fieldNames(form.expression)}</span>. Names, lists, ranges, steps, and
          <code>L</code>, <code>W</code>, <code>#</code> for last days, nearest weekdays and nth weekdays.`,
        problem: view.problem('expression'),
        onInput: (expression) => {
          set({ expression });
        },
      })}
      <div class="presets" role="group" aria-label="Fill in">
        ${PRESETS.map(
          ({ label, expression }) =>
            html`<button
              type="button"
              class="btn"
              aria-pressed=${form.expression.trim() === expression ? 'true' : 'false'}
              @click=${() => {
                set({ expression });
              }}
            >
              ${label}
            </button>`,
        )}
      </div>
    </div>
    ${zoneField(view)}`;
}

/** What the fields of a rule mean, by their number. */
function fieldNames(expression: string): string {
  const names = 'minute hour day month weekday';
  return expression.trim().split(/\s+/).length === 6 ? `second ${names}` : names;
}

function zoneField(view: EditorView): TemplateResult {
  const { form, context, set } = view;
  const known = isZone(form.zone);
  const hint = known
    ? html`${clockTime(context.now, form.zone)} there now, UTC${offsetText(offsetMs(context.now, form.zone))}.
      ${
        form.zone === context.zone
          ? nothing
          : html`<button
              type="button"
              class="link"
              @click=${() => {
                set({ zone: context.zone });
              }}
            >
              Use mine, ${context.zone}
            </button>`
      }`
    : undefined;
  return html`${textField({
    id: fieldDomId('zone'),
    label: 'Time zone',
    value: form.zone,
    width: 'medium',
    list: 'zones',
    required: true,
    hint,
    problem: view.problem('zone'),
    onInput: (zone) => {
      set({ zone });
    },
  })}
  ${guard(
    [],
    () =>
      html`<datalist id="zones">${zones().map((zone) => html`<option value=${zone}></option>`)}</datalist>`,
  )}`;
}

/** `UTC` is a zone that most lists of the browser leave out. */
function zones(): readonly string[] {
  return ['UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')];
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
