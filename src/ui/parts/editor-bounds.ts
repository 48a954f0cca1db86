/** What bounds a schedule: its first and last day, a number of runs, dates left out, jitter, and clock changes. */
import { type TemplateResult, html, nothing } from 'lit';
import { TIME_UNITS } from '../pages/editor-amount.ts';
import type { EditorForm } from '../pages/editor-form.ts';
import type { ScheduleChoice } from '../pages/editor-when-form.ts';
import { type EditorView, fieldDomId } from './editor-view.ts';
import { amountField, choiceField, textField } from './form-field.ts';
import { neverClosing } from './never-closing.ts';

/** Kinds that come again, and kinds that go by the wall clock. */
const REPEATING: readonly ScheduleChoice[] = ['every', 'days', 'month', 'calendar', 'cron'];
const ON_WALL_CLOCK: readonly ScheduleChoice[] = ['once', 'days', 'month', 'calendar', 'cron'];

/** The fields, folded away until one of them is used; nothing for a schedule that has none. */
export function boundFields(view: EditorView): TemplateResult | typeof nothing {
  const { form } = view;
  const repeats = REPEATING.includes(form.scheduleKind);
  const isLocal = ON_WALL_CLOCK.includes(form.scheduleKind);
  if (!repeats && !isLocal) return nothing;
  const used = usedText(form, repeats, isLocal);
  const hasProblem = (['start', 'end', 'maxRuns', 'excluded', 'jitter'] as const).some(
    (field) => view.problem(field) !== null,
  );
  return html`<details class="more" ?open=${neverClosing(used !== '' || hasProblem)}>
    <summary>
      ${repeats ? 'Start, end, exceptions and clock changes' : 'Spread and clock changes'}${
        used === '' ? nothing : html`<span class="quiet">: ${used}</span>`
      }
    </summary>
    <div class="fields">
      ${repeats ? dateFields(view) : nothing} ${jitterField(view)} ${isLocal ? dstFields(view) : nothing}
    </div>
  </details>`;
}

/** Which of them are set, so that a folded part hides nothing. */
function usedText(form: EditorForm, repeats: boolean, isLocal: boolean): string {
  const used: string[] = [];
  if (repeats) {
    if (form.start !== '') used.push('start');
    if (form.end !== '') used.push('end');
    if (form.maxRuns.trim() !== '') used.push('number of runs');
    if (form.excluded.trim() !== '') used.push('exceptions');
  }
  if (form.jitter.n.trim() !== '') used.push('spread');
  if (isLocal && (form.gap !== 'next-valid' || form.overlapPass !== 'first')) used.push('clock changes');
  return used.join(', ');
}

function dateFields(view: EditorView): TemplateResult {
  const { form, set } = view;
  return html`<div class="row-of-fields">
      ${textField({
        id: fieldDomId('start'),
        label: 'Not before',
        type: dateType(form.start),
        width: 'medium',
        value: form.start,
        problem: view.problem('start'),
        onInput: (start) => {
          set({ start });
        },
      })}
      ${textField({
        id: fieldDomId('end'),
        label: 'Not after',
        type: dateType(form.end),
        width: 'medium',
        value: form.end,
        problem: view.problem('end'),
        hint: 'That whole day counts.',
        onInput: (end) => {
          set({ end });
        },
      })}
    </div>
    ${textField({
      id: fieldDomId('excluded'),
      label: 'Except on',
      value: form.excluded,
      mono: true,
      placeholder: '2026-12-25, 2026-12-26',
      hint: 'Dates, separated by commas.',
      problem: view.problem('excluded'),
      onInput: (excluded) => {
        set({ excluded });
      },
    })}
    ${textField({
      id: fieldDomId('maxRuns'),
      label: 'At most so many runs',
      width: 'narrow',
      inputmode: 'numeric',
      value: form.maxRuns,
      placeholder: 'no limit',
      hint: 'Runs by this schedule, not those that you start. Then it is over.',
      problem: view.problem('maxRuns'),
      onInput: (maxRuns) => {
        set({ maxRuns });
      },
    })}`;
}

/** A file may say a minute where the form asks for a day. */
function dateType(value: string): 'date' | 'datetime-local' {
  return value.includes('T') ? 'datetime-local' : 'date';
}

function jitterField(view: EditorView): TemplateResult {
  const { form, set } = view;
  return amountField({
    id: fieldDomId('jitter'),
    label: 'Spread over',
    n: form.jitter.n,
    unit: form.jitter.unit,
    units: TIME_UNITS,
    problem: view.problem('jitter'),
    hint: 'Each run is put off by up to so much, always the same for the same time. Empty: not at all.',
    onChange: (jitter) => {
      set({ jitter });
    },
  });
}

function dstFields(view: EditorView): TemplateResult {
  const { form, set } = view;
  return html`${choiceField({
    id: 'f-gap',
    label: 'A time that the clocks jump over in spring',
    value: form.gap,
    options: [
      { value: 'next-valid', label: 'Right after' },
      { value: 'shift', label: 'An hour later' },
      { value: 'skip', label: 'Not that day' },
    ],
    onChange: (gap) => {
      set({ gap });
    },
  })}
  ${choiceField({
    id: 'f-pass',
    label: 'A time that comes twice in autumn',
    value: form.overlapPass,
    options: [
      { value: 'first', label: 'The first' },
      { value: 'second', label: 'The second' },
      { value: 'both', label: 'Both' },
    ],
    hint: 'For fixed times. A rule with * or / in its minutes or hours follows the clock as it goes.',
    onChange: (overlapPass) => {
      set({ overlapPass });
    },
  })}`;
}
