import { expect, test } from 'vitest';
import { type Hint, readHint } from './index.ts';

test.each<Hint>([
  { topic: 'runs' },
  { topic: 'progress', runId: 'r' as never, progress: { kind: 'text', text: 'so far' } as never },
  { topic: 'executor', hostId: 'h' as never, id: 'e', what: 'script' },
  { topic: 'host', host: { id: 'h' } as never, builtAt: 1, startedAt: 2, asks: false },
])('a hint is heard as it was posted: %j', (hint) => {
  expect(readHint(hint)).toBe(hint);
});

test.each<unknown>([
  null,
  undefined,
  'runs',
  7,
  [],
  {},
  { topic: 'weather' },
  { topic: 'constructor' },
  { topic: '__proto__' },
  { topic: 'progress', runId: 'r', progress: null },
  { topic: 'executor', hostId: 'h', what: 'script' },
  { topic: 'host', host: null, builtAt: 1, startedAt: 2, asks: true },
  { topic: 'host', host: { id: 'h' }, startedAt: 2, asks: true },
])('what is no hint of Rota is not heard: %j', (message) => {
  expect(readHint(message)).toBeNull();
});
