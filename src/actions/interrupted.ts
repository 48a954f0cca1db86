/**
 * What an action rejects with when that in which it ran is gone in the middle of it, and beginning anew could do twice what
 * must be done once. It is no ending: the run is ended like that of a host that died (protocol, section 6).
 */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
}
