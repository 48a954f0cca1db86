/** The part *Tell me* of the editor: of what there is a notification. */
import { type TemplateResult, html, nothing } from 'lit';
import { icon } from '../icons/icon.ts';
import { href } from '../router.ts';
import { type EditorView, fieldDomId } from './editor-view.ts';
import { checkField, choiceField, textField } from './form-field.ts';

/** The fields of *Tell me*. */
export function notifyFields(view: EditorView): TemplateResult {
  const { form, set } = view;
  return html`${choiceField({
    id: 'f-notify-failure',
    label: 'When it fails',
    value: form.notifyFailure,
    options: [
      { value: 'after', label: 'Once, when it begins to' },
      { value: 'always', label: 'Each time' },
      { value: 'never', label: 'Never' },
    ],
    hint: failureHint(view),
    onChange: (notifyFailure) => {
      set({ notifyFailure });
    },
  })}
  ${
    form.notifyFailure === 'after'
      ? textField({
          id: fieldDomId('notifyFailures'),
          label: 'After so many failures in a row',
          width: 'narrow',
          inputmode: 'numeric',
          value: form.notifyFailures,
          hint: 'More than 1 is for what fails now and then and mends itself.',
          problem: view.problem('notifyFailures'),
          onInput: (notifyFailures) => {
            set({ notifyFailures });
          },
        })
      : nothing
  }
  ${
    form.notifyFailure === 'never'
      ? nothing
      : checkField({
          id: 'f-notify-recovery',
          label: 'Once when it works again',
          checked: form.notifyRecovery,
          onChange: (notifyRecovery) => {
            set({ notifyRecovery });
          },
        })
  }
  ${choiceField({
    id: 'f-notify-result',
    label: 'When it succeeds',
    value: form.notifyResult,
    options: [
      { value: 'never', label: 'Never' },
      { value: 'change', label: 'When the result is another' },
      { value: 'always', label: 'Each time' },
    ],
    hint: resultHint(view),
    onChange: (notifyResult) => {
      set({ notifyResult });
    },
  })}
  ${checkField({
    id: 'f-notify-urgent',
    label: 'In quiet hours too',
    checked: form.notifyUrgent,
    hint: html`For what must not wait. When they are is in the <a href=${href.settings()}>settings</a>.`,
    onChange: (notifyUrgent) => {
      set({ notifyUrgent });
    },
  })}
  ${permissionNote(view)}`;
}

function failureHint({ form }: EditorView): string {
  switch (form.notifyFailure) {
    case 'after':
      return 'A run has failed when its last attempt has. One that pauses itself, or waits for you, says so too.';
    case 'always':
      return 'Each run whose last attempt failed, also while it keeps failing.';
    case 'never':
      return 'It says nothing by itself, not even that it paused itself. The list of automations shows it.';
  }
}

function resultHint({ form }: EditorView): string {
  const kinds =
    form.steps.length === 0 ? [form.actionKind] : form.steps.map(({ action }) => action.actionKind);
  const own = kinds.includes('watch')
    ? 'What it watches for is told as you chose above. '
    : kinds.includes('remind')
      ? 'The reminder itself is always shown. '
      : '';
  switch (form.notifyResult) {
    case 'change':
      return `${own}What it brings back is compared with the last time, without how long it took.`;
    case 'always':
      return `${own}With what came of it, in a line.`;
    case 'never':
      return own.trim();
  }
}

function permissionNote({ notifications, set }: EditorView): TemplateResult | typeof nothing {
  switch (notifications) {
    case 'granted':
      return nothing;
    case 'default':
      return html`<p class="hint">
        The browser has not been asked yet whether Rota may notify you. Until then all of this is in the list
        of notifications only.
        <button
          type="button"
          class="btn bare"
          @click=${async () => {
            await Notification.requestPermission();
            set({});
          }}
        >
          Allow notifications
        </button>
      </p>`;
    case 'denied':
    case null:
      return html`<p class="note">
        ${icon('triangle-exclamation', 16)}<span
          >This browser shows no notifications of Rota, so all of this is in the list of notifications
          only.</span
        >
      </p>`;
  }
}
