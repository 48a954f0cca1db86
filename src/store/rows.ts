/**
 * The door for rows: what is read from the database is foreign data until it is checked. A row of a newer schema is
 * read-only; a row that does not parse is set aside with its bytes, and its neighbours go on working.
 */
import * as v from 'valibot';
import {
  type AgendaRow,
  type Automation,
  type OutboxRow,
  type OutputRow,
  type Problem,
  type RunRow,
  type Schedule,
  type ValueRow,
  RUN_STATUSES,
  SCHEMA,
  definitionSchema,
  isUuid,
  loosen,
  parseWith,
  whyNotComputable,
  zoneOf,
} from '../domain/index.ts';
import type { CommandRow, RowStore, SettingsRow } from './schema.ts';

interface RowOf {
  automations: Automation;
  agenda: AgendaRow;
  runs: RunRow;
  outputs: OutputRow;
  values: ValueRow;
  outbox: OutboxRow;
  commands: CommandRow;
  settings: SettingsRow;
}
export type StoredRow<Store extends RowStore> = RowOf[Store];

/** A row as found: usable, of a newer schema, or broken. */
export type FoundRow<Row> =
  | { readonly kind: 'row'; readonly row: Row }
  | { readonly kind: 'newer'; readonly value: unknown }
  | { readonly kind: 'broken'; readonly value: unknown; readonly problems: readonly Problem[] };

/** The row was written by a newer version of Rota; this one must not rewrite or drop it. */
export class NewerData extends Error {
  override readonly name = 'NewerData';
}

const whole = v.pipe(v.number(), v.integer());
const uuid = v.pipe(v.string(), v.check(isUuid));
const definition = loosen(definitionSchema);
const definitionEntries = Reflect.get(definition, 'entries') as Record<string, v.GenericSchema>;
const cause = v.picklist(['schedule', 'manual', 'retry', 'follow-up']);

const runBase = {
  id: uuid,
  automationId: uuid,
  automationName: v.string(),
  occurrence: v.string(),
  scheduledFor: whole,
  cause,
  attempt: whole,
  claimedAt: whole,
};
const from = v.exactOptional(v.looseObject({ runId: uuid, step: whole }));
const claimed = {
  ...runBase,
  from,
  effectSteps: v.exactOptional(
    v.array(v.looseObject({ step: whole, effect: v.picklist(['sending', 'sent']) })),
  ),
  startedAt: whole,
  latenessMs: whole,
  host: v.looseObject({ id: v.string(), kind: v.string(), build: v.string() }),
  fence: whole,
  revision: whole,
  definition,
};
const settled = { ...claimed, settledAt: whole, summary: v.string(), retryAt: v.exactOptional(whole) };
const spending = v.looseObject({ until: whole, tokens: v.number(), cost: v.number() });
const covers = v.looseObject({ from: whole, to: whole, count: whole });
const unrun = { ...runBase, settledAt: whole, covers, reason: v.string() };
const effect = v.exactOptional(v.picklist(['sending', 'sent']));
const shownAs = v.exactOptional(v.looseObject({ id: v.string(), as: v.string() }));
const notification = {
  id: v.string(),
  kind: v.literal('notification'),
  automationId: uuid,
  runId: uuid,
  title: v.string(),
  body: v.string(),
  at: v.exactOptional(whole),
  readAt: v.exactOptional(whole),
};
const failure = v.looseObject({ class: v.string(), code: v.string(), message: v.string() });

/** Cron rules and zones that were found to be computable: to read a rule costs a fifth of a millisecond. */
const COMPUTABLE_MOST = 1_000;
const computable = new Set<string>();

function whyUnreadable(schedule: Schedule): string | null {
  const zone = zoneOf(schedule);
  if (zone === null && schedule.kind !== 'cron') return null;
  const rule = `${zone ?? ''} ${schedule.kind === 'cron' ? schedule.expression : ''}`;
  if (computable.has(rule)) return null;
  const why = whyNotComputable(schedule);
  if (why !== null) return why;
  if (computable.size >= COMPUTABLE_MOST) computable.clear();
  computable.add(rule);
  return null;
}

/**
 * `automation` as it may be used here: one whose schedule cannot be computed, because this browser has another zone
 * database than the one that saved it, is paused and says why. The others go on.
 */
