/**
 * Runs `work` one at a time. A call while it runs asks for one more round after this one, however many calls there
 * were, so that whatever changed meanwhile is seen and nothing piles up.
 *
 * The promise of a call resolves after a round that began after the call. Errors go to `onError`, never to the caller.
 */
export function singleFlight(
  work: () => Promise<void>,
  onError: (error: unknown) => void,
): () => Promise<void> {
  let running: Promise<void> | null = null;
  let next: Promise<void> | null = null;

  const round = async (): Promise<void> => {
    try {
      await work();
    } catch (error) {
      onError(error);
    }
    // With a round that waits, this one counts as running until that one begins: who calls in between joins it.
    if (next === null) running = null;
  };
  const start = (): Promise<void> => {
    running = round();
    return running;
  };
  return () => {
    if (running === null) return start();
    next ??= running.then(() => {
      next = null;
      return start();
    });
    return next;
  };
}
