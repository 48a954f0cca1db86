/** What went wrong, for a person: in our words where the platform's say too little, else in its own. */
export function reasonOf(error: unknown): string {
  if (error instanceof DOMException && error.name === 'QuotaExceededError') {
    return 'The browser has no room left for what Rota stores: free some disk space, or let this site store more.';
  }
  return error instanceof Error ? error.message : String(error);
}
