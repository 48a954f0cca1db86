/**
 * A watch: asks for something, compares what it finds with what it found last, and says what changed. The first run only
 * looks. A request that fails says nothing of what is watched; that something is gone is said only of what was there.
 */
import {
  DAY_MS,
  type FeedItem,
  type Failure,
  type LineChange,
  type NotificationText,
  type ReceivedResponse,
  SNAPSHOT_MOST,
  type Snapshot,
  type WatchAction,
  type WatchFinding,
  type WatchOutput,
} from '../../domain/index.ts';
import type { ActionContext, ActionEnding } from '../action-context.ts';
import { brokenBody, prepare, type Prepared, send, unexpectedStatus, unmarked } from '../http.ts';
import { LimitReached } from '../limit-reached.ts';
import { scopeOf } from '../template.ts';
import type { TemplateScope } from '../template-scope.ts';
import type { ReadItem } from './feed.ts';
import { readFilter, type ReadFilter } from './filter-lines.ts';
import { findPart, type FoundPart } from './find-part.ts';
import { compareLines } from './line-change.ts';
import { MEMORY_KEY, markOf, placesOf, readMemory, subjectOf, type WatchMemory, withSeen } from './memory.ts';
import { notificationBody, quietText, type Saying, summaryOf } from './words.ts';

/** How much is kept of an answer in which nothing was found, so that a person can see why, in characters. */
const EXCERPT_MOST = 20_000;
/** How many new items a run keeps by name. */
const ITEMS_KEPT_MOST = 50;

/** Fills in what `action` requests; it is refused for the same reasons as any request. */
export async function prepareWatch(
  { url, headers }: WatchAction,
  scope: TemplateScope,
  occurrence: string,
): Promise<Prepared> {
  const get = { kind: 'http', method: 'GET', url, headers, idempotencyKey: false, repeatable: true } as const;
  return await prepare(get, scope, occurrence);
}

/** Does what a watch says and resolves with how it ended. Rejects on an abort alone. */
export async function watch(action: WatchAction, context: ActionContext): Promise<ActionEnding> {
  const { run, now, signal } = context;
  const scope = scopeOf(run, now, context.secrets);
  const prepared = await prepareWatch(action, scope, run.occurrence);
  if (prepared.kind === 'refused') return failed(prepared.failure);
  const filter = await readFilter(action.filter);
  if (filter.kind === 'failed') return filter;
  const exchange = await send(prepared, context, unmarked);
  if (exchange.kind === 'failed') {
    return exchange.output === undefined
      ? exchange
      : failed(exchange.failure, outputOf(exchange.output, undefined));
  }

  const { response, body, received, output } = exchange;
  const refusal = unexpectedStatus({}, prepared.target, response) ?? brokenBody(prepared.target, body);
  if (refusal !== null) return failed(refusal, outputOf(output, received, received.text));
  const found = await findPart(action, received, body);
  // Here already: what is remembered has no secrets in it, and is what the next look is compared with.
  const part = context.secrets?.redact(found) ?? found;
  signal.throwIfAborted();
  if (part.kind === 'failed') return failed(part.failure, outputOf(output, received, received.text));

  const subject = subjectOf(action);
  let memory: WatchMemory | null;
  try {
    memory = readMemory(await context.recall(MEMORY_KEY), subject);
  } catch (error) {
    return failed(unreadableMemory(error), outputOf(output, received));
  }
  if (part.kind === 'nothing' && memory === null)
    return failed(nothingMatches(action, part.what), outputOf(output, received, received.text));

  let seen: Seen;
  try {
    seen = lookAt(part, filter.filter, memory, action.minimumLines, received.truncated);
  } catch (error) {
    if (error instanceof LimitReached) return failed(error.failure, outputOf(output, received));
    throw error;
  }
  const at = now();
  const place = { runId: run.id, at };
  const compared = findingOf(seen, memory, at);
  // Later steps can use what is there although it has not changed.
  const finding: WatchFinding =
    run.step !== undefined && compared.kind === 'same' && seen.kind !== 'nothing'
      ? { ...compared, snapshot: seen.snapshot }
      : compared;
  const saying: Saying = {
    now: at,
    style: scope.style,
    what: part.kind === 'nothing' ? part.what : '',
    before: memory?.text ?? '',
    minimumLines: action.minimumLines,
    wasGone: memory?.goneSince !== undefined,
  };
  const summary = summaryOf(finding, saying);
  const quiet = isQuiet(finding, memory, action, at)
    ? quietText(action.notify.unchangedDays ?? 0, finding, saying)
    : null;
  const told = quiet ?? notifiedBody(finding, saying, summary, action, memory);
  const remembered = nextMemory(finding, seen, memory, { subject, place, quiet: quiet !== null });
  const notifications: readonly NotificationText[] =
    told === null ? [] : [{ title: run.automationName, body: told }];
  return {
    kind: 'succeeded',
    summary,
    output: { ...outputOf(output, received), finding, earlier: placesOf(memory) },
    ...(notifications.length === 0 ? {} : { notifications }),
    ...(remembered === null ? {} : { remember: { [MEMORY_KEY]: remembered } }),
  };
}

