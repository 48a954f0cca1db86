import { expect, test } from 'vitest';
import { isOwnWorkerScript } from './trusted-types.ts';

const BASE = 'https://example.test/tools/rota/?source=pwa#/runs';

test.each([
  'https://example.test/tools/rota/assets/shared-worker-Cvt12Efm.js',
  'https://example.test/tools/rota/service-worker.js',
  './service-worker.js',
])('lets a worker start from %s, a script of this build', (address) => {
  expect(isOwnWorkerScript(address, BASE)).toBe(true);
});

test.each([
  ['another origin', 'https://evil.test/tools/rota/assets/shared-worker-x.js'],
  ['another scheme of the same host', 'http://example.test/tools/rota/service-worker.js'],
  ['a neighbour on the same origin', 'https://example.test/other/assets/shared-worker-x.js'],
  ['a folder whose name only begins the same', 'https://example.test/tools/rota-evil/assets/x.js'],
  ['a way out of the folder', 'https://example.test/tools/rota/assets/../../evil.js'],
  ['an encoded way out of the folder', 'https://example.test/tools/rota/assets/%2e%2e%2fevil.js'],
  ['a folder within assets', 'https://example.test/tools/rota/assets/uploads/x.js'],
  ['a page', 'https://example.test/tools/rota/index.html'],
  ['text as a script', 'data:text/javascript,alert(1)'],
  ['a blob', 'blob:https://example.test/1d0f7d5e'],
  ['no address at all', 'https://'],
])('lets no worker start from %s', (_what, address) => {
  expect(isOwnWorkerScript(address, BASE)).toBe(false);
});
