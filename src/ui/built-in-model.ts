/**
 * The model that the browser itself has (the Prompt API, https://webmachinelearning.github.io/prompt-api/), which only a
 * window can ask. Loaded where there is one: says to each host whether it can be asked, asks it for the host, and has it
 * downloaded when a person says so.
 */
import type { ModelAvailability, ModelQuestion, ModelWord, TabId } from '../domain/index.ts';
import type { Remote } from './remote.ts';

/** The part of the API that is used here; TypeScript's own library does not know it yet. */
interface LanguageModelApi {
  availability(): Promise<ModelAvailability>;
  create(options: {
    readonly initialPrompts?: readonly { readonly role: 'system'; readonly content: string }[];
    readonly signal?: AbortSignal;
    readonly monitor?: (monitor: EventTarget) => void;
  }): Promise<{
    promptStreaming(prompt: string, options: { readonly signal: AbortSignal }): ReadableStream<string>;
    destroy(): void;
  }>;
}

declare global {
  var LanguageModel: LanguageModelApi | undefined;
}

/** How often it is asked again while it is not there yet: no event tells. */
const ASK_AGAIN_MS = 5_000;

/** Whether the model can be asked now. Never rejects. */
export async function readAvailability(): Promise<ModelAvailability> {
  try {
    return (await globalThis.LanguageModel?.availability()) ?? 'unavailable';
  } catch {
    return 'unavailable';
  }
}

/**
 * Downloads the model; only from a person's press, which browsers insist on. Resolves when it is there, and rejects with the
 * browser's words. `onProgress` is told how much of it has come, from 0 to 1.
 */
export async function downloadModel(onProgress: (share: number) => void): Promise<void> {
  const session = await globalThis.LanguageModel?.create({
    monitor: (monitor) => {
      monitor.addEventListener('downloadprogress', (event) => {
        onProgress((event as ProgressEvent).loaded);
      });
    },
  });
  session?.destroy();
}

/** Says to the host of this tab whether its model can be asked, for the life of the page; answers whether it can now. */
export function reportModel(
  remote: Pick<Remote, 'call' | 'connection' | 'subscribe'>,
  tabId: TabId,
): { readonly isAvailable: () => boolean } {
  let last: ModelAvailability | null = null;
  const tell = (): void => {
    if (last === null || remote.connection.kind !== 'ready') return;
    // A host that has gone is followed by one that is told when it is there.
    remote.call('reportModel', [{ tabId, availability: last }]).catch(() => undefined);
  };
  const look = async (): Promise<void> => {
    const availability = await readAvailability();
    if (availability !== last) {
      last = availability;
      tell();
    }
    // What is there can go too, when the disk is full; that is seen when the page is looked at again.
    if (availability === 'downloadable' || availability === 'downloading')
      setTimeout(() => void look(), ASK_AGAIN_MS);
  };
  let host: string | null = null;
  remote.subscribe((connection) => {
    const now = connection.kind === 'ready' ? connection.host.id : null;
    if (now !== host) tell();
    host = now;
  });
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible') void look();
  });
  void look();
  return { isAvailable: () => last === 'available' };
}

/** Asks the model what comes on `port`, once, and says there what it answers. The answer of this function ends it. */
export function serveModel(port: MessagePort): () => void {
  const over = new AbortController();
  const say = (word: ModelWord): void => {
    if (!over.signal.aborted) port.postMessage(word);
  };
  port.onmessage = ({ data }: MessageEvent<ModelQuestion>) => {
    port.onmessage = null;
    answer(data, over.signal, say).catch((error: unknown) => {
      say({ kind: 'failed', message: error instanceof Error ? error.message : String(error) });
    });
  };
  return () => {
    over.abort();
    port.close();
  };
}

async function answer(
  { system, prompt }: ModelQuestion,
  signal: AbortSignal,
  say: (word: ModelWord) => void,
): Promise<void> {
  const session = await globalThis.LanguageModel?.create({
    ...(system === null ? {} : { initialPrompts: [{ role: 'system', content: system }] }),
    signal,
  });
  if (session === undefined) throw new Error('This browser has no model of its own.');
  try {
    const reader = session.promptStreaming(prompt, { signal }).getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      say({ kind: 'piece', text: value });
    }
    say({ kind: 'ended' });
  } finally {
    session.destroy();
  }
}
