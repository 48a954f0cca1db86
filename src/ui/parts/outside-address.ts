/**
 * `address` when it is one that a person may follow out of Rota, and `null` when it is to be shown as text: a whole address of
 * the web or of mail, without a name and password in it, which deceive about where it leads. Addresses that came from outside
 * (a model's answer, a feed) become links by this alone.
 */
export function outsideAddress(address: string): string | null {
  const trimmed = address.trim();
  if (!/^(?:https?:\/\/|mailto:)/i.test(trimmed) || !URL.canParse(trimmed)) return null;
  const url = new URL(trimmed);
  return url.username === '' && url.password === '' ? url.href : null;
}
