import { describe, expect, test } from 'vitest';
import { type History, checkHistory } from './history.ts';
import type { AgendaRow, Definition, Hit, Invariant, Operation, RunRow } from './record.ts';

/** Noon, so that times in failures are easy to read. */
const T = Date.UTC(2026, 0, 1, 12);
const SERVER = 'http://127.0.0.1:4000';
const [BEAT, POST, SLOW] = [
  '00000000-0000-4000-8000-00000000000a',
  '00000000-0000-4000-8000-00000000000b',
  '00000000-0000-4000-8000-00000000000c',
];

type Writable<Value> = Value extends readonly (infer Item)[]
  ? Writable<Item>[]
  : Value extends object
    ? { -readonly [Key in keyof Value]: Writable<Value[Key]> }
    : Value;

const beat: Definition = {
  name: 'Every second',
  schedule: { kind: 'every', everyMs: 1_000, anchor: 0 },
  action: { kind: 'http', url: `${SERVER}/beat` },
};
const slower: Definition = { ...beat, schedule: { kind: 'every', everyMs: 2_000, anchor: 0 } };
const post: Definition = {
  name: 'By hand',
  schedule: { kind: 'manual' },
  action: { kind: 'http', method: 'POST', url: `${SERVER}/post` },
};
const slow: Definition = {
  name: 'Two at a time',
  schedule: { kind: 'cron', expression: '*/2 * * * * *', timeZone: 'UTC' },
  action: { kind: 'http', url: `${SERVER}/slow` },
  rules: { overlap: { kind: 'parallel', limit: 2 } },
};

/** A copy of a definition, for one test to change. */
const edited = (definition: Definition): Writable<Definition> =>
  structuredClone(definition) as Writable<Definition>;

let made = 0;
function idAt(at: number): string {
  const time = at.toString(16).padStart(12, '0');
  made += 1;
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-${made.toString(16).padStart(12, '0')}`;
}

interface Made {
  readonly run: Writable<RunRow>;
  readonly hit: Writable<Hit>;
}

/** A run claimed at `from` that settled at `to` as succeeded, and its request, open for all but 20 ms at each end. */
function ran(
  automationId: string,
  definition: Definition,
  fence: number,
  [due, from, to]: readonly [due: number, from: number, to: number],
  more: Partial<RunRow> = {},
): Made {
  const run: RunRow = {
    id: idAt(from + 3),
    automationId,
    occurrence: `${automationId}@${due}`,
    scheduledFor: due,
    cause: 'schedule',
    attempt: 1,
    status: 'succeeded',
    claimedAt: from,
    startedAt: from,
    settledAt: to,
    host: { id: 'host-1', kind: 'shared-worker', build: 'one' },
    fence,
    revision: 1,
    definition: edited({ enabled: true, tags: [], ...definition }),
    ...more,
  };
  const hit: Hit = {
    runId: run.id,
    automationId,
    occurrence: run.occurrence,
    attempt: run.attempt,
    startedAt: from + 20,
    answeredAt: to - 20,
    closedAt: to - 19,
  };
  return { run: run as Writable<RunRow>, hit };
}

function unrun(
  automationId: string,
  [from, to, count]: readonly [number, number, number],
  at: number,
): RunRow {
  return {
    id: idAt(at + 3),
    automationId,
    occurrence: `${automationId}@${to}`,
    scheduledFor: to,
    cause: 'schedule',
    attempt: 1,
    status: 'missed',
    reason: 'closed',
    claimedAt: at,
    settledAt: at,
    covers: { from, to, count },
  };
}

function pendingAt(automationId: string, at: number): AgendaRow {
  const occurrence = `${automationId}@${at}`;
  return {
    key: `${occurrence}#1`,
    occurrence,
    automationId,
    scheduledFor: at,
    dueAt: at,
    attempt: 1,
    cause: 'schedule',
  };
}

/**
 * Eleven seconds of a healthy life. Three automations are imported at 0.5 s: one beats each second, one posts by hand, one
 * runs two at a time every two seconds. The browser is killed at 3.2 s, in the middle of a beat, of the post, and of a slow
 * run, and is back at 6.3 s. At 7.5 s the beat is slowed down, then paused, then resumed; the limit of active runs goes to 3.
 */
