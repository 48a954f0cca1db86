/**
 * The one polite live region: what a screen reader is told without being asked. It stands in the document itself, where
 * all of them look for one, and speaks once for a burst of messages.
 */

/** Messages that come closer together than this are one announcement. */
const GATHER_MS = 250;
/** Most messages of one announcement; of the others only the number is said. */
const SPOKEN_MOST = 3;

/** After this it has been read, and the region is emptied, so that the same text counts as new when it comes again. */
const SPOKEN_WITHIN_MS = 5_000;

let clearing: ReturnType<typeof setTimeout> | undefined;
let region: HTMLElement | null = null;
let gathered: string[] = [];

/** Has `text` read out when the reader is idle. Never moves the focus. */
export function announce(text: string): void {
  region ??= makeRegion();
  gathered.push(text);
  if (gathered.length > 1) return;
  setTimeout(() => {
    const rest = gathered.length - SPOKEN_MOST;
    const spoken = gathered.slice(0, SPOKEN_MOST).join(' ');
    gathered = [];
    if (region !== null) region.textContent = rest > 0 ? `${spoken} And ${rest} more.` : spoken;
    clearTimeout(clearing);
    clearing = setTimeout(() => region?.replaceChildren(), SPOKEN_WITHIN_MS);
  }, GATHER_MS);
}

function makeRegion(): HTMLElement {
  const made = document.createElement('div');
  made.className = 'announcer';
  made.setAttribute('role', 'status');
  made.setAttribute('aria-live', 'polite');
  document.body.append(made);
  return made;
}
