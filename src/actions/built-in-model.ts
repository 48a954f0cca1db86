/**
 * Asks the model of the browser itself, which only a window can: an open tab asks it, and this host is told word by word. It
 * is wrapped as an endpoint that speaks as OpenAI's do, so that limits, progress and failures are those of all prompts.
 */
import * as v from 'valibot';
import type { ModelQuestion, ModelWord } from '../domain/index.ts';
import type { ActionContext } from './action-context.ts';

const bodySchema = v.object({
  messages: v.array(v.object({ role: v.string(), content: v.string() })),
});

/** A `fetch` that asks a tab, whatever the address. */
export function fetchFromTab({
  borrow,
  signal,
}: Pick<ActionContext, 'borrow' | 'signal'>): typeof globalThis.fetch {
  return async (_input, init) => {
    const question = questionIn(init?.body);
    const executor = (await borrow?.('model', signal)) ?? null;
    if (executor === null) {
      const message = 'No open tab of Rota lends the model of the browser.';
      return Response.json({ error: { message } }, { status: 503 });
    }
    const { port, lost } = executor;
    const encoder = new TextEncoder();
    let isOver = false;
    let over: () => void = () => undefined;
    const stream = new ReadableStream<Uint8Array>({
      start: (controller) => {
        const say = (event: object): void =>
          controller.enqueue(encoder.encode(`data: ${JSON.stringify(event)}\n\n`));
        const end = (settle: () => void): void => {
          if (isOver) return;
          isOver = true;
          over();
          settle();
        };
        const onLost = (): void => end(() => controller.error(new TypeError('The tab is gone.')));
        const onAbort = (): void => end(() => controller.error(signal.reason));
        over = () => {
          port.onmessage = null;
          lost.removeEventListener('abort', onLost);
          signal.removeEventListener('abort', onAbort);
          // A tab has one conversation a port, so it is never lent again.
          executor.release('spoiled');
        };
        lost.addEventListener('abort', onLost);
        signal.addEventListener('abort', onAbort);
        port.onmessage = ({ data }: MessageEvent<ModelWord>) => {
          if (isOver) return;
          switch (data.kind) {
            case 'piece':
              say({ choices: [{ index: 0, delta: { content: data.text } }] });
              return;
            case 'ended':
              say({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] });
              end(() => controller.close());
              return;
            case 'failed':
              say({ error: { message: data.message } });
              end(() => controller.close());
              return;
          }
        };
        if (lost.aborted) onLost();
        else port.postMessage(question);
      },
      cancel: () => {
        if (isOver) return;
        isOver = true;
        over();
      },
    });
    return new Response(stream, { headers: { 'content-type': 'text/event-stream' } });
  };
}

/** What is asked, out of the body that an endpoint would be sent. */
function questionIn(body: unknown): ModelQuestion {
  const { messages } = v.parse(bodySchema, JSON.parse(String(body)));
  const said = (role: string): string | null =>
    messages.find((message) => message.role === role)?.content ?? null;
  return { system: said('system'), prompt: said('user') ?? '' };
}
