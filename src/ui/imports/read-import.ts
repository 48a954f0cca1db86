/** Reads what a person chose to bring in: what it is, is told by its content and never by its name. */
import {
  type ImportReading,
  type Problem,
  isFileDocument,
  parseJson,
  readRotaFile,
} from '../../domain/index.ts';
import type { ImportContext } from './import-context.ts';
import { FILE_BYTES_MOST } from './decode-file.ts';
import { isCrontab, readCrontab } from './read-crontab.ts';
import { isVsCodeLedger, readVsCodeLedger } from './read-vscode-ledger.ts';

const ACCEPTED =
  'What can come in: a file of Rota, an automation of VS Code (.automation.md), a ledger of VS Code (JSON with a schemaVersion), or a crontab.';

/** Reads one file or pasted text. Never rejects but where a part of Rota cannot be loaded. Wants `prepareTime`. */
export async function readImport(file: string, text: string, context: ImportContext): Promise<ImportReading> {
  const refused = (...problems: readonly Problem[]): ImportReading => ({
    file,
    source: null,
    entries: [],
    problems,
    notes: [],
  });
  if (text.length > FILE_BYTES_MOST)
    return refused({ path: '', message: `It is longer than ${FILE_BYTES_MOST} characters. Split it.` });
  const plain = text.startsWith('\uFEFF') ? text.slice(1) : text;
  if (plain.trim() === '') return refused({ path: '', message: `It is empty. ${ACCEPTED}` });
  if (/^\s*[{[]/.test(plain)) {
    const json = parseJson(plain);
    if (json.kind === 'invalid') return refused(...json.problems);
    if (isFileDocument(json.value)) return readRotaFile(file, json.value);
    if (isVsCodeLedger(json.value)) return readVsCodeLedger(file, json.value, context);
    return refused({
      path: '',
      message: `It is JSON, and neither a file of Rota, with its format, nor a ledger. ${ACCEPTED}`,
    });
  }
  // YAML needs a library, so it is loaded with the first such file.
  if (/^---[ \t]*\r?\n/.test(plain)) {
    const { readVsCodeAutomation } = await import('./read-vscode-automation.ts');
    return readVsCodeAutomation(file, plain, context);
  }
  if (isCrontab(plain)) return readCrontab(file, plain, context);
  return refused({ path: 'line 1', message: `Rota does not know what this is. ${ACCEPTED}` });
}
