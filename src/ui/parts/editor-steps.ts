/** Several steps in the editor: one is open with its fields, the others are a line each. */
import { type TemplateResult, css, html, nothing } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { STEPS_MOST } from '../../domain/index.ts';
import { icon } from '../icons/icon.ts';
import type { ActionForm } from '../pages/editor-action-form.ts';
import { stepSentence, stepText } from '../pages/editor-step-words.ts';
import type { StepForm } from '../pages/editor-steps-form.ts';
import { countText } from '../text/counts.ts';
import { ACTIONS } from '../text/help-actions.ts';
import { groupProblem } from './editor-rows.ts';
import { type ActionView, type EditorView, fieldDomId } from './editor-view.ts';
import { checkField, textField } from './form-field.ts';

/** The steps of the form, and what adds another. `fields` are those of an action. */
export function stepList(view: EditorView, fields: (view: ActionView) => TemplateResult): TemplateResult {
  const { steps } = view.form;
  return html`<div role="group" aria-labelledby="steps-label" id=${fieldDomId('steps')} tabindex="-1">
    <p id="steps-label" class="steps-label">${countText(steps.length, 'step')}, one after another</p>
    ${groupProblem(fieldDomId('steps'), view.problem('steps'))}
    <ol class="steps">
      ${repeat(
        steps,
        ({ id }) => id,
        (step, index) => oneStep(view, step, index, fields),
      )}
    </ol>
    ${
      steps.length < STEPS_MOST
        ? addStep(view, steps.length === 1 ? onlyOne(view, steps) : nothing)
        : html`<p class="hint">At most ${STEPS_MOST} steps. Another automation can go on after this one.</p>`
    }
  </div>`;
}

/** The button that adds a step, also to an action alone. */
export function addStep(view: EditorView, beside: TemplateResult | typeof nothing): TemplateResult {
  return html`<div class="add-step">
    <button type="button" class="btn" id="f-add-step" @click=${view.steps.add}>
      ${icon('plus', 14)}Add another step
    </button>
    ${beside}
  </div>`;
}

/** One step is as good as an action alone, but what it remembers may be under another number. */
function onlyOne(view: EditorView, [only]: readonly StepForm[]): TemplateResult {
  const begins = only?.id === 1 ? '' : ' What it remembers begins anew then.';
  return html`<button type="button" class="link small" @click=${view.steps.toOne}>
      Make it a single action
    </button>
    <span class="quiet small">${begins}</span>`;
}

function oneStep(
  view: EditorView,
  step: StepForm,
  index: number,
  fields: (view: ActionView) => TemplateResult,
): TemplateResult {
  const { steps } = view;
  const place = index + 1;
  const isOpen = steps.openId === step.id;
  const id = fieldDomId(`steps.${step.id}`);
  const wrong = steps.problems(step.id);
  return html`<li class="step ${isOpen ? 'open' : ''}">
    <div class="step-head" @keydown=${(event: KeyboardEvent) => moveByKey(event, view, step.id)}>
      <h3>
        <button
          type="button"
          class="step-toggle"
          id=${id}
          aria-expanded=${isOpen ? 'true' : 'false'}
          aria-controls="${id}-body"
          aria-describedby=${view.problem(`steps.${step.id}`) === null ? nothing : `${id}-problem`}
          aria-keyshortcuts="Alt+ArrowUp Alt+ArrowDown"
          @click=${() => {
            steps.toggle(step.id);
          }}
        >
          <span class="place" aria-hidden="true">${place}</span>
          <span class="sr-only">Step ${place}: </span>
          <span class="what"
            ><span class="title">${step.name.trim() === '' ? stepText(step) : stepSentence(step)}</span>
            ${below(step, wrong)}</span
          >
        </button>
      </h3>
      ${moveButton(view, step.id, place, -1, index === 0)}
      ${moveButton(view, step.id, place, 1, place === view.form.steps.length)}
      <button
        type="button"
        class="btn bare icon"
        aria-haspopup="menu"
        aria-label="More for step ${place}"
        @click=${(event: Event) => {
          steps.more(event, step.id);
        }}
      >
        ${icon('ellipsis', 16)}
      </button>
    </div>
    ${groupProblem(id, view.problem(`steps.${step.id}`))}
    <div class="step-body" id="${id}-body" ?hidden=${!isOpen}>
      ${isOpen ? stepFields(view, step, place, fields) : nothing}
    </div>
  </li>`;
}

/** What a folded step says besides its title. */
function below(step: StepForm, wrong: number): TemplateResult | typeof nothing {
  const said = [
    ...(step.name.trim() === '' ? [] : [stepText(step)]),
    ...(step.onlyIfChanged ? ['only after a change'] : []),
  ];
  if (said.length === 0 && wrong === 0) return nothing;
  return html`<span class="below"
    >${said.join(', ')}${
      wrong === 0
        ? nothing
        : html`${said.length === 0 ? '' : ' '}<span class="wrong">${countText(wrong, 'thing')} to mend</span>`
    }</span
  >`;
}

