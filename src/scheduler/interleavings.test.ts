/**
 * Two to four hosts over one ledger, one lock manager and one channel, where everything that crosses between a host and
 * the platform arrives in an order that fast-check draws and shrinks: calls of storage and their answers, locks asked
 * for, granted and let go, hints, requests and responses, and deaths in between.
 */
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type AutomationId,
  DUTY_LOCK,
  type DefinitionInput,
  type DurationMs,
  type Occurrence,
  type RunRow,
  agendaKey,
  manualOccurrence,
} from '../domain/index.ts';
import type { RunNowResult } from '../rpc/index.ts';
import { Retired } from './dispatcher.ts';
import {
  FakeBrowser,
  type FakeHost,
  MONDAY,
  type Order,
  getting,
  posting,
  save,
} from './fake-world.testing.ts';

const DUE = MONDAY + 60_000;
/** Long enough for every retry and every tick that a lost hint leaves to the alarm. */
const HORIZON_MS = 300_000;
/** Far more than any history that comes to an end needs. */
const STEPS_MOST = 20_000;

/** What happens to a host in the middle. */
interface Fate {
  readonly kind: 'dies' | 'retires';
  /** After so many arrivals. */
  readonly after: number;
}

interface Story {
  readonly automations: readonly {
    readonly repeatable: boolean;
    readonly overlap: 'skip' | 'queue' | 'replace' | 'parallel';
    /** How often the server answers 500 before it answers 204, and how long it takes. */
    readonly failures: number;
    readonly takes: DurationMs;
    /** Whether its occurrence falls due, and how many people press Run now, each at a host of their own. */
    readonly due: boolean;
    readonly pressed: number;
    /** Whether the first press is repeated at another host, because its answer was lost. */
    readonly repeated: boolean;
  }[];
  readonly maxConcurrent: number;
  readonly hosts: number;
  readonly fates: readonly Fate[];
  /** After how many arrivals a person cancels what runs, at which host. */
  readonly cancels: readonly { readonly after: number; readonly host: number }[];
  /** How often a timer fires before all that is under way has arrived. */
  readonly hurry: number;
  readonly losesHints: boolean;
}

const stories = (): fc.Arbitrary<Story> =>
  fc.record({
    automations: fc.array(
      fc.record({
        repeatable: fc.boolean(),
        overlap: fc.constantFrom('skip', 'queue', 'replace', 'parallel'),
        failures: fc.nat({ max: 1 }),
        takes: fc.constantFrom(0, 0, 50, 400),
        due: fc.boolean(),
        pressed: fc.nat({ max: 2 }),
        repeated: fc.boolean(),
      }),
      { minLength: 1, maxLength: 3 },
    ),
    maxConcurrent: fc.integer({ min: 1, max: 3 }),
    hosts: fc.integer({ min: 2, max: 4 }),
    fates: fc.array(fc.record({ kind: fc.constantFrom('dies', 'retires'), after: fc.nat({ max: 80 }) }), {
      maxLength: 2,
    }),
    cancels: fc.array(fc.record({ after: fc.nat({ max: 60 }), host: fc.nat({ max: 3 }) }), { maxLength: 1 }),
    hurry: fc.nat({ max: 25 }),
    losesHints: fc.boolean(),
  });

/** Lets everything through until it is given to a scheduler. */
class Gate implements Order {
  scheduler: fc.Scheduler | null = null;
  pass(label: string): Promise<void> {
    return this.scheduler === null
      ? new Promise((resolve) => setImmediate(resolve))
      : this.scheduler.schedule(Promise.resolve(), label);
  }
}

const PARALLEL = 2;

function definitionOf(story: Story['automations'][number], url: string): DefinitionInput {
  const overlap =
    story.overlap === 'parallel' ? { kind: story.overlap, limit: PARALLEL } : { kind: story.overlap };
  return getting(url, {
    schedule: story.due ? { kind: 'once', at: DUE } : { kind: 'manual' },
    ...(story.repeatable ? {} : { action: posting(url) }),
    rules: { overlap, retry: { attempts: 3, firstDelayMs: 100, factor: 1 } },
  });
}

/** What a person who pressed Run now was told. */
interface Press {
  readonly occurrence: Occurrence;
  readonly answer: RunNowResult;
}

interface Told {
  readonly presses: readonly Press[];
  readonly errors: readonly unknown[];
  readonly browser: FakeBrowser;
  readonly ids: readonly AutomationId[];
  readonly rows: readonly RunRow[];
}

