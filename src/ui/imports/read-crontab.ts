/**
 * A crontab (crontab(5)), line by line: five or six fields or a name such as `@daily`, then a command; comments and settings
 * between them. A browser has no shell: a curl command becomes the request that it sends, and every other one a paused draft
 * that says what it would have to do.
 */
import {
  CRON_NAMES,
  type DefinitionInput,
  IMPORT_ENTRIES_MOST,
  type ImportReading,
  type ReadEntry,
  parseCron,
} from '../../domain/index.ts';
import { isCurl, readCurl } from '../text/read-curl.ts';
import { type ImportContext, MARKED_NOTE, asPlainText } from './import-context.ts';
import { readEntry } from './read-entry.ts';

/** Longest line that is read. */
const LINE_MOST = 10_000;
/** Longest comment that becomes a name. */
const NAME_MOST = 120;

const SETTING = /^([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(.*)$/;
/** A field of a rule: numbers, names of days and months, and what stands between them. */
const FIELD =
  /^(?:[\d*?LW#/,-]|sun|mon|tue|wed|thu|fri|sat|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)+$/i;
/** Whom the crontab of a system runs commands as. */
const USER = /^(?:root|www-data|nobody|daemon|postgres|mysql|backup|git|ubuntu|debian|admin|nginx|apache)$/;

/** How one line begins: its rule, or why it has none, and what stands behind it. */
type Timed =
  | {
      readonly kind: 'rule';
      readonly schedule: DefinitionInput['schedule'];
      readonly command: string;
      readonly notes: readonly string[];
    }
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'other' };

/** Whether any line of `text` is one of a crontab. */
export function isCrontab(text: string): boolean {
  return text.split(/\r\n|\r|\n/, 2_000).some((line) => timed(line.trim(), 'UTC').kind === 'rule');
}

/** Reads a crontab. Never throws. */
export function readCrontab(file: string, text: string, context: ImportContext): ImportReading {
  const entries: ReadEntry[] = [];
  const notes: string[] = [];
  const settings = new Set<string>();
  const seen = new Map<string, number>();
  let zone = context.timeZone;
  let comments: string[] = [];
  for (const [index, raw] of text.split(/\r\n|\r|\n/).entries()) {
    const line = raw.trim();
    const place = `line ${index + 1}`;
    if (line === '') {
      comments = [];
      continue;
    }
    if (line.startsWith('#')) {
      const said = line.replace(/^#+\s*/, '').trim();
      // What was switched off by a # is no comment on the next line.
      if (said !== '' && timed(said, zone).kind !== 'rule') comments.push(said);
      else comments = [];
      continue;
    }
    if (entries.length >= IMPORT_ENTRIES_MOST) {
      const message = `At most ${IMPORT_ENTRIES_MOST} lines can come in at once. Leave the rest for another time.`;
      return { file, source: 'crontab', entries: [], problems: [{ path: place, message }], notes: [] };
    }
    const setting = SETTING.exec(line);
    if (setting !== null) {
      const [, name = '', value = ''] = setting;
      if (name === 'CRON_TZ' || name === 'TZ')
        zone = value.replace(/^(["'])(.*)\1$/, '$2').trim() || context.timeZone;
      else settings.add(name);
      comments = [];
      continue;
    }
    entries.push(readLine(line, place, zone, comments, seen));
    comments = [];
  }
  if (settings.size > 0)
    notes.push(`Settings of the file that mean nothing to Rota: ${[...settings].slice(0, 20).join(', ')}.`);
  return { file, source: 'crontab', entries, problems: [], notes };
}

function readLine(
  line: string,
  place: string,
  zone: string,
  comments: readonly string[],
  seen: Map<string, number>,
): ReadEntry {
  const bad = (message: string): ReadEntry => ({
    kind: 'bad',
    place,
    name: comments[0]?.slice(0, NAME_MOST) ?? line.slice(0, 60),
    problems: [{ path: place, message }],
  });
  if (line.length > LINE_MOST) return bad(`The line is longer than ${LINE_MOST} characters.`);
  const rule = timed(line, zone);
  if (rule.kind === 'refused') return bad(rule.reason);
  if (rule.kind === 'other')
    return bad(
      'This is no line of a crontab: it begins with five or six fields, such as 0 9 * * 1-5, or with a name, such as @daily, and a command follows.',
    );
  const [name, ...more] = comments;
  const { command, input } = withoutInput(rule.command);
  const count = seen.get(rule.command) ?? 0;
  seen.set(rule.command, count + 1);
  const { action, said, notes } = actionOf(command, more);
  return readEntry({
    place,
    // By its command, not by its time: a line that was moved to another time is the same automation.
    id: `crontab:${count}:${rule.command}`,
    definition: { name: (name ?? command).slice(0, NAME_MOST).trim(), schedule: rule.schedule, action },
    said: ['schedule', ...said],
    notes: [
      ...rule.notes,
      ...(input ? ['What stands behind the first % is input of the command, and stays out.'] : []),
      ...notes,
    ],
  });
}

/** The command up to its first `%` that is not escaped: cron gives it the rest as its input. */
function withoutInput(command: string): { readonly command: string; readonly input: boolean } {
  const end = /(?<!\\)%/.exec(command)?.index ?? -1;
  const own = end === -1 ? command : command.slice(0, end);
  return { command: own.replace(/\\%/g, '%').trim(), input: end !== -1 };
}

/** Takes the rule from the beginning of a line. */
function timed(line: string, timeZone: string): Timed {
  const [first = ''] = line.split(/\s/, 1);
  if (first.startsWith('@')) return byName(line, first, timeZone);
  const words = line.split(/\s+/);
  if (words.length < 6 || !words.slice(0, 5).every((word) => FIELD.test(word))) return { kind: 'other' };
  const hasSeconds = words.length > 6 && FIELD.test(words[5] ?? '');
  const fields = hasSeconds ? 6 : 5;
  const expression = words.slice(0, fields).join(' ');
  const parsed = parseCron(expression);
  if (parsed.kind === 'invalid') return { kind: 'refused', reason: parsed.messages.join(' ') };
  const rest = new RegExp(`^(?:\\S+\\s+){${fields}}`).exec(line)?.[0].length ?? 0;
  const { command, notes } = withoutUser(line.slice(rest).trim());
  if (command === '') return { kind: 'refused', reason: 'The command is missing behind the rule.' };
  return { kind: 'rule', schedule: { kind: 'cron', expression, timeZone }, command, notes };
}

function byName(line: string, name: string, timeZone: string): Timed {
  const { command, notes } = withoutUser(line.slice(name.length).trim());
  const key = name.toLowerCase();
  if (!Object.hasOwn(CRON_NAMES, key) && key !== '@reboot') {
    if (!/^@[a-z_]+$/i.test(name)) return { kind: 'other' };
    const names = [...Object.keys(CRON_NAMES), '@reboot'].join(', ');
    return { kind: 'refused', reason: `${name.slice(0, 40)} is no name that cron has; it has ${names}.` };
  }
  if (command === '') return { kind: 'refused', reason: `The command is missing behind ${name}.` };
  const expression = CRON_NAMES[key];
  if (expression !== undefined)
    return { kind: 'rule', schedule: { kind: 'cron', expression, timeZone }, command, notes };
  const noStart = 'A browser has no start of the machine to run it at, so it has no times.';
  return { kind: 'rule', schedule: { kind: 'manual' }, command, notes: [...notes, noStart] };
}

/** The crontab of a system names whom a command runs as, before it. */
function withoutUser(rest: string): { readonly command: string; readonly notes: readonly string[] } {
  const [user = '', next] = rest.split(/\s+/, 2);
  if (!USER.test(user) || next === undefined) return { command: rest, notes: [] };
  return { command: rest.slice(user.length).trim(), notes: [`It ran as ${user}.`] };
}

function actionOf(
  command: string,
  comments: readonly string[],
): {
  readonly action: DefinitionInput['action'];
  readonly said: readonly string[];
  readonly notes: readonly string[];
} {
  const read = isCurl(command) ? readCurl(command) : null;
  const kept = comments.length === 0 ? [] : [`Said of it in the file: ${comments.join(' ')}`];
  if (read?.kind === 'request') {
    const { method, url, headers, body, leftOut } = read.request;
    const marks: boolean[] = [];
    const plain = (text: string): string => {
      const marked = asPlainText(text);
      marks.push(marked.isMarked);
      return marked.text;
    };
    const action = {
      kind: 'http' as const,
      method,
      url: plain(url),
      headers: Object.fromEntries(headers.map(({ name, value }) => [name, plain(value)])),
      ...(body === '' ? {} : { body: plain(body) }),
    };
    return {
      action,
      said: ['name', 'action.method', 'action.url', 'action.headers', 'action.body'],
      notes: [
        ...kept,
        ...(leftOut.length > 0 ? [`Left out of the command: ${leftOut.join('; ')}.`] : []),
        ...(marks.includes(true) ? [MARKED_NOTE] : []),
      ],
    };
  }
  const why = read?.kind === 'refused' ? ` ${read.reason}` : '';
  const { text } = asPlainText(command.slice(0, 1_200));
  const comment = asPlainText(comments.join(' ').slice(0, 300)).text;
  const message = [
    `A browser has no shell, so Rota cannot run this command of a crontab: ${text}`,
    comment,
    'Let it be a request, a script, or a reminder to run it yourself.',
  ];
  return {
    action: { kind: 'remind', message: message.filter((part) => part !== '').join('\n\n') },
    // What it does instead is for a person to say; the file has no word in that.
    said: [],
    notes: [
      `Rota cannot run this command: a browser has no shell.${why} It comes in as a draft of a reminder.`,
    ],
  };
}
