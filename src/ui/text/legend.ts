import type { RunKind } from './status.ts';

/** What the states of a run mean, in a sentence each: those that a person meets on the first day. */
export const LEGEND: readonly { readonly kind: RunKind; readonly means: string }[] = [
  { kind: 'succeeded', means: 'It ran and did what it should.' },
  { kind: 'failed', means: 'It ran and went wrong; the run says why.' },
  { kind: 'missed', means: 'It was due while nothing could run it.' },
  { kind: 'skipped', means: 'A rule of yours said no.' },
  { kind: 'running', means: 'It runs now.' },
];

/** The one thing to know before beginning: `first` weighs more than `rest`, which goes on with the sentence. */
export const KNOW = {
  first: 'They run while this browser is open',
  rest: ', in a tab or as the installed app. What comes due while it is closed is listed as missed and caught up by your rule. No server, no account: your data stays on this machine unless an automation sends it.',
} as const;