/** Plays `story` in the order of `scheduler` until nothing is left to happen. */
async function tell(story: Story, scheduler: fc.Scheduler): Promise<Told> {
  const gate = new Gate();
  const browser = new FakeBrowser({ order: gate });
  const hosts: FakeHost[] = [];
  for (let n = 0; n < story.hosts; n++) hosts.push(await browser.start());
  const [first] = hosts;
  if (first === undefined) throw new Error('no host');
  await first.calls.saveSettings({ settings: { maxConcurrent: story.maxConcurrent } });
  const ids: AutomationId[] = [];
  const failures = new Map<string, number>();
  for (const [index, automation] of story.automations.entries()) {
    const url = `https://server.test/${index}`;
    failures.set(url, automation.failures);
    ids.push(await save(first, definitionOf(automation, url)));
  }
  await browser.advance(DUE - MONDAY - 1);

  browser.server.respond = async ({ url }) => {
    const takes = story.automations[Number(url.at(-1))]?.takes ?? 0;
    if (takes > 0) await new Promise<void>((resolve) => void browser.clock.setTimer({}, takes, resolve));
    await gate.pass(`the server answers ${url}`);
    const left = failures.get(url) ?? 0;
    failures.set(url, left - 1);
    return new Response(null, { status: left > 0 ? 500 : 204 });
  };
  if (story.losesHints) browser.loses = (hint) => hint.topic !== 'host';
  gate.scheduler = scheduler;
  browser.clock.step(1);
  const presses: Press[] = [];
  const errors: unknown[] = [];
  for (const [index, { pressed, repeated }] of story.automations.entries()) {
    const id = ids[index];
    if (id === undefined) throw new Error('not saved');
    const commands = Array.from({ length: pressed }, () => browser.commandId());
    const [lost] = commands;
    if (repeated && lost !== undefined) commands.push(lost);
    for (const [n, commandId] of commands.entries()) {
      const host = hosts[n % hosts.length] ?? first;
      // A host that dies never answers; one that retires refuses.
      const occurrence = manualOccurrence(id, commandId);
      void gate.pass(`Run now of ${index} at ${host.name}`).then(async () => {
        try {
          presses.push({ occurrence, answer: await host.calls.runNow({ commandId, id }) });
        } catch (error) {
          if (!(error instanceof Retired)) errors.push(error);
        }
      });
    }
  }
  // The last host lives, whatever happens to the others.
  for (const [index, { kind, after }] of story.fates.slice(0, hosts.length - 1).entries()) {
    const host = hosts[index] ?? first;
    happens(scheduler, after, `${host.name} ${kind}`, () => {
      if (kind === 'dies') host.kill();
      else void host.host.retire(1_000);
    });
  }
  for (const { after, host: index } of story.cancels) {
    const host = hosts[index % hosts.length] ?? first;
    happens(scheduler, after, `a person cancels at ${host.name}`, () => {
      void host.calls.status().then(async ({ active: [run] }) => {
        if (run !== undefined) await host.calls.cancelRun({ runId: run.id });
      });
    });
  }
  void scheduler.scheduleSequence(
    Array.from({ length: story.hurry }, (_, n) => ({
      label: `time passes (${n})`,
      builder: () => {
        browser.clock.step(Math.min(browser.clock.untilNext() ?? 0, 1_000));
        return Promise.resolve();
      },
    })),
  );

  const until = browser.clock.monotonic() + HORIZON_MS;
  for (let steps = 0; ; steps++) {
    if (steps > STEPS_MOST) throw new Error('it never comes to an end');
    await browser.quiet();
    if (scheduler.count() > 0) {
      await scheduler.waitNext(1);
      continue;
    }
    if ((await settled(browser)) || browser.clock.monotonic() >= until) break;
    browser.clock.step(browser.clock.untilNext() ?? 1_000);
  }
  gate.scheduler = null;
  return { browser, ids, presses, errors, rows: await browser.runs() };
}

/** Lets `event` happen after `after` arrivals of its own, anywhere among those of all others. */
function happens(scheduler: fc.Scheduler, after: number, label: string, event: () => void): void {
  const arrivals = Array.from({ length: after }, () => () => Promise.resolve());
  const builder = (): Promise<void> => {
    event();
    return Promise.resolve();
  };
  void scheduler.scheduleSequence([...arrivals, { label, builder }]);
}

/** Whether nothing runs and nothing waits. */
async function settled(browser: FakeBrowser): Promise<boolean> {
  const reader = await browser.reader();
  return (await reader.listActive()).length === 0 && (await reader.nextAgendaRow()) === null;
}

/** Whether `row` ran when `skipped` was decided. */
function isBeside(row: RunRow, skipped: RunRow): boolean {
  if (row.automationId !== skipped.automationId || row === skipped) return false;
  return row.claimedAt <= skipped.claimedAt && 'settledAt' in row && row.settledAt >= skipped.claimedAt;
}

