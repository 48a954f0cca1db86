/** Histories in which the hosts' clock is set, or nothing can be stored for a while. */
import { describe, expect, test } from 'vitest';
import { HostClock } from './clock.ts';
import { checkHistory } from './history.ts';
import type { Definition, History, Hit, Jump, RunRow } from './record.ts';

/** Noon, by the machine's clock. */
const T = Date.UTC(2026, 0, 1, 12);
const HOUR = 3_600_000;
const SERVER = 'http://127.0.0.1:4000';
const BEAT = '00000000-0000-4000-8000-00000000000a';
const beat: Definition = {
  name: 'Every second',
  enabled: true,
  schedule: { kind: 'every', everyMs: 1_000, anchor: 0 },
  action: { kind: 'http', url: `${SERVER}/beat` },
};

const jumpAt = (at: number, aheadMs: number): Jump => ({ at: T + at, doneBy: T + at + 20, aheadMs });

/** A life in which only {@link BEAT} runs. Rows are told in seconds of the machine's clock after noon. */
class Life {
  readonly hits: Hit[] = [];
  readonly runs: RunRow[] = [];
  readonly clock: HostClock;
  #made = 0;

  constructor(readonly jumps: readonly Jump[]) {
    this.clock = new HostClock(jumps);
  }

  /** What the hosts' clock showed. */
  host(at: number): number {
    return this.clock.hostAt(T + at);
  }

  #id(at: number): string {
    const hex = (time: number): string => time.toString(16).padStart(12, '0');
    const host = hex(this.host(at));
    this.#made += 1;
    return `${host.slice(0, 8)}-${host.slice(8)}-7000-8${this.#made.toString().padStart(3, '0')}-${hex(T + at)}`;
  }

  /** A run made at `from` and settled at `to`, for `due` by the hosts' clock. */
  ran(due: number, from: number, to: number, more: Partial<RunRow> = {}): RunRow {
    const run: RunRow = {
      id: this.#id(from),
      automationId: BEAT,
      occurrence: `${BEAT}@${due}`,
      scheduledFor: due,
      cause: 'schedule',
      attempt: 1,
      status: 'succeeded',
      claimedAt: this.host(from - 2),
      startedAt: this.host(from - 2),
      settledAt: Math.max(this.host(from - 2), this.host(to)),
      host: { id: 'host-1', kind: 'shared-worker', build: 'one' },
      fence: this.runs.filter(({ fence }) => fence !== undefined).length + 1,
      revision: 1,
      definition: beat,
      ...more,
    };
    this.runs.push(run);
    this.hits.push({
      runId: run.id,
      automationId: BEAT,
      occurrence: run.occurrence,
      attempt: 1,
      startedAt: T + from + 10,
      answeredAt: T + to - 5,
      closedAt: T + to - 4,
    });
    return run;
  }

  /** Instants by the hosts' clock that got no run, accounted for at `at`. */
  missed(from: number, to: number, at: number): void {
    this.runs.push({
      id: this.#id(at),
      automationId: BEAT,
      occurrence: `${BEAT}@${to}`,
      scheduledFor: to,
      cause: 'schedule',
      attempt: 1,
      status: 'missed',
      reason: 'asleep',
      claimedAt: this.host(at),
      settledAt: this.host(at),
      covers: { from, to, count: (to - from) / 1_000 + 1 },
    });
  }

  /** The life up to `end`, when `next` is in the agenda. */
  history(end: number, next: number, more: Partial<History> = {}): History {
    const fence = this.runs.filter((run) => run.fence !== undefined).length;
    const occurrence = `${BEAT}@${next}`;
    return {
      ledger: {
        at: T + end,
        automations: [{ id: BEAT, revision: 1, fence, ...beat }],
        agenda: [
          {
            key: `${occurrence}#1`,
            occurrence,
            automationId: BEAT,
            scheduledFor: next,
            dueAt: next,
            attempt: 1,
            cause: 'schedule',
          },
        ],
        runs: this.runs,
        commands: [{ id: 'import', at: this.host(500) }],
        settings: [],
        quarantined: 0,
      },
      operations: [
        {
          commandId: 'import',
          sentAt: T + 490,
          answeredAt: T + 510,
          kind: 'import',
          automations: [{ id: BEAT, definition: beat }],
          answer: { kind: 'imported', ids: [BEAT] },
        },
      ],
      sightings: [],
      hosts: [{ id: 'host-1', build: 'one', startedAt: T, lastSeenAt: T + end + 100, retiredAt: null }],
      jumps: this.jumps,
      fullSpans: [],
      slow: [],
      takesRequestsBack: true,
      kills: [],
      engine: 'chromium',
      tabs: 1,
      leftOut: [],
      maxConcurrentAtFirst: 8,
      server: SERVER,
      hits: this.hits,
      ...more,
    };
  }
}

