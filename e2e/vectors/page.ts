/** Judges the vectors of schedules in the page that it is loaded in; vectors.spec.ts builds it, opens it and asks. */
import { prepareTime } from '../../src/domain/index.ts';
import { type ClockTime, type VectorGroup, judge } from '../../src/domain/vectors.testing.ts';

/** Whether the engine has a Temporal of its own. */
const hasNative = 'Temporal' in globalThis;

/** Whether the zone database of this engine, asked without any of Rota's code, has it so. */
function isSoHere({ timeZone, at, local }: ClockTime): boolean {
  const shown = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' });
  return shown.format(Date.parse(at)) === local.replace('T', ' ');
}

/**
 * How many vectors `group` has, and those whose outcome is not what they want: `wrong`, or `dated` where the engine comes
 * with a zone database in which the clocks of that zone are set otherwise (WebKitGTK takes the system's). With `'always'`, by the polyfill even where
 * the engine has a Temporal; a page must not be asked for both, because zones are remembered.
 */
async function judgeVectors(group: VectorGroup, polyfill: 'always' | 'where-missing') {
  await prepareTime({ polyfill });
  const judged = judge(group);
  const wrong = judged.filter(({ got, wanted }) => JSON.stringify(got) !== JSON.stringify(wanted));
  const dated = wrong.filter(({ clock = [] }) => !clock.every(isSoHere));
  return {
    hasNative,
    count: judged.length,
    wrong: wrong.filter((one) => !dated.includes(one)),
    dated: dated.map(({ id }) => id),
  };
}

/** What the page answers. */
export type Verdict = Awaited<ReturnType<typeof judgeVectors>>;

Object.assign(globalThis, { judgeVectors });
