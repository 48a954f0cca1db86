/** The way back of what was done to one automation or to many. Loaded when somebody takes it. */
import type { BulkRefusal, CommandId } from '../domain/index.ts';
import { showToast } from './parts/toast.ts';
import type { RemoteHost } from './remote-host.ts';
import { undoneText } from './text/bulk.ts';
import { errorSentence } from './text/errors.ts';
import { problemOf } from './watched.ts';

/**
 * Undoes all of these, and says what came of it: `back` where all went well. What could not be asked for is offered again.
 * Never rejects.
 */
export async function undoAll(
  host: Pick<RemoteHost, 'undoChange'>,
  undos: readonly CommandId[],
  back?: string,
): Promise<void> {
  const so = { changed: 0, refused: [] as BulkRefusal[] };
  let isForgotten = false;
  for (const [index, of] of undos.entries()) {
    try {
      const result = await host.undoChange({ of });
      if (result.kind === 'not-found') isForgotten = true;
      else {
        so.changed += result.ids.length;
        so.refused.push(...result.refused);
      }
    } catch (error) {
      const failed = `The rest could not be undone. ${errorSentence(problemOf(error).code)}`;
      showToast({
        text: inARow(undoneText(so), failed),
        tone: 'bad',
        action: { label: 'Try again', run: () => void undoAll(host, undos.slice(index), back) },
      });
      return;
    }
  }
  const forgotten = isForgotten ? 'What would undo the rest is not kept any more.' : '';
  const isBad = so.refused.length > 0 || isForgotten;
  if (isBad) showToast({ text: inARow(undoneText(so), forgotten), tone: 'bad' });
  else showToast({ text: back ?? undoneText(so) });
}

/** `sentences` one after the other, without those that have nothing to say. */
export function inARow(...sentences: readonly string[]): string {
  return sentences.filter((sentence) => sentence !== '').join(' ');
}
