/**
 * Drafts: what was typed and not saved, kept in this browser so that a crash loses nothing.
 *
 * Each open editor writes a draft of its own, because two tabs may write at once. An editor that opens takes over the
 * newest draft whose editor is gone; one that is still open elsewhere is left to its tab. Whether it is gone is told by
 * a lock that the editor holds, as everywhere in Rota: an age would only guess.
 */
import type { AutomationId, EpochMs } from '../../domain/index.ts';
import { type EditorForm, emptyForm } from './editor-form.ts';

/** What is being edited: a new automation, or one that exists. */
export type DraftSubject = 'new' | AutomationId;

/** What an editor has not saved. */
export interface Draft {
  readonly subject: DraftSubject;
  /** The revision that the form was filled from; `null` for a new automation. */
  readonly revision: number | null;
  readonly savedAt: EpochMs;
  readonly form: EditorForm;
}

/** The part of `Storage` that drafts need. */
export type DraftStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem' | 'key' | 'length'>;

const PREFIX = 'rota:draft:';
/** A draft older than this is dropped: nobody remembers what it was for. */
const KEPT_MOST_MS = 30 * 86_400_000;

/** The lock that an editor holds while it writes the draft `id`. */
export function draftLock(id: string): string {
  return `rota/draft/${id}`;
}

/** Writes `draft` under `id`. Answers whether it is stored: a full or missing storage is no reason to stop typing. */
export function writeDraft(storage: DraftStorage, id: string, draft: Draft): boolean {
  try {
    storage.setItem(PREFIX + id, JSON.stringify(draft));
    return true;
  } catch {
    return false;
  }
}

/** Forgets the draft `id`. */
export function dropDraft(storage: DraftStorage, id: string): void {
  try {
    storage.removeItem(PREFIX + id);
  } catch {
    // Storage is gone, and the draft with it.
  }
}

/**
 * The newest draft of `subject` that no editor holds. Drafts that are too old or cannot be read are removed on the way.
 *
 * @param held The ids of drafts whose editors are open.
 */
export function findDraft(
  storage: DraftStorage,
  subject: DraftSubject,
  held: ReadonlySet<string>,
  now: EpochMs,
): { readonly id: string; readonly draft: Draft } | null {
  let newest: { readonly id: string; readonly draft: Draft } | null = null;
  for (const id of idsIn(storage)) {
    if (held.has(id)) continue;
    const draft = readDraft(storage, id);
    if (draft === null || now - draft.savedAt > KEPT_MOST_MS) {
      dropDraft(storage, id);
    } else if (draft.subject === subject && (newest === null || draft.savedAt > newest.draft.savedAt)) {
      newest = { id, draft };
    }
  }
  return newest;
}

function idsIn(storage: DraftStorage): readonly string[] {
  try {
    const keys = Array.from({ length: storage.length }, (_, index) => storage.key(index));
    return keys.flatMap((key) => (key?.startsWith(PREFIX) === true ? [key.slice(PREFIX.length)] : []));
  } catch {
    return [];
  }
}

function readDraft(storage: DraftStorage, id: string): Draft | null {
  try {
    const value: unknown = JSON.parse(storage.getItem(PREFIX + id) ?? 'null');
    return isDraft(value) ? value : null;
  } catch {
    return null;
  }
}

/** A draft of another build may lack a field or hold another kind of value; such a one is not taken over. */
function isDraft(value: unknown): value is Draft {
  if (!isObject(value)) return false;
  const { subject, revision, savedAt, form } = value;
  return (
    typeof subject === 'string' &&
    (revision === null || typeof revision === 'number') &&
    typeof savedAt === 'number' &&
    isObject(form) &&
    looksLike(form, { ...emptyForm({ now: 0, zone: 'UTC' }), kept: undefined })
  );
}

function looksLike(value: unknown, sample: unknown): boolean {
  if (sample === undefined) return true;
  if (Array.isArray(sample)) return Array.isArray(value);
  if (!isObject(sample)) return typeof value === typeof sample;
  return isObject(value) && Object.entries(sample).every(([key, one]) => looksLike(value[key], one));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