/** What was seen, against what is remembered. */
type Seen =
  | { readonly kind: 'nothing' }
  | {
      readonly kind: 'text';
      readonly snapshot: Snapshot;
      readonly change: LineChange;
      readonly isEnough: boolean;
    }
  | {
      readonly kind: 'items';
      readonly snapshot: Snapshot;
      readonly marks: readonly string[];
      readonly fresh: readonly ReadItem[];
      readonly isEnough: boolean;
    };

type LineFilter = Extract<ReadFilter, { kind: 'filter' }>['filter'];

function lookAt(
  part: Exclude<FoundPart, { kind: 'failed' }>,
  filter: LineFilter,
  memory: WatchMemory | null,
  minimumLines: number,
  truncated: boolean,
): Seen {
  if (part.kind === 'nothing') return { kind: 'nothing' };
  if (part.kind === 'lines') {
    const snapshot = snapshotOf(filter.apply(part.lines), truncated);
    const { added, removed } = compareLines(memory?.text ?? '', snapshot.text);
    const change = { added: added.length, removed: removed.length };
    // Lines in another order count as one.
    const isEnough = Math.max(1, change.added + change.removed) >= minimumLines;
    return { kind: 'text', snapshot, change, isEnough };
  }
  const known = new Set(memory?.seen ?? []);
  const fresh: ReadItem[] = [];
  const marks = part.items.map(({ key }) => markOf(key));
  for (const [index, item] of part.items.entries()) {
    const mark = marks[index] ?? '';
    // The same key twice in one feed is one item.
    if (known.has(mark)) continue;
    known.add(mark);
    if (filter.keeps(item.title)) fresh.push(item);
  }
  const kept = part.items.filter(({ title }) => filter.keeps(title));
  const plain = snapshotOf(kept.map(itemLine), truncated);
  // A new item may be called like an old one. A change that shows no difference would be none.
  const isVisible = compareLines(memory?.text ?? '', plain.text).added.length > 0;
  const names = new Set(fresh);
  const snapshot = isVisible
    ? plain
    : snapshotOf(
        kept.map((item) => (names.has(item) ? `${itemLine(item)} [${item.key}]` : itemLine(item))),
        truncated,
      );
  return { kind: 'items', snapshot, marks, fresh, isEnough: fresh.length >= minimumLines };
}

function itemLine({ title, link }: FeedItem): string {
  return link === '' || link === title ? title : `${title} · ${link}`;
}

function snapshotOf(lines: readonly string[], truncated: boolean): Snapshot {
  let length = -1;
  const fitting = lines.findIndex((line) => (length += line.length + 1) > SNAPSHOT_MOST);
  return fitting === -1
    ? { text: lines.join('\n'), cut: truncated }
    : { text: lines.slice(0, fitting).join('\n'), cut: true };
}

