/** A backup: a version 1 file that says when it was made and of which database, so that a restore knows what was deleted since. */
import * as v from 'valibot';
import { type FiledAutomation, formatFile } from './file.ts';
import type { BackupMark } from './import-entry.ts';
import { type Parsed, parseWith } from './problem.ts';

const markSchema = v.looseObject({
  ledger: v.string('The database of a backup is named by a text.'),
  at: v.pipe(
    v.number('The time of a backup is a number.'),
    v.integer('The time of a backup is a whole number.'),
  ),
});

/** Writes `automations` as a backup. It is read as any version 1 file is. */
export function formatBackup(automations: readonly FiledAutomation[], mark: BackupMark): string {
  const { automations: filed, ...head } = JSON.parse(formatFile(automations)) as {
    readonly automations: unknown;
  };
  return `${JSON.stringify({ ...head, backup: mark, automations: filed }, null, 2)}\n`;
}

/** What a version 1 file says of itself as a backup; `null`: it is a plain file of automations. */
export function readMark(document: unknown): Parsed<BackupMark | null> {
  const backup: unknown = Reflect.get(Object(document) as object, 'backup');
  if (backup === undefined) return { kind: 'ok', value: null };
  const mark = parseWith(markSchema, backup, ['backup']);
  return mark.kind === 'invalid'
    ? mark
    : { kind: 'ok', value: { ledger: mark.value.ledger, at: mark.value.at } };
}
