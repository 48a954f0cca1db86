/** Beside the editor: the schedule in a sentence and the next ten runs, as the host computes them. */
import { type TemplateResult, html, nothing } from 'lit';
import type { Schedule } from '../../domain/index.ts';
import type { EditorForm } from '../pages/editor-form.ts';
import type { FormContext } from '../pages/editor-when-form.ts';
import type { PreviewState } from '../pages/editor-preview.ts';
import { clockTime, namedDateTime, relativeTime, shortDate } from '../text/dates.ts';
import { errorText } from '../text/errors.ts';
import { neverText, tooOftenText } from '../text/preview-remarks.ts';
import { scheduleText } from '../text/schedule.ts';
import { nextRuns } from './next-runs.ts';

/** What it shows. */
export interface WhenAsideOptions {
  readonly form: EditorForm;
  readonly context: FormContext;
  readonly preview: PreviewState;
  /** Whether it has never run. */
  readonly isNew: boolean;
}

/** The column. */
export function whenAside(options: WhenAsideOptions): TemplateResult {
  return html`<aside class="when-aside" aria-label="What this schedule means">${content(options)}</aside>`;
}

function content({ form, context, preview, isNew }: WhenAsideOptions): TemplateResult {
  switch (preview.kind) {
    case 'waiting':
      return html`<p class="sentence quiet">…</p>`;
    case 'failed': {
      const { what, help } = errorText(preview.problem.code);
      return html`<p class="sentence quiet">The next runs are not known just now.</p>
        <p class="quiet small">${what} ${help}</p>`;
    }
    case 'invalid':
      return html`<p class="sentence quiet">This schedule is not complete.</p>
        <p class="small bad">${preview.problems[0]?.message ?? ''}</p>`;
    case 'ok':
      return next(form, context, preview, isNew ? 'First run' : 'Next run');
  }
}

function next(
  form: EditorForm,
  context: FormContext,
  { schedule, at, stale }: Extract<PreviewState, { kind: 'ok' }>,
  which: string,
): TemplateResult {
  const { text, zone } = sentenceOf(schedule, form, context);
  const sentence = html`<p class="sentence">
    ${text}${zone === null ? '' : html`, <span class="zone">${zone}</span>`}.
  </p>`;
  const [first] = at;
  const instants = at.map((one) => one.at);
  if (first === undefined) {
    const never = neverText(schedule.kind, instants);
    return html`${sentence}${never === null ? nothing : html`<p class="small warn">${never}</p>`}`;
  }
  const tooOften = tooOftenText(form.steps.length === 0 ? form.actionKind : 'steps', instants);
  const tableZone = form.scheduleKind === 'every' ? context.zone : form.zone;
  const away = relativeTime(first.at, context.now);
  return html`<div class=${stale ? 'stale' : ''}>
    ${sentence}
    <p class="first">
      ${form.enabled ? which : 'Paused. It would run'}
      <b>${namedDateTime(first.at, context.now, tableZone)}</b>${away === 'tomorrow' ? '' : `, ${away}`}.
    </p>
    ${tooOften === null ? nothing : html`<p class="small warn">${tooOften}</p>`}
    ${
      at.length === 1
        ? nothing
        : html`<h3 class="label">
            ${at.length < 10 ? `The last ${at.length} runs to come` : 'Next ten runs'}
          </h3>`
    }
    ${nextRuns(at, { zone: tableZone, ownZone: context.zone, now: context.now })}
  </div>`;
}

/** A one-off time is stored as an instant: the sentence is set in the zone that it was typed in. */
function sentenceOf(
  schedule: Schedule,
  { zone }: EditorForm,
  context: FormContext,
): { readonly text: string; readonly zone: string | null } {
  if (schedule.kind !== 'once' || zone === context.zone) return scheduleText(schedule, context.now);
  const { at } = schedule;
  return { text: `Once, ${shortDate(at, context.now, zone)} at ${clockTime(at, zone)}`, zone };
}
