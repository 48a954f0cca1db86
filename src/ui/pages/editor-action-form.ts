/** What an automation does, as the editor holds it: the fields of all kinds at once, so that switching loses nothing. */
import type { PlainAction, Problem } from '../../domain/index.ts';
import { type HttpForm, emptyHttp, httpOf, readHttp } from './editor-http-form.ts';
import { type ScriptForm, emptyScript, readScript, scriptOf } from './editor-script-form.ts';
import { type PromptForm, emptyPrompt, promptOf, readPrompt } from './editor-prompt-form.ts';
import { type WatchForm, emptyWatch, readWatch, watchOf } from './editor-watch-form.ts';

export interface ActionForm extends HttpForm, WatchForm, PromptForm, ScriptForm {
  readonly actionKind: PlainAction['kind'];
  /** What a reminder says. */
  readonly message: string;
}

/** An empty request. */
export function emptyAction(): ActionForm {
  return {
    actionKind: 'http',
    ...emptyHttp(),
    watch: emptyWatch(),
    ...emptyPrompt(),
    ...emptyScript(),
    message: '',
  };
}

/** The fields for `action`; those of the other kinds are left as they are. */
export function actionOf(action: PlainAction): Partial<ActionForm> {
  switch (action.kind) {
    case 'http':
      return { actionKind: 'http', ...httpOf(action) };
    case 'watch':
      return { actionKind: 'watch', ...watchOf(action) };
    case 'prompt':
      return { actionKind: 'prompt', ...promptOf(action) };
    case 'remind':
      return { actionKind: 'remind', message: action.message };
    case 'script':
      return { actionKind: 'script', ...scriptOf(action) };
  }
}

/** The action that `form` says; what the form does not show is as in `kept`, where that is of the same kind. */
export function readAction(
  form: ActionForm,
  kept: PlainAction | undefined,
  problems: Problem[],
): PlainAction {
  switch (form.actionKind) {
    case 'http':
      return readHttp(form, kept?.kind === 'http' ? kept : undefined, problems);
    case 'watch':
      return readWatch(form, problems);
    case 'prompt':
      return readPrompt(form, kept?.kind === 'prompt' ? kept : undefined, problems);
    case 'remind':
      return { ...(kept?.kind === 'remind' ? kept : {}), kind: 'remind', message: form.message };
    case 'script':
      return readScript(form, kept?.kind === 'script' ? kept : undefined, problems);
  }
}
