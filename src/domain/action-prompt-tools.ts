import * as v from 'valibot';
import { plainHeadersSchema, urlSchema } from './action-http.ts';
import { boundedText, wholeNumber } from './problem.ts';

/** Most servers of tools in one prompt. */
export const TOOL_SERVERS_MOST = 5;
/** Most tools that may be allowed of one server; models choose badly among many more. */
const TOOLS_ALLOWED_MOST = 64;
/** How often a model may call tools in one run where the definition does not say. */
export const TOOL_ROUNDS_DEFAULT = 10;
/** How long one call of a tool may take where the definition does not say. */
export const TOOL_CALL_MS = 60_000;

/** Headers that the transport sets itself (MCP, "Streamable HTTP"). */
const OWN_HEADERS: ReadonlySet<string> = new Set([
  'accept',
  'content-type',
  'last-event-id',
  'mcp-protocol-version',
  'mcp-session-id',
]);

const allowedToolSchema = v.strictObject({
  name: v.pipe(boundedText('The name of a tool', 200), v.nonEmpty('A tool has a name.')),
  /** The person says that calling it again does no harm. A call of any other is an effect like a request that adds. */
  repeatable: v.exactOptional(v.boolean('repeatable is true or false.'), false),
});

/**
 * A server of tools (MCP over streamable HTTP). Values of headers are templates, so that they can name a secret. Only what
 * `tools` lists is ever called: nobody is there to ask while a run goes.
 */
export const toolServerSchema = v.strictObject({
  url: urlSchema,
  headers: v.exactOptional(
    v.pipe(
      plainHeadersSchema,
      v.rawCheck(({ dataset, addIssue }) => {
        if (!dataset.typed) return;
        const { value } = dataset;
        for (const name of Object.keys(value)) {
          if (!OWN_HEADERS.has(name.toLowerCase())) continue;
          addIssue({
            message: `Rota sets ${name} itself; remove it.`,
            path: [{ type: 'object', origin: 'value', input: value, key: name, value: value[name] }],
          });
        }
      }),
    ),
    {},
  ),
  tools: v.pipe(
    v.array(allowedToolSchema, 'The allowed tools are a list.'),
    v.minLength(1, 'List the tools of this server and allow at least one, or remove the server.'),
    v.maxLength(TOOLS_ALLOWED_MOST, `At most ${TOOLS_ALLOWED_MOST} tools of one server can be allowed.`),
    v.check(
      (list) => new Set(list.map(({ name }) => name)).size === list.length,
      'Each tool is listed once.',
    ),
  ),
});

export type ToolServer = v.InferOutput<typeof toolServerSchema>;
export type AllowedTool = ToolServer['tools'][number];

/** A server that is asked which tools it has, before any of them is allowed. */
export const askedServerSchema = v.omit(toolServerSchema, ['tools']);
export type AskedServer = v.InferOutput<typeof askedServerSchema>;
/** The same as a caller writes it. */
export type AskedServerInput = v.InferInput<typeof askedServerSchema>;

/** The schema of the tools that a prompt's model may call. */
export const promptToolsSchema = v.strictObject({
  servers: v.pipe(
    v.array(toolServerSchema, 'Servers of tools are a list.'),
    v.minLength(1, 'Name a server of tools, or leave tools out.'),
    v.maxLength(TOOL_SERVERS_MOST, `At most ${TOOL_SERVERS_MOST} servers of tools.`),
    v.check(
      (list) => new Set(list.map(({ url }) => url)).size === list.length,
      'Each server is listed once.',
    ),
  ),
  /** How often the model may answer with calls of tools, each time with one or several; past it the run fails (`limit`). */
  maxRounds: v.exactOptional(wholeNumber(1, 50, 'The rounds of tool calls'), TOOL_ROUNDS_DEFAULT),
  /** The longest time for one call of a tool, within the run's own. */
  callMs: v.exactOptional(wholeNumber(1_000, 600_000, 'The time for a tool call'), TOOL_CALL_MS),
});

export type PromptTools = v.InferOutput<typeof promptToolsSchema>;

/** Whether a model that may call `tools` can do no harm by being asked twice. */
export function areRepeatableTools(tools: PromptTools | undefined): boolean {
  return (tools?.servers ?? []).every((server) => server.tools.every(({ repeatable }) => repeatable));
}
