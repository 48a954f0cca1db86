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
  missedExample,
  overlapExample,
  runsPerDayExample,
} from '../pages/editor-examples.ts';
import { TIME_UNITS, amountMs } from '../pages/editor-amount.ts';
import { isZone, localTextOf } from '../pages/editor-zone-time.ts';
import { formIsRepeatable } from '../pages/editor-form.ts';
import { namedDateTime } from '../text/dates.ts';
import { listText } from '../text/counts.ts';
import { durationText } from '../text/durations.ts';
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
    label: 'Still running when the next is due',
    value: form.overlap,
    options: [
      { value: 'skip', label: 'Skip' },
      { value: 'queue', label: 'Queue one' },
      { value: 'replace', label: 'Replace' },
      { value: 'parallel', label: 'Run side by side' },
    ],
    hint: [OVERLAP[form.overlap], overlapExampleOf(view) ?? ''].join(' ').trim(),
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
    label: 'Interrupted, as by a crash in the middle',
    value: form.interrupted,
    options: [
      { value: 'default', label: 'Ask if it may have happened' },
      { value: 'ask', label: 'Always ask' },
      { value: 'retry', label: 'Run again' },
    ],
    hint: INTERRUPTED[form.interrupted],
    onChange: (interrupted) => {
      set({ interrupted });
    },
  });
}

const INTERRUPTED: Readonly<Record<EditorView['form']['interrupted'], string>> = {
  default: 'What surely did not happen, or does no harm twice, is tried again by the rule below.',
  ask: 'Nothing is tried again by itself; the run waits for your answer.',
  retry: 'It is tried again by the rule below, even if its request had left. It may then happen twice.',
};

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
  ${form.retry === 'own' ? ownRetryFields(view) : nothing} ${autoPauseFields(view)}
  ${
    form.scheduleKind === 'manual'
      ? nothing
      : textField({
          id: fieldDomId('runsPerDay'),
          label: 'Runs a day, at most',
          width: 'narrow',
          inputmode: 'numeric',
          value: form.runsPerDay,
          placeholder: 'no limit',
          hint: `What is over it is skipped and listed. Runs that you start do not count. ${runsPerDayOf(view)}`.trim(),
          problem: view.problem('runsPerDay'),
          onInput: (runsPerDay) => {
            set({ runsPerDay });
          },
        })
  }`;
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
    label: 'When it keeps failing',
    value: form.autoPause,
    options: [
      { value: 'after', label: 'Pause it' },
      { value: 'never', label: 'Go on' },
    ],
    hint:
      form.autoPause === 'after'
        ? 'It says so, and you can resume it. Failures because this machine is offline do not count.'
        : undefined,
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

const RETRY_ON: Readonly<Record<RetryClass, { readonly label: string; readonly name: string }>> = {
  network: { label: 'Network', name: 'The network failed' },
  action: { label: 'Wrong answer', name: 'The answer was not what was expected' },
  timeout: { label: 'Timeout', name: 'It took too long' },
  storage: { label: 'Storage', name: 'The browser’s storage failed' },
  limit: { label: 'Limit', name: 'A limit was reached' },
  denied: { label: 'Not allowed', name: 'It was not allowed' },
  invalid: { label: 'Invalid', name: 'Its definition is not valid' },
};

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
    </div>
    ${manyField<RetryClass>({
      id: fieldDomId('retryOn'),
      label: 'Try again after',
      chosen: form.retryOn,
      options: RETRY_CLASSES.map((value) => ({ value, ...RETRY_ON[value] })),
      problem: view.problem('retryOn'),
      onToggle: (one) => {
        set({ retryOn: RETRY_CLASSES.filter((value) => form.retryOn.includes(value) !== (value === one)) });
      },
    })}
    ${checkField({
      id: 'f-retry-jitter',
      label: 'Draw each wait between nothing and its bound',
      checked: form.retryJitter,
      hint: 'So that many that failed together do not come back together.',
      onChange: (retryJitter) => {
        set({ retryJitter });
      },
    })}`;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
