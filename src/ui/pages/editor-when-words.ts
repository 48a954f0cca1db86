/** What a person wrote of *when*, as a change of the form. Nothing else happens: what it means is shown beside the form. */
import { firstTime } from '../text/first-time.ts';
import { isMonthFirst, readDate } from '../text/read-date.ts';
import { readTimes } from '../text/read-times.ts';
import { scheduleText } from '../text/schedule.ts';
import { type FormContext, type WhenForm, whenOf } from './editor-when-form.ts';
import { isZone, localTextOf } from './editor-zone-time.ts';

/** What became of the words. The texts are for a person and end with a full stop. */
export type FilledIn =
  | { readonly kind: 'filled'; readonly change: Partial<WhenForm>; readonly said: string }
  | { readonly kind: 'unread'; readonly message: string };

/** Reads `text` for a form whose time zone is `zone`. Rejects only when the reader of dates cannot be loaded. */
export async function fillIn(
  text: string,
  zone: string,
  context: FormContext,
  locale: string,
): Promise<FilledIn> {
  const read = readTimes(text);
  const ownZone = isZone(zone) ? zone : context.zone;
  switch (read.kind) {
    case 'unread':
      return read;
    case 'every': {
      const schedule = { kind: 'every', everyMs: read.everyMs, anchor: 0 } as const;
      const change = { ...whenOf(schedule, context.zone), anchor: 'clock' } as const;
      return filled(change, scheduleText(schedule, context.now).text, false);
    }
    case 'cron': {
      const unknown = unknownZone(read.zone);
      if (unknown !== null) return unknown;
      const schedule = {
        kind: 'cron',
        expression: read.expression,
        timeZone: read.zone ?? ownZone,
      } as const;
      const change = whenOf(schedule, context.zone);
      return filled(change, scheduleText(schedule, context.now).text, read.timeAssumed);
    }
    case 'calendar': {
      const unknown = unknownZone(read.zone);
      if (unknown !== null) return unknown;
      const timeZone = read.zone ?? ownZone;
      const first = firstTime(read.first, read.time, localTextOf(context.now, timeZone).slice(0, 16));
      if (first === null) return { kind: 'unread', message: 'There is no such date. Write another one.' };
      const { every, unit, overflow } = read;
      const schedule = { kind: 'calendar', every, unit, first, timeZone, overflow } as const;
      const change = whenOf(schedule, context.zone);
      return filled(change, scheduleText(schedule, context.now).text, read.timeAssumed);
    }
    case 'date': {
      const date = await readDate(text, {
        now: context.now,
        localTextOf: (at) => localTextOf(at, ownZone).slice(0, 16),
        monthFirst: isMonthFirst(locale),
      });
      if (date.kind === 'unread') return date;
      const change = { scheduleKind: 'once', onceText: date.localText, zone: ownZone } as const;
      return filled(change, `Once, ${date.localText.replace('T', ' ')}`, date.timeAssumed);
    }
  }
}

function unknownZone(zone: string | null): Extract<FilledIn, { kind: 'unread' }> | null {
  if (zone === null || isZone(zone)) return null;
  const message = `This browser knows no time zone “${zone}”. Zones are named like Europe/Paris.`;
  return { kind: 'unread', message };
}

function filled(change: Partial<WhenForm>, what: string, timeAssumed: boolean): FilledIn {
  const time = timeAssumed ? ' You gave no time, so 09:00 is there.' : '';
  return { kind: 'filled', change, said: `Filled in: ${what}.${time}` };
}
