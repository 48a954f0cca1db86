/** The part *When* of the editor: one of five kinds of schedule, with its zone. */
import { type TemplateResult, html, nothing } from 'lit';
import { guard } from 'lit/directives/guard.js';
import { type EditorView, fieldDomId } from './editor-view.ts';
import {
  EVERY_DAY,
  WEEKDAYS_MON_FRI,
  type Weekday,
  daysOf,
  expressionOf,
  toggled,
  weekOf,
} from '../pages/editor-days.ts';
import { type EditorForm, type ScheduleChoice, TIME_UNITS, amountMs } from '../pages/editor-form.ts';
import { isZone, offsetMs, offsetText, readLocal } from '../pages/editor-zone-time.ts';
import { DAY_MS } from '../../domain/index.ts';
import { clockTime } from '../text/dates.ts';
import { amountField, choiceField, manyField, textField } from './form-field.ts';
import './editor-when-words.ts';

const CHOICES: readonly { readonly value: ScheduleChoice; readonly label: string }[] = [
  { value: 'manual', label: 'By hand' },
  { value: 'once', label: 'Once' },
  { value: 'every', label: 'Every' },
  { value: 'days', label: 'On days' },
  { value: 'cron', label: 'Cron' },
];

/** Offered only while it is what the schedule is: it cannot be made here. */
const KEPT = { value: 'kept', label: 'As it is' } as const;

/** The fields of *When*. */
export function whenFields(view: EditorView): TemplateResult {
  const { form, set } = view;
  return html`<rota-when-words .context=${view.context} .zone=${form.zone} .fill=${set}></rota-when-words>
    ${choiceField({
      id: 'f-schedule',
      label: 'Schedule',
      labelHidden: true,
      value: form.scheduleKind,
      options: form.scheduleKind === 'kept' ? [KEPT, ...CHOICES] : CHOICES,
      onChange: (scheduleKind) => {
        set({ scheduleKind, ...carriedOver(form, scheduleKind) });
      },
    })}
    ${kindFields(view)}`;
}

/** Weekdays are a cron rule, so each of the two begins with what the other says, where it can say it. */
function carriedOver(form: EditorForm, to: ScheduleChoice): Partial<EditorForm> {
  if (form.scheduleKind === 'cron' && to === 'days') {
    const days = daysOf(form.expression);
    return days === null ? {} : { days };
  }
  if (form.scheduleKind === 'days' && to === 'cron' && daysOf(form.expression) !== null) {
    const expression = expressionOf(form.days);
    return expression === null ? {} : { expression };
  }
  return {};
}

function kindFields(view: EditorView): TemplateResult {
  switch (view.form.scheduleKind) {
    case 'manual':
      return html`<p class="hint">
        It runs when you press <b>Run now</b> in the list, and at no other time.
      </p>`;
    case 'kept':
      return html`<p class="hint">This schedule came from a file or the console, and stays as it is.</p>`;
    case 'once':
      return onceFields(view);
    case 'every':
      return everyFields(view);
    case 'days':
      return daysFields(view);
    case 'cron':
      return cronFields(view);
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
  }`;
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

function daysFields(view: EditorView): TemplateResult {
  const { form, set } = view;
  const choose = (days: readonly Weekday[]): void => {
    set({ days: { ...form.days, days } });
  };
  return html`<div>
      ${manyField({
        id: fieldDomId('days'),
        label: 'On',
        chosen: form.days.days,
        options: weekOf(navigator.language).map((value) => ({
          value,
          label: dayName(value, 'short'),
          name: dayName(value, 'long'),
        })),
        problem: view.problem('days'),
        onToggle: (day) => {
          choose(toggled(form.days.days, day));
        },
      })}
      <p class="quick">
        <button
          type="button"
          class="link"
          @click=${() => {
            choose(EVERY_DAY);
          }}
        >
          Every day
        </button>
        <button
          type="button"
          class="link"
          @click=${() => {
            choose(WEEKDAYS_MON_FRI);
          }}
        >
          Monday to Friday
        </button>
      </p>
    </div>
    <div class="row-of-fields">
      ${textField({
        id: 'f-time',
        label: 'At',
        type: 'time',
        width: 'time',
        value: form.days.time,
        required: true,
        onInput: (time) => {
          set({ days: { ...form.days, time } });
        },
      })}
      ${zoneField(view)}
    </div>`;
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
