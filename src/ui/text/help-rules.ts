/**
 * What the rules of an automation are called and what they do: what the editor says at its fields, and what docs/rules.md is
 * made of. Examples are told by pages/editor-examples.ts, with the instants of a schedule.
 */
import type { RetryClass, Rules } from '../../domain/index.ts';

/** One way to choose, by the word that stands for it in a file. */
interface Choice<Value extends string> {
  readonly value: Value;
  readonly label: string;
  /** What it does; empty where an example says all. */
  readonly does: string;
}

/** A rule with its choices. */
interface ChoiceHelp<Value extends string> {
  readonly label: string;
  readonly choices: readonly Choice<Value>[];
}

export const MISSED_HELP: ChoiceHelp<Rules['missed']['kind']> & {
  readonly limit: string;
  readonly maxAge: string;
} = {
  label: 'Missed while this browser was closed, asleep or offline',
  choices: [
    { value: 'once', label: 'Run once when I’m back', does: 'The newest one runs, the others are listed.' },
    { value: 'skip', label: 'Skip', does: 'None runs, all are listed.' },
    { value: 'all', label: 'Run every missed one', does: 'They run one after another, oldest first.' },
  ],
  limit: 'The newest ones.',
  maxAge: 'Only if it is not too late',
};

export const OVERLAP_HELP: ChoiceHelp<Rules['overlap']['kind']> = {
  label: 'Still running when the next is due',
  choices: [
    {
      value: 'skip',
      label: 'Skip',
      does: 'The one that is due does not run. Its row in the history says so.',
    },
    {
      value: 'queue',
      label: 'Queue one',
      does: 'The one that is due waits until this one has ended. Only one waits.',
    },
    { value: 'replace', label: 'Replace', does: 'This one is cancelled, and the one that is due starts.' },
    {
      value: 'parallel',
      label: 'Run side by side',
      does: 'Both run. The limit for all automations together in Settings still holds.',
    },
  ],
};

export const INTERRUPTED_HELP: ChoiceHelp<'default' | 'ask' | 'retry'> = {
  label: 'Interrupted, as by a crash in the middle',
  choices: [
    {
      value: 'default',
      label: 'Ask if it may have happened',
      does: 'What surely did not happen, or does no harm twice, is tried again by the rule below.',
    },
    {
      value: 'ask',
      label: 'Always ask',
      does: 'Nothing is tried again by itself; the run waits for your answer.',
    },
    {
      value: 'retry',
      label: 'Run again',
      does: 'It is tried again by the rule below, even if its request had left. It may then happen twice.',
    },
  ],
};

export const TIMEOUT_HELP = {
  label: 'Timeout',
  does: 'A run that takes longer is ended and counts as timed out.',
} as const;

export const RETRY_HELP: ChoiceHelp<'default' | 'never' | 'own'> & {
  readonly bound: string;
  readonly jitter: { readonly label: string; readonly does: string };
} = {
  label: 'After a failure',
  choices: [
    {
      value: 'default',
      label: 'Default',
      does: 'What does no harm twice is tried again; what could do harm is not.',
    },
    {
      value: 'never',
      label: 'Do not try again',
      does: 'One attempt. The next run is the next scheduled one.',
    },
    { value: 'own', label: 'My own rule', does: 'As many attempts, and such waits, as you say.' },
  ],
  bound: 'No attempt begins after the next scheduled run is due.',
  jitter: {
    label: 'Draw each wait between nothing and its bound',
    does: 'So that many that failed together do not come back together.',
  },
};

/** After which failures an attempt may follow. */
export const RETRY_ON_HELP: Readonly<Record<RetryClass, { readonly label: string; readonly name: string }>> =
  {
    network: { label: 'Network', name: 'The network failed' },
    action: { label: 'Wrong answer', name: 'The answer was not what was expected' },
    timeout: { label: 'Timeout', name: 'It took too long' },
    storage: { label: 'Storage', name: 'The browser’s storage failed' },
    limit: { label: 'Limit', name: 'A limit was reached' },
    denied: { label: 'Not allowed', name: 'It was not allowed' },
    invalid: { label: 'Invalid', name: 'Its definition is not valid' },
  };

export const AUTO_PAUSE_HELP: ChoiceHelp<'after' | 'never'> = {
  label: 'When it keeps failing',
  choices: [
    {
      value: 'after',
      label: 'Pause it',
      does: 'It says so, and you can resume it. Failures because this machine is offline do not count.',
    },
    { value: 'never', label: 'Go on', does: '' },
  ],
};

export const RUNS_PER_DAY_HELP = {
  label: 'Runs a day, at most',
  does: 'What is over it is skipped and listed. Runs that you start do not count.',
} as const;

export const KEEP_HELP = {
  label: 'How long its history stays',
  labels: {
    keepRunsDays: 'Runs stay, days',
    keepRunsMost: 'Runs, newest at most',
    keepOutputsDays: 'Outputs stay, days',
    keepOutputsMost: 'Outputs, newest at most',
  },
  does: 'Empty is as the settings say for all, “all” is without that limit. What failed stays twice as long, and the newest 30 runs stay in any case.',
} as const;

/** What a choice does. */
export function doesText<Value extends string>(
  { choices }: { readonly choices: readonly Choice<Value>[] },
  value: Value,
): string {
  return choices.find((choice) => choice.value === value)?.does ?? '';
}
