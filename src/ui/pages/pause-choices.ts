/** Until when a person can pause, as choices with the times that they mean. Pure: the dialog only sets them. */
import { DAY_MS, type EpochMs, HOUR_MS, LAST_INSTANT_MS } from '../../domain/index.ts';
import { localTextOf, readLocal } from './editor-zone-time.ts';
import { daysBetween, namedDateTime } from '../text/dates.ts';

/** One choice. */
export interface PauseChoice {
  readonly label: string;
  readonly until: EpochMs;
  /** The time that it means, in full: `today 15:52`. */
  readonly when: string;
}

const MORNING = 9;
const EVENING = 18;
/** Before this hour, the morning that comes is still called *this* one. */
const NIGHT_ENDS = 6;

/** The choices at `now` on the clock of `zone`, the soonest first. */
export function pauseChoices(now: EpochMs, zone: string): readonly PauseChoice[] {
  const hour = Number(localTextOf(now, zone).slice(11, 13));
  const choices: { readonly label: string; readonly until: EpochMs | null }[] = [
    { label: 'For 1 hour', until: now + HOUR_MS },
  ];
  if (hour < NIGHT_ENDS) choices.push({ label: 'Until this morning', until: atHour(now, 0, MORNING, zone) });
  // An hour before it is too near to be another choice.
  if (hour >= NIGHT_ENDS && hour < EVENING - 1)
    choices.push({ label: 'Until this evening', until: atHour(now, 0, EVENING, zone) });
  choices.push({ label: 'Until tomorrow', until: atHour(now, 1, MORNING, zone) });
  const weekday = new Date(`${localTextOf(now, zone).slice(0, 10)}T00:00Z`).getUTCDay();
  const toMonday = (8 - weekday) % 7;
  // On Friday and Saturday: the next working day is not tomorrow.
  if (toMonday === 2 || toMonday === 3)
    choices.push({ label: 'Until Monday', until: atHour(now, toMonday, MORNING, zone) });
  return choices.flatMap(({ label, until }) =>
    until === null ? [] : [{ label, until, when: namedDateTime(until, now, zone) }],
  );
}

/** `hour` o’clock, so many days from today; `null` on a date that the zone leaves out. */
function atHour(now: EpochMs, days: number, hour: number, zone: string): EpochMs | null {
  const today = Date.parse(`${localTextOf(now, zone).slice(0, 10)}T00:00Z`);
  const date = new Date(today + days * DAY_MS).toISOString().slice(0, 10);
  const read = readLocal(`${date}T${String(hour).padStart(2, '0')}:00`, zone);
  return read.kind === 'ok' ? read.at : null;
}

/** What a typed end of a pause comes to. The texts are for a person and end with a full stop. */
export type ReadUntil =
  | { readonly kind: 'ok'; readonly until: EpochMs; readonly said: string }
  | { readonly kind: 'refused'; readonly message: string };

/** Reads what `<input type="datetime-local">` gives, on the clock of `zone`. */
export function readUntil(text: string, now: EpochMs, zone: string): ReadUntil {
  const read = readLocal(text, zone);
  switch (read.kind) {
    case 'unreadable':
      return { kind: 'refused', message: 'Enter a date and a time.' };
    case 'no-such-date':
      return { kind: 'refused', message: `This date does not exist in ${zone}: its calendar skipped it.` };
    case 'ok': {
      if (read.at <= now) return { kind: 'refused', message: 'This time has passed. Choose a time to come.' };
      if (read.at >= LAST_INSTANT_MS)
        return { kind: 'refused', message: 'Choose a time before the year 2200, or until you resume.' };
      const days = daysBetween(now, read.at, zone);
      const away = days < 2 ? '' : `, in ${days} days`;
      const remark = read.remark === undefined ? '' : `; ${read.remark}`;
      return {
        kind: 'ok',
        until: read.at,
        said: `Until ${namedDateTime(read.at, now, zone)}${away}${remark}.`,
      };
    }
  }
}

/** What the field for a time of one's own begins with: the next full hour that is more than an hour away. */
export function untilAtFirst(now: EpochMs, zone: string): string {
  return localTextOf(Math.ceil((now + HOUR_MS) / HOUR_MS) * HOUR_MS, zone);
}
