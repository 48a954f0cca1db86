import { expect, test } from 'vitest';
import { outsideAddress } from './outside-address.ts';

test.each([
  ['https://example.test/a', 'https://example.test/a'],
  [' HTTP://EXAMPLE.test ', 'http://example.test/'],
  ['mailto:a@example.test', 'mailto:a@example.test'],
])('%j from outside is a link', (address, href) => {
  expect(outsideAddress(address)).toBe(href);
});

test.each([
  'javascript:alert(1)',
  ' JavaScript:alert(1)',
  'java\tscript:alert(1)',
  'data:text/html,x',
  'vbscript:x',
  'file:///etc/passwd',
  'blob:https://example.test/1',
  'web+rota:x',
  '#/settings',
  '/x',
  '//example.test/',
  'https://example.test@evil.test/',
  'https://',
  '',
])('%j from outside is shown as text and leads nowhere', (address) => {
  expect(outsideAddress(address)).toBeNull();
});