function healthy() {
  const later: Partial<RunRow> = { host: { id: 'host-2', kind: 'shared-worker', build: 'two' } };
  const interrupted = { status: 'interrupted', settledAt: T + 6_400 };
  const beat1 = ran(BEAT, beat, 1, [T + 1_000, T + 1_005, T + 1_100]);
  const beat2 = ran(BEAT, beat, 2, [T + 2_000, T + 2_005, T + 2_100]);
  const beat3 = ran(BEAT, beat, 3, [T + 3_000, T + 3_180, T + 6_400], interrupted);
  const beat6 = ran(BEAT, beat, 4, [T + 6_000, T + 6_420, T + 6_500], later);
  const beat7 = ran(BEAT, beat, 5, [T + 7_000, T + 7_005, T + 7_100], later);
  const beat8 = ran(BEAT, slower, 6, [T + 8_000, T + 8_005, T + 8_100], { ...later, revision: 2 });
  const post1 = ran(POST, post, 1, [T + 3_000, T + 3_000, T + 6_400], {
    ...interrupted,
    occurrence: `${POST}!command-post`,
    cause: 'manual',
    effect: 'sending',
    mayHaveHappened: true,
  });
  const slow2 = ran(SLOW, slow, 1, [T + 2_000, T + 2_010, T + 6_400], { ...interrupted, retryAt: T + 6_450 });
  const slow2again = ran(SLOW, slow, 2, [T + 2_000, T + 6_460, T + 9_000], {
    ...later,
    attempt: 2,
    cause: 'retry',
  });
  const slow6 = ran(SLOW, slow, 3, [T + 6_000, T + 6_470, T + 8_500], later);
  const slow8 = ran(SLOW, slow, 4, [T + 8_000, T + 8_510, T + 10_900], later);
  for (const { hit } of [beat3, post1, slow2]) {
    hit.answeredAt = null;
    hit.closedAt = T + 3_230;
  }
  const runs = { beat1, beat2, beat3, beat6, beat7, beat8, post1, slow2, slow2again, slow6, slow8 };
  const all = Object.values(runs);
  const missed = {
    beat: unrun(BEAT, [T + 4_000, T + 5_000, 2], T + 6_415) as Writable<RunRow>,
    slow: unrun(SLOW, [T + 4_000, T + 4_000, 1], T + 6_465) as Writable<RunRow>,
    paused: unrun(BEAT, [T + 10_000, T + 10_000, 1], T + 10_100) as Writable<RunRow>,
    overlap: {
      ...unrun(SLOW, [T + 10_000, T + 10_000, 1], T + 10_005),
      status: 'skipped',
      reason: 'overlap',
    } as Writable<RunRow>,
  };
  const command = (
    commandId: string,
    sent: number,
  ): Pick<Operation, 'commandId' | 'sentAt' | 'answeredAt'> => ({
    commandId,
    sentAt: T + sent - 10,
    answeredAt: T + sent + 10,
  });
  const operations: Operation[] = [
    {
      ...command('command-import', 500),
      kind: 'import',
      automations: [
        { id: BEAT, definition: edited(beat) },
        { id: POST, definition: edited(post) },
        { id: SLOW, definition: edited(slow) },
      ],
      answer: { kind: 'imported', ids: [BEAT, POST, SLOW] },
    },
    {
      ...command('command-post', 3_000),
      kind: 'run-now',
      automationId: POST,
      answer: { kind: 'claimed', run: { id: post1.run.id, fence: 1 } },
    },
    {
      ...command('command-slower', 7_500),
      kind: 'save',
      automationId: BEAT,
      definition: slower,
      answer: { kind: 'saved', revision: 2 },
    },
    {
      ...command('command-limit', 7_600),
      kind: 'save-settings',
      maxConcurrent: 3,
      answer: { kind: 'saved' },
    },
    {
      ...command('command-pause', 9_500),
      kind: 'set-enabled',
      automationIds: [BEAT],
      enabled: false,
      answer: { kind: 'done' },
    },
    {
      ...command('command-resume', 10_100),
      kind: 'set-enabled',
      automationIds: [BEAT],
      enabled: true,
      answer: { kind: 'done' },
    },
  ];
  const history: History = {
    ledger: {
      at: T + 11_000,
      automations: [
        { id: BEAT, revision: 4, fence: 6, ...slower, enabled: true },
        { id: POST, revision: 1, fence: 1, ...post, enabled: true },
        { id: SLOW, revision: 1, fence: 4, ...slow, enabled: true },
      ],
      agenda: [pendingAt(BEAT, T + 12_000), pendingAt(SLOW, T + 12_000)],
      runs: [...all.map(({ run }) => run as RunRow), ...Object.values(missed)],
      commands: operations.map(({ commandId, sentAt }) => ({ id: commandId, at: sentAt + 10 })),
      settings: [{ name: 'settings', maxConcurrent: 3 }],
      quarantined: 0,
    },
    operations,
    sightings: [
      { at: T + 1_050, row: without(beat1.run, { status: 'running', settledAt: undefined, lease: 'lease' }) },
      { at: T + 5_000, row: without(beat2.run, {}) },
    ],
    hosts: [
      { id: 'host-1', build: 'one', startedAt: T + 100, lastSeenAt: T + 3_000, retiredAt: null },
      { id: 'host-2', build: 'two', startedAt: T + 6_300, lastSeenAt: T + 11_100, retiredAt: null },
    ],
    jumps: [],
    fullSpans: [],
    slow: [],
    takesRequestsBack: true,
    kills: [{ what: 'browser', at: T + 3_200, doneBy: T + 3_210, hosts: ['host-1'] }],
    engine: 'chromium',
    tabs: 1,
    leftOut: [],
    maxConcurrentAtFirst: 8,
    server: SERVER,
    hits: all.map(({ hit }) => hit as Hit),
  };
  return { history: history as unknown as Writable<History>, runs, missed };
}

