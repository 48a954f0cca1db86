import { Temporal } from 'temporal-polyfill/implementation';
import { beforeEach, expect, test, vi } from 'vitest';

beforeEach(() => {
  vi.resetModules();
});

test('reading a time zone before time is prepared is our own mistake and says so', async () => {
  const { temporal } = await import('./temporal.ts');
  expect(() => temporal()).toThrow('prepareTime() must have resolved');
});

test('the Temporal of the browser is used where there is one', async () => {
  const native = { Instant: Temporal.Instant };
  vi.stubGlobal('Temporal', native);
  const { prepareTime, temporal } = await import('./temporal.ts');
  await prepareTime();
  expect(temporal()).toBe(native);
});

test('the polyfill is used where the browser has no Temporal', async () => {
  vi.stubGlobal('Temporal', undefined);
  const { prepareTime, temporal } = await import('./temporal.ts');
  await prepareTime();
  expect(temporal()).toBe(Temporal);
});

test('a test can ask for the polyfill in a browser that has Temporal', async () => {
  vi.stubGlobal('Temporal', { Instant: Temporal.Instant });
  const { prepareTime, temporal } = await import('./temporal.ts');
  await prepareTime({ polyfill: 'always' });
  expect(temporal()).toBe(Temporal);
});

test('spans of years to come are read quickly also beside a Temporal of the browser, and until then by itself', async () => {
  vi.stubGlobal('Temporal', { Instant: Temporal.Instant });
  const { prepareTime, readQuickly } = await import('./temporal.ts');
  await prepareTime();
  const summer = Date.UTC(2031, 6);
  await expect
    .poll(() => readQuickly('Europe/Berlin', summer, false))
    .toEqual({
      from: Date.UTC(2031, 2, 30, 1),
      until: Date.UTC(2031, 9, 26, 1),
      offsetMs: 7_200_000,
    });
  expect(readQuickly('Europe/Berlin', Date.UTC(2029, 6), false)).toBeNull();
});
