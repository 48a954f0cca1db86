import type { AutomationId } from '../../domain/index.ts';
import type { FieldId } from '../pages/editor-fields.ts';
import type { EditorForm } from '../pages/editor-form.ts';
import type { RemoteHost } from '../remote-host.ts';
import type { FormContext } from '../pages/editor-when-form.ts';

/** What the parts of the editor are given: the form, and how to change it. */
export interface EditorView {
  readonly form: EditorForm;
  readonly host: RemoteHost;
  readonly context: FormContext;
  readonly set: (change: Partial<EditorForm>) => void;
  /** What is wrong at a field, if it is time to say so. */
  readonly problem: (field: FieldId) => string | null;
  /** Whether the browser lets Rota show notifications; `null` where there are none to show. */
  readonly notifications: NotificationPermission | null;
  /** The next instants of the schedule, as far as they are known. */
  readonly next: readonly number[];
  /** The automations that this one can follow: all others. */
  readonly others: readonly { readonly id: AutomationId; readonly name: string }[];
  /** Puts `text` where the person last typed. */
  readonly insert: (text: string) => void;
}

/** The id of the control of `field`, for labels, for the summary's links and for the focus. */
export function fieldDomId(field: FieldId): string {
  return `f-${field.replace('.', '-')}`;
}
