/** What the command palette offers, and which of it a typed text means. */
import type { AutomationView } from '../rpc/index.ts';
import { exportAutomations, pauseUntil, runNow, setEnabled, stopRuns } from './commands.ts';
import type { RemoteHost } from './remote-host.ts';
import { href, navigate } from './router.ts';
import type { Shortcut } from './shortcuts.ts';

/** One thing to choose. */
export interface PaletteItem {
  readonly id: string;
  readonly group: 'Automations' | 'Go to' | 'Do';
  readonly label: string;
  /** The key that does the same without the palette. */
  readonly key?: string;
  readonly run: () => void;
}

const PLACES: readonly { readonly label: string; readonly address: string; readonly words: string }[] = [
  { label: 'Automations', address: href.automations(), words: 'home list' },
  { label: 'What needs you', address: href.automations({ view: 'needs-you' }), words: 'problems decisions' },
  { label: 'Paused automations', address: href.automations({ view: 'paused' }), words: '' },
  { label: 'Runs', address: href.runs(), words: 'history' },
  { label: 'Failed runs', address: href.runs({ status: 'failed' }), words: 'history errors' },
  { label: 'Missed runs', address: href.runs({ status: 'missed' }), words: 'history' },
  { label: 'Timeline of today', address: href.timeline(), words: 'day lanes' },
  { label: 'Timeline of the year', address: href.timeline({ view: 'year' }), words: 'heatmap' },
  { label: 'How long runs take', address: href.timeline({ view: 'durations' }), words: 'timeline duration' },
  { label: 'Engine', address: href.engine(), words: 'hosts leases claims diagnostics' },
  { label: 'Notifications', address: href.notifications(), words: 'told unread messages' },
  { label: 'Settings', address: href.settings(), words: 'secrets import export theme quiet hours' },
];

/** What can be done to an automation, by the word that a person would type. */
const VERBS: readonly {
  readonly verb: string;
  readonly applies: (automation: AutomationView) => boolean;
  readonly run: (host: RemoteHost, automation: AutomationView) => void;
}[] = [
  { verb: 'Run now', applies: () => true, run: (host, it) => void runNow(host, it) },
  { verb: 'Stop', applies: ({ active }) => active.length > 0, run: (host, it) => void stopRuns(host, it) },
  { verb: 'Edit', applies: () => true, run: (_, { id }) => navigate(href.edit(id)) },
  { verb: 'Pause', applies: ({ enabled }) => enabled, run: (host, it) => void setEnabled(host, it, false) },
  { verb: 'Pause until…', applies: () => true, run: (host, it) => void pauseUntil(host, it) },
  { verb: 'Resume', applies: ({ enabled }) => !enabled, run: (host, it) => void setEnabled(host, it, true) },
  {
    verb: 'Runs of',
    applies: () => true,
    run: (_, { id }) => navigate(href.runs({ automation: id })),
  },
  {
    verb: 'Durations of',
    applies: () => true,
    run: (_, { id }) => navigate(href.timeline({ view: 'durations', automation: id })),
  },
  { verb: 'Duplicate', applies: () => true, run: (_, { id }) => navigate(href.new({ copy: id })) },
  {
    verb: 'Export',
    applies: () => true,
    run: (host, { id, name }) => void exportAutomations(host, [id], name),
  },
];

/** The words of `text`, as they are compared. */
function wordsOf(text: string): readonly string[] {
  return text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
}

/** Whether each word of `query` begins a word of `text`. Accents and cases are the same. */
export function matches(text: string, query: string): boolean {
  const words = wordsOf(text);
  return wordsOf(query).every((asked) => words.some((word) => word.startsWith(asked)));
}

/**
 * What to ask the list of automations for when `query` is typed: its longest word that is not the begin of a verb, so that
 * *run api* asks for `api`. Empty when there is none.
 */
export function nameAsked(query: string): string {
  const verbs = VERBS.flatMap(({ verb }) => wordsOf(verb));
  const typed = query.split(/\s+/).filter((word) => word !== '');
  const names = typed.filter(
    (word) => !verbs.some((verb) => wordsOf(word).every((part) => verb.startsWith(part))),
  );
  return names.reduce((longest, word) => (word.length > longest.length ? word : longest), '');
}

/** The items for `query`, in the order in which they are shown. With an empty one, where one can go and what is there. */
export function paletteItems(
  host: RemoteHost,
  query: string,
  automations: readonly AutomationView[],
  shortcuts: readonly Shortcut[],
): readonly PaletteItem[] {
  const ofAutomations = automations.flatMap((automation, index): readonly PaletteItem[] => {
    const { id, name } = automation;
    const open: PaletteItem = {
      id: `open-${id}`,
      group: 'Automations',
      label: name,
      run: () => navigate(href.automation(id)),
    };
    const isNamed = matches(`${name} open`, query);
    const verbs = VERBS.filter(({ applies }) => applies(automation))
      // A name alone means the automation; what can be done to the first is there beside it.
      .filter(
        ({ verb }) => matches(`${verb} ${name}`, query) && (!isNamed || (index === 0 && query.trim() !== '')),
      )
      .map(({ verb, run }, at) => verbItem(host, automation, verb, at, run));
    return isNamed ? [open, ...verbs] : verbs;
  });
  const keys = shortcuts.filter(
    ({ label }) => matches(label, query) && !PLACES.some((place) => place.label === label),
  );
  const keyOf = new Map(shortcuts.map(({ label, key }) => [label, key]));
  return [
    ...ofAutomations,
    ...PLACES.filter(({ label, words }) => matches(`${label} ${words}`, query)).map(
      ({ label, address }): PaletteItem => ({
        id: `go-${address}`,
        group: 'Go to',
        label,
        ...keyed(keyOf.get(label)),
        run: () => navigate(address),
      }),
    ),
    ...keys.map(({ key, label, run }): PaletteItem => ({ id: `key-${key}`, group: 'Do', label, key, run })),
  ];
}

function verbItem(
  host: RemoteHost,
  automation: AutomationView,
  verb: string,
  at: number,
  run: (host: RemoteHost, automation: AutomationView) => void,
): PaletteItem {
  return {
    id: `verb-${automation.id}-${at}`,
    group: 'Automations',
    label: `${verb}: ${automation.name}`,
    run: () => run(host, automation),
  };
}

function keyed(key: string | undefined): { readonly key?: string } {
  return key === undefined ? {} : { key };
}
