/** The parts *If it cannot run* and *Limits* of the editor: the rules, each with what it would have done. */
import { type TemplateResult, html, nothing } from 'lit';
import {
  DEFAULT_RETRY,
  type MissedRule,
  PARALLEL_MOST,
  RETRY_CLASSES,
  type RetryClass,
} from '../../domain/index.ts';
import {
  type ExampleWords,
  autoPauseExample,
  interruptedExample,
  missedExample,
  overlapExample,
  runsPerDayExample,
  timeoutExample,
} from '../pages/editor-examples.ts';
import { TIME_UNITS, amountMs } from '../pages/editor-amount.ts';
import { isZone, localTextOf } from '../pages/editor-zone-time.ts';
import { formIsRepeatable } from '../pages/editor-form.ts';
import { namedDateTime } from '../text/dates.ts';
import { listText } from '../text/counts.ts';
import { durationText } from '../text/durations.ts';
import {
  AUTO_PAUSE_HELP,
  INTERRUPTED_HELP,
  MISSED_HELP,
  OVERLAP_HELP,
  RETRY_HELP,
  RETRY_ON_HELP,
  RUNS_PER_DAY_HELP,
  TIMEOUT_HELP,
  doesText,
} from '../text/help-rules.ts';
import { keepFields } from './editor-keep.ts';
import { type EditorView, fieldDomId } from './editor-view.ts';
import { amountField, checkField, choiceField, manyField, textField } from './form-field.ts';

/** The fields of *If it cannot run*. */
export function cannotRunFields(view: EditorView): TemplateResult {
  const { scheduleKind } = view.form;
  const isScheduled = scheduleKind !== 'manual' && scheduleKind !== 'after';
  return html`${isScheduled ? missedFields(view) : nothing} ${overlapFields(view)} ${interruptedField(view)}`;
}

function missedFields(view: EditorView): TemplateResult {
  const { form, set } = view;
  return html`${choiceField({
    id: 'f-missed',
    label: MISSED_HELP.label,
    value: form.missed,
    options: MISSED_HELP.choices,
    hint: exampleOf(view) ?? doesText(MISSED_HELP, form.missed),
    onChange: (missed) => {
      set({ missed });
    },
  })}
  ${
    form.missed === 'all'
      ? textField({
          id: fieldDomId('missedLimit'),
          label: 'At most',
          width: 'narrow',
          inputmode: 'numeric',
          value: form.missedLimit,
          hint: MISSED_HELP.limit,
          problem: view.problem('missedLimit'),
          onInput: (missedLimit) => {
            set({ missedLimit });
          },
        })
      : nothing
  }
  ${form.missed === 'skip' ? nothing : maxAgeFields(view)}`;
}

function maxAgeFields(view: EditorView): TemplateResult {
  const { form, set } = view;
  return html`${checkField({
    id: 'f-max-age',
    label: MISSED_HELP.maxAge,
    checked: form.missedHasMaxAge,
    onChange: (missedHasMaxAge) => {
      set({ missedHasMaxAge });
    },
  })}
  ${
    form.missedHasMaxAge
      ? amountField({
          id: fieldDomId('missedMaxAge'),
          label: 'Run it when it is less late than',
          ...form.missedMaxAge,
          units: TIME_UNITS,
          problem: view.problem('missedMaxAge'),
          onChange: (missedMaxAge) => {
            set({ missedMaxAge });
          },
        })
      : nothing
  }`;
}

/** What the rule would have done with the next instants of this schedule. */
function exampleOf(view: EditorView): string | null {
  const rule = missedRule(view.form);
  return rule === null ? null : missedExample(rule, view.next, wordsOf(view));
}

/** Dates and times are those of the clock that the schedule follows. */
function wordsOf({ form, context }: EditorView): ExampleWords & { readonly dayOf: (at: number) => string } {
  const zone = form.scheduleKind !== 'every' && isZone(form.zone) ? form.zone : context.zone;
  return {
    when: (at) => namedDateTime(at, context.now, zone),
    long: durationText,
    dayOf: (at) => localTextOf(at, zone).slice(0, 10),
  };
}

function overlapExampleOf(view: EditorView): string | null {
  const { form, next } = view;
  const timeoutMs = amountMs(form.timeout);
  const limit = Number(form.overlapLimit);
  if (timeoutMs === null || (form.overlap === 'parallel' && !(limit >= 2))) return null;
  const rule = form.overlap === 'parallel' ? { kind: form.overlap, limit } : { kind: form.overlap };
  return overlapExample(rule, next, timeoutMs, wordsOf(view));
}

