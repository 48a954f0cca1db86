import type { AutomationView, WaitingFor } from '../../rpc/index.ts';

/** What a person can do so that a run that waits goes on. */
export type Help = { readonly kind: 'add-secret'; readonly secret: string } | { readonly kind: 'unlock' };

/** What can be done about what a run waits for; `null`: nothing but to wait. */
export function helpFor({
  for: what,
  secret,
}: {
  readonly for: WaitingFor;
  readonly secret?: string;
}): Help | null {
  if (what === 'unlock') return { kind: 'unlock' };
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
export function helpLabel(help: Help): string {
  return help.kind === 'unlock' ? 'Unlock the secrets' : `Add ${help.secret}`;
}
