/**
 * Liquid templates in what an action sends or shows. Values of a run go in as they are: nothing is encoded in silence,
 * so a value that goes into an address wants `url_encode`. A name that does not exist is an error, never an empty text.
 */
import { type Definition, type EpochMs, type Failure, secretNamesIn, zoneOf } from '../domain/index.ts';
import type { RunFacts } from './action-context.ts';
import type { InstantStyle } from './format-instant.ts';
import { loadPart } from './load-part.ts';
import type { Filled, TemplateScope } from './template-scope.ts';
import type { RunSecrets } from './run-secrets.ts';

/** Whether `text` holds anything to fill in. */
export function isTemplate(text: string): boolean {
  return text.includes('{{') || text.includes('{%');
}

/** The scope of `run`: its values, and times in the zone that its schedule is in, where it has one. */
export function scopeOf(run: RunFacts, now: () => EpochMs, secrets?: RunSecrets): TemplateScope {
  const { id, attempt, scheduledFor, cause, occurrence, automationId, automationName } = run;
  return {
    values: {
      automation: { id: automationId, name: automationName },
      run: { id, attempt, scheduledFor, cause, occurrence },
    },
    now,
    style: styleOf(run.definition),
    ...(run.step === undefined ? {} : { step: run.step }),
    ...(secrets === undefined ? {} : { secrets }),
  };
}

/** The zone in which templates of `definition` show times. */
function styleOf({ schedule }: Definition): InstantStyle {
  const timeZone = zoneOf(schedule);
  return timeZone === null ? {} : { timeZone };
}

/**
 * Fills `text` in; `what` begins the sentence of a failure, such as `The URL`. The template library is loaded when the
 * first text needs it. Never rejects.
 */
export async function fillTemplate(text: string, what: string, scope: TemplateScope): Promise<Filled> {
  if (!isTemplate(text)) return { kind: 'filled', text, shown: text };
  const names = secretNamesIn(text);
  if (names.length === 0) return await render(text, what, scope, {});
  if (scope.secrets === undefined) return { kind: 'failed', failure: secretsStay(what) };
  const opened = await scope.secrets.open(names, what);
  if (opened.kind === 'failed') return opened;
  const filled = await render(text, what, scope, { secrets: opened.values });
  // A filter may have failed on the value and quoted it.
  if (filled.kind === 'failed') return scope.secrets.redact(filled);
  const masked = await render(text, what, scope, { secrets: opened.masks });
  if (masked.kind === 'failed') return masked;
  scope.secrets.hide(filled.text, masked.text);
  return { kind: 'filled', text: filled.text, shown: masked.text };
}

/** The library, and all that a text needs that holds a template. */
async function render(
  text: string,
  what: string,
  scope: TemplateScope,
  more: { readonly secrets?: Readonly<Record<string, string>> },
): Promise<Filled> {
  const engine = await loadPart(() => import('./template-engine.ts'), 'fills in templates');
  return engine.kind === 'failed' ? engine : engine.part.render(text, what, scope, more);
}

function secretsStay(what: string): Failure {
  return {
    class: 'invalid',
    code: 'secret-not-here',
    message: `${what} names a secret, which is only filled into what is sent to the origins that it is bound to.`,
  };
}
