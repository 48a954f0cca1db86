/** A watch as the editor holds it. Its URL and headers are those of a request, so that switching keeps them. */
import type { Problem, WatchAction, WatchedPart } from '../../domain/index.ts';
import { type HttpForm, type HeaderRow, readHeaders } from './editor-http-form.ts';

export interface WatchFields {
  readonly part: WatchedPart['kind'];
  /** A CSS selector. */
  readonly select: string;
  /** A JSONPath. */
  readonly path: string;
  /** Selectors to leave out, one a line. */
  readonly without: string;
  readonly attribute: string;
  /** Patterns, one a line. */
  readonly erase: string;
  readonly keep: string;
  readonly drop: string;
  readonly numbers: boolean;
  readonly space: boolean;
  readonly unique: boolean;
  readonly sort: boolean;
  readonly minimumLines: string;
  readonly notifyChange: boolean;
  readonly notifyGone: boolean;
  /** Days without a change after which to be told; empty for never. */
  readonly unchangedDays: string;
}

export interface WatchForm extends Pick<HttpForm, 'url' | 'headers'> {
  readonly watch: WatchFields;
}

/** All of a page, until a part of it is chosen. */
const WHOLE_PAGE = 'body';

/** A whole page; told of changes and of what is gone. */
export function emptyWatch(): WatchFields {
  return {
    part: 'page',
    select: WHOLE_PAGE,
    path: '',
    without: '',
    attribute: '',
    erase: '',
    keep: '',
    drop: '',
    numbers: false,
    space: false,
    unique: false,
    sort: false,
    minimumLines: '1',
    notifyChange: true,
    notifyGone: true,
    unchangedDays: '',
  };
}

/** The fields for `action`. */
export function watchOf({ url, headers, part, filter, minimumLines, notify }: WatchAction): WatchForm {
  const page = part.kind === 'page' ? part : null;
  return {
    url,
    headers: Object.entries(headers).map(([name, value]): HeaderRow => ({ name, value })),
    watch: {
      part: part.kind,
      select: page?.select ?? WHOLE_PAGE,
      path: part.kind === 'json' ? part.select : '',
      without: (page?.without ?? []).join('\n'),
      attribute: page?.attribute ?? '',
      erase: filter.erase.join('\n'),
      keep: filter.keep.join('\n'),
      drop: filter.drop.join('\n'),
      numbers: filter.numbers,
      space: filter.space,
      unique: filter.unique,
      sort: filter.sort,
      minimumLines: String(minimumLines),
      notifyChange: notify.change,
      notifyGone: notify.gone,
      unchangedDays: notify.unchangedDays === undefined ? '' : String(notify.unchangedDays),
    },
  };
}

/** The watch that `form` says. */
export function readWatch({ url, headers, watch }: WatchForm, problems: Problem[]): WatchAction {
  const { erase, keep, drop, numbers, space, unique, sort } = watch;
  const unchangedDays = wholeIn(watch.unchangedDays, 'action.notify.unchangedDays', problems);
  return {
    kind: 'watch',
    url,
    headers: readHeaders(headers, problems),
    part: partFrom(watch),
    filter: { erase: linesIn(erase), keep: linesIn(keep), drop: linesIn(drop), numbers, space, unique, sort },
    minimumLines: wholeIn(watch.minimumLines, 'action.minimumLines', problems) ?? 1,
    notify: {
      change: watch.notifyChange,
      gone: watch.notifyGone,
      ...(unchangedDays === undefined ? {} : { unchangedDays }),
    },
  };
}

function partFrom({ part, select, path, without, attribute }: WatchFields): WatchedPart {
  switch (part) {
    case 'page':
      return {
        kind: 'page',
        select,
        without: linesIn(without),
        ...(attribute.trim() === '' ? {} : { attribute }),
      };
    case 'json':
      return { kind: 'json', select: path };
    case 'feed':
    case 'text':
      return { kind: part };
  }
}

function linesIn(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

/** The whole number that was typed; nothing when the field is empty, and a problem when it is something else. */
function wholeIn(text: string, path: string, problems: Problem[]): number | undefined {
  const typed = text.trim();
  if (typed === '') return undefined;
  if (/^\d{1,9}$/.test(typed)) return Number(typed);
  problems.push({ path, message: 'Enter a whole number.' });
  return undefined;
}
