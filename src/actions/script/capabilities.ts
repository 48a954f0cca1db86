/** What a script may do, seen from the engine: every name and text here is the script's own, and nothing of it is believed. */
import * as v from 'valibot';
import {
  type Failure,
  HTTP_METHODS,
  type NotificationText,
  SCRIPT_LOG_LINES_MOST,
  SCRIPT_LOG_MOST,
  SCRIPT_VALUE_MOST,
  type ScriptAction,
  type ScriptOutput,
  whyHeaderIsKept,
} from '../../domain/index.ts';
import type { ActionContext } from '../action-context.ts';
import { shortened } from '../amounts.ts';
import { type Prepared, send, unmarked, whyValueIsRefused } from '../http.ts';
import { LimitReached } from '../limit-reached.ts';
import { readTarget } from '../target.ts';
import { Refused, type SandboxCalls } from './sandbox.ts';

/** What its automation remembers is kept under these, apart from what other actions remember. */
const VALUE_KEY = 'script/';
/** The text of the last value that a run of it returned. */
export const PREVIOUS_KEY = 'script-returned';

const REQUESTS_MOST = 100;
const REQUESTS_AT_ONCE_MOST = 6;
const NOTIFICATIONS_MOST = 5;
const VALUES_MOST = 50;
const VALUE_MOST = 65_536;
/** Also of the same value again: each time it passes from the script to Rota. */
const REMEMBERS_MOST = 1_000;
const REMEMBERED_LENGTH_MOST = 8_000_000;
const RECALLS_MOST = 1_000;

const requestSchema = v.strictObject({
  url: v.pipe(v.string(), v.maxLength(10_000)),
  method: v.pipe(v.string(), v.maxLength(20)),
  headers: v.record(v.string(), v.pipe(v.string(), v.maxLength(10_000))),
  body: v.nullable(v.string()),
});
const notificationSchema = v.strictObject({ title: v.exactOptional(v.string()), body: v.string() });
const rememberSchema = v.strictObject({ key: v.string(), value: v.unknown() });

/** What a script has asked for so far, and the answers. */
export class Capabilities implements SandboxCalls {
  readonly log: { readonly at: number; readonly text: string }[] = [];
  readonly requests: ScriptOutput['requests'][number][] = [];
  readonly notifications: NotificationText[] = [];
  readonly #action: ScriptAction;
  readonly #context: ActionContext;
  /** {@link ActionContext} with a network that leads to listed origins alone. */
  readonly #guarded: ActionContext;
  readonly #origins: ReadonlySet<string>;
  readonly #remembered = new Map<string, string>();
  #logged = 0;
  #remembers = 0;
  #rememberedLength = 0;
  #recalls = 0;
  #sent = 0;
  #underWay = 0;

  constructor(action: ScriptAction, context: ActionContext) {
    this.#action = action;
    this.#context = context;
    this.#guarded = { ...context, fetch: withoutRedirects(context.fetch) };
    this.#origins = new Set(action.origins.map((origin) => new URL(origin).origin));
  }