function moveButton(
  view: EditorView,
  id: number,
  place: number,
  by: 1 | -1,
  isAtEnd: boolean,
): TemplateResult {
  return html`<button
    type="button"
    class="btn bare icon move ${by === 1 ? '' : 'up'}"
    aria-label="Move step ${place} ${by === 1 ? 'down' : 'up'}"
    title=${by === 1 ? 'Move down (Alt ↓)' : 'Move up (Alt ↑)'}
    ?disabled=${isAtEnd}
    @click=${() => {
      view.steps.move(id, by);
    }}
  >
    ${icon('chevron-down', 14)}
  </button>`;
}

function moveByKey(event: KeyboardEvent, view: EditorView, id: number): void {
  if (!event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
  if (event.key !== 'ArrowUp' && event.key !== 'ArrowDown') return;
  event.preventDefault();
  view.steps.move(id, event.key === 'ArrowUp' ? -1 : 1);
}

function stepFields(
  view: EditorView,
  step: StepForm,
  place: number,
  fields: (view: ActionView) => TemplateResult,
): TemplateResult {
  const { steps } = view;
  const mayWait = view.form.steps.slice(0, place - 1).some(({ action }) => action.actionKind === 'watch');
  const inner: ActionView = {
    form: step.action,
    host: view.host,
    notifications: view.notifications,
    step: place,
    id: (name) => `f-steps-${step.id}-${name.replaceAll('.', '-')}`,
    problem: (field) => view.problem(`steps.${step.id}.${field}`),
    set: (change: Partial<ActionForm>) => {
      steps.set(step.id, { action: { ...step.action, ...change } });
    },
    insert: (event) => {
      steps.insert(event, place);
    },
  };
  const onlyIf = view.problem(`steps.${step.id}.onlyIf`);
  return html`${fields(inner)}
  ${
    mayWait || step.onlyIfChanged
      ? html`<div>
          ${checkField({
            id: inner.id('onlyIf'),
            label: 'Only after a change',
            hint: 'It is left out when no watch before it found one.',
            checked: step.onlyIfChanged,
            onChange: (onlyIfChanged) => {
              steps.set(step.id, { onlyIfChanged });
            },
          })}
          ${groupProblem(inner.id('onlyIf'), onlyIf)}
        </div>`
      : nothing
  }
  ${textField({
    id: inner.id('stepName'),
    label: 'Name of the step',
    value: step.name,
    placeholder: ACTIONS[step.action.actionKind].label,
    hint: 'Or empty. It stands for the step in the list and in messages.',
    problem: view.problem(`steps.${step.id}.stepName`),
    onInput: (name) => {
      steps.set(step.id, { name });
    },
  })}`;
}

/** How the list looks. */
export const stepsStyles = css`
  .steps-label {
    margin-bottom: var(--space-2);
    font-size: var(--size-s);
    font-weight: 500;
  }

  #f-steps:focus {
    outline: none;
  }

  .steps {
    border-top: 1px solid var(--rule);
  }

  .step {
    border-bottom: 1px solid var(--rule);
  }

  .step-head {
    display: flex;
    align-items: start;
    gap: 2px;
    padding: 6px 0;
  }

  .step-head h3 {
    flex: 1;
    min-width: 0;
    font: inherit;
  }

  .step-toggle {
    display: flex;
    align-items: start;
    gap: var(--space-3);
    width: 100%;
    min-height: var(--target);
    padding: 5px 6px 5px 0;
    text-align: start;
  }

  .step-toggle:hover .title {
    color: var(--act);
  }

  .step .place {
    flex: none;
    display: grid;
    place-items: center;
    width: 22px;
    height: 22px;
    border: 1px solid var(--edge);
    border-radius: 50%;
    font: 500 var(--size-xs) / 1 var(--font-mono);
  }

  .step.open .place {
    border-color: var(--ink);
    background: var(--ink);
    color: var(--paper);
  }

  .step .what {
    display: grid;
    gap: 1px;
    min-width: 0;
    padding-top: 1px;
    line-height: var(--line);
  }

  .step .title,
  .step .below {
    display: -webkit-box;
    -webkit-box-orient: vertical;
    -webkit-line-clamp: 2;
    overflow: hidden;
    overflow-wrap: anywhere;
  }

  .step.open .title {
    font-weight: var(--weight-strong);
  }

  .step .below {
    color: var(--ink-2);
    font-size: var(--size-s);
  }

  .step .wrong {
    color: var(--bad);
    font-weight: 500;
  }

  .step .move.up svg {
    rotate: 180deg;
  }

  .step .move:disabled {
    opacity: 0.3;
  }

  .step > .problem {
    padding: 0 0 8px 34px;
  }

  .step-body {
    display: grid;
    gap: var(--space-4);
    min-width: 0;
    padding: var(--space-2) 0 var(--space-5) 34px;
  }

  .add-step {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 4px var(--space-3);
  }

  .steps + .add-step {
    margin-top: var(--space-3);
  }

  @media (max-width: 560px) {
    .step-body {
      padding-inline-start: 0;
    }
  }
`;
