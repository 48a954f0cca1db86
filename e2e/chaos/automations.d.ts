/** What runs while the nemesis is at work: every overlap and missed rule, fast and slow, failing and not. */
import type { Definition } from './record.ts';
import type { Random } from './random.ts';
/** How many there are in all; those that are left have a cron rule. */
export declare const AUTOMATIONS = 50;
/** The part of a definition's action that the chaos uses. */
export interface ChaosDefinition extends Definition {
  readonly action: Definition['action'] & {
    readonly url: string;
  };
}
/** The definitions, each with its id. `server` is where they send their effects. */
export declare function automationsFor(
  random: Random,
  server: string,
  newId: () => string,
): readonly {
  readonly id: string;
  readonly definition: ChaosDefinition;
}[];
/** The request of an automation that is due every `periodMs`. The server does as its query says (e2e/http-server.ts). */
export declare function actionOf(random: Random, server: string, periodMs: number): ChaosDefinition['action'];
/** Rules of all kinds. */
export declare function rulesOf(random: Random): NonNullable<Definition['rules']>;
