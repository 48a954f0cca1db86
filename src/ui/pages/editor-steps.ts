/** What is done to steps in the editor: which is open, and where the focus goes when one comes, goes or moves. */
import type { ReactiveController, ReactiveControllerHost } from 'lit';
import { STEPS_MOST } from '../../domain/index.ts';
import { announce } from '../parts/announcer.ts';
import { fieldDomId } from '../parts/editor-view.ts';
import type { Menu, MenuItem } from '../parts/menu.ts';
import { showToast } from '../parts/toast.ts';
import type { EditorForm } from './editor-form.ts';
import {
  type StepForm,
  emptyStep,
  isJustOne,
  stepsIn,
  withStepAt,
  withStepMoved,
  withoutStepAt,
} from './editor-steps-form.ts';
import { stepSentence } from './editor-step-words.ts';

/** What it needs of the editor. */
interface Editor extends ReactiveControllerHost {
  readonly renderRoot: HTMLElement | DocumentFragment;
}

interface Access {
  readonly form: () => EditorForm;
  readonly set: (change: Partial<EditorForm>) => void;
  readonly menu: () => Menu | null;
}

/** The steps of the form that `access` gives. One step is open at a time. */
export class StepsEditor implements ReactiveController {
  readonly #editor: Editor;
  readonly #access: Access;
  #openId: number | null = null;

  constructor(editor: Editor, access: Access) {
    this.#editor = editor;
    this.#access = access;
    editor.addController(this);
  }

  hostConnected(): void {
    // It listens to nothing: what it knows, it is told.
  }

  /** The step whose fields are shown. */
  get openId(): number | null {
    return this.#openId;
  }

  /** Another form is shown: all its steps are folded, but one that is the only one. */
  reset(): void {
    const [only, second] = this.#access.form().steps;
    this.#openId = only !== undefined && second === undefined ? only.id : null;
  }

  /** Opens the step `id` and folds the others. */
  open(id: number | null): void {
    this.#openId = id;
    this.#editor.requestUpdate();
  }

  readonly toggle = (id: number): void => {
    this.open(this.#openId === id ? null : id);
  };

  readonly set = (id: number, change: Partial<StepForm>): void => {
    const { steps } = this.#access.form();
    this.#access.set({ steps: steps.map((step) => (step.id === id ? { ...step, ...change } : step)) });
  };

  readonly add = (): void => {
    const steps = this.#steps;
    this.#insert(steps.length, emptyStep(this.#takenIds()));
  };

  readonly move = (id: number, by: number): void => {
    const { steps } = this.#access.form();
    const from = steps.findIndex((step) => step.id === id);
    const to = from + by;
    if (from === -1 || to < 0 || to >= steps.length) return;
    // Where it was pressed: moving takes the focus away in all browsers.
    const focused =
      this.#editor.renderRoot instanceof ShadowRoot ? this.#editor.renderRoot.activeElement : null;
    this.#access.set({ steps: withStepMoved(steps, from, to) });
    announce(`Moved to ${to + 1} of ${steps.length}.`);
    void this.#editor.updateComplete.then(() => {
      const isUsable = focused instanceof HTMLButtonElement && !focused.disabled;
      if (isUsable) focused.focus();
      else this.#focus(fieldDomId(`steps.${id}`));
    });
  };

  readonly toOne = (): void => {
    const [only] = this.#access.form().steps;
    if (only === undefined) return;
    this.#access.set({ ...only.action, steps: [] });
    this.#focusLater('f-add-step');
  };

  readonly more = (event: Event, id: number): void => {
    const { steps } = this.#access.form();
    const index = steps.findIndex((step) => step.id === id);
    const step = steps[index];
    if (step === undefined) return;
    const isFull = steps.length >= STEPS_MOST;
    const items: readonly MenuItem[] = [
      ...(index === 0 ? [] : [{ label: 'Move up', act: { run: () => this.move(id, -1) } }]),
      ...(index === steps.length - 1 ? [] : [{ label: 'Move down', act: { run: () => this.move(id, 1) } }]),
      ...(isFull
        ? []
        : [
            { label: 'Duplicate', act: { run: () => this.#duplicate(index, step) } },
            {
              label: 'Add a step after it',
              act: { run: () => this.#insert(index + 1, emptyStep(this.#takenIds())) },
            },
          ]),
      ...(steps.length === 1
        ? []
        : [
            {
              label: 'Remove',
              tone: 'bad' as const,
              apart: true,
              act: { run: () => this.#remove(index, step) },
            },
          ]),
    ];
    void this.#access.menu()?.toggle(event, `More for step ${index + 1}`, items);
  };

  get #steps(): readonly StepForm[] {
    const form = this.#access.form();
    const kept = form.kept?.action;
    return stepsIn(form, kept === undefined || kept.kind === 'steps' ? null : kept);
  }

  /** The ids that are in use, also of steps that are still stored: what those remember is not another's. */
  #takenIds(): readonly number[] {
    const stored = this.#access.form().kept?.action;
    const kept = stored?.kind === 'steps' ? stored.steps.map((step, index) => step.id ?? index + 1) : [];
    return [...this.#steps.map(({ id }) => id), ...kept];
  }

  #insert(index: number, step: StepForm): void {
    const steps = this.#steps;
    if (steps.length >= STEPS_MOST) return;
    this.#access.set({ steps: withStepAt(steps, index, step) });
    this.#openId = step.id;
    announce(`Step ${index + 1} added.`);
    this.#focusLater(`f-steps-${step.id}-kind-${step.action.actionKind}`);
  }

  #duplicate(index: number, step: StepForm): void {
    this.#insert(index + 1, { ...step, id: emptyStep(this.#takenIds()).id });
  }

  #remove(index: number, step: StepForm): void {
    const before = this.#access.form();
    const left = withoutStepAt(before.steps, index);
    const [only] = left;
    if (only !== undefined && isJustOne(left)) this.#access.set({ ...only.action, steps: [] });
    else this.#access.set({ steps: left });
    const after = this.#access.form();
    if (this.#openId === step.id) this.#openId = null;
    const next = left[index] ?? left[index - 1];
    this.#focusLater(
      after.steps.length === 0 || next === undefined ? 'f-add-step' : fieldDomId(`steps.${next.id}`),
    );
    showToast({
      text: `Step ${index + 1} removed: ${stepSentence(step)}.`,
      action: { label: 'Undo', run: () => this.#putBack(before, after, index, step) },
    });
  }

  /** As it was; where something was typed since, the step alone comes back. */
  #putBack(before: EditorForm, after: EditorForm, index: number, step: StepForm): void {
    const now = this.#access.form();
    const steps = this.#steps;
    if (now === after) this.#access.set(before);
    else this.#access.set({ steps: withStepAt(steps, Math.min(index, steps.length), step) });
    this.#focusLater(fieldDomId(`steps.${step.id}`));
  }

  #focusLater(id: string): void {
    this.#editor.requestUpdate();
    void this.#editor.updateComplete.then(() => {
      this.#focus(id);
    });
  }

  #focus(id: string): void {
    this.#editor.renderRoot.querySelector<HTMLElement>(`#${id}`)?.focus();
  }
}