function byOccurrence(rows: readonly RunRow[]): ReadonlyMap<string, readonly RunRow[]> {
  const found = new Map<string, RunRow[]>();
  for (const row of rows) found.set(row.occurrence, [...(found.get(row.occurrence) ?? []), row]);
  return found;
}

/** How many stories are told; more on demand. */
const STORIES = Number(process.env['ROTA_INTERLEAVINGS'] ?? 120);

test('however what crosses is ordered, and whoever dies, each occurrence runs once and none is lost', async () => {
  await fc.assert(
    fc.asyncProperty(stories(), fc.scheduler(), async (story, scheduler) => {
      const { browser, ids, presses, errors, rows } = await tell(story, scheduler);
      const reader = await browser.reader();

      // 1. One row for each occurrence and attempt; attempts follow each other, and only the last has no successor.
      const keys = rows.map(({ occurrence, attempt }) => agendaKey(occurrence, attempt));
      expect(new Set(keys).size).toBe(keys.length);
      const attempts = byOccurrence(rows);
      for (const runs of attempts.values()) {
        const sorted = [...runs].sort((a, b) => a.attempt - b.attempt);
        expect(sorted.map(({ attempt }) => attempt)).toEqual(sorted.map((_, index) => index + 1));
        for (const run of sorted.slice(0, -1)) expect(run).toHaveProperty('retryAt');
        expect(sorted.at(-1)).not.toHaveProperty('retryAt');
      }

      // 2. Nothing is left: no active row, no agenda row, and each due occurrence and each accepted press has its rows.
      expect(await reader.listActive()).toEqual([]);
      expect(await reader.nextAgendaRow()).toBe(null);
      for (const [index, { due }] of story.automations.entries()) {
        const scheduled = [...attempts.keys()].filter((occurrence) => occurrence === `${ids[index]}@${DUE}`);
        expect(scheduled).toHaveLength(due ? 1 : 0);
      }

      for (const { occurrence, answer } of presses) {
        const isPromised =
          answer.kind === 'claimed' ||
          answer.kind === 'at-capacity' ||
          (answer.kind === 'already-active' && answer.queued);
        expect(attempts.has(occurrence)).toBe(isPromised);
      }

      // 3. Nobody ends the run of a host that lives, and nothing is skipped beside nothing.
      const dead = new Set(browser.hosts.filter(({ alive }) => !alive).map(({ id }) => id));
      for (const row of rows) {
        if (row.status === 'interrupted') expect(dead).toContain(row.host.id);
        if (row.status === 'skipped') expect(rows.some((other) => isBeside(other, row))).toBe(true);
      }

      // 4. Never more of one automation's actions, or of all, in flight at once than its rule and the limit allow.
      for (const [index, { overlap }] of story.automations.entries()) {
        const most = browser.server.most.get(`https://server.test/${index}`) ?? 0;
        expect(most).toBeLessThanOrEqual(overlap === 'parallel' ? PARALLEL : 1);
      }
      expect(browser.server.most.get('all') ?? 0).toBeLessThanOrEqual(story.maxConcurrent);

      // 5. Each request belongs to one run, each run that succeeded has had one, and one that may have happened is not
      // repeated.
      for (const [index, { repeatable }] of story.automations.entries()) {
        const mine = rows.filter(({ automationId }) => automationId === ids[index]);
        const sent = browser.server.hits.filter(({ url }) => url === `https://server.test/${index}`).length;
        const ran = mine.filter(({ status }) => status !== 'missed' && status !== 'skipped').length;
        const answered = mine.filter(({ status }) => status === 'succeeded' || status === 'failed').length;
        expect(sent).toBeLessThanOrEqual(ran);
        expect(sent).toBeGreaterThanOrEqual(answered);
        if (repeatable) continue;
        const doubtful = mine.filter((row) => row.status === 'interrupted' && row.mayHaveHappened === true);
        for (const row of doubtful) expect(row).not.toHaveProperty('retryAt');
        const surely = mine.filter((row) => 'effect' in row).length;
        expect(sent).toBeLessThanOrEqual(surely);
      }

      // 6. Nothing is held, and nobody met an error.
      const lasting = ({ name }: { name: string }): boolean =>
        name.startsWith('rota/host/') || name === DUTY_LOCK;
      expect(browser.locks.held.filter((lock) => !lasting(lock))).toEqual([]);
      expect(browser.hosts.flatMap(({ complaints }) => complaints)).toEqual([]);
      expect(errors).toEqual([]);
    }),
    { numRuns: STORIES },
  );
}, 600_000);
