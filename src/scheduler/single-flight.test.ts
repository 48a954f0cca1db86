import { expect, test } from 'vitest';
import { singleFlight } from './single-flight.ts';

/** Work that ends when the test says so, and how much of it ran at once. */
function work(): {
  readonly run: () => Promise<void>;
  readonly begun: () => number;
  readonly most: () => number;
  readonly end: () => void;
} {
  const ends: (() => void)[] = [];
  let running = 0;
  let most = 0;
  let begun = 0;
  return {
    run: async () => {
      begun += 1;
      running += 1;
      most = Math.max(most, running);
      await new Promise<void>((resolve) => ends.push(resolve));
      running -= 1;
    },
    begun: () => begun,
    most: () => most,
    end: () => ends.shift()?.(),
  };
}

const soon = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('calls while it works ask for one more round, however many they are', async () => {
  const { run, begun, end } = work();
  const tick = singleFlight(run, () => undefined);
  void tick();
  const later = [tick(), tick(), tick()];
  end();
  await soon();
  expect(begun()).toBe(2);
  end();
  await Promise.all(later);
  expect(begun()).toBe(2);
});

test('a call is answered only by a round that began after it', async () => {
  const { run, begun, end } = work();
  const tick = singleFlight(run, () => undefined);
  const first = tick();
  let answered = false;
  const second = tick().then(() => {
    answered = true;
  });
  end();
  await first;
  await soon();
  expect([begun(), answered]).toEqual([2, false]);
  end();
  await second;
});

test('who calls again the moment a round ends does not start a second one beside the one that waits', async () => {
  const { run, most, end } = work();
  const tick = singleFlight(run, () => undefined);
  const first = tick();
  // Heard before the waiting round is: it asks in the gap between the two.
  const again = first.then(() => tick());
  const waiting = tick();
  for (let round = 0; round < 3; round++) {
    end();
    await soon();
  }
  await Promise.all([again, waiting]);
  expect(most()).toBe(1);
});

test('an error is told and does not keep the next round from working', async () => {
  const errors: unknown[] = [];
  let fails = true;
  const tick = singleFlight(
    () => (fails ? Promise.reject(new Error('full')) : Promise.resolve()),
    (error) => errors.push(error),
  );
  await tick();
  fails = false;
  await tick();
  expect(errors).toEqual([new Error('full')]);
});