function missedRule(form: EditorView['form']): MissedRule | null {
  const maxAgeMs = form.missedHasMaxAge && form.missed !== 'skip' ? amountMs(form.missedMaxAge) : undefined;
  const limit = Number(form.missedLimit);
  if (maxAgeMs === null || (form.missed === 'all' && !(limit >= 1))) return null;
  const age = maxAgeMs === undefined ? {} : { maxAgeMs };
  return form.missed === 'all' ? { kind: 'all', limit, ...age } : { kind: form.missed, ...age };
}

function overlapFields(view: EditorView): TemplateResult {
  const { form, set } = view;
  return html`${choiceField({
    id: 'f-overlap',
    label: OVERLAP_HELP.label,
    value: form.overlap,
    options: OVERLAP_HELP.choices,
    hint: [doesText(OVERLAP_HELP, form.overlap), overlapExampleOf(view) ?? ''].join(' ').trim(),
    onChange: (overlap) => {
      set({ overlap });
    },
  })}
  ${
    form.overlap === 'parallel'
      ? textField({
          id: fieldDomId('overlapLimit'),
          label: 'Side by side, at most',
          width: 'narrow',
          inputmode: 'numeric',
          value: form.overlapLimit,
          hint: `Up to ${PARALLEL_MOST}.`,
          problem: view.problem('overlapLimit'),
          onInput: (overlapLimit) => {
            set({ overlapLimit });
          },
        })
      : nothing
  }`;
}

function interruptedField(view: EditorView): TemplateResult {
  const { form, set } = view;
  return choiceField({
    id: 'f-interrupted',
    label: INTERRUPTED_HELP.label,
    value: form.interrupted,
    options: INTERRUPTED_HELP.choices,
    hint: [doesText(INTERRUPTED_HELP, form.interrupted), interruptedExampleOf(view)].join(' ').trim(),
    onChange: (interrupted) => {
      set({ interrupted });
    },
  });
}

function interruptedExampleOf(view: EditorView): string {
  const { form, next } = view;
  const isRepeatable = formIsRepeatable(form);
  const byDefault = isRepeatable ? DEFAULT_RETRY.attempts : 1;
  const attempts = { never: 1, default: byDefault, own: Number(form.retryAttempts) }[form.retry];
  return interruptedExample(form.interrupted, { isRepeatable, attempts }, next, wordsOf(view)) ?? '';
}

function timeoutExampleOf(view: EditorView): string {
  const timeoutMs = amountMs(view.form.timeout);
  return timeoutMs === null ? '' : (timeoutExample(timeoutMs, view.next, wordsOf(view)) ?? '');
}

/** The fields of *Limits*. */
export function limitFields(view: EditorView): TemplateResult {
  const { form, set } = view;
  return html`${amountField({
    id: fieldDomId('timeout'),
    label: TIMEOUT_HELP.label,
    ...form.timeout,
    units: TIME_UNITS,
    hint: `${TIMEOUT_HELP.does} ${timeoutExampleOf(view)}`.trim(),
    problem: view.problem('timeout'),
    onChange: (timeout) => {
      set({ timeout });
    },
  })}
  ${choiceField({
    id: 'f-retry',
    label: RETRY_HELP.label,
    value: form.retry,
    options: RETRY_HELP.choices,
    hint: retryHint(view),
    onChange: (retry) => {
      set({ retry });
    },
  })}
  ${form.retry === 'own' ? ownRetryFields(view) : nothing} ${autoPauseFields(view)}
  ${
    form.scheduleKind === 'manual'
      ? nothing
      : textField({
          id: fieldDomId('runsPerDay'),
          label: RUNS_PER_DAY_HELP.label,
          width: 'narrow',
          inputmode: 'numeric',
          value: form.runsPerDay,
          placeholder: 'no limit',
          hint: `${RUNS_PER_DAY_HELP.does} ${runsPerDayOf(view)}`.trim(),
          problem: view.problem('runsPerDay'),
          onInput: (runsPerDay) => {
            set({ runsPerDay });
          },
        })
  }
  ${keepFields(view)}`;
}

function runsPerDayOf(view: EditorView): string {
  const { form, next, context } = view;
  const most = Number(form.runsPerDay);
  if (!(most >= 1)) return '';
  const words = wordsOf(view);
  return runsPerDayExample(most, next, context.now, words.dayOf, words) ?? '';
}

