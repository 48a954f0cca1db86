/** Every row of the benchmark, in the order of the table. A new one is a file of its own and a line here. */
import { burst } from './burst.mjs';
import { claims } from './claims.mjs';
import { crowd } from './crowd.mjs';
import { elections } from './elections.mjs';
import { firstList } from './first-list.mjs';
import { handOver } from './hand-over.mjs';
import { history } from './history.mjs';
import { lateness } from './lateness.mjs';
import { lighthouse } from './lighthouse.mjs';
import { retention } from './retention.mjs';
import { schedules } from './schedules.mjs';
import { scripts } from './scripts.mjs';
import { start } from './start.mjs';
import { swap } from './swap.mjs';
import { tabMemory } from './tab-memory.mjs';
import { ticks } from './ticks.mjs';
import { updates } from './updates.mjs';
import { watches } from './watches.mjs';

/**
 * Something that is measured by itself. `measure` takes what it needs from the stage, in a browser that other rows use too
 * or in one of its own, and gives figures that do not depend on which rows were measured before.
 * @typedef {object} Row
 * @property {string} name what `--only` takes
 * @property {string} says what it measures, in a line
 * @property {NodeJS.Platform} [on] the one platform on which it can be measured
 * @property {(stage: import('./stage.mjs').Stage) => Promise<readonly import('./figures.mjs').Figure[]>} measure
 */

/** @type {readonly Row[]} */
export const ROWS = [
  claims,
  swap,
  ticks,
  history,
  retention,
  start,
  burst,
  lateness,
  crowd,
  handOver,
  elections,
  lighthouse,
  firstList,
  tabMemory,
  updates,
  schedules,
  watches,
  scripts,
];
