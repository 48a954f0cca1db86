/**
 * The host's side of the seam: Comlink carries the calls, and only this file knows it. Every call answers with an
 * envelope, so that errors cross as data with all their fields; the object exposed is frozen and has no prototype, so
 * that nothing but the calls can be reached through a port.
 */
import { expose } from 'comlink';
import * as v from 'valibot';
import {
  AssertionError,
  DAY_MS,
  type Problem,
  RUN_STATUSES,
  isTimeZone,
  isUuid,
  parseWith,
} from '../domain/index.ts';
import {
  BULK_MOST,
  BULK_RUNS_MOST,
  type CallName,
  type Envelope,
  type HostCalls,
  type RemoteErrorCode,
  SEARCH_MOST,
} from '../rpc/index.ts';
import { NewerData, StorageUnavailable } from '../store/index.ts';
import { Retired } from './dispatcher.ts';
import type { Host } from './host.ts';
import type { World } from './world.ts';

/** The arguments of a call are not of its form. */
class BadCall extends Error {
  override readonly name = 'BadCall';
  constructor(readonly problems: readonly Problem[]) {
    super(problems.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`)).join(' '));
  }
}

const uuid = v.pipe(v.string('An id is text.'), v.check(isUuid, 'An id is a UUID in lower case.'));
const ids = v.array(uuid, 'Ids are a list.');
const most = (count: number) => v.pipe(ids, v.maxLength(count, `At most ${count} in one call.`));
const commandId = v.exactOptional(uuid);
const count = v.exactOptional(
  v.pipe(
    v.number('A count is a number.'),
    v.integer('A count is a whole number.'),
    v.minValue(1, 'A count is at least 1.'),
  ),
);
const text = v.string('Must be text.');
const instant = (name: string): v.GenericSchema<number> =>
  v.pipe(
    v.number(`${name} is a time in milliseconds.`),
    v.integer(`${name} is a whole number of milliseconds.`),
  );
const until = instant('until');
const view = v.exactOptional(
  v.picklist(['all', 'needs-you', 'paused'], 'A view is one of all, needs-you and paused.'),
);
const port = v.instance(MessagePort, 'Must be a port.');
const status = v.picklist(RUN_STATUSES, `A status is one of ${RUN_STATUSES.join(', ')}.`);
const runFilter = {
  automationId: v.exactOptional(uuid),
  status: v.exactOptional(v.lazy((value) => (Array.isArray(value) ? v.array(status) : status))),
};
const zone = v.pipe(text, v.check(isTimeZone, 'A zone is one that this browser knows.'));
const empty = v.strictTuple([], 'This call takes no argument.');
const only = (schema: v.GenericSchema): v.GenericSchema =>
  v.strictTuple([schema], 'This call takes one argument.');
const one = (entries: v.ObjectEntries): v.GenericSchema => only(v.strictObject(entries));
/** Decided by what is there, because a refusal of a choice between forms would name no field. */
const optional = (entries: v.ObjectEntries): v.GenericSchema => {
  const absent = v.pipe(
    v.array(v.undefined_()),
    v.transform(() => []),
  );
  const given = one(entries);
  return v.lazy((args) =>
    Array.isArray(args) && args.length <= 1 && args[0] === undefined ? absent : given,
  );
};

/** The form of each call's arguments. What a definition, a schedule or a file must be is its own refusal, as a value. */
const ARGUMENTS: Readonly<Record<CallName, v.GenericSchema>> = {
  version: empty,
  status: empty,
  hello: one({ tabId: uuid, build: text, protocol: v.number('A protocol is a number.') }),
  listAutomations: optional({
    view,
    tag: v.exactOptional(text),
    text: v.exactOptional(text),
    limit: count,
    after: v.exactOptional(uuid),
  }),
  orderAutomations: optional({
    view,
    tag: v.exactOptional(text),
    text: v.exactOptional(text),
    known: v.exactOptional(text),
  }),
  getAutomation: only(uuid),
  getAutomations: one({ ids }),
  saveAutomation: one({
    commandId,
    id: v.exactOptional(uuid),
    expectedRevision: v.exactOptional(v.number('A revision is a number.')),
    automation: v.unknown(),
  }),
  setEnabled: one({
    commandId,
    ids,
    enabled: v.boolean('enabled is true or false.'),
    until: v.exactOptional(until),
  }),
  changeAutomations: one({
    commandId,
    ids: most(BULK_MOST),
    change: v.variant(
      'kind',
      [
        v.strictObject({ kind: v.literal('pause'), until: v.exactOptional(until) }),
        v.strictObject({ kind: v.picklist(['resume', 'remove']) }),
        v.strictObject({ kind: v.picklist(['add-tag', 'remove-tag']), tag: text }),
      ],
      'A change is one of pause, resume, add-tag, remove-tag and remove.',
    ),
  }),
  undoChange: one({ commandId, of: uuid }),
  runAutomations: one({ commandId, ids: most(BULK_RUNS_MOST) }),
  pauseAll: one({ commandId, until: v.nullable(until) }),
  removeAutomation: one({ commandId, id: uuid }),
  runNow: one({
    commandId,
    id: uuid,
    from: v.exactOptional(
      v.strictObject({
        runId: uuid,
        step: v.pipe(v.number('A step is a number.'), v.integer(), v.minValue(1)),
      }),
    ),
  }),
  cancelRun: one({ commandId, runId: uuid }),
  answerRun: one({
    commandId,
    runId: uuid,
    answer: v.picklist(['happened', 'run-again'], 'An answer is one of happened and run-again.'),
  }),
  listRuns: optional({ ...runFilter, limit: count, before: v.exactOptional(uuid) }),
  listRunLines: one({
    ...runFilter,
    before: v.exactOptional(uuid),
    after: v.exactOptional(uuid),
    fold: v.exactOptional(v.strictObject({ zone: v.exactOptional(zone) })),
  }),
  searchRuns: one({
    ...runFilter,
    text: v.pipe(text, v.maxLength(SEARCH_MOST, `At most ${SEARCH_MOST} characters are looked for.`)),
    before: v.exactOptional(uuid),
  }),
  getRun: only(uuid),
  timeline: only(
    v.pipe(
      v.strictObject({ from: instant('from'), until: instant('until') }),
      v.check(
        ({ from, until }) => from <= until && until - from <= 32 * DAY_MS,
        'A timeline is of up to 32 days.',
      ),
    ),
  ),
  countRuns: one({
    bounds: v.pipe(
      v.array(instant('A bound')),
      v.maxLength(401, 'At most 401 bounds.'),
      v.check(
        (bounds) => bounds.every((bound, index) => index === 0 || bound >= (bounds[index - 1] ?? bound)),
        'Bounds ascend.',
      ),
    ),
  }),
  preview: one({ schedule: v.unknown(), from: v.exactOptional(v.number('from is a number.')), count }),
  importFile: one({ commandId, text, enable: v.exactOptional(v.boolean('enable is true or false.')) }),
  importEntries: one({ commandId, steps: v.array(v.unknown()) }),
  missingRuns: one({ ids }),
  exportFile: optional({ ids: v.exactOptional(ids) }),
  getSettings: empty,
  saveSettings: one({
    commandId,
    settings: v.strictObject({
      maxConcurrent: v.exactOptional(v.number('Must be a number.')),
      quiet: v.exactOptional(v.unknown()),
      keep: v.exactOptional(v.unknown()),
    }),
  }),
  listSecrets: empty,
  saveSecret: one({
    commandId,
    name: text,
    value: v.exactOptional(text),
    origins: v.array(text, 'Origins are a list.'),
  }),
  removeSecret: one({ commandId, name: text }),
  removeSecrets: optional({ commandId }),
  setPassphrase: one({ commandId, current: v.exactOptional(text), next: v.nullable(text) }),
  unlockSecrets: one({ passphrase: text }),
  lockSecrets: optional({ commandId }),
  engine: empty,
  listGaps: optional({
    from: v.exactOptional(v.number('from is a number.')),
    until: v.exactOptional(v.number('until is a number.')),
  }),
  storage: empty,
  usage: empty,
  upkeep: empty,
  sweep: empty,
  checkIntegrity: empty,
  backup: empty,
  previewRestore: one({ text }),
  restore: one({
    commandId,
    text,
    // A choice that names nothing is none.
    choices: v.array(v.looseObject({})),
  }),
  listQuarantine: empty,
  listModels: only(v.unknown()),
  listTools: only(v.unknown()),
  restartEngine: empty,
  listNotifications: optional({ limit: count }),
  readNotifications: optional({
    ids: v.exactOptional(v.array(text, 'Ids are a list.')),
    runId: v.exactOptional(uuid),
  }),
  listShowings: empty,
  confirmNotification: one({ id: text }),
  lendExecutor: one({ id: uuid, port, tab: port }),
  reportModel: one({
    tabId: uuid,
    availability: v.picklist(
      ['unavailable', 'downloadable', 'downloading', 'available'],
      'An availability is one of unavailable, downloadable, downloading and available.',
    ),
  }),
};

const RETIRED = 'This engine has stopped. Ask the next one.';

/** Makes the calls reachable through `port`. */
export function serve(
  calls: HostCalls,
  host: Pick<Host, 'phase'>,
  world: World,
  port: MessagePort | DedicatedWorkerGlobalScope,
): void {
  const perform = calls as unknown as Readonly<Record<CallName, (...args: unknown[]) => Promise<unknown>>>;
  const wire = Object.create(null) as Record<CallName, (...args: unknown[]) => Promise<Envelope<unknown>>>;
  for (const name of Object.keys(ARGUMENTS) as CallName[]) {
    wire[name] = bare(async (...args: unknown[]): Promise<Envelope<unknown>> => {
      try {
        if (host.phase === 'gone') return refuse(world, 'retired', RETIRED);
        const parsed = parseWith(ARGUMENTS[name], args);
        if (parsed.kind === 'invalid') throw new BadCall(parsed.problems.map(withoutPosition));
        return { ok: true, hostId: world.host.id, value: await perform[name](...args) };
      } catch (error) {
        // Whatever it was, the database was closed under it.
        if (host.phase === 'gone') return refuse(world, 'retired', RETIRED);
        return refusal(world, error);
      }
    });
  }
  expose(Object.freeze(wire), port);
}

/**
 * `call` with nothing to reach through it. Comlink follows any path that a message names, and from a plain function
 * that path leads by its name, a text, to `constructor`, and so to all that this worker can do. It asks each function
 * for its `apply`, and that is all that is left.
 */
function bare<Result>(call: (...args: unknown[]) => Result): (...args: unknown[]) => Result {
  const apply = stripped((_self: unknown, args: unknown[]) => call(...args));
  return stripped(Object.assign((...args: unknown[]) => call(...args), { apply }));
}

function stripped<Function extends object>(of: Function): Function {
  Reflect.setPrototypeOf(of, null);
  Reflect.deleteProperty(of, 'name');
  Reflect.deleteProperty(of, 'length');
  return Object.freeze(of);
}

/** A call takes one argument, so its position says nothing. */
function withoutPosition({ path, message }: Problem): Problem {
  return { path: path.replace(/^\[\d+\]\.?/, ''), message };
}

function refusal(world: World, error: unknown): Envelope<never> {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof BadCall) return refuse(world, 'bad-call', message, error.problems);
  if (error instanceof Retired) return refuse(world, 'retired', message);
  if (error instanceof NewerData) return refuse(world, 'newer-data', message);
  if (error instanceof StorageUnavailable) return refuse(world, 'storage', message, { code: error.code });
  if (error instanceof DOMException) return refuse(world, 'storage', `${error.name}: ${message}`);
  world.complain('A call failed.', error);
  return refuse(
    world,
    'internal',
    message,
    error instanceof AssertionError ? { assertion: true } : undefined,
  );
}

function refuse(world: World, code: RemoteErrorCode, message: string, details?: unknown): Envelope<never> {
  return { ok: false, hostId: world.host.id, code, message, ...(details === undefined ? {} : { details }) };
}
