import { expect, test } from 'vitest';
import type { Action } from './action.ts';
import { nearServersOf, serverOf } from './near-servers.ts';
import { guardedNetwork } from './nearness.ts';

test.each([
  ['http://LOCALHOST:11434/v1', 'http://localhost:11434', 'localhost'],
  ['https://nas', 'https://nas', 'nas'],
  ['http://[fd00::2]:80/{{ run.id }}', 'http://[fd00::2]:80', '[fd00::2]'],
  [' http://10.0.0.7?x ', 'http://10.0.0.7', '10.0.0.7'],
])('the server of %s', (address, origin, hostname) => {
  expect(serverOf(address)).toEqual({ origin, hostname });
});

test.each([
  '{{ automation.name }}',
  'http://nas{{ ".example.test" }}/',
  'http://a:b@nas/',
  'ftp://nas/',
  'http://',
  '',
])('which server %j names is not sure', (address) => {
  expect(serverOf(address)).toBeNull();
});

test('an action is asked for the servers near this device alone', () => {
  const script = {
    kind: 'script',
    allow: ['fetch'],
    origins: ['https://example.test', 'http://nas:80'],
  } as unknown as Action;
  expect(nearServersOf(script)).toEqual([{ origin: 'http://nas:80', hostname: 'nas' }]);
  expect(nearServersOf({ kind: 'remind', message: 'http://nas/' })).toEqual([]);
});

test('only the way from a farther page to a nearer server is guarded', () => {
  expect(guardedNetwork('localhost', 'rota.example')).toBe('loopback');
  expect(guardedNetwork('192.168.0.9', 'rota.example')).toBe('local');
  expect(guardedNetwork('localhost', 'nas.local')).toBe('loopback');
  expect(guardedNetwork('192.168.0.9', 'localhost')).toBeNull();
  expect(guardedNetwork('localhost', '127.0.0.1')).toBeNull();
  expect(guardedNetwork('example.test', 'rota.example')).toBeNull();
});
