import { showToast } from './parts/toast.ts';
import { errorSentence } from './text/errors.ts';
import { problemOf } from './watched.ts';

/** Does `body` and says what went wrong if it does; answers whether it went well. */
export async function saying(body: () => Promise<void>): Promise<boolean> {
  try {
    await body();
    return true;
  } catch (error) {
    showToast({ text: errorSentence(problemOf(error).code), tone: 'bad' });
    return false;
  }
}
