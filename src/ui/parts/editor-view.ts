import type { AutomationId } from '../../domain/index.ts';
import type { ActionField } from '../pages/editor-action-fields.ts';
import type { ActionForm } from '../pages/editor-action-form.ts';
import type { FieldId } from '../pages/editor-fields.ts';
import type { EditorForm } from '../pages/editor-form.ts';
import type { StepForm } from '../pages/editor-steps-form.ts';
import type { RemoteHost } from '../remote-host.ts';
import type { FormContext } from '../pages/editor-when-form.ts';

/** What the fields of one action are given, whether it stands alone or is a step. */
export interface ActionView {
  readonly form: ActionForm;
  readonly host: RemoteHost;
  readonly set: (change: Partial<ActionForm>) => void;
  /** What is wrong at a field, if it is time to say so. */
  readonly problem: (field: ActionField) => string | null;
  /** The id of a control, unique in the editor. A field's is under its name. */
  readonly id: (name: string) => string;
  /** Whether the browser lets Rota show notifications; `null` where there are none to show. */
  readonly notifications: NotificationPermission | null;
  /** Offers what can be inserted into the field whose button was pressed. */
  readonly insert: (event: Event) => void;
  /** The place of the step that it is, from 1; `null` for an action alone. */
  readonly step: number | null;
}

/** What the parts of the editor are given: the form, and how to change it. */
export interface EditorView extends ActionView {
  readonly form: EditorForm;
  readonly context: FormContext;
  readonly set: (change: Partial<EditorForm>) => void;
  readonly problem: (field: FieldId) => string | null;
  /** The next instants of the schedule, as far as they are known. */
  readonly next: readonly number[];
  /** The automations that this one can follow: all others. */
  readonly others: readonly { readonly id: AutomationId; readonly name: string }[];
  /** Which step is open, and what can be done to steps. */
  readonly steps: StepsView;
}

/** Which of several steps is open, and what can be done to them. Steps are named by their ids. */
export interface StepsView {
  /** `null`: all are folded. */
  readonly openId: number | null;
  /** Opens it and folds the others, or folds it. */
  readonly toggle: (id: number) => void;
  /** Adds one at the end, also to an action alone, and opens it. */
  readonly add: () => void;
  /** Puts it so many places further down. */
  readonly move: (id: number, by: number) => void;
  /** Offers the rest of what can be done. */
  readonly more: (event: Event, id: number) => void;
  /** Makes the only step an action alone. */
  readonly toOne: () => void;
  /** Changes what is typed in it. */
  readonly set: (id: number, change: Partial<StepForm>) => void;
  /** How many things are wrong in it, as far as it is time to say so. */
  readonly problems: (id: number) => number;
  /** Offers what can be inserted into a field of the step at `place`. */
  readonly insert: (event: Event, place: number) => void;
}

/** The id of the control of `field`, for labels, for the summary's links and for the focus. */
export function fieldDomId(field: FieldId): string {
  return `f-${field.replaceAll('.', '-')}`;
}