function asUsable(automation: Automation): Automation {
  const message = whyUnreadable(automation.schedule);
  if (message === null) return automation;
  const pausedBecause = { kind: 'unreadable', message, at: automation.updatedAt } as const;
  return { ...automation, enabled: false, pausedBecause };
}

const SCHEMAS: Readonly<Record<RowStore, v.GenericSchema>> = {
  automations: v.looseObject({
    ...definitionEntries,
    id: uuid,
    revision: whole,
    fence: whole,
    epoch: whole,
    createdAt: whole,
    updatedAt: whole,
    pausedFrom: v.exactOptional(whole),
    pausedUntil: v.exactOptional(whole),
    pausedBecause: v.exactOptional(v.looseObject({ kind: v.string(), at: whole })),
    dispatched: v.exactOptional(whole),
    today: v.exactOptional(v.looseObject({ until: whole, count: whole })),
    spent: v.exactOptional(spending),
    followers: v.exactOptional(v.array(uuid)),
    lastClaim: v.exactOptional(v.looseObject({ runId: v.string(), at: whole })),
    failuresInARow: whole,
    outage: v.exactOptional(v.looseObject({ since: whole, notification: v.string() })),
    lastResult: v.exactOptional(v.string()),
    recent: v.array(v.looseObject({ id: v.string(), status: v.picklist(RUN_STATUSES), at: whole })),
  }),
  agenda: v.pipe(
    v.looseObject({
      key: v.string(),
      occurrence: v.string(),
      automationId: uuid,
      scheduledFor: whole,
      attempt: whole,
      dueAt: whole,
      cause: v.picklist([...cause.options, 'resume']),
      from,
      plannedFrom: v.exactOptional(whole),
    }),
    v.check(
      ({ key, occurrence, attempt, automationId }) =>
        key === `${occurrence}#${attempt}` && occurrence.startsWith(automationId),
      'The key is not that of the occurrence.',
    ),
  ),
  runs: v.variant('status', [
    v.looseObject({
      ...claimed,
      status: v.literal('running'),
      active: v.literal(1),
      lease: v.string(),
      leaseDeadline: whole,
      effect,
      cancelRequested: v.exactOptional(v.looseObject({ at: whole, by: v.string() })),
      mayUse: v.exactOptional(spending),
    }),
    v.looseObject({ ...settled, status: v.literal('failed'), reason: v.string(), failure }),
    v.looseObject({
      ...settled,
      status: v.picklist(['succeeded', 'timed-out', 'cancelled', 'interrupted']),
    }),
    v.looseObject({ ...unrun, status: v.picklist(['missed', 'skipped']) }),
  ]),
  values: v.looseObject({ automationId: uuid, key: v.string(), at: whole, value: v.unknown() }),
  outputs: v.looseObject({ id: uuid, output: v.looseObject({ kind: v.string() }) }),
  outbox: v.union([
    v.looseObject({ ...notification, dueAt: whole, shownAs }),
    v.looseObject({ ...notification, told: v.looseObject({ at: whole, as: v.string(), shownAs }) }),
  ]),
  commands: v.looseObject({ id: v.string(), at: whole, result: v.unknown() }),
  settings: v.looseObject({
    name: v.string(),
    maxConcurrent: whole,
    pauses: v.exactOptional(v.array(v.looseObject({ from: whole, until: whole }))),
    quiet: v.exactOptional(v.looseObject({ from: v.string(), until: v.string(), held: v.string() })),
    keep: v.exactOptional(v.looseObject({ runs: v.looseObject({}), outputs: v.looseObject({}) })),
  }),
};

/** Checks one stored value of `store`. Unknown fields are kept. */
export function checkRow<Store extends RowStore>(store: Store, value: unknown): FoundRow<StoredRow<Store>> {
  const schema: unknown =
    typeof value === 'object' && value !== null ? Reflect.get(value, 'schema') : undefined;
  if (typeof schema === 'number' && schema > SCHEMA) return { kind: 'newer', value };
  const parsed = parseWith(SCHEMAS[store], value);
  if (parsed.kind === 'invalid') return { kind: 'broken', value, problems: parsed.problems };
  const row = parsed.value as StoredRow<Store>;
  return { kind: 'row', row: store === 'automations' ? (asUsable(row as Automation) as typeof row) : row };
}