  /** What the automation is to remember, by key, once the script has succeeded. */
  get remembered(): Readonly<Record<string, unknown>> {
    return Object.fromEntries(
      [...this.#remembered].map(([key, text]) => [VALUE_KEY + key, JSON.parse(text) as unknown]),
    );
  }

  readonly tell = (name: string, text: string): void => {
    const given = readJson(text);
    if (name === 'log' && this.#may('log')) this.#log(given);
    else if (name === 'notify' && this.#may('notify')) this.#notify(given);
    else if (name === 'remember' && this.#may('remember')) this.#remember(given);
    else throw new LimitReached(notAllowed(name));
  };

  readonly ask = async (name: string, text: string): Promise<string> => {
    const given = readJson(text);
    if (name === 'recall' && this.#may('remember')) return this.#recall(given);
    if (name === 'fetch' && this.#may('fetch')) return this.#fetch(given);
    throw new LimitReached(notAllowed(name));
  };

  #may(capability: ScriptAction['allow'][number]): boolean {
    return this.#action.allow.includes(capability);
  }

  #log(given: unknown): void {
    const text = String(given);
    this.#logged += text.length;
    if (this.log.length >= SCRIPT_LOG_LINES_MOST || this.#logged > SCRIPT_LOG_MOST)
      throw new LimitReached(
        tooMuch('log', `more than ${SCRIPT_LOG_LINES_MOST} lines or ${SCRIPT_LOG_MOST} characters`),
      );
    this.log.push({ at: this.#context.now(), text });
  }

  #notify(given: unknown): void {
    const { title = this.#context.run.automationName, body } = read(notificationSchema, given);
    if (this.notifications.length >= NOTIFICATIONS_MOST)
      throw new LimitReached(tooMuch('notify', `more than ${NOTIFICATIONS_MOST} notifications in one run`));
    this.notifications.push({ title: shortened(title, 200), body: shortened(body, 2_000) });
  }

  #remember(given: unknown): void {
    const { key, value } = read(rememberSchema, given);
    const text = JSON.stringify(value);
    if (key.length > 100 || text.length > VALUE_MOST)
      throw new LimitReached(tooMuch('remember', `a value of more than ${VALUE_MOST} characters`));
    this.#remembers += 1;
    this.#rememberedLength += text.length;
    if (this.#remembers > REMEMBERS_MOST || this.#rememberedLength > REMEMBERED_LENGTH_MOST)
      throw new LimitReached(
        tooMuch(
          'remember',
          `more than ${REMEMBERS_MOST} times or ${REMEMBERED_LENGTH_MOST} characters in one run`,
        ),
      );
    this.#remembered.set(key, text);
    if (this.#remembered.size > VALUES_MOST)
      throw new LimitReached(tooMuch('remember', `more than ${VALUES_MOST} values in one run`));
  }

  async #recall(given: unknown): Promise<string> {
    this.#recalls += 1;
    if (this.#recalls > RECALLS_MOST)
      throw new LimitReached(tooMuch('recall', `more than ${RECALLS_MOST} values`));
    const key = String(given);
    const own = this.#remembered.get(key);
    if (own !== undefined) return own;
    const stored = await this.#context.recall(VALUE_KEY + key);
    return JSON.stringify(stored ?? null);
  }

  async #fetch(given: unknown): Promise<string> {
    const request = read(requestSchema, given);
    this.#sent += 1;
    if (this.#sent > REQUESTS_MOST)
      throw new LimitReached(tooMuch('fetch', `more than ${REQUESTS_MOST} requests in one run`));
    if (this.#underWay >= REQUESTS_AT_ONCE_MOST)
      throw new Refused(`At most ${REQUESTS_AT_ONCE_MOST} requests can be under way at once; await some.`);
    const prepared = this.#prepare(request);
    this.#underWay += 1;
    try {
      return await this.#send(prepared);
    } finally {
      this.#underWay -= 1;
    }
  }

  #prepare({ url, method, headers, body }: v.InferOutput<typeof requestSchema>): Ready {
    const target = readTarget(url);
    if (target.kind === 'refused') throw new Refused(sentences(target.failure));
    if (!this.#origins.has(target.url.origin))
      throw new Refused(
        `${target.url.origin} is not among the origins that this script may send requests to.`,
      );
    const verb = HTTP_METHODS.find((one) => one === method.toUpperCase());
    if (verb === undefined) throw new Refused(`"${shortened(method, 20)}" is not a method.`);
    if (body !== null && (verb === 'GET' || verb === 'HEAD'))
      throw new Refused(`A ${verb} request has no body.`);
    for (const [name, value] of Object.entries(headers)) {
      const why = !/^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/.test(name)
        ? `"${shortened(name, 40)}" is not the name of a header.`
        : (whyHeaderIsKept(name, value) ?? whyValueIsRefused(name, value));
      if (why !== null) throw new Refused(why);
    }
    return {
      kind: 'ready',
      target: target.url,
      sent: { method: verb, url: target.url.href, headers, ...(body === null ? {} : { body }) },
    };
  }

  async #send(prepared: Ready): Promise<string> {
    const { method, url } = prepared.sent;
    const isSafe = method === 'GET' || method === 'HEAD' || this.#action.repeatable;
    const exchange = await send(prepared, this.#guarded, isSafe ? unmarked : this.#context.markEffect);
    const totalMs = exchange.output?.timing.totalMs ?? 0;
    if (exchange.kind === 'failed') {
      this.requests.push({ method, url, totalMs });
      throw new Refused(sentences(exchange.failure));
    }
    const { response, received } = exchange;
    // A browser says only that it was one (status 0), and following it would ask whoever it names.
    if (response.type === 'opaqueredirect' || (response.status >= 300 && response.status <= 399)) {
      this.requests.push({
        method,
        url,
        totalMs,
        ...(response.status === 0 ? {} : { status: response.status }),
      });
      throw new Refused(
        `${prepared.target.host} answered with a redirect, which a script does not follow because it may lead to an origin that is not listed. Use the address that it leads to.`,
      );
    }
    this.requests.push({ method, url, totalMs, status: received.status });
    const { status, statusText, headers, text, truncated } = received;
    return JSON.stringify({ status, statusText, url, headers, text, truncated });
  }
}

/**
 * `fetch` that follows no redirect, since a browser does not say where one leads before it has gone there. The probes that
 * look for the cause of a failure must follow them (Fetch standard: `no-cors` knows no other way), so they ask for the root of
 * the server instead: an address that the script has chosen tells nothing to whoever its redirect names.
 */
function withoutRedirects(fetch: ActionContext['fetch']): ActionContext['fetch'] {
  return (input, init) => {
    if (init?.mode !== 'no-cors') return fetch(input, { ...init, redirect: 'manual' });
    const { url } = new Request(input);
    return fetch(`${new URL(url).origin}/`, init);
  };
}

type Ready = Extract<Prepared, { kind: 'ready' }>;

function sentences({ message, advice }: Failure): string {
  return advice === undefined ? message : `${message} ${advice}`;
}

/** What the prelude writes is JSON of its form; anything else comes from a script that went around it. */
function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new LimitReached(notAllowed('something that is no JSON'));
  }
}

function read<Schema extends v.GenericSchema>(schema: Schema, given: unknown): v.InferOutput<Schema> {
  const parsed = v.safeParse(schema, given);
  if (!parsed.success) throw new LimitReached(notAllowed('something of the wrong form'));
  return parsed.output;
}

function notAllowed(name: string): Failure {
  return {
    class: 'denied',
    code: 'script-not-allowed',
    message: `The script asked for "${shortened(name, 20)}", which it is not allowed.`,
  };
}

function tooMuch(name: string, what: string): Failure {
  return {
    class: 'limit',
    code: 'script-too-much',
    message: `The script was stopped: ${name} was asked for ${what}.`,
  };
}

/** Longest text that passes between a script and Rota at once: a whole answer, and its headers. */
export const TEXT_MOST = 4 * SCRIPT_VALUE_MOST;
