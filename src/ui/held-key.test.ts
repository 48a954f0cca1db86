import { expect, test } from 'vitest';
import type { KeyMessage } from '../domain/index.ts';
import { HeldKeys, type KeyChannel } from './held-key.ts';

/** A channel with the test at the other end. */
class Line {
  readonly said: KeyMessage<unknown>[] = [];
  isOpen = false;
  #channel: KeyChannel | null = null;

  readonly open = (): KeyChannel => {
    this.isOpen = true;
    const channel: KeyChannel = {
      onmessage: null,
      postMessage: (message) => void this.said.push(message),
      close: () => {
        this.isOpen = false;
      },
    };
    this.#channel = channel;
    return channel;
  };

  say(message: KeyMessage<unknown>): void {
    if (this.isOpen) this.#channel?.onmessage?.({ data: message } as MessageEvent<KeyMessage<unknown>>);
  }

  /** What it answers to a host that asks. */
  answer(): KeyMessage<unknown> | undefined {
    this.said.length = 0;
    this.say({ kind: 'wanted' });
    return this.said[0];
  }
}

const KEY: KeyMessage<unknown> = { kind: 'key', seal: 'a', key: 'opaque' };

test('a tab asks for the key as it opens, and gives the newest that it heard of to a host that asks', () => {
  const line = new Line();
  new HeldKeys(line.open);
  expect(line.said).toEqual([{ kind: 'wanted' }]);
  expect(line.answer()).toBeUndefined();
  line.say(KEY);
  expect(line.answer()).toEqual(KEY);
  line.say({ ...KEY, seal: 'b' });
  expect(line.answer()).toEqual({ ...KEY, seal: 'b' });
});

test('a tab forgets the key when the secrets are locked', () => {
  const line = new Line();
  new HeldKeys(line.open);
  line.say(KEY);
  line.say({ kind: 'forget' });
  expect(line.answer()).toBeUndefined();
});

test('a page that is put away forgets the key, because it would not hear of a lock, and asks again when it is back', () => {
  const line = new Line();
  const keys = new HeldKeys(line.open);
  line.say(KEY);
  keys.rest();
  expect(line.isOpen).toBe(false);
  line.said.length = 0;
  keys.wake();
  keys.wake();
  expect(line.said).toEqual([{ kind: 'wanted' }]);
  expect(line.answer()).toBeUndefined();
});
