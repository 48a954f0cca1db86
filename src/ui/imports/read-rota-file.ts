import {
  type AutomationId,
  IMPORT_ENTRIES_MOST,
  type ImportReading,
  type ReadEntry,
  derivedUuid,
  readDocument,
} from '../../domain/index.ts';

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
  return { file, source: 'rota', entries, problems, notes: [] };
}
