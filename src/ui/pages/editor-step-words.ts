/** A step in words, also one that is only half typed. */
import type { PlainAction } from '../../domain/index.ts';
import { ACTIONS } from '../text/help-actions.ts';
import { type ActionForm, readAction } from './editor-action-form.ts';
import type { StepForm } from './editor-steps-form.ts';
import { actionText } from './editor-words.ts';

/** What `step` does, in a line, without its name. */
export function stepText({ action, kept }: StepForm): string {
  return isBlank(action)
    ? `${ACTIONS[action.actionKind].label}, ${NOTHING[action.actionKind]}`
    : actionText(readAction(action, kept ?? undefined, []));
}

/** `step` by its name, or by what it does. */
export function stepSentence(step: StepForm): string {
  return step.name.trim() === '' ? stepText(step) : step.name.trim();
}

const NOTHING: Readonly<Record<PlainAction['kind'], string>> = {
  http: 'no address yet',
  watch: 'no address yet',
  prompt: 'nothing asked yet',
  script: 'nothing written yet',
  remind: 'nothing said yet',
};

function isBlank(form: ActionForm): boolean {
  switch (form.actionKind) {
    case 'http':
    case 'watch':
      return form.url.trim() === '';
    case 'prompt':
      return form.promptText.trim() === '';
    case 'script':
      return form.scriptSource.trim() === '';
    case 'remind':
      return form.message.trim() === '';
  }
}