function findingOf(seen: Seen, memory: WatchMemory | null, at: number): WatchFinding {
  if (memory === null) {
    // Nothing that was never there is refused before.
    const snapshot = seen.kind === 'nothing' ? { text: '', cut: false } : seen.snapshot;
    return { kind: 'first', snapshot };
  }
  const before = { runId: memory.runId, at: memory.at };
  if (seen.kind === 'nothing') return { kind: 'gone', before, since: memory.goneSince ?? at };
  const { snapshot } = seen;
  if (seen.kind === 'items') {
    const { fresh, isEnough } = seen;
    if (fresh.length === 0) return { kind: 'same', before };
    if (!isEnough) return { kind: 'same', before, below: { added: fresh.length, removed: 0 } };
    const items = fresh.slice(0, ITEMS_KEPT_MOST).map(({ title, link }) => ({ title, link }));
    return { kind: 'new-items', snapshot, before, count: fresh.length, items };
  }
  const { change, isEnough } = seen;
  const isSame = snapshot.text === memory.text;
  if (memory.goneSince !== undefined)
    return { kind: 'back', snapshot, before, change: isSame ? null : change };
  if (isSame) return { kind: 'same', before };
  return isEnough ? { kind: 'changed', snapshot, before, change } : { kind: 'same', before, below: change };
}

function isQuiet(
  finding: WatchFinding,
  memory: WatchMemory | null,
  { notify: { unchangedDays } }: WatchAction,
  at: number,
): finding is Extract<WatchFinding, { kind: 'same' }> {
  return (
    finding.kind === 'same' &&
    unchangedDays !== undefined &&
    memory?.quietTold !== true &&
    at - finding.before.at >= unchangedDays * DAY_MS
  );
}

function notifiedBody(
  finding: WatchFinding,
  saying: Saying,
  summary: string,
  { notify }: WatchAction,
  memory: WatchMemory | null,
): string | null {
  switch (finding.kind) {
    case 'first':
    case 'same':
      return null;
    case 'gone':
      return notify.gone && !saying.wasGone ? summary : null;
    case 'back':
      if (!notify.gone) return null;
      break;
    case 'changed':
    case 'new-items':
      if (!notify.change) return null;
      break;
  }
  return notificationBody(summary, finding, compareLines(memory?.text ?? '', finding.snapshot.text).added);
}

/** What is remembered after `finding`; `null` when that is what was remembered already. */
function nextMemory(
  finding: WatchFinding,
  seen: Seen,
  memory: WatchMemory | null,
  {
    subject,
    place,
    quiet,
  }: { readonly subject: string; readonly place: WatchOutput['earlier'][number]; readonly quiet: boolean },
): WatchMemory | null {
  switch (finding.kind) {
    case 'same':
      return quiet && memory !== null ? { ...memory, quietTold: true } : null;
    case 'gone':
      return memory === null || memory.goneSince !== undefined
        ? null
        : { ...memory, goneSince: finding.since };
    case 'first':
    case 'changed':
    case 'new-items':
    case 'back':
      return {
        subject,
        ...place,
        text: finding.snapshot.text,
        earlier: [...placesOf(memory)],
        ...(seen.kind === 'items' ? { seen: withSeen(memory?.seen ?? [], seen.marks) } : {}),
      };
  }
}

function outputOf(
  { request, timing }: Pick<WatchOutput, 'request' | 'timing'>,
  received: ReceivedResponse | undefined,
  excerpt: string | null = null,
): WatchOutput {
  const base = { kind: 'watch', request, timing, earlier: [] } as const;
  if (received === undefined) return base;
  const { text: _text, ...response } = received;
  return {
    ...base,
    response: excerpt === null ? response : { ...response, text: excerpt.slice(0, EXCERPT_MOST) },
  };
}

function failed(failure: Failure, output?: WatchOutput): ActionEnding {
  return output === undefined ? { kind: 'failed', failure } : { kind: 'failed', failure, output };
}

function nothingMatches({ part }: WatchAction, what: string): Failure {
  return {
    class: 'action',
    code: 'nothing-matches',
    message: `Nothing in the answer matches ${what}, and nothing did before.`,
    advice:
      part.kind === 'page'
        ? 'Check the selector. What a page adds by script is not in its source, which is what Rota reads.'
        : 'Check the path against the answer below.',
  };
}

function unreadableMemory(error: unknown): Failure {
  return {
    class: 'storage',
    code: 'memory-unreadable',
    message: `What was there last could not be read: ${error instanceof Error ? error.message : String(error)}`,
  };
}
