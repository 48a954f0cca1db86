/** What is told of an automation's runs, as a person chooses it. */
import {
  DEFAULT_NOTIFY,
  type Definition,
  type NotifyRule,
  type Problem,
  notifyRuleOf,
} from '../../domain/index.ts';
import { wholeCount } from './editor-amount.ts';

type Notify = Definition['rules']['notify'];

export interface NotifyForm {
  readonly notifyFailure: 'after' | 'always' | 'never';
  readonly notifyFailures: string;
  readonly notifyRecovery: boolean;
  readonly notifyResult: 'always' | 'change' | 'never';
  readonly notifyUrgent: boolean;
}

/** The form for a rule; for none it shows the defaults. */
export function notifyOf(notify: Notify): NotifyForm {
  const { failure, recovery, result, urgent } = notifyRuleOf(notify === undefined ? {} : { notify });
  return {
    notifyFailure: failure.kind,
    notifyFailures: String(failure.kind === 'after' ? failure.failures : 1),
    notifyRecovery: recovery === 'once',
    notifyResult: result,
    notifyUrgent: urgent,
  };
}

/** The rule that `form` says. A default that `kept` does not state is not stated, so that an untouched rule stays as it is. */
export function readNotify(form: NotifyForm, kept: Notify, problems: Problem[]): Notify {
  const failure: NotifyRule['failure'] =
    form.notifyFailure === 'after'
      ? {
          kind: 'after',
          failures: wholeCount(form.notifyFailures, 'rules.notify.failure.failures', problems),
        }
      : { kind: form.notifyFailure };
  const isDefault =
    failure.kind === 'after' &&
    DEFAULT_NOTIFY.failure.kind === 'after' &&
    failure.failures === DEFAULT_NOTIFY.failure.failures;
  const recovery = form.notifyRecovery ? 'once' : 'never';
  const { notifyResult: result, notifyUrgent: urgent } = form;
  const notify = {
    ...kept,
    ...(isDefault && kept?.failure === undefined ? {} : { failure }),
    ...(recovery === DEFAULT_NOTIFY.recovery && kept?.recovery === undefined ? {} : { recovery }),
    ...(result === DEFAULT_NOTIFY.result && kept?.result === undefined ? {} : { result }),
    ...(urgent === DEFAULT_NOTIFY.urgent && kept?.urgent === undefined ? {} : { urgent }),
  } satisfies Notify;
  return kept === undefined && Object.keys(notify).length === 0 ? undefined : notify;
}
