import { type AutomationId, type RunId, UUID_V7_RANDOM_BYTES, uuidV7 } from '../domain/index.ts';
import type { World } from './world.ts';

type Source = Pick<World, 'now' | 'randomBytes'>;

/** A fresh id for a row of the ledger. */
export function newRunId(world: Source): RunId {
  return uuidV7(world.now(), world.randomBytes(UUID_V7_RANDOM_BYTES)) as RunId;
}

/** A fresh id for what is stored nowhere. */
export function newUuid(world: Source): string {
  return uuidV7(world.now(), world.randomBytes(UUID_V7_RANDOM_BYTES));
}

/** A fresh id for an automation. */
export function newAutomationId(world: Source): AutomationId {
  return uuidV7(world.now(), world.randomBytes(UUID_V7_RANDOM_BYTES)) as AutomationId;
}
