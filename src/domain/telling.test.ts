import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Automation } from './automation.ts';
import {
  type NotificationAbout,
  type OutboxRow,
  type WaitingNotification,
  isWaiting,
} from './notification.ts';
import type { QuietHours } from './quiet-hours.ts';
import { MONDAY, automation, automationId, runId } from './samples.testing.ts';
import { SCHEMA } from './schema.ts';
import { NOTIFICATIONS_KEPT, type Showing, decideRead, decideShown, decideTelling } from './telling.ts';
import { prepareTime } from './temporal.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from './time.ts';
import type { Write } from './writes.ts';

beforeAll(() => prepareTime({ polyfill: 'always' }));

const GATHERED = 4 * SECOND_MS;
const NIGHT: QuietHours = { from: '22:00', until: '07:00', timeZone: 'UTC', held: 'digest' };
/** Monday at noon, which is in no quiet hours. */
const NOON = MONDAY + 12 * HOUR_MS;

/** Notifications, and the world that they are shown in. */
class World {
  now = NOON;
  online = true;
  quiet: QuietHours | null = null;
  automations: Pick<Automation, 'id' | 'action' | 'recent'>[] = [];
  rows = new Map<string, OutboxRow>();
  #count = 0;

  /** Automation `of` tells of something. */
  tell(of: number, about: NotificationAbout, more: Partial<WaitingNotification> = {}): string {
    this.#count += 1;
    const run = runId(this.#count);
    const row: WaitingNotification = {
      id: `${run}/0`,
      schema: SCHEMA,
      kind: 'notification',
      automationId: automationId(of),
      automationName: `A${of}`,
      runId: run,
      title: `A${of} ${about}`,
      body: `It is ${about}.`,
      about,
      at: this.now,
      dueAt: about === 'said' ? this.now : this.now + GATHERED,
      ...more,
    };
    this.rows.set(row.id, row);
    return row.id;
  }

  /** Automation `of` asks `url`, and is known. */
  asks(of: number, url: string): void {
    this.automations.push({
      ...automation({ action: { kind: 'http', url } }),
      id: automationId(of),
      recent: [],
    });
  }

  reached(of: number, at = this.now): void {
    this.automations = this.automations.map((one) =>
      one.id === automationId(of)
        ? { ...one, recent: [{ id: runId(0), status: 'succeeded' as const, at }] }
        : one,
    );
  }

  look(): { readonly showings: readonly Showing[]; readonly again: number | null } {
    const { now, online, quiet, automations } = this;
    const rows = [...this.rows.values()];
    const { result, writes } = decideTelling({ rows, automations, quiet, zone: 'UTC', online, now });
    this.write(writes);
    return result;
  }

  /** Shows what there is to show now, and says so; answers with the titles. */
  show(after = 0): string[] {
    this.now += after;
    const { showings } = this.look();
    for (const { id } of showings) this.write(decideShown([...this.rows.values()], id, this.now));
    return showings.map(({ title }) => title);
  }

  write(writes: readonly Write[]): void {
    for (const one of writes) {
      if (one.store !== 'outbox') throw new Error(`a telling does not write ${one.store}`);
      if (one.op === 'put') this.rows.set(one.row.id, one.row);
      else this.rows.delete(one.key);
    }
  }

  /** What has become of each row, in the order in which they came. */
  states(): string[] {
    return [...this.rows.values()].map((row) =>
      isWaiting(row) ? (row.held === undefined ? 'waiting' : 'held') : row.told.as,
    );
  }
}

describe('what is told', () => {
  test('of an action itself is shown at once, and alone', () => {
    const world = new World();
    world.tell(1, 'said');
    world.tell(2, 'said');
    expect(world.show()).toEqual(['A1 said', 'A2 said']);
    expect(world.show(MINUTE_MS)).toEqual([]);
  });

  test('of one is shown in its own words, and leads to its run', () => {
    const world = new World();
    world.tell(1, 'failed');
    expect(world.look()).toEqual({ showings: [], again: NOON + GATHERED });
    world.now += GATHERED;
    expect(world.look().showings).toMatchObject([
      { title: 'A1 failed', body: 'It is failed.', hash: `#/runs/${runId(1)}` },
    ]);
  });

  test('of several within a short while is one, and leads to those that need the person', () => {
    const world = new World();
    for (const of of [1, 2, 3, 4, 5]) {
      world.tell(of, 'failed');
      world.now += 500;
    }
    world.now += GATHERED - 2_500;
    expect(world.look().showings).toMatchObject([
      {
        title: '5 automations failed',
        body: 'A1, A2, A3, A4 and 1 more. Open Rota to see why.',
        hash: '#/?view=needs-you',
      },
    ]);
    expect(world.show()).toHaveLength(1);
    expect(world.states()).toEqual(['shown', 'shown', 'shown', 'shown', 'shown']);
  });

  test('of several different things says how many of each, and leads to the list', () => {
    const world = new World();
    world.tell(1, 'failed');
    world.tell(2, 'recovered', { ends: 'long-gone' });
    world.tell(3, 'changed');
    world.tell(3, 'changed');
    world.now += GATHERED;
    expect(world.look().showings).toMatchObject([
      { title: '1 automation failed, 1 works again, 1 has news', hash: '#/notifications' },
    ]);
  });

  test('that was about to be shown when its window died is shown again under the same id, whatever came since', () => {
    const world = new World();
    world.tell(1, 'failed');
    world.tell(2, 'failed');
    world.now += GATHERED;
    const before = world.look().showings;
    world.tell(3, 'failed');
    world.now += MINUTE_MS;
    const [again, ...others] = world.look().showings;
    expect(again).toEqual(before[0]);
    expect(others.map(({ title }) => title)).toEqual(['A3 failed']);
  });

  test('that a person has read in the list is not shown, unless it may be on the screen already', () => {
    const world = new World();
    const first = world.tell(1, 'said');
    world.look();
    world.tell(2, 'failed');
    world.write(decideRead([...world.rows.values()], () => true, world.now));
    expect(world.states()).toEqual(['waiting', 'read']);
    expect(world.show(MINUTE_MS)).toEqual(['A1 said']);
    expect(world.rows.get(first)?.readAt).toBe(NOON);
    expect(decideRead([...world.rows.values()], () => true, world.now)).toEqual([]);
  });

  test('by a build that knew of none of this is shown as it was', () => {
    const world = new World();
    const id = world.tell(1, 'said');
    const { about: _a, at: _b, automationName: _c, ...old } = world.rows.get(id) as WaitingNotification;
    world.rows.set(id, old);
    expect(world.show()).toEqual(['A1 said']);
  });

  test('is kept for a while, and then the oldest goes', () => {
    const world = new World();
    for (let n = 0; n < NOTIFICATIONS_KEPT + 5; n++) {
      world.tell(n, 'said');
      world.show(SECOND_MS);
    }
    expect(world.rows.size).toBe(NOTIFICATIONS_KEPT);
    expect(world.rows.has(`${runId(1)}/0`)).toBe(false);
  });
});

describe('in quiet hours', () => {
  const night = (): World => {
    const world = new World();
    world.quiet = NIGHT;
    world.now = MONDAY + 23 * HOUR_MS;
    return world;
  };

  test('what is told is held back, and is one when they end', () => {
    const world = night();
    world.tell(1, 'failed');
    world.tell(2, 'said');
    world.tell(3, 'failed');
    world.now += HOUR_MS;
    expect(world.look()).toEqual({ showings: [], again: MONDAY + 31 * HOUR_MS });
    expect(world.states()).toEqual(['held', 'held', 'held']);
    expect(world.show(7 * HOUR_MS)).toEqual(['In quiet hours: 2 automations failed, 1 has a message']);
    expect(world.show(HOUR_MS)).toEqual([]);
  });

  test('one alone is shown in its own words when they end', () => {
    const world = night();
    world.tell(1, 'failed');
    expect(world.show(HOUR_MS)).toEqual([]);
    expect(world.show(8 * HOUR_MS)).toEqual(['A1 failed']);
  });

  test('what failed and works again is told as such', () => {
    const world = night();
    const ends = world.tell(1, 'failed');
    world.tell(2, 'failed');
    world.look();
    world.now += HOUR_MS;
    world.tell(1, 'recovered', { ends });
    world.look();
    expect(world.show(8 * HOUR_MS)).toEqual([
      'In quiet hours: 1 automation failed, 1 failed and works again',
    ]);
  });

  test('what is urgent is shown all the same', () => {
    const world = night();
    world.tell(1, 'failed', { urgent: true });
    world.tell(2, 'failed');
    expect(world.show(GATHERED)).toEqual(['A1 failed']);
  });

  test('nothing is shown later, where the person wants it so, nor the end of what was not', () => {
    const world = night();
    world.quiet = { ...NIGHT, held: 'never' };
    const ends = world.tell(1, 'failed');
    expect(world.show(GATHERED)).toEqual([]);
    expect(world.states()).toEqual(['quiet']);
    world.now += 9 * HOUR_MS;
    world.tell(1, 'recovered', { ends });
    expect(world.show(GATHERED)).toEqual([]);
  });

  test('that are ended early, what they held back is shown', () => {
    const world = night();
    world.tell(1, 'failed');
    world.tell(2, 'failed');
    world.show(MINUTE_MS);
    world.quiet = null;
    expect(world.show()).toEqual(['In quiet hours: 2 automations failed']);
  });
});

describe('the machine’s own connection', () => {
  const failing = (count: number, url = (n: number) => `https://api.site-${n}.com/health`): World => {
    const world = new World();
    for (let n = 1; n <= count; n++) world.asks(n, url(n));
    return world;
  };
  const fail = (world: World, ...of: readonly number[]): string[] =>
    of.map((n) => world.tell(n, 'failed', { unreached: true }));
  const twenty = Array.from({ length: 20 }, (_, index) => index + 1);

  test('seems to be down when many cannot reach anything: one says so, and not twenty', () => {
    const world = failing(20);
    fail(world, ...twenty);
    world.now += GATHERED;
    expect(world.look().showings).toMatchObject([
      {
        title: 'Your connection seems to be down',
        body: '20 automations could not reach anything: A1, A2, A3, A4 and 16 more. Look at this machine’s connection first. They go on by their schedules.',
        hash: '#/notifications',
      },
    ]);
    expect(world.show()).toHaveLength(1);
    // The same outage: what fails now is in the list, and is not shown.
    world.now += MINUTE_MS;
    world.asks(21, 'https://late.com/');
    fail(world, 21);
    expect(world.show(GATHERED)).toEqual([]);
    expect(world.states().at(-1)).toBe('connection');
  });

  test('is back once, when the first works again', () => {
    const world = failing(20);
    const ids = fail(world, ...twenty);
    world.show(GATHERED);
    world.now += MINUTE_MS;
    const shown: string[] = [];
    for (const [index, ends] of ids.entries()) {
      world.reached(index + 1);
      world.tell(index + 1, 'recovered', { ends });
      shown.push(...world.show(3 * SECOND_MS));
    }
    expect(shown).toEqual(['Your connection is back']);
    // Another failure is that service’s.
    fail(world, 4);
    expect(world.show(GATHERED)).toEqual(['A4 failed']);
  });

  test('is down already when the browser says so, by one failure', () => {
    const world = failing(1);
    fail(world, 1);
    world.online = false;
    expect(world.show(GATHERED)).toEqual(['Your connection seems to be down']);
  });

  test('is not blamed while another automation reaches something', () => {
    const world = failing(5);
    world.asks(9, 'https://works.com/');
    fail(world, 1, 2, 3, 4, 5);
    world.reached(9, world.now + SECOND_MS);
    expect(world.show(GATHERED)).toEqual(['5 automations failed']);
  });

  test('is not blamed for one site that is down, however many ask it', () => {
    const world = failing(5, (n) => `https://s${n}.example.com/`);
    fail(world, 1, 2, 3, 4, 5);
    expect(world.show(GATHERED)).toEqual(['5 automations failed']);
  });

  test('is not blamed for what is near, and what is near does not vouch for it', () => {
    const near = failing(5, (n) => `http://192.168.0.${n}/`);
    fail(near, 1, 2, 3, 4, 5);
    expect(near.show(GATHERED)).toEqual(['5 automations failed']);
    const far = failing(3);
    far.asks(9, 'http://localhost:11434/');
    fail(far, 1, 2, 3);
    far.reached(9);
    expect(far.show(GATHERED)).toEqual(['Your connection seems to be down']);
  });

  test('is blamed from the third on, where they fail one by one', () => {
    const world = failing(4);
    const shown: string[] = [];
    for (const of of [1, 2, 3, 4]) {
      fail(world, of);
      shown.push(...world.show(MINUTE_MS));
    }
    expect(shown).toEqual(['A1 failed', 'A2 failed', 'Your connection seems to be down']);
  });
});

test('whatever comes and whoever dies, each is shown under one id at most, and in the end all is told', () => {
  const step = fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        do: fc.constant('tell' as const),
        of: fc.integer({ min: 1, max: 6 }),
        about: fc.constantFrom('said' as const, 'failed' as const, 'changed' as const, 'done' as const),
        unreached: fc.boolean(),
        urgent: fc.boolean(),
      }),
    },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('recover' as const), nth: fc.nat(30) }) },
    { weight: 5, arbitrary: fc.record({ do: fc.constant('show' as const), confirm: fc.boolean() }) },
    {
      weight: 4,
      arbitrary: fc.record({
        do: fc.constant('wait' as const),
        ms: fc.constantFrom(SECOND_MS, GATHERED, 20 * MINUTE_MS, 5 * HOUR_MS),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({ do: fc.constant('reach' as const), of: fc.integer({ min: 1, max: 6 }) }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('read' as const), nth: fc.nat(30) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('online' as const), online: fc.boolean() }) },
    {
      weight: 1,
      arbitrary: fc.record({
        do: fc.constant('quiet' as const),
        quiet: fc.constantFrom(null, NIGHT, { ...NIGHT, held: 'never' as const }),
      }),
    },
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const world = new World();
      for (let n = 1; n <= 6; n++) world.asks(n, `https://site-${n}.com/`);
      const ids: string[] = [];
      const ended = new Set<string>();
      /** Under which ids each row was on a screen. */
      const under = new Map<string, Set<string>>();
      const show = (confirm: boolean): void => {
        for (const { id } of world.look().showings) {
          for (const row of world.rows.values()) {
            if (!isWaiting(row) || row.shownAs?.id !== id) continue;
            under.set(row.id, (under.get(row.id) ?? new Set()).add(id));
          }
          if (confirm) world.write(decideShown([...world.rows.values()], id, world.now));
        }
      };
      for (const one of steps) {
        switch (one.do) {
          case 'tell':
            ids.push(
              world.tell(one.of, one.about, {
                ...(one.about === 'failed' && one.unreached ? { unreached: true } : {}),
                ...(one.urgent ? { urgent: true } : {}),
              }),
            );
            break;
          case 'recover': {
            const ends = ids[one.nth];
            const begun = ends === undefined ? undefined : world.rows.get(ends);
            if (ends === undefined || begun?.about !== 'failed' || ended.has(ends)) break;
            ended.add(ends);
            world.tell(6, 'recovered', { ends });
            break;
          }
          case 'show':
            show(one.confirm);
            break;
          case 'wait':
            world.now += one.ms;
            break;
          case 'reach':
            world.reached(one.of);
            break;
          case 'read': {
            const id = ids[one.nth];
            world.write(decideRead([...world.rows.values()], (row) => row.id === id, world.now));
            break;
          }
          case 'online':
            world.online = one.online;
            break;
          case 'quiet':
            world.quiet = one.quiet;
        }
      }
      world.quiet = null;
      world.now += MINUTE_MS;
      show(true);
      show(true);
      for (const shownUnder of under.values()) expect(shownUnder.size).toBe(1);
      expect(world.states().filter((state) => state === 'waiting' || state === 'held')).toEqual([]);
    }),
    { numRuns: 400 },
  );
});
