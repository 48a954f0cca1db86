import { expect, test } from 'vitest';
import type { NotificationView } from '../../rpc/index.ts';
import { notificationStateText } from './notifications.ts';

test.each<[NotificationView['state'], number, boolean, boolean, string]>([
  ['waiting', 0, false, true, 'Shown in a moment'],
  ['waiting', 0, false, false, 'Not shown: this browser does not let Rota notify you'],
  ['quiet-hours', 0, false, true, 'Held back until quiet hours end'],
  ['shown', 0, false, true, 'Shown'],
  ['shown', 1, false, true, 'Shown, as one with 1 other'],
  ['shown', 4, true, true, 'Shown as urgent, as one with 4 others'],
  ['quiet', 0, false, true, 'Not shown: it came in quiet hours'],
  ['connection', 0, false, true, 'Not shown: the connection of this machine was told of once for all'],
  ['read', 0, false, true, 'Not shown: you read it here first'],
])('of a notification that is %s, with %i others', (state, others, urgent, mayShow, text) => {
  expect(notificationStateText({ state, others, urgent }, mayShow)).toBe(text);
});