/** A row as a sighting has it: without its definition, and as it was then. */
function without(
  run: Writable<RunRow>,
  then: Partial<Record<keyof RunRow, unknown>>,
): Omit<RunRow, 'definition'> {
  const { definition: _, ...row } = { ...run, ...then };
  return JSON.parse(JSON.stringify(row)) as Omit<RunRow, 'definition'>;
}

type Life = ReturnType<typeof healthy>;

/** The violations of `invariant` after `break_` has been done to the healthy history. */
function after(break_: (life: Life) => void): ReturnType<typeof checkHistory> {
  const life = healthy();
  break_(life);
  return checkHistory(life.history);
}

function remove<Item>(list: Item[], item: Item): void {
  list.splice(list.indexOf(item), 1);
}

function operation<Kind extends Operation['kind']>(
  { history }: Life,
  kind: Kind,
): Writable<Extract<Operation, { kind: Kind }>> {
  const found = history.operations.find((one) => one.kind === kind);
  if (found === undefined) throw new Error(`no ${kind}`);
  return found as Writable<Extract<Operation, { kind: Kind }>>;
}

function automation({ history }: Life, id: string): Writable<History>['ledger']['automations'][number] {
  const found = history.ledger.automations.find((one) => one.id === id);
  if (found === undefined) throw new Error(`no ${id}`);
  return found;
}

function add(life: Life, { run, hit }: Made): void {
  life.history.ledger.runs.push(run);
  life.history.hits.push(hit);
  automation(life, run.automationId).fence = Math.max(
    run.fence ?? 0,
    automation(life, run.automationId).fence,
  );
}

const FAILING = '00000000-0000-4000-8000-00000000000f';
const failing: Definition = { ...beat, rules: { autoPause: { kind: 'after', failures: 1 } } };
const later: Partial<RunRow> = { host: { id: 'host-2', kind: 'shared-worker', build: 'two' } };

/** An automation that beats each second, imported at 9.2 s, whose run at 10 s fails: it pauses itself. */
function failsOnce(life: Life, failures = 1): void {
  const { history } = life;
  const definition = { ...failing, rules: { autoPause: { kind: 'after', failures } } };
  history.operations.push({
    kind: 'import',
    commandId: 'command-failing',
    sentAt: T + 9_190,
    answeredAt: T + 9_210,
    automations: [{ id: FAILING, definition: edited(definition) }],
    answer: { kind: 'imported', ids: [FAILING] },
  });
  history.ledger.commands.push({ id: 'command-failing', at: T + 9_200 });
  const stored = { id: FAILING, revision: 1, fence: 1, ...edited(definition) };
  history.ledger.automations.push({ ...stored, enabled: false, pausedFrom: T + 11_000 });
  const failed = { ...later, status: 'failed', reason: 'action' };
  add(life, ran(FAILING, definition, 1, [T + 10_000, T + 10_005, T + 10_200], failed));
}

test('A healthy history passes, and says how much was judged', () => {
  const verdict = after(() => undefined);
  expect(verdict.violations).toEqual([]);
  expect(verdict.unjudged).toEqual([]);
  expect(verdict.judged).toMatchObject({ runs: 11, unrun: 4, instants: 9 + 5, hits: 11, kills: 1 });
  expect(verdict.judged.recoveriesMs).toEqual([100, 100, 100]);
});

