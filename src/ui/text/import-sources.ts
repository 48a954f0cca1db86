import type { ImportSource } from '../../domain/index.ts';

/** What a file is, in words. */
export const SOURCE_NAMES: Readonly<Record<ImportSource, string>> = {
  rota: 'a file of Rota',
  'vscode-automation': 'an automation of VS Code',
  'vscode-ledger': 'a ledger of VS Code',
  crontab: 'a crontab',
};
