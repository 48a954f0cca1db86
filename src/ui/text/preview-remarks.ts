/** What is said of the next runs of a schedule as a whole: that there is none, or that they are very many. */
import { type Action, DAY_MS, type EpochMs, type Schedule } from '../../domain/index.ts';
import { numberText } from './counts.ts';

/** From so many a day on it is said how many they are: about one in three minutes. */
const MANY_A_DAY = 500;

/** What a run does that somebody notices who has many of them: the server, the model's bill, the person. */
const DONE: Readonly<Record<Action['kind'], string>> = {
  http: 'requests',
  watch: 'looks',
  prompt: 'prompts',
  script: 'runs',
  steps: 'runs',
  remind: 'reminders',
};

/** That a schedule runs too often, as a sentence, by its next instants `at` (ascending); `null` when it does not. */
export function tooOftenText(kind: Action['kind'], at: readonly EpochMs[]): string | null {
  const [first, second] = at;
  if (first === undefined || second === undefined) return null;
  const aDay = Math.round(DAY_MS / (second - first));
  return aDay < MANY_A_DAY ? null : `At this pace, ${numberText(aDay)} ${DONE[kind]} a day.`;
}

/** That a schedule never runs again, as a sentence, when `at` has none of its next instants; else `null`. */
export function neverText(kind: Schedule['kind'], at: readonly EpochMs[]): string | null {
  if (at.length > 0 || kind === 'manual' || kind === 'after') return null;
  return `It has no run to come${kind === 'once' || kind === 'date' ? ': this time has passed' : ''}.`;
}
