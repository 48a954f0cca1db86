import { readMark } from './backup.ts';
import { derivedUuid } from './derived-id.ts';
import { readDocument } from './file.ts';
import type { AutomationId } from './ids.ts';
import { IMPORT_ENTRIES_MOST, type ImportReading, type ReadEntry } from './import-entry.ts';

/** Reads a version 1 file of Rota, item by item. One without an id is known again by its name. */
export function readRotaFile(file: string, document: unknown): ImportReading {
  const { problems, items } = readDocument(document, IMPORT_ENTRIES_MOST);
  const named = new Map<string, number>();
  const entries = items.map((item): ReadEntry => {
    const place = `automations[${item.index}]`;
    if (item.kind === 'bad') return { kind: 'bad', place, name: item.name ?? place, problems: item.problems };
    const { id, ...definition } = item.filed;
    const count = named.get(definition.name) ?? 0;
    if (id === undefined) named.set(definition.name, count + 1);
    return {
      kind: 'good',
      entry: {
        place,
        id: id ?? (derivedUuid(`rota:${count}:${definition.name}`) as AutomationId),
        definition: { ...definition, enabled: false },
        said: null,
        notes: [],
        runs: [],
      },
    };
  });
  const mark = readMark(document);
  return mark.kind === 'invalid'
    ? { file, source: 'rota', entries, problems: [...problems, ...mark.problems], notes: [] }
    : {
        file,
        source: 'rota',
        entries,
        problems,
        notes: [],
        ...(mark.value === null ? {} : { backup: mark.value }),
      };
}