describe.each<readonly [Invariant, string, RegExp, (life: Life) => void]>([
  [
    1,
    'two runs of one occurrence and attempt',
    /Attempt 1 at .*@1767268802000 has 2 rows/,
    (life) => {
      const twin = ran(BEAT, beat, 7, [T + 2_000, T + 2_200, T + 2_300]);
      add(life, twin);
    },
  ],
  [
    1,
    'a run and a skipped row of one occurrence',
    /Attempt 1 at .* has 2 rows: .*succeeded.*skipped/,
    ({ history }) => {
      history.ledger.runs.push({
        ...unrun(BEAT, [T + 1_000, T + 1_000, 1], T + 1_020),
        status: 'skipped',
        reason: 'overlap',
      } as Writable<RunRow>);
    },
  ],
  [
    2,
    'a run claimed while another of its automation was active',
    /was claimed at .* while run .*, which settled at .*, was active; 1 may be/,
    ({ runs }) => {
      runs.beat1.run.settledAt = T + 2_050;
    },
  ],
  [
    2,
    'a third run beside the two that its rule allows',
    /while run .* and run .* were active; 2 may be/,
    ({ runs }) => {
      runs.slow6.run.settledAt = T + 8_600;
    },
  ],
  [
    2,
    'a run claimed before that of a dead host was settled',
    /was claimed at .* while run .*interrupted.* was active; 1 may be/,
    ({ runs }) => {
      runs.beat3.run.settledAt = T + 6_440;
    },
  ],
  [
    2,
    'two requests open at the server though the ledger shows none beside the other',
    /When the request of run .* came in, the server had not yet answered the request of run/,
    ({ runs }) => {
      runs.beat6.hit.answeredAt = T + 7_050;
      runs.beat6.hit.closedAt = T + 7_051;
    },
  ],
  [
    2,
    'the request of an interrupted run that goes on long after the run has ended',
    /had not yet answered the request of run/,
    (life) => {
      const { beat3, beat8 } = life.runs;
      beat3.hit.closedAt = null;
      beat8.hit.startedAt = T + 8_450;
      beat8.hit.answeredAt = T + 8_460;
      beat8.run.settledAt = T + 8_470;
    },
  ],
  [
    3,
    'a fourth active run after the limit went to three',
    /as the 4th active run; 3 may be/,
    (life) => {
      // Active then: two slow ones, and a beat that takes longer.
      life.runs.beat8.run.settledAt = T + 8_800;
      add(life, byHand(life, 'command-four', 2, T + 8_600));
    },
  ],
  [
    3,
    'two active runs under a limit of one that was there from the start',
    /as the 2th active run; 1 may be/,
    ({ history }) => {
      history.maxConcurrentAtFirst = 1;
    },
  ],
  [
    4,
    'an instant without any row',
    /The instant 12:00:06\.000 .* is in no run and in no missed or skipped row/,
    ({ history, runs }) => {
      remove(history.ledger.runs, runs.slow6.run);
      remove(history.hits, runs.slow6.hit);
    },
  ],
  [
    4,
    'a missed row that says one instant too few',
    /The instant 12:00:04\.000 .* is in no run/,
    ({ missed }) => {
      missed.beat.covers = { from: T + 5_000, to: T + 5_000, count: 1 };
    },
  ],
  [
    4,
    'a missed row that also stands for an instant that ran',
    /The instant 12:00:06\.000 .* is in 2 rows/,
    ({ missed }) => {
      missed.beat.covers = { from: T + 4_000, to: T + 6_000, count: 3 };
    },
  ],
  [
    4,
    'a missed row whose count is not that of its schedule',
    /stands for 3 instants from .* which no definition in force then had/,
    ({ missed }) => {
      missed.beat.covers = { from: T + 4_000, to: T + 5_000, count: 3 };
    },
  ],
  [
    4,
    'a run for an instant of the old schedule long after the edit',
    /stands for 12:00:09\.000 .* when nothing was due/,
    (life) => {
      add(life, ran(BEAT, beat, 7, [T + 9_000, T + 9_005, T + 9_100]));
    },
  ],
  [
    4,
    'a run for an instant from before the automation was imported',
    /stands for 12:00:00\.000 .* when nothing was due/,
    (life) => {
      const { runs } = life;
      runs.beat1.run.occurrence = `${BEAT}@${T}`;
      runs.beat1.run.scheduledFor = T;
      life.history.ledger.runs.push(unrun(BEAT, [T + 1_000, T + 1_000, 1], T + 1_004) as Writable<RunRow>);
    },
  ],
  [
    4,
    'the time of a pause without its missed row',
    /The instant 12:00:10\.000 .* due by revision 3, is in no run/,
    ({ history, missed }) => {
      remove(history.ledger.runs, missed.paused);
    },
  ],
  [
    4,
    'an enabled automation with nothing in the agenda',
    /is enabled, and at .* the agenda has no next instant of it/,
    ({ history }) => {
      history.ledger.agenda.pop();
    },
  ],
  [
    4,
    'an occurrence that nobody claims',
    /#1 has been due since .* and nobody has claimed it/,
    ({ history }) => {
      history.ledger.at = T + 25_000;
      for (const host of history.hosts) host.lastSeenAt = T + 25_100;
    },
  ],
  [
    5,
    'a settled row that runs again',
    /was succeeded when it was read at .* it was running/,
    ({ runs }) => {
      runs.beat2.run.status = 'running';
      delete runs.beat2.run.settledAt;
      runs.beat2.run.lease = 'lease';
    },
  ],
  [
    5,
    'a settled row with another time of settlement',
    /in the export its settledAt had changed/,
    ({ runs }) => {
      runs.beat2.run.settledAt = T + 2_101;
    },
  ],
  [
    5,
    'a running row that became skipped',
    /was running when it was read at .*, and then became skipped/,
    ({ runs }) => {
      runs.beat1.run.status = 'skipped';
      runs.beat1.run.covers = { from: T + 1_000, to: T + 1_000, count: 1 };
    },
  ],
  [
    5,
    'a row of a status that does not exist',
    /is not sound: there is no status "paused"/,
    ({ runs }) => {
      runs.beat1.run.status = 'paused';
    },
  ],
  [
    5,
    'a repeat of a run that was not to be repeated',
    /repeats run .*, which was not to be repeated/,
    ({ runs }) => {
      delete runs.slow2.run.retryAt;
    },
  ],
  [
    5,
    'a repeat before its time',
    /before its repeat was due/,
    ({ runs }) => {
      runs.slow2.run.retryAt = T + 6_470;
    },
  ],
  [
    5,
    'a claim that left no run',
    /has no run with fence 2, between run/,
    ({ history, runs, missed }) => {
      remove(history.ledger.runs, runs.beat2.run);
      missed.beat.covers = { from: T + 4_000, to: T + 5_000, count: 2 };
    },
  ],
  [
    4,
    'an occurrence that nobody claims because no host is there any more',
    /could have been claimed since 12:00:12\.000 .*; 13000 ms later/,
    ({ history }) => {
      history.ledger.at = T + 25_000;
      for (const host of history.hosts) host.lastSeenAt = Math.min(host.lastSeenAt, T + 11_100);
    },
  ],
  [
    4,
    'an occurrence that nobody claims, on a machine that was slow, but for long enough',
    /could have been claimed since 12:00:12\.000 .*; 10500 ms later/,
    ({ history }) => {
      history.ledger.at = T + 25_000;
      history.slow = [{ from: T + 14_000, until: T + 19_000, pace: 0.5 }];
      for (const host of history.hosts) host.lastSeenAt = T + 25_100;
    },
  ],
  [
    4,
    'a run by schedule of an automation that had paused itself',
    /\(succeeded, .* was claimed at 12:00:10\.603 .*, after its automation had paused itself at 12:00:10\.200/,
    (life) => {
      failsOnce(life);
      add(life, ran(FAILING, failing, 2, [T + 11_000, T + 10_600, T + 10_700], later));
    },
  ],
  [
    5,
    'a run decided before it was due',
    /was decided at .*, before it was due at/,
    ({ runs }) => {
      runs.beat7.run.claimedAt = T + 6_990;
    },
  ],
  [
    6,
    'a run of a dead host that was settled long after the next start',
    /was active when its host host-1 died \(browser\).*not within 1000 ms/,
    ({ runs }) => {
      runs.post1.run.settledAt = T + 7_400;
    },
  ],
  [
    6,
    'a run of a dead host that was settled late for the little by which the machine was slow',
    /was active when its host host-1 died \(browser\).*not within 1000 ms/,
    ({ history, runs }) => {
      runs.post1.run.settledAt = T + 7_400;
      history.slow = [
        { from: T + 6_400, until: T + 6_500, pace: 0.1 },
        { from: T + 8_000, until: T + 9_000, pace: 0 },
      ];
    },
  ],
  [
    6,
    'a run of a dead host that was settled too late though another host lived',
    /a host lived from 12:00:03\.210/,
    ({ history }) => {
      const other = { build: 'two', startedAt: T + 200, lastSeenAt: T + 11_100, retiredAt: null };
      history.hosts.push({ id: 'host-3', ...other });
    },
  ],
  [
    6,
    'a run that is active at the end with nobody to settle it',
    /is still active at the end, .*, and its host host-1 is gone/,
    ({ runs }) => {
      runs.post1.run.status = 'running';
      runs.post1.run.lease = 'lease';
      delete runs.post1.run.settledAt;
    },
  ],
  [
    6,
    'a run that was taken from a healthy host',
    /was ended as interrupted at .*, though its host host-2 was alive/,
    ({ runs }) => {
      runs.beat7.run.status = 'interrupted';
    },
  ],
  [
    7,
    'an effect of no run',
    /There is no run .*, but the request of run .* was made/,
    ({ history, runs }) => {
      history.hits.push({ ...runs.beat1.hit, runId: idAt(T + 1_000) });
    },
  ],
  [
    7,
    'two effects of one run',
    /reached the server 2 times/,
    ({ history, runs }) => {
      history.hits.push({ ...runs.beat1.hit, startedAt: T + 1_060 });
    },
  ],
  [
    7,
    'a succeeded run without its effect',
    /has no effect at the server that was answered/,
    ({ history, runs }) => {
      remove(history.hits, runs.beat1.hit);
    },
  ],
  [
    7,
    'an effect before its claim',
    /came before its claim/,
    ({ runs }) => {
      runs.beat2.hit.startedAt = T + 2_000;
    },
  ],
  [
    7,
    'an effect long after its run has ended',
    /came after its end/,
    ({ runs }) => {
      runs.beat1.hit.startedAt = T + 4_000;
      runs.beat1.hit.answeredAt = T + 4_001;
      runs.beat1.hit.closedAt = T + 4_002;
    },
  ],
  [
    7,
    'an effect long after its run has ended, on a machine that was slow at another time',
    /came after its end/,
    ({ history, runs }) => {
      history.slow = [{ from: T + 5_000, until: T + 9_000, pace: 0 }];
      runs.beat1.hit.startedAt = T + 4_000;
      runs.beat1.hit.answeredAt = T + 4_001;
      runs.beat1.hit.closedAt = T + 4_002;
    },
  ],
  [
    7,
    'an interrupted run that does not say that it may have happened',
    /does not say that it may have happened/,
    ({ runs }) => {
      delete runs.post1.run.mayHaveHappened;
    },
  ],
  [
    7,
    'an effect that was sent without its mark',
    /was not marked as sending/,
    ({ runs }) => {
      delete runs.post1.run.effect;
    },
  ],
  [
    7,
    'an effect that may have happened, and was sent again without a person',
    /was sent although run .* had reached the server/,
    (life) => {
      const { run } = life.runs.post1;
      run.retryAt = T + 6_450;
      add(
        life,
        ran(POST, post, 2, [T + 3_000, T + 6_700, T + 6_800], {
          host: { id: 'host-2', kind: 'shared-worker', build: 'two' },
          occurrence: run.occurrence,
          cause: 'retry',
          attempt: 2,
          effect: 'sent',
        }),
      );
    },
  ],
  [
    8,
    'an acknowledged edit that left no trace',
    /The save command-slower was acknowledged at .*, and there is no trace of it/,
    (life) => {
      life.history.ledger.commands = life.history.ledger.commands.filter(({ id }) => id !== 'command-slower');
    },
  ],
  [
    8,
    'an acknowledged edit that is not what is stored',
    /is not stored as its last edit/,
    (life) => {
      automation(life, BEAT).name = 'Another';
    },
  ],
  [
    8,
    'an automation that failed as often as it may and was not paused',
    /had failed too often at 12:00:10\.200 .*, and did not pause itself/,
    (life) => {
      failsOnce(life);
      Object.assign(automation(life, FAILING), { enabled: true, pausedFrom: undefined });
    },
  ],
  [
    8,
    'an automation that paused itself after fewer failures than it may have',
    /is not stored as its last edit/,
    (life) => {
      failsOnce(life, 2);
    },
  ],
  [
    8,
    'an edit that was counted out',
    /is stored with revision 3; the carried-out edits made revision 4/,
    (life) => {
      automation(life, BEAT).revision = 3;
    },
  ],
  [
    8,
    'an acknowledged claim without its run',
    /The run-now command-post was acknowledged at .* as run .*, which is not there/,
    ({ history, runs }) => {
      remove(history.ledger.runs, runs.post1.run);
    },
  ],
  [
    8,
    'a claim that was answered with another run',
    /but it is run/,
    (life) => {
      operation(life, 'run-now').answer = { kind: 'claimed', run: { id: idAt(T + 3_000), fence: 1 } };
    },
  ],
  [
    8,
    'a run that was promised for later and is nowhere',
    /as at-capacity, to run later.*neither in the ledger nor in the agenda/,
    (life) => {
      life.history.operations.push({
        kind: 'run-now',
        commandId: 'command-later',
        sentAt: T + 1_500,
        answeredAt: T + 1_510,
        automationId: POST,
        answer: { kind: 'at-capacity' },
      });
    },
  ],
  [
    8,
    'a claim by an old definition after the new one was acknowledged',
    /with revision 1; revision 2 had been acknowledged/,
    ({ runs }) => {
      runs.beat8.run.revision = 1;
      runs.beat8.run.definition = edited({ enabled: true, ...beat });
    },
  ],
  [
    8,
    'a run with a definition that nobody wrote',
    /ran another definition than command command-import/,
    ({ runs }) => {
      runs.beat1.run.definition = edited({ ...beat, action: { kind: 'http', url: `${SERVER}/other` } });
    },
  ],
  [
    8,
    'an acknowledged setting that is not there',
    /maxConcurrent is stored as 8; command command-limit set it to 3/,
    ({ history }) => {
      history.ledger.settings = [{ name: 'settings', maxConcurrent: 8 }];
    },
  ],
  [
    8,
    'a row that was read and is gone',
    /was read at .*, and is not in the export/,
    ({ history, runs }) => {
      remove(history.ledger.runs, runs.beat2.run);
    },
  ],
  [
    8,
    'a row that could not be read',
    /1 rows could not be read/,
    ({ history }) => {
      history.ledger.quarantined = 1;
    },
  ],
])('Invariant %i', (invariant, what, sentence, break_) => {
  test(`is broken by ${what}`, () => {
    const found = after(break_).violations.filter((violation) => violation.invariant === invariant);
    expect(found.map((violation) => violation.what).join('\n')).toMatch(sentence);
  });
});

/** A run of the post by hand at `at`, with its operation and its command. */
function byHand({ history }: Life, commandId: string, fence: number, at: number): Made {
  const made_ = ran(POST, post, fence, [at, at, at + 100], {
    host: { id: 'host-2', kind: 'shared-worker', build: 'two' },
    occurrence: `${POST}!${commandId}`,
    cause: 'manual',
    effect: 'sent',
  });
  history.ledger.commands.push({ id: commandId, at });
  history.operations.push({
    kind: 'run-now',
    commandId,
    sentAt: at - 10,
    answeredAt: at + 10,
    automationId: POST,
    answer: { kind: 'claimed', run: { id: made_.run.id, fence } },
  });
  return made_;
}

describe.each<readonly [string, (life: Life) => void]>([
  ['an automation that paused itself after its last failure', (life) => failsOnce(life)],
  [
    'an automation that paused itself, and that a person resumed',
    (life) => {
      failsOnce(life);
      life.history.operations.push({
        kind: 'set-enabled',
        commandId: 'command-again',
        sentAt: T + 10_490,
        answeredAt: T + 10_510,
        automationIds: [FAILING],
        enabled: true,
        answer: { kind: 'done' },
      });
      life.history.ledger.commands.push({ id: 'command-again', at: T + 10_500 });
      Object.assign(automation(life, FAILING), { enabled: true, revision: 2, pausedFrom: undefined });
      life.history.ledger.agenda.push(pendingAt(FAILING, T + 11_000));
    },
  ],
  [
    'the request of an interrupted run that is open beside its successor for as long as the network takes',
    ({ runs }) => {
      runs.beat3.hit.closedAt = T + 7_000;
    },
  ],
  [
    'the request of a hung host, for any time',
    ({ runs }) => {
      const { run, hit } = runs.beat3;
      run.status = 'timed-out';
      // Its deadline had passed a minute before it was ended: seconds stand for minutes here.
      run.definition = edited({ ...beat, rules: { timeoutMs: -57_000 } });
      hit.closedAt = null;
    },
  ],
  [
    'the request of an interrupted run that goes on where the engine takes none back',
    ({ history, runs }) => {
      history.takesRequestsBack = false;
      runs.beat3.hit.closedAt = T + 10_000;
    },
  ],
  [
    'the request of an interrupted run that is open for as long as a slow machine takes to notice',
    ({ history, runs }) => {
      history.slow = [{ from: T + 6_500, until: T + 9_000, pace: 0.2 }];
      runs.beat3.hit.closedAt = T + 9_000;
    },
  ],
  [
    'a recovery that took long because the machine was busy with other things',
    ({ history, runs }) => {
      history.slow = [{ from: T + 6_300, until: T + 7_400, pace: 0.5 }];
      runs.post1.run.settledAt = T + 7_400;
    },
  ],
  [
    'an effect that a dead host had sent, and that the server could not look at before',
    ({ history, runs }) => {
      // Two ways to have measured the same.
      history.slow = [
        { from: T + 6_000, until: T + 10_000, pace: 0.5 },
        { from: T + 6_500, until: T + 9_500, pace: 0 },
      ];
      Object.assign(runs.beat3.hit, { startedAt: T + 9_600, closedAt: T + 9_700 });
    },
  ],
  [
    'an occurrence that has been due for long, whose turn came when the run before it had ended',
    (life) => {
      const { history, runs } = life;
      history.ledger.at = T + 25_000;
      for (const host of history.hosts) host.lastSeenAt = T + 25_100;
      Object.assign(runs.slow8.run, { settledAt: T + 20_000 });
      Object.assign(runs.slow8.hit, { answeredAt: T + 19_980, closedAt: T + 19_981 });
      history.ledger.agenda = [pendingAt(BEAT, T + 26_000), pendingAt(SLOW, T + 12_000)];
      history.ledger.runs.push(unrun(BEAT, [T + 12_000, T + 24_000, 7], T + 24_500) as Writable<RunRow>);
    },
  ],
  [
    'an occurrence for which there was no room until just now',
    (life) => {
      const { history, runs } = life;
      history.ledger.at = T + 25_000;
      for (const host of history.hosts) host.lastSeenAt = T + 25_100;
      Object.assign(runs.slow8.run, { settledAt: T + 24_500 });
      Object.assign(runs.slow8.hit, { answeredAt: T + 24_480, closedAt: T + 24_481 });
      Object.assign(operation(life, 'save-settings'), {
        ...{ sentAt: T + 10_950, answeredAt: T + 10_970, maxConcurrent: 1 },
      });
      history.ledger.commands.push({ id: 'command-limit', at: T + 10_960 });
      history.ledger.commands = history.ledger.commands.filter(({ at }) => at !== T + 7_600);
      history.ledger.settings = [{ name: 'settings', maxConcurrent: 1 }];
    },
  ],
  [
    'two claims in one millisecond, which fill what room there is',
    (life) => {
      life.history.maxConcurrentAtFirst = 3;
      // Which of them was first cannot be told from the ledger; either way the first found room.
      for (const { run, hit } of [life.runs.beat3, life.runs.post1]) {
        run.id = idAt(T + 3_183);
        hit.runId = run.id;
        hit.startedAt = T + 3_200;
      }
      operation(life, 'run-now').answer = { kind: 'claimed', run: { id: life.runs.post1.run.id, fence: 1 } };
    },
  ],
  [
    'a claim by the old definition while the edit was under way',
    (life) => {
      const { beat8 } = life.runs;
      Object.assign(operation(life, 'save'), { answeredAt: T + 8_010 });
      beat8.run.revision = 1;
      beat8.run.definition = edited({ enabled: true, ...beat });
    },
  ],
  [
    'an edit that was carried out and never answered',
    (life) => {
      Object.assign(operation(life, 'save'), { answeredAt: null, answer: null });
    },
  ],
  [
    'an edit that was neither carried out nor answered',
    ({ history }) => {
      history.operations.push({
        kind: 'save',
        commandId: 'command-lost',
        sentAt: T + 3_190,
        answeredAt: null,
        automationId: SLOW,
        definition: edited({ ...slow, name: 'Never' }),
        answer: null,
      });
    },
  ],
  [
    'an instant that is due at the very end and still in the agenda',
    ({ history }) => {
      history.ledger.at = T + 12_050;
      for (const host of history.hosts.slice(1)) host.lastSeenAt = T + 12_100;
    },
  ],
  [
    'an effect that was marked and sent after the ledger had been exported',
    (life) => {
      const { run, hit } = byHand(life, 'command-late', 2, T + 10_995);
      run.status = 'running';
      run.lease = `rota/automation/${POST}/0`;
      delete run.settledAt;
      delete run.effect;
      hit.startedAt = T + 11_005;
      add(life, { run, hit });
    },
  ],
  [
    'a person who says of a run that may have happened that it is to run again',
    (life) => {
      const { run } = life.runs.post1;
      life.history.sightings.push({ at: T + 6_600, row: without(run, {}) });
      run.answer = { said: 'run-again', at: T + 6_650 };
      add(
        life,
        ran(POST, post, 2, [T + 3_000, T + 6_700, T + 6_800], {
          host: { id: 'host-2', kind: 'shared-worker', build: 'two' },
          occurrence: run.occurrence,
          cause: 'manual',
          attempt: 2,
          effect: 'sent',
        }),
      );
    },
  ],
  [
    'runs that a retiring host left behind',
    ({ history, runs }) => {
      const [first] = history.hosts;
      if (first === undefined) throw new Error('no host');
      history.kills = [];
      first.retiredAt = T + 3_200;
      first.lastSeenAt = T + 6_300;
      for (const { hit } of [runs.beat3, runs.post1, runs.slow2]) hit.closedAt = T + 6_300;
    },
  ],
  [
    'a recovery that took long because the first host to start was killed as well',
    ({ history, runs }) => {
      history.hosts.push({
        id: 'host-3',
        build: 'one',
        startedAt: T + 4_000,
        lastSeenAt: T + 4_000,
        retiredAt: null,
      });
      history.kills.push({ what: 'process', at: T + 4_500, doneBy: T + 4_500, hosts: ['host-3'] });
      expect(runs.beat3.run.settledAt).toBe(T + 6_400);
    },
  ],
  [
    'a recovery that took long beside a host that had been asked to retire, and was killed later',
    ({ history, runs }) => {
      history.hosts.push({
        id: 'host-3',
        build: 'one',
        startedAt: T + 150,
        lastSeenAt: T + 2_000,
        retiredAt: T + 2_000,
      });
      history.kills.push({ what: 'browser', at: T + 5_500, doneBy: T + 5_500, hosts: ['host-3'] });
      expect(runs.beat3.run.settledAt).toBe(T + 6_400);
    },
  ],
  [
    'an automation that was removed, with what was pending of it',
    (life) => {
      const { history } = life;
      history.ledger.automations = history.ledger.automations.filter(({ id }) => id !== SLOW);
      history.ledger.agenda = history.ledger.agenda.filter((row) => row.automationId !== SLOW);
      history.operations.push({
        kind: 'remove',
        commandId: 'command-remove',
        sentAt: T + 10_940,
        answeredAt: T + 10_960,
        automationId: SLOW,
        answer: { kind: 'done' },
      });
      history.ledger.commands.push({ id: 'command-remove', at: T + 10_950 });
    },
  ],
  [
    'an automation that was imported paused and never enabled',
    ({ history }) => {
      const asleep = { ...beat, enabled: false };
      const id = '00000000-0000-4000-8000-00000000000d';
      history.operations.push({
        kind: 'import',
        commandId: 'command-asleep',
        sentAt: T + 990,
        answeredAt: T + 1_010,
        automations: [{ id, definition: edited(asleep) }],
        answer: { kind: 'imported', ids: [id] },
      });
      history.ledger.commands.push({ id: 'command-asleep', at: T + 1_000 });
      history.ledger.automations.push({ id, revision: 1, fence: 0, ...edited(asleep) });
    },
  ],
])('No violation is', (what, change) => {
  test(what, () => {
    expect(after(change).violations).toEqual([]);
  });
});

test('What cannot be judged is said, and is not passed over', () => {
  const { unjudged } = after((life) => {
    const save = operation(life, 'import');
    const [, , third] = save.automations;
    if (third !== undefined)
      third.definition.schedule = { kind: 'cron', expression: '*/2 * * * * *', timeZone: 'Europe/Berlin' };
  });
  expect(unjudged).toEqual([expect.stringMatching(/another zone than UTC/)]);
});
