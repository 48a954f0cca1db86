/** What lists of rows in the editor share: a row is removed, one is added, and a problem of the list stands below it. */
import { type TemplateResult, html, nothing } from 'lit';
import { icon } from '../icons/icon.ts';

/** The button at the end of a row; `what` names the row, such as `header Accept`. */
export function removeButton(what: string, remove: () => void): TemplateResult {
  return html`<button
    type="button"
    class="btn bare icon"
    aria-label="Remove ${what}"
    @click=${(event: Event) => {
      // The button goes away: the focus goes to the group and not to the top of the page.
      (event.currentTarget as HTMLElement).closest('fieldset')?.focus();
      remove();
    }}
  >
    ${icon('xmark', 14)}
  </button>`;
}

/** The button below the rows. */
export function addButton(label: string, add: () => void): TemplateResult {
  return html`<div>
    <button type="button" class="btn" @click=${add}>${icon('plus', 14)}${label}</button>
  </div>`;
}

/** What is wrong with the list whose id is `id` as a whole. */
export function groupProblem(id: string, problem: string | null): TemplateResult | typeof nothing {
  return problem === null
    ? nothing
    : html`<p class="problem" id="${id}-problem">
        ${icon('triangle-exclamation', 14)}<span>${problem}</span>
      </p>`;
}
