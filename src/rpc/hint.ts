import type { Hint, HintTopic } from './contract.ts';

/** What a hint of each topic must hold. */
const HOLDS: Readonly<Record<HintTopic, string>> = {
  automations: 'topic',
  runs: 'topic',
  settings: 'topic',
  notifications: 'topic',
  hosts: 'topic',
  progress: 'runId progress',
  executor: 'hostId id what',
  host: 'host builtAt startedAt',
};

/**
 * The hint that a message of the channel is, or `null` where it is none: of a newer build that has more topics, or of another
 * page of the origin, which can post what it likes.
 */
export function readHint(message: unknown): Hint | null {
  const given = Object(message) as Readonly<Record<string, unknown>>;
  const holds: unknown = HOLDS[given['topic'] as HintTopic];
  // Of no topic, or of one that every object has.
  if (typeof holds !== 'string') return null;
  return holds.split(' ').every((name) => given[name] != null) ? (message as Hint) : null;
}
