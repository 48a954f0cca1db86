/** One clock for all relative times of a tab: it ticks while something listens and somebody can see it. */
import type { EpochMs } from '../../domain/index.ts';

const listeners = new Set<(now: EpochMs) => void>();
let timer: ReturnType<typeof setTimeout> | null = null;

/** Calls `listener` at the start of each second of the wall clock, and at once when the tab is looked at again. */
export function onTick(listener: (now: EpochMs) => void): () => void {
  if (listeners.size === 0) document.addEventListener('visibilitychange', wake);
  listeners.add(listener);
  arm();
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    document.removeEventListener('visibilitychange', wake);
    if (timer !== null) clearTimeout(timer);
    timer = null;
  };
}

function arm(): void {
  if (timer !== null || listeners.size === 0 || document.visibilityState === 'hidden') return;
  timer = setTimeout(
    () => {
      timer = null;
      tick();
    },
    1000 - (Date.now() % 1000),
  );
}

function tick(): void {
  const now = Date.now();
  for (const listener of listeners) listener(now);
  arm();
}

function wake(): void {
  if (document.visibilityState === 'hidden') {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    return;
  }
  tick();
}
