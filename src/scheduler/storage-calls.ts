/** What a tab asks about storage: usage, what was forgotten, whether all fits together, backups. Loaded with the first call. */
import { type CommandId, definitionOf } from '../domain/index.ts';
import type { StorageApi } from '../rpc/index.ts';
import type { Command, Ledger } from '../store/index.ts';
import type { Upkeep } from './upkeep.ts';
import type { World } from './world.ts';

/** What the calls stand on. */
export interface StorageCallsOf {
  readonly world: World;
  readonly ledger: Ledger;
  readonly upkeep: Upkeep;
  readonly command: (commandId: CommandId | undefined) => Command;
  /** Automations were changed. */
  readonly onEdit: () => void;
}

/** The calls of {@link StorageApi}. */
export function storageCalls({ world, ledger, upkeep, command, onEdit }: StorageCallsOf): StorageApi {
  return {
    async usage() {
      return { stores: await (await ledger.upkeep()).usage() };
    },

    async upkeep() {
      const { ledger: of, bornAt, swept, checked } = await upkeep.about();
      return {
        ledger: of,
        bornAt,
        swept,
        checked,
        sweeping: upkeep.isSweeping,
        checking: upkeep.isChecking,
      };
    },

    async sweep() {
      if (upkeep.isSweeping) return { kind: 'already-sweeping' };
      upkeep.sweep().catch((error: unknown) => world.complain('History could not be swept.', error));
      return await Promise.resolve({ kind: 'started' });
    },

    async checkIntegrity() {
      if (upkeep.isChecking) return { kind: 'already-checking' };
      upkeep.check(true).catch((error: unknown) => world.complain('The check was not finished.', error));
      return await Promise.resolve({ kind: 'started' });
    },

    async backup() {
      const { formatBackup } = await import('./restore.ts');
      const [stored, { ledger: of }] = await Promise.all([ledger.listAutomations(), upkeep.about()]);
      const automations = stored.map(({ automation }) => ({
        id: automation.id,
        ...definitionOf(automation),
      }));
      const at = world.now();
      return { text: formatBackup(automations, { ledger: of, at }), at, automations: automations.length };
    },

    async previewRestore({ text }) {
      const { previewRestore } = await import('./restore.ts');
      return await previewRestore(ledger, (await upkeep.about()).ledger, text);
    },

    async restore({ commandId, text, choices }) {
      const { restore } = await import('./restore.ts');
      const request = { ...command(commandId), text, choices };
      const result = await restore(ledger, (await upkeep.about()).ledger, request);
      if (result.kind === 'restored' && result.ids.length > 0) onEdit();
      return result;
    },
  };
}
