/** The numbers by which steps name the steps before them: they follow when steps are moved. */
import type { ActionForm } from './editor-action-form.ts';

/** Stands for the number of a step that was removed; the host refuses it, and so nothing is filled in from another. */
const REMOVED = 'removed';

const TAG = /\{\{.*?\}\}|\{%.*?%\}/gs;
const IN_TAG = /\bsteps(?:\.(\d+)|\[\s*["']?(\d+)["']?\s*\])/g;
const IN_SCRIPT = /\bsteps\s*\[\s*(\d+)\s*\]/g;

/** `steps` with each number of a step, from 1, as `to` says; `null` for one that is not there any more. */
export function withReferences<Step extends { readonly action: ActionForm }>(
  steps: readonly Step[],
  to: (place: number) => number | null,
): readonly Step[] {
  return steps.map((step) => {
    const { scriptSource, ...rest } = step.action;
    const action = {
      ...step.action,
      ...(inTexts(rest, (text) => inTemplate(text, to)) as typeof rest),
      scriptSource: scriptSource.replaceAll(IN_SCRIPT, (found, number: string) => {
        const place = to(Number(number));
        return place === null ? `steps.${REMOVED}` : found.replace(number, String(place));
      }),
    };
    return { ...step, action };
  });
}

function inTemplate(text: string, to: (place: number) => number | null): string {
  return text.replaceAll(TAG, (tag) =>
    tag.replaceAll(IN_TAG, (found, dotted: string | undefined, bracketed: string | undefined) => {
      const number = dotted ?? bracketed ?? '';
      const place = to(Number(number));
      return place === null ? `steps.${REMOVED}` : found.replace(number, String(place));
    }),
  );
}

/** `value` with all texts in it, however deep, as `change` gives them. */
function inTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((one) => inTexts(one, change));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, inTexts(one, change)]));
}
