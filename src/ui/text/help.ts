import type { AutomationView, WaitingFor } from '../../rpc/index.ts';

/** What a person can do so that a run that waits goes on. */
export interface Help {
  readonly kind: 'add-secret';
  readonly secret: string;
}

/** What can be done about what a run waits for; `null`: nothing but to wait. */
export function helpFor({
  for: what,
  secret,
}: {
  readonly for: WaitingFor;
  readonly secret?: string;
}): Help | null {
  return what === 'secret' && secret !== undefined ? { kind: 'add-secret', secret } : null;
}

/** The same for an automation of which a run waits. */
export function helpOf({
  waitingFor,
  waitingForSecret: secret,
}: Pick<AutomationView, 'waitingFor' | 'waitingForSecret'>): Help | null {
  if (waitingFor === undefined) return null;
  return helpFor({ for: waitingFor, ...(secret === undefined ? {} : { secret }) });
}

/** What the button says. */
export function helpLabel({ secret }: Help): string {
  return `Add ${secret}`;
}
