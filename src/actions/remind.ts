import type { RemindAction } from '../domain/index.ts';
import type { ActionContext, ActionEnding } from './action-context.ts';
import { shortened } from './amounts.ts';
import { fillTemplate, scopeOf } from './template.ts';

const SUMMARY_MOST = 80;

/** Ends succeeded with the one notification that the reminder is; the host shows it once the run has settled. */
export async function remind(action: RemindAction, { run, now }: ActionContext): Promise<ActionEnding> {
  const filled = await fillTemplate(action.message, 'The message', scopeOf(run, now));
  if (filled.kind === 'failed') return filled;
  const message = filled.text.trim();
  if (message === '') {
    return {
      kind: 'failed',
      failure: {
        class: 'invalid',
        code: 'empty-message',
        message: 'The message is empty once its template is filled in.',
      },
    };
  }
  return {
    kind: 'succeeded',
    summary: shortened(message, SUMMARY_MOST),
    output: { kind: 'remind', message },
    notifications: [{ title: run.automationName, body: message }],
  };
}