const told = (history: History): readonly string[] =>
  checkHistory(history).violations.map(({ invariant, what }) => `${invariant}: ${what}`);

describe('A clock that was set on by an hour', () => {
  /** Runs at one and two seconds; then an hour is gone. */
  const begun = (): Life => {
    const life = new Life([jumpAt(2_500, HOUR)]);
    life.ran(T + 1_000, 1_010, 1_100);
    life.ran(T + 2_000, 2_010, 2_100);
    return life;
  };

  test('passes with the hour accounted for', () => {
    const life = begun();
    life.missed(T + 3_000, T + HOUR + 1_000, 2_600);
    life.ran(T + HOUR + 2_000, 2_650, 2_700);
    life.ran(T + HOUR + 3_000, 3_010, 3_100);
    expect(told(life.history(3_500, T + HOUR + 4_000))).toEqual([]);
  });

  test('is found out where the hour is in no row', () => {
    const life = begun();
    life.ran(T + HOUR + 2_000, 2_650, 2_700);
    life.ran(T + HOUR + 3_000, 3_010, 3_100);
    expect(told(life.history(3_500, T + HOUR + 4_000))).toHaveLength(3_599);
  });
});

describe('A clock that was set back by ten seconds', () => {
  const begun = (): Life => {
    const life = new Life([jumpAt(2_500, -10_000)]);
    life.ran(T + 1_000, 1_010, 1_100);
    return life;
  };

  test('passes when nothing runs until it has caught up, also under a run that goes on', () => {
    const life = begun();
    life.ran(T + 2_000, 2_010, 3_000);
    life.ran(T + 3_000, 13_010, 13_100);
    expect(told(life.history(13_500, T + 4_000))).toEqual([]);
  });

  test('is found out before it has caught up where an instant of before is in no row', () => {
    const life = begun();
    expect(told(life.history(3_500, T + 3_000))).toEqual([
      expect.stringMatching(/^4: The instant 12:00:02.000 .* is in no run/),
    ]);
  });

  test('is found out where an instant has run twice', () => {
    const life = begun();
    life.ran(T + 2_000, 2_010, 2_100);
    life.ran(T + 2_000, 12_010, 12_100);
    expect(told(life.history(12_500, T + 3_000))).toEqual([
      expect.stringMatching(/^1: Attempt 1 at .* has 2 rows/),
      expect.stringMatching(/^4: The instant .* is in 2 rows/),
    ]);
  });

  test('is found out where two runs overlap that do not by what their rows say', () => {
    const life = new Life([jumpAt(1_500, -10_000)]);
    const first = life.ran(T + 1_000, 1_010, 11_300);
    life.ran(T + 2_000, 12_010, 12_100);
    expect(told(life.history(12_500, T + 3_000))).toEqual([]);
    // Its request was answered after the next one had come in.
    const [hit] = life.hits;
    life.hits[0] = { ...hit, answeredAt: T + 12_050, closedAt: T + 12_050 } as Hit;
    life.runs[0] = { ...first, settledAt: life.host(12_060) };
    expect(told(life.history(12_500, T + 3_000))).toEqual([
      expect.stringMatching(/^2: run .* was claimed/),
      expect.stringMatching(/^2: When the request/),
    ]);
  });
});

