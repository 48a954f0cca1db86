import type { Hint, HintTopic } from './contract.ts';

/** What a hint of each topic holds, by `typeof`. */
const FIELDS: Readonly<Record<HintTopic, Readonly<Record<string, string>>>> = {
  automations: {},
  runs: {},
  settings: {},
  notifications: {},
  hosts: {},
  progress: { runId: 'string', progress: 'object' },
  executor: { hostId: 'string', id: 'string', what: 'string' },
  host: { host: 'object', builtAt: 'number', startedAt: 'number' },
};

/**
 * The hint that a message of the channel is, or `null` where it is none: of a newer build that has more topics, or of another
 * page of the origin, which can post what it likes.
 */
export function readHint(message: unknown): Hint | null {
  const { topic } = Object(message) as { readonly topic?: unknown };
  if (typeof topic !== 'string' || !Object.hasOwn(FIELDS, topic)) return null;
  const isWhole = Object.entries(FIELDS[topic as HintTopic]).every(([name, type]) => {
    const value: unknown = Reflect.get(message as object, name);
    return value !== null && typeof value === type;
  });
  return isWhole ? (message as Hint) : null;
}
