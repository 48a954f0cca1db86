/** What is inside a file that may be imported, before anything is stored. The host checks it as a whole when it is. */
import { type Definition, type Problem, definitionSchema, parseWith, pathText } from '../../domain/index.ts';
import { actionText } from './editor-words.ts';

/** One automation of a file. */
export interface OutlinedAutomation {
  readonly name: string;
  /** `null` when it cannot be read; the problems say why. */
  readonly definition: Definition | null;
  /** What it does, in a line. */
  readonly what: string;
}

/** What a text holds. */
export type FileOutline =
  | {
      readonly kind: 'file';
      readonly automations: readonly OutlinedAutomation[];
      readonly problems: readonly Problem[];
    }
  /** It is no file of Rota's; the host says where it goes wrong. */
  | { readonly kind: 'unreadable' };

/** Reads `text` as far as it can be read. Never throws. */
export function outlineOf(text: string): FileOutline {
  let document: unknown;
  try {
    document = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    return { kind: 'unreadable' };
  }
  if (!isObject(document) || document['format'] !== 'rota') return { kind: 'unreadable' };
  const { automations } = document;
  if (!Array.isArray(automations)) return { kind: 'unreadable' };
  const problems: Problem[] = [];
  const outlined = automations.map((value: unknown, index): OutlinedAutomation => {
    const { id: _id, ...rest } = isObject(value) ? value : {};
    const parsed = parseWith(definitionSchema, rest, ['automations', index]);
    if (parsed.kind === 'ok') {
      const definition = parsed.value;
      return { name: definition.name, definition, what: actionText(definition.action) };
    }
    problems.push(...parsed.problems);
    const name =
      typeof rest['name'] === 'string' && rest['name'] !== ''
        ? rest['name']
        : pathText(['automations', index]);
    return { name, definition: null, what: '' };
  });
  return { kind: 'file', automations: outlined, problems };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
