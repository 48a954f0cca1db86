/** The fields of a reminder in the editor. */
import { type TemplateResult, html, nothing } from 'lit';
import { icon } from '../icons/icon.ts';
import type { ActionView } from './editor-view.ts';
import { areaField } from './form-field.ts';

/** What it says, and what the browser thinks of notifications. */
export function remindFields(view: ActionView): TemplateResult {
  const { form, set } = view;
  return html`${areaField({
    id: view.id('message'),
    label: 'Message',
    value: form.message,
    rows: 3,
    required: true,
    placeholder: 'Look out of the window, drink some water.',
    problem: view.problem('message'),
    insert: view.insert,
    onInput: (message) => {
      set({ message });
    },
  })}
  ${permissionNote(view)}`;
}

function permissionNote({ notifications }: ActionView): TemplateResult | typeof nothing {
  switch (notifications) {
    case 'granted':
      return nothing;
    case 'default':
      return html`<p class="hint">The browser asks for permission to notify when you save.</p>`;
    case 'denied':
      return html`<p class="note warn">
        ${icon('triangle-exclamation', 16)}<span
          >Notifications are blocked for this site, so the reminder waits and nothing is shown. Allow them in
          the browser: the icon before the address, then Notifications.</span
        >
      </p>`;
    case null:
      return html`<p class="note warn">
        ${icon('triangle-exclamation', 16)}<span
          >This browser shows no notifications here, so the reminder waits.</span
        >
      </p>`;
  }
}
