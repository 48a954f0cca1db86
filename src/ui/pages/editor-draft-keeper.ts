import type { ReactiveController, ReactiveControllerHost } from 'lit';
import {
  type Draft,
  type DraftStorage,
  type DraftSubject,
  draftLock,
  dropDraft,
  findDraft,
  writeDraft,
} from './editor-draft.ts';

/** How long typing has to pause before the draft is written. */
const PAUSE_MS = 400;

const LOCK_PREFIX = draftLock('');

/** Keeps the draft of one open editor: takes over the one that a crash left, writes what is typed, forgets it when it is saved. */
export class DraftKeeper implements ReactiveController {
  readonly #element: ReactiveControllerHost;
  #id: string = crypto.randomUUID();
  #pending: Draft | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #release: (() => void) | null = null;
  #stored: boolean | null = null;

  constructor(element: ReactiveControllerHost) {
    this.#element = element;
    element.addController(this);
  }

  /** Whether what was typed last is stored: `null` while nothing was. */
  get stored(): boolean | null {
    return this.#stored;
  }

  hostConnected(): void {
    addEventListener('pagehide', this.#flush);
    document.addEventListener('visibilitychange', this.#flush);
  }

  hostDisconnected(): void {
    this.#flush();
    removeEventListener('pagehide', this.#flush);
    document.removeEventListener('visibilitychange', this.#flush);
    this.#release?.();
    this.#release = null;
  }

  /** The draft of `subject` that an editor left behind, which is now this one's; `null` when there is none. */
  async take(subject: DraftSubject): Promise<Draft | null> {
    const storage = storageOf();
    const found = storage === null ? null : findDraft(storage, subject, await heldDrafts(), Date.now());
    this.#begin(found?.id ?? crypto.randomUUID());
    if (found !== null) this.#stored = true;
    return found?.draft ?? null;
  }

  /** Begins a draft of its own, whatever was left behind; that waits for who asks for it. */
  begin(): void {
    this.#begin(crypto.randomUUID());
  }

  #begin(id: string): void {
    this.#flush();
    this.#release?.();
    this.#stored = null;
    this.#id = id;
    this.#hold(id);
  }

  /** Has `draft` written before long. */
  keep(draft: Draft): void {
    this.#pending = draft;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#flush, PAUSE_MS);
  }

  /** Forgets the draft: it was saved or is not wanted. */
  drop(): void {
    clearTimeout(this.#timer);
    this.#pending = null;
    this.#stored = null;
    const storage = storageOf();
    if (storage !== null) dropDraft(storage, this.#id);
  }

  readonly #flush = (): void => {
    clearTimeout(this.#timer);
    const draft = this.#pending;
    if (draft === null) return;
    this.#pending = null;
    const storage = storageOf();
    this.#stored = storage !== null && writeDraft(storage, this.#id, draft);
    this.#element.requestUpdate();
  };

  #hold(id: string): void {
    // Ready to be let go before it is granted: an editor may be gone by then.
    const held = new Promise<void>((resolve) => {
      this.#release = resolve;
    });
    void navigator.locks.request(draftLock(id), () => held);
  }
}

/** The ids of drafts whose editors are open, in any tab. */
async function heldDrafts(): Promise<ReadonlySet<string>> {
  const { held = [] } = await navigator.locks.query();
  const names = held.flatMap(({ name }) =>
    name?.startsWith(LOCK_PREFIX) === true ? [name.slice(LOCK_PREFIX.length)] : [],
  );
  return new Set(names);
}

/** Reading `localStorage` throws where site data is blocked. */
function storageOf(): DraftStorage | null {
  try {
    return localStorage;
  } catch {
    return null;
  }
}
