import type { KeyMessage } from '../domain/index.ts';

/** The channel on which the unlocked key of the secrets is handed on. */
export interface KeyChannel {
  postMessage(message: KeyMessage<unknown>): void;
  onmessage: ((event: MessageEvent<KeyMessage<unknown>>) => void) | null;
  close(): void;
}

/**
 * Remembers the unlocked key of the secrets for the next engine, should this one die: a tab that was open before has it for
 * as long as it is open. It cannot be read, and the tab does nothing with it but hand it on.
 */
export class HeldKeys {
  readonly #open: () => KeyChannel;
  #channel: KeyChannel | null = null;
  #held: Extract<KeyMessage<unknown>, { kind: 'key' }> | null = null;

  constructor(open: () => KeyChannel) {
    this.#open = open;
    this.wake();
  }

  /** The page is put away: it hears no more of a lock, so it forgets. */
  rest(): void {
    this.#held = null;
    this.#channel?.close();
    this.#channel = null;
  }

  /** The page is there, or there again: whoever has the key gives it. */
  wake(): void {
    if (this.#channel !== null) return;
    const channel = this.#open();
    channel.onmessage = ({ data }) => {
      switch (data.kind) {
        case 'key':
          this.#held = data;
          break;
        case 'forget':
          this.#held = null;
          break;
        case 'wanted':
          if (this.#held !== null) channel.postMessage(this.#held);
      }
    };
    this.#channel = channel;
    channel.postMessage({ kind: 'wanted' });
  }
}