describe('A clock that was set back by five hours', () => {
  const back = (at: number): number => T + at - 5 * HOUR;
  const begun = (): Life => {
    const life = new Life([jumpAt(2_500, -5 * HOUR)]);
    life.ran(T + 1_000, 1_010, 1_100);
    life.ran(T + 2_000, 2_010, 2_100);
    return life;
  };

  test('passes when the agenda starts anew from what it shows', () => {
    const life = begun();
    life.ran(back(3_000), 3_010, 3_100);
    life.ran(back(4_000), 4_010, 4_100);
    expect(told(life.history(4_500, back(5_000)))).toEqual([]);
  });

  test('passes when hosts notice only after one hour more, and it then goes on and back again', () => {
    const life = new Life([
      jumpAt(2_500, -5 * HOUR),
      jumpAt(2_600, -6 * HOUR),
      jumpAt(4_500, -5 * HOUR),
      jumpAt(6_500, -6 * HOUR),
    ]);
    life.ran(T + 1_000, 1_010, 1_100);
    life.ran(T + 2_000, 2_010, 2_100);
    life.ran(back(3_000) - HOUR, 3_010, 3_100);
    life.ran(back(4_000) - HOUR, 4_010, 4_100);
    life.missed(back(5_000) - HOUR, back(4_000), 4_600);
    life.ran(back(5_000), 5_010, 5_100);
    life.ran(back(6_000), 6_010, 6_100);
    expect(told(life.history(7_500, back(7_000)))).toEqual([]);
  });

  test('is found out where there is a gap after that', () => {
    const life = begun();
    life.ran(back(3_000), 3_010, 3_100);
    life.ran(back(5_000), 5_010, 5_100);
    expect(told(life.history(5_500, back(6_000)))).toEqual([
      expect.stringMatching(/^4: The instant 07:00:04.000 .* is in no run/),
    ]);
  });

  test.each([
    ['lets an instant run that was only part of a stretch before', -5 * HOUR, 0],
    ['is found out where it was not set back that far', 0, 1],
  ])('%s', (_, aheadMs, violations) => {
    // On by five hours, and then back to where it was.
    const life = new Life([jumpAt(2_500, 5 * HOUR), jumpAt(4_000, 5 * HOUR + aheadMs)]);
    life.ran(T + 1_000, 1_010, 1_100);
    life.ran(T + 2_000, 2_010, 2_100);
    life.missed(T + 3_000, T + 5 * HOUR + 1_000, 2_600);
    life.ran(T + 5 * HOUR + 2_000, 2_650, 2_700);
    life.ran(T + 5 * HOUR + 3_000, 3_010, 3_100);
    life.ran(T + 5_000, 5_010, 5_100);
    const doubled = told(life.history(5_500, T + 6_000)).filter((what) => what.includes('is in 2 rows'));
    expect(doubled).toHaveLength(violations);
  });
});

describe('What a person said is to run again, and a clock that is set back before it has', () => {
  /** Says so at three seconds, and the clock goes back by `backMs` right after. */
  const told_ = (backMs: number, cause = 'manual'): readonly string[] => {
    const life = new Life([jumpAt(3_200, -backMs)]);
    const mayHaveHappened = true;
    const answer = { said: 'run-again', at: T + 3_000 };
    const occurrence = `${BEAT}!by-hand`;
    const more = { occurrence, scheduledFor: T + 2_000, mayHaveHappened, answer };
    life.ran(T + 2_000, 2_010, 2_100, { ...more, status: 'interrupted', effect: 'sending' });
    life.ran(T + 2_000, 3_300, 3_400, { occurrence, cause, attempt: 2, effect: 'sent' });
    return told(life.history(3_500, life.host(4_000))).filter((what) => what.includes('before its repeat'));
  };

  test('runs at once where it went back by hours', () => {
    expect(told_(5 * HOUR)).toEqual([]);
  });

  test('is found out where it went back by less, or nobody had said so', () => {
    expect(told_(HOUR)).toHaveLength(1);
    expect(told_(5 * HOUR, 'retry')).toHaveLength(1);
  });
});

describe('A repeat by its rule, and a clock that is set back before it is due', () => {
  /** A run fails at two seconds, is to be repeated three seconds later, and the clock goes back by `backMs` in between. */
  const told_ = (backMs: number): readonly string[] => {
    const life = new Life(backMs === 0 ? [] : [jumpAt(3_200, -backMs)]);
    const occurrence = `${BEAT}!by-hand`;
    const more = { occurrence, scheduledFor: T + 2_000, retryAt: T + 5_100 };
    life.ran(T + 2_000, 2_010, 2_100, { ...more, status: 'interrupted' });
    life.ran(T + 2_000, 3_300, 3_400, { occurrence, cause: 'retry', attempt: 2 });
    return told(life.history(3_500, life.host(4_000))).filter((what) => what.includes('before its repeat'));
  };

  test('keeps its distance by the clock that then is, where that went back by hours', () => {
    expect(told_(5 * HOUR)).toEqual([]);
  });

  test('is found out before its time where the clock went back by less, or was not touched', () => {
    expect(told_(HOUR)).toHaveLength(1);
    expect(told_(0)).toHaveLength(1);
  });
});

