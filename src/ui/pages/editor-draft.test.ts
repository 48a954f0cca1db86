import { describe, expect, test } from 'vitest';
import type { AutomationId } from '../../domain/index.ts';
import { type Draft, type DraftStorage, dropDraft, findDraft, writeDraft } from './editor-draft.ts';
import { emptyForm } from './editor-form.ts';

const NOW = Date.parse('2026-11-29T12:00:00Z');
const form = emptyForm({ now: NOW, zone: 'UTC' });
const draft = (change: Partial<Draft> = {}): Draft => ({
  subject: 'new',
  revision: null,
  savedAt: NOW - 60_000,
  form: { ...form, name: 'Half of a name' },
  ...change,
});

function memory(): DraftStorage & { readonly rows: Map<string, string> } {
  const rows = new Map<string, string>();
  return {
    rows,
    getItem: (key) => rows.get(key) ?? null,
    setItem: (key, value) => void rows.set(key, value),
    removeItem: (key) => void rows.delete(key),
    key: (index) => [...rows.keys()][index] ?? null,
    get length() {
      return rows.size;
    },
  };
}

describe('a draft', () => {
  test('is found again by the next editor of the same automation, and by no other', () => {
    const storage = memory();
    const id = '0b0f3f4e-5a43-4bb0-9d4b-0f2f5f3b7a11' as AutomationId;
    writeDraft(storage, 'a', draft({ subject: id, revision: 3 }));
    expect(findDraft(storage, 'new', new Set(), NOW)).toBeNull();
    expect(findDraft(storage, id, new Set(), NOW)).toEqual({
      id: 'a',
      draft: draft({ subject: id, revision: 3 }),
    });
  });

  test('whose editor is open in another tab is left alone', () => {
    const storage = memory();
    writeDraft(storage, 'a', draft());
    expect(findDraft(storage, 'new', new Set(['a']), NOW)).toBeNull();
  });

  test('is the newest of several', () => {
    const storage = memory();
    writeDraft(storage, 'old', draft({ savedAt: NOW - 2_000 }));
    writeDraft(storage, 'new', draft({ savedAt: NOW - 1_000 }));
    expect(findDraft(storage, 'new', new Set(), NOW)?.id).toBe('new');
  });

  test('is gone once it is dropped', () => {
    const storage = memory();
    writeDraft(storage, 'a', draft());
    dropDraft(storage, 'a');
    expect(findDraft(storage, 'new', new Set(), NOW)).toBeNull();
  });

  test.each([
    ['that is a month old', JSON.stringify(draft({ savedAt: NOW - 31 * 86_400_000 }))],
    ['that is no JSON', '{'],
    ['of a form with other fields', JSON.stringify({ ...draft(), form: { name: 'x' } })],
    ['of a form with other values', JSON.stringify({ ...draft(), form: { ...form, every: 15 } })],
  ])('%s is removed and not restored', (_what, text) => {
    const storage = memory();
    storage.setItem('rota:draft:a', text);
    storage.setItem('other', '1');
    expect(findDraft(storage, 'new', new Set(), NOW)).toBeNull();
    expect([...storage.rows.keys()]).toEqual(['other']);
  });

  test('that does not fit in storage is no reason to stop', () => {
    const full = {
      ...memory(),
      setItem: () => {
        throw new DOMException('full', 'QuotaExceededError');
      },
    };
    expect(writeDraft(full, 'a', draft())).toBe(false);
  });
});
