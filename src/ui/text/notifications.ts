import type { NotificationView } from '../../rpc/index.ts';
import { countText } from './counts.ts';

/** What became of a notification, or why it was not shown. `mayShow`: the browser lets Rota show any. */
export function notificationStateText(
  { state, others, urgent }: Pick<NotificationView, 'state' | 'others' | 'urgent'>,
  mayShow: boolean,
): string {
  switch (state) {
    case 'waiting':
      return mayShow ? 'Shown in a moment' : 'Not shown: this browser does not let Rota notify you';
    case 'quiet-hours':
      return 'Held back until quiet hours end';
    case 'shown':
      return `${urgent ? 'Shown as urgent' : 'Shown'}${others === 0 ? '' : `, as one with ${countText(others, 'other')}`}`;
    case 'quiet':
      return 'Not shown: it came in quiet hours';
    case 'connection':
      return 'Not shown: the connection of this machine was told of once for all';
    case 'read':
      return 'Not shown: you read it here first';
  }
}
