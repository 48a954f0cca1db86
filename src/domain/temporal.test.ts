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