function autoPauseFields(view: EditorView): TemplateResult {
  const { form, set } = view;
  return html`${choiceField({
    id: 'f-auto-pause',
    label: AUTO_PAUSE_HELP.label,
    value: form.autoPause,
    options: AUTO_PAUSE_HELP.choices,
    hint: form.autoPause === 'after' ? doesText(AUTO_PAUSE_HELP, 'after') : undefined,
    onChange: (autoPause) => {
      set({ autoPause });
    },
  })}
  ${
    form.autoPause === 'after'
      ? textField({
          id: fieldDomId('autoPauseFailures'),
          label: 'Failures in a row',
          width: 'narrow',
          inputmode: 'numeric',
          value: form.autoPauseFailures,
          hint: autoPauseExample(Number(form.autoPauseFailures), view.next, wordsOf(view)) ?? undefined,
          problem: view.problem('autoPauseFailures'),
          onInput: (autoPauseFailures) => {
            set({ autoPauseFailures });
          },
        })
      : nothing
  }`;
}

function retryHint({ form }: EditorView): string {
  switch (form.retry) {
    case 'never':
      return doesText(RETRY_HELP, 'never');
    case 'default':
      return formIsRepeatable(form)
        ? `${DEFAULT_RETRY.attempts} attempts, because repeating it does no harm: ${waitsText(
            DEFAULT_RETRY.attempts,
            DEFAULT_RETRY.firstDelayMs,
            DEFAULT_RETRY.factor,
            DEFAULT_RETRY.maxDelayMs,
          )}.`
        : `One attempt, because repeating a ${form.method} could do harm.`;
    case 'own': {
      const first = amountMs(form.retryFirstDelay);
      const longest = amountMs(form.retryMaxDelay);
      const attempts = Number(form.retryAttempts);
      const factor = Number(form.retryFactor.replace(',', '.'));
      if (first === null || longest === null || !(attempts >= 2 && attempts <= 10) || !(factor >= 1))
        return '';
      return `${capital(waitsText(attempts, first, factor, longest))}. ${RETRY_HELP.bound}`;
    }
  }
}

/** `waits of up to 1 s and 2 s`: each wait is drawn between nothing and its bound, so that many do not retry at once. */
function waitsText(attempts: number, first: number, factor: number, longest: number): string {
  const waits = Array.from({ length: attempts - 1 }, (_, index) =>
    durationText(Math.min(longest, first * factor ** index)),
  );
  const shown = waits.length > 4 ? [...waits.slice(0, 3), '…', ...waits.slice(-1)] : waits;
  return `waits of up to ${waits.length > 4 ? shown.join(', ') : listText(shown)}`;
}

function ownRetryFields(view: EditorView): TemplateResult {
  const { form, set } = view;
  return html`<div class="row-of-fields">
      ${textField({
        id: fieldDomId('retryAttempts'),
        label: 'Attempts',
        width: 'narrow',
        inputmode: 'numeric',
        value: form.retryAttempts,
        hint: 'The first counts.',
        problem: view.problem('retryAttempts'),
        onInput: (retryAttempts) => {
          set({ retryAttempts });
        },
      })}
      ${amountField({
        id: fieldDomId('retryFirstDelay'),
        label: 'First wait',
        ...form.retryFirstDelay,
        units: TIME_UNITS,
        problem: view.problem('retryFirstDelay'),
        onChange: (retryFirstDelay) => {
          set({ retryFirstDelay });
        },
      })}
      ${textField({
        id: fieldDomId('retryFactor'),
        label: 'Then times',
        width: 'narrow',
        inputmode: 'decimal',
        value: form.retryFactor,
        problem: view.problem('retryFactor'),
        onInput: (retryFactor) => {
          set({ retryFactor });
        },
      })}
      ${amountField({
        id: fieldDomId('retryMaxDelay'),
        label: 'Longest wait',
        ...form.retryMaxDelay,
        units: TIME_UNITS,
        problem: view.problem('retryMaxDelay'),
        onChange: (retryMaxDelay) => {
          set({ retryMaxDelay });
        },
      })}
    </div>
    ${manyField<RetryClass>({
      id: fieldDomId('retryOn'),
      label: 'Try again after',
      chosen: form.retryOn,
      options: RETRY_CLASSES.map((value) => ({ value, ...RETRY_ON_HELP[value] })),
      problem: view.problem('retryOn'),
      onToggle: (one) => {
        set({ retryOn: RETRY_CLASSES.filter((value) => form.retryOn.includes(value) !== (value === one)) });
      },
    })}
    ${checkField({
      id: 'f-retry-jitter',
      label: RETRY_HELP.jitter.label,
      checked: form.retryJitter,
      hint: RETRY_HELP.jitter.does,
      onChange: (retryJitter) => {
        set({ retryJitter });
      },
    })}`;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
