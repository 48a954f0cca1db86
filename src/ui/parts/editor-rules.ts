/** The parts *If it cannot run* and *Limits* of the editor: the rules, each with what it would have done. */
import { type TemplateResult, html, nothing } from 'lit';
import { DEFAULT_RETRY, type MissedRule, PARALLEL_MOST } from '../../domain/index.ts';
import { missedExample } from '../pages/editor-examples.ts';
import { TIME_UNITS, amountMs, formIsRepeatable } from '../pages/editor-form.ts';
import { namedDateTime } from '../text/dates.ts';
import { listText } from '../text/counts.ts';
import { durationText } from '../text/durations.ts';
import { type EditorView, fieldDomId } from './editor-view.ts';
import { amountField, checkField, choiceField, textField } from './form-field.ts';

/** The fields of *If it cannot run*. */
export function cannotRunFields(view: EditorView): TemplateResult {
  return html`${view.form.scheduleKind === 'manual' ? nothing : missedFields(view)} ${overlapFields(view)}`;
}

function missedFields(view: EditorView): TemplateResult {
  const { form, set } = view;
  return html`${choiceField({
    id: 'f-missed',
    label: 'Missed while this browser was closed, asleep or offline',
    value: form.missed,
    options: [
      { value: 'once', label: 'Run once when I’m back' },
      { value: 'skip', label: 'Skip' },
      { value: 'all', label: 'Run every missed one' },
    ],
    hint: exampleOf(view) ?? undefined,
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
          hint: 'The newest ones.',
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
    label: 'Only if it is not too late',
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
function exampleOf({ form, next, context }: EditorView): string | null {
  const rule = missedRule(form);
  if (rule === null) return null;
  return missedExample(rule, next, {
    when: (at) => namedDateTime(at, context.now),
    long: durationText,
  });
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
    label: 'Still running when the next is due',
    value: form.overlap,
    options: [
      { value: 'skip', label: 'Skip' },
      { value: 'queue', label: 'Queue one' },
      { value: 'replace', label: 'Replace' },
      { value: 'parallel', label: 'Run side by side' },
    ],
    hint: OVERLAP[form.overlap],
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

const OVERLAP: Readonly<Record<EditorView['form']['overlap'], string>> = {
  skip: 'The one that is due does not run. Its row in the history says so.',
  queue: 'The one that is due waits until this one has ended. Only one waits.',
  replace: 'This one is cancelled, and the one that is due starts.',
  parallel: 'Both run. The limit for all automations together in Settings still holds.',
};

/** The fields of *Limits*. */
export function limitFields(view: EditorView): TemplateResult {
  const { form, set } = view;
  return html`${amountField({
    id: fieldDomId('timeout'),
    label: 'Timeout',
    ...form.timeout,
    units: TIME_UNITS,
    hint: 'A run that takes longer is ended and counts as timed out.',
    problem: view.problem('timeout'),
    onChange: (timeout) => {
      set({ timeout });
    },
  })}
  ${choiceField({
    id: 'f-retry',
    label: 'After a failure',
    value: form.retry,
    options: [
      { value: 'default', label: 'Default' },
      { value: 'never', label: 'Do not try again' },
      { value: 'own', label: 'My own rule' },
    ],
    hint: retryHint(view),
    onChange: (retry) => {
      set({ retry });
    },
  })}
  ${form.retry === 'own' ? ownRetryFields(view) : nothing}`;
}

function retryHint({ form }: EditorView): string {
  switch (form.retry) {
    case 'never':
      return 'One attempt. The next run is the next scheduled one.';
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
      return `${capital(waitsText(attempts, first, factor, longest))}. No attempt begins after the next scheduled run is due.`;
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
  </div>`;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
