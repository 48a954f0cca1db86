/** What a watch remembers from run to run: what was there last, where that is kept, and what of a feed was ever seen. */
import * as v from 'valibot';
import {
  EARLIER_MOST,
  type RunId,
  SNAPSHOT_MOST,
  type SnapshotPlace,
  type WatchAction,
} from '../../domain/index.ts';

/** The name under which a watch remembers. */
export const MEMORY_KEY = 'watch';
/** How many items of a feed are remembered as seen; those that are in it now are always among them. */
const SEEN_MOST = 5_000;

const runId = v.pipe(
  v.string(),
  v.transform((id) => id as RunId),
);
const place = v.object({ runId, at: v.number() });

const memorySchema = v.object({
  /** What is watched ({@link subjectOf}); a memory of something else is none. */
  subject: v.string(),
  /** Where the last snapshot is kept, and when it was found first. */
  runId,
  at: v.number(),
  text: v.pipe(v.string(), v.maxLength(SNAPSHOT_MOST)),
  /** Snapshots before that one, newest first. */
  earlier: v.array(place),
  /** Since when nothing matches. */
  goneSince: v.optional(v.number()),
  /** It was told that there was no change for so long; a change takes it away. */
  quietTold: v.optional(v.boolean()),
  /** Of a feed: {@link markOf} of the key of each item that was ever there, newest last. */
  seen: v.optional(v.array(v.string())),
});

/** What is remembered. */
export type WatchMemory = Readonly<v.InferOutput<typeof memorySchema>>;

/** What `value` says that was remembered of `subject`; `null` when that is nothing. */
export function readMemory(value: unknown, subject: string): WatchMemory | null {
  const read = v.safeParse(memorySchema, value);
  return read.success && read.output.subject === subject ? read.output : null;
}

/** What `action` watches, as one text: when it is another, there is nothing to compare with. */
export function subjectOf({ url, headers, part, filter }: WatchAction): string {
  return markOf(JSON.stringify([url, headers, part, filter]));
}

/** The places of the last snapshot and those before it, newest first. */
export function placesOf(memory: WatchMemory | null): readonly SnapshotPlace[] {
  if (memory === null) return [];
  return [{ runId: memory.runId, at: memory.at }, ...memory.earlier].slice(0, EARLIER_MOST);
}

/** `seen` with `marks` as the newest of it. */
export function withSeen(seen: readonly string[], marks: readonly string[]): string[] {
  const now = new Set(marks);
  return [...seen.filter((mark) => !now.has(mark)), ...now].slice(-SEEN_MOST);
}

/**
 * A short text that stands for `text`: 64 bits, by which five thousand items meet by chance once in a trillion times. No
 * secret hangs on it (FNV-1a twice, from two starts, with a last mix each).
 */
export function markOf(text: string): string {
  return half(text, 0x81_1c_9d_c5) + half(text, 0x9e_37_79_b9);
}

function half(text: string, start: number): string {
  let hash = start;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01_00_01_93);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85_eb_ca_6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2_b2_ae_35);
  return ((hash ^ (hash >>> 16)) >>> 0).toString(36).padStart(7, '0');
}
