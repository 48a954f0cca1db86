import * as v from 'valibot';
import { plainHeadersSchema, urlSchema } from './action-http.ts';
import { boundedText, wholeNumber } from './problem.ts';

/** Longest selector, path or pattern that a person types. */
const TYPED_MOST = 500;
/** Most selectors or patterns of one kind. */
const LIST_MOST = 20;

const typed = (what: string) =>
  v.pipe(boundedText(what, TYPED_MOST), v.trim(), v.regex(/^[^\r\n]*$/, `${what} must be a single line.`));
const listOf = (what: string, one: string) =>
  v.exactOptional(
    v.pipe(
      v.array(v.pipe(typed(one), v.nonEmpty(`${one} must not be empty.`)), `${what} are a list of texts.`),
      v.maxLength(LIST_MOST, `At most ${LIST_MOST} of them.`),
    ),
    [],
  );
const choice = (field: string) => v.exactOptional(v.boolean(`${field} is true or false.`), false);

/** What of the answer is watched. */
const partSchema = v.variant(
  'kind',
  [
    /** The text of what a CSS selector matches, a line for each block; or the values of one attribute. */
    v.strictObject({
      kind: v.literal('page'),
      select: v.pipe(typed('The selector'), v.nonEmpty('Enter the CSS selector of what to watch.')),
      /** Selectors of what is taken out first. */
      without: listOf('The selectors to leave out', 'A selector'),
      attribute: v.exactOptional(
        v.pipe(
          typed('The attribute'),
          v.regex(/^[^\s"'<>/=]+$/, 'An attribute is a single name, such as href.'),
        ),
      ),
    }),
    /** What a JSONPath (RFC 9535) finds, a line for each value. */
    v.strictObject({
      kind: v.literal('json'),
      select: v.pipe(typed('The JSONPath'), v.startsWith('$', 'A JSONPath begins with $.')),
    }),
    /** The items of a feed: RSS, Atom, RDF or JSON Feed. Only those that were never there before count. */
    v.strictObject({ kind: v.literal('feed') }),
    /** The whole answer as text. */
    v.strictObject({ kind: v.literal('text') }),
  ],
  'What is watched is one of "page", "json", "feed" and "text".',
);

/**
 * What is not to count as a change. Patterns are texts in any case, or regular expressions between slashes. They are
 * applied in this order; of a feed, `keep` and `drop` alone, to the titles of its items.
 */
const filterSchema = v.strictObject({
  /** What is taken out of each line. */
  erase: listOf('The patterns to take out', 'A pattern'),
  /** Only lines with one of these are looked at, when there are any. */
  keep: listOf('The patterns to keep', 'A pattern'),
  /** Lines with one of these are not looked at. */
  drop: listOf('The patterns to drop', 'A pattern'),
  /** Every number counts as the same one. */
  numbers: choice('numbers'),
  /** White space counts as one space, and empty lines not at all. */
  space: choice('space'),
  /** A line that was there already is left out. */
  unique: choice('unique'),
  /** The order of lines does not count. */
  sort: choice('sort'),
});

const NO_FILTER: v.InferOutput<typeof filterSchema> = {
  erase: [],
  keep: [],
  drop: [],
  numbers: false,
  space: false,
  unique: false,
  sort: false,
};

/** Most days without a change after which a person may ask to be told. */
const UNCHANGED_DAYS_MOST = 365;

const notifySchema = v.strictObject({
  change: v.exactOptional(v.boolean('change is true or false.'), true),
  /** When what was there is gone, and when it is there again. */
  gone: v.exactOptional(v.boolean('gone is true or false.'), true),
  /** Once, when there was no change for so many days. */
  unchangedDays: v.exactOptional(wholeNumber(1, UNCHANGED_DAYS_MOST, 'The days without a change')),
});

/** The schema of a watch: a GET request whose answer is compared with the one before. */
export const watchSchema = v.strictObject({
  kind: v.literal('watch'),
  url: urlSchema,
  headers: v.exactOptional(plainHeadersSchema, {}),
  part: partSchema,
  filter: v.exactOptional(filterSchema, NO_FILTER),
  /** How many lines must differ, added and removed together, to count as a change. */
  minimumLines: v.exactOptional(wholeNumber(1, 10_000, 'The least number of lines'), 1),
  notify: v.exactOptional(notifySchema, { change: true, gone: true }),
});

export type WatchAction = v.InferOutput<typeof watchSchema>;
/** What of the answer is watched. */
export type WatchedPart = WatchAction['part'];
/** What is not to count as a change. */
export type WatchFilter = WatchAction['filter'];
