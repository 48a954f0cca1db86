import { beforeEach, expect, test, vi } from 'vitest';
import type { Showing } from '../domain/index.ts';
import type { Hint } from '../rpc/index.ts';
import { showNotifications } from './notifier.ts';
import type { Connection, RemoteHost } from './remote-host.ts';

const shown: string[] = [];
let lockIsFree: boolean;

beforeEach(() => {
  shown.length = 0;
  lockIsFree = true;
  vi.stubGlobal('document', { baseURI: 'https://rota.test/' });
  vi.stubGlobal(
    'Notification',
    class extends EventTarget {
      static readonly permission = 'granted';
      constructor(title: string) {
        super();
        shown.push(title);
      }
    },
  );
  vi.stubGlobal('navigator', {
    locks: {
      request: async (_name: string, _options: unknown, body: (lock: object | null) => Promise<void>) => {
        if (!lockIsFree) return body(null);
        lockIsFree = false;
        try {
          await body({});
        } finally {
          lockIsFree = true;
        }
      },
    },
  });
});

const soon = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));
const notification = (title: string): Showing => ({
  id: title,
  title,
  body: '',
  hash: `#/runs/${title}`,
});

/** A tab with what waits to be shown, and what is said to it. */
function open(): {
  readonly pending: Showing[];
  readonly hint: () => void;
  readonly become: (connection: Connection) => void;
  readonly internal: Parameters<typeof showNotifications>[1];
} {
  const pending: Showing[] = [];
  const hints: ((hint: Hint) => void)[] = [];
  const subscribers: ((connection: Connection) => void)[] = [];
  const host = {
    connection: { kind: 'ready' } as Connection,
    subscribe: (listener: (connection: Connection) => void) => subscribers.push(listener),
    onHint: (listener: (hint: Hint) => void) => hints.push(listener),
  };
  const internal = {
    listShowings: vi.fn(async () => {
      await soon();
      return { items: [...pending] };
    }),
    confirmNotification: vi.fn(async ({ id }: { readonly id: string }) => {
      await soon();
      const index = pending.findIndex((one) => one.id === id);
      if (index >= 0) pending.splice(index, 1);
      return { kind: 'done' as const };
    }),
  };
  showNotifications(host as unknown as RemoteHost, internal);
  return {
    pending,
    hint: () => hints.forEach((listener) => listener({ topic: 'notifications' })),
    become: (connection) => {
      host.connection = connection;
      subscribers.forEach((listener) => listener(connection));
    },
    internal,
  };
}

test('what waits is shown once and confirmed', async () => {
  const tab = open();
  tab.pending.push(notification('one'));
  tab.hint();
  tab.hint();
  await expect.poll(() => tab.pending).toHaveLength(0);
  await soon();
  expect(shown).toEqual(['one']);
});

test('what is asked for while something else is shown is shown after it', async () => {
  const tab = open();
  tab.pending.push(notification('one'));
  tab.hint();
  await expect.poll(() => shown).toHaveLength(1);
  tab.pending.push(notification('two'));
  tab.hint();
  await expect.poll(() => tab.pending).toHaveLength(0);
  expect(shown).toEqual(['one', 'two']);
});

test('while another tab shows, this one leaves it to that tab, and it shows again at the next hint', async () => {
  const tab = open();
  await soon();
  await soon();
  lockIsFree = false;
  tab.pending.push(notification('one'));
  tab.hint();
  await soon();
  await soon();
  expect(shown).toEqual([]);
  lockIsFree = true;
  tab.hint();
  await expect.poll(() => tab.pending).toHaveLength(0);
  expect(shown).toEqual(['one']);
});

test('a host that is lost in the middle leaves what was not confirmed to the next one', async () => {
  const tab = open();
  await soon();
  await soon();
  vi.mocked(tab.internal.listShowings).mockRejectedValueOnce(new Error('host-lost'));
  tab.pending.push(notification('one'));
  tab.hint();
  await soon();
  await soon();
  expect(shown).toEqual([]);
  tab.become({ kind: 'restarting' });
  tab.become({ kind: 'ready' } as Connection);
  await expect.poll(() => tab.pending).toHaveLength(0);
  expect(shown).toEqual(['one']);
});
