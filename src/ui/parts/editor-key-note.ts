/** Says in the editor that a key was typed where a reference to a secret should stand. */
import { type TemplateResult, html, nothing } from 'lit';
import { icon } from '../icons/icon.ts';
import { fieldsWithKeys } from '../pages/editor-keys.ts';
import { href } from '../router.ts';
import { listText } from '../text/counts.ts';
import type { ActionView } from './editor-view.ts';

/** A note below the fields of an action, while something in them looks like a key. */
export function keyNote({ form }: ActionView): TemplateResult | typeof nothing {
  const fields = fieldsWithKeys(form);
  if (fields.length === 0) return nothing;
  return html`<p class="note warn">
    ${icon('triangle-exclamation', 16)}<span
      >${fields.length === 1 ? 'This looks like a key' : 'These look like keys'}: ${listText(fields)}. Anyone
      who sees this automation can read what is typed here. As a secret, a key stays out of files, the history
      and the screens: <a class="link" href=${href.settings()}>save it in the settings</a> and write
      <code>{{ secrets.NAME }}</code> here.</span
    >
  </p>`;
}