describe('A pause, a clock that is set on by six hours in it and then back, and an edit that leaves the schedule', () => {
  /** What is told when it was set back by so much and what is owed begins at `pausedFrom` in the end. */
  const paused = (backMs: number, pausedFrom: (life: Life) => number): readonly string[] => {
    const life = new Life([jumpAt(3_500, 6 * HOUR), jumpAt(4_500, 6 * HOUR - backMs)]);
    life.ran(T + 1_000, 1_010, 1_100);
    life.ran(T + 2_000, 2_010, 2_100);
    const { ledger, operations, ...rest } = life.history(8_000, 0);
    return told({
      ...rest,
      ledger: {
        ...ledger,
        automations: ledger.automations.map((row) => ({
          ...row,
          enabled: false,
          name: 'Beat',
          revision: 3,
          pausedFrom: pausedFrom(life),
        })),
        agenda: [],
        commands: [
          ...ledger.commands,
          { id: 'pause', at: T + 2_500 },
          { id: 'rename', at: life.host(5_000) },
        ],
      },
      operations: [
        ...operations,
        {
          kind: 'set-enabled',
          commandId: 'pause',
          sentAt: T + 2_490,
          answeredAt: T + 2_510,
          automationIds: [BEAT],
          enabled: false,
          answer: { kind: 'done' },
        },
        {
          kind: 'save',
          commandId: 'rename',
          sentAt: T + 4_990,
          answeredAt: T + 5_010,
          automationId: BEAT,
          definition: { ...beat, name: 'Beat', enabled: false },
          answer: { kind: 'saved', revision: 3 },
        },
      ],
    });
  };

  test('owes from where it was paused when that is not hours ahead', () => {
    expect(paused(7 * HOUR, () => T + 3_000)).toEqual([]);
  });

  test('owes from what the clock then shows when that is hours before, and is found out where it does not', () => {
    expect(paused(11 * HOUR, (life) => life.host(5_000))).toEqual([]);
    expect(paused(11 * HOUR, () => T + 3_000)).toContainEqual(
      expect.stringMatching(/^4: The instant .* is in no run/),
    );
  });
});

test('A paused automation whose clock went back by hours twice owes from what it shows since', () => {
  const life = new Life([jumpAt(3_500, -5 * HOUR), jumpAt(4_500, -10 * HOUR)]);
  life.ran(T + 1_000, 1_010, 1_100);
  life.ran(T + 2_000, 2_010, 2_100);
  const set = { kind: 'set-enabled', automationIds: [BEAT], answer: { kind: 'done' } } as const;
  life.missed(life.host(5_000), life.host(7_000), 7_520);
  life.ran(life.host(8_000), 8_010, 8_100, { revision: 3 });
  const { ledger, operations, ...rest } = life.history(8_500, life.host(9_000));
  const history = {
    ...rest,
    ledger: {
      ...ledger,
      automations: ledger.automations.map((row) => ({ ...row, revision: 3 })),
      commands: [...ledger.commands, { id: 'pause', at: T + 2_500 }, { id: 'resume', at: life.host(7_510) }],
    },
    operations: [
      ...operations,
      { ...set, enabled: false, commandId: 'pause', sentAt: T + 2_490, answeredAt: T + 2_510 },
      { ...set, enabled: true, commandId: 'resume', sentAt: T + 7_490, answeredAt: T + 7_530 },
    ],
  };
  expect(told(history)).toEqual([]);
});

describe('While nothing can be stored', () => {
  /** A run whose host dies at two seconds and that is settled by another at `settled`. */
  const recovered = (settled: number, fullSpans: History['fullSpans']): readonly string[] => {
    const life = new Life([]);
    const time = (T + 1_003).toString(16).padStart(12, '0');
    const run = life.ran(T + 1_000, 1_003, settled, {
      id: `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-000000000001`,
      status: 'interrupted',
    });
    life.hits.splice(0, 1, { ...life.hits[0], runId: run.id, answeredAt: null, closedAt: T + 2_000 } as Hit);
    return told(
      life.history(1_500, T + 2_000, {
        fullSpans,
        kills: [{ what: 'process', at: T + 2_000, doneBy: T + 2_010, hosts: ['host-1'] }],
        hosts: [
          { id: 'host-1', build: 'one', startedAt: T, lastSeenAt: T + 1_900, retiredAt: null },
          { id: 'host-2', build: 'one', startedAt: T, lastSeenAt: T + 60_000, retiredAt: null },
        ],
      }),
    );
  };

  test('a dead host leaves its run active, and for a moment after', () => {
    expect(recovered(2_200, [])).toEqual([]);
    expect(recovered(9_000, [])).toEqual([expect.stringMatching(/^6: .* was active when its host/)]);
    expect(recovered(9_000, [{ from: T + 1_500, until: T + 5_000 }])).toEqual([]);
    expect(recovered(19_000, [{ from: T + 1_500, until: T + 5_000 }])).toHaveLength(1);
    // Full at another time is no excuse.
    expect(recovered(9_000, [{ from: T + 20_000, until: T + 25_000 }])).toHaveLength(1);
  });
});
