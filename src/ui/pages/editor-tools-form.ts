/** The tools of a prompt as the editor holds them. */
import {
  type AllowedTool,
  type Problem,
  type PromptTools,
  TOOL_CALL_MS,
  TOOL_ROUNDS_DEFAULT,
} from '../../domain/index.ts';
import { type HeaderRow, readHeaders } from './editor-http-form.ts';

/** A server of tools as it is typed, and what is allowed of it. */
export interface ToolServerRow {
  readonly url: string;
  readonly headers: readonly HeaderRow[];
  readonly tools: readonly AllowedTool[];
}

export interface ToolsForm {
  readonly toolServers: readonly ToolServerRow[];
  readonly toolRounds: string;
  /** Seconds. */
  readonly toolSeconds: string;
}

/** The fields whose values are typed and stand for themselves. */
export const TOOLS_LABELS = {
  toolServers: 'Tools',
  toolRounds: 'Rounds of calls, at most',
  toolSeconds: 'Seconds for one call, at most',
} as const satisfies Readonly<Record<keyof ToolsForm, string>>;

/** No tools. */
export function emptyTools(): ToolsForm {
  return {
    toolServers: [],
    toolRounds: String(TOOL_ROUNDS_DEFAULT),
    toolSeconds: String(TOOL_CALL_MS / 1_000),
  };
}

/** A server of which nothing is known yet. */
export function emptyToolServer(): ToolServerRow {
  return { url: '', headers: [], tools: [] };
}

/** The fields for `tools`. */
export function toolsOf(tools: PromptTools | undefined): ToolsForm {
  if (tools === undefined) return emptyTools();
  return {
    toolServers: tools.servers.map(({ url, headers, tools: allowed }) => ({
      url,
      headers: Object.entries(headers).map(([name, value]) => ({ name, value })),
      tools: allowed,
    })),
    toolRounds: String(tools.maxRounds),
    toolSeconds: String(tools.callMs / 1_000),
  };
}

/** The tools that `form` says; `undefined` where it names no server. */
export function readTools(form: ToolsForm, problems: Problem[]): PromptTools | undefined {
  if (form.toolServers.length === 0) return undefined;
  const number = (text: string, field: 'toolRounds' | 'toolSeconds', path: string): number => {
    const digits = text.trim().replace(',', '.');
    if (/^\d+(?:\.\d+)?$/.test(digits)) return Number(digits);
    problems.push({ path, message: `${TOOLS_LABELS[field]} must be a number.` });
    return 1;
  };
  return {
    servers: form.toolServers.map(({ url, headers, tools }, index) => {
      const found: Problem[] = [];
      const read = readHeaders(headers, found);
      for (const { path, message } of found)
        problems.push({ path: path.replace(/^action/, `action.tools.servers[${index}]`), message });
      return { url, headers: read, tools: [...tools] };
    }),
    maxRounds: number(form.toolRounds, 'toolRounds', 'action.tools.maxRounds'),
    callMs: Math.round(1_000 * number(form.toolSeconds, 'toolSeconds', 'action.tools.callMs')),
  };
}

/** `allowed` with the tool `name` in it or not. */
export function withTool(
  allowed: readonly AllowedTool[],
  name: string,
  isAllowed: boolean,
): readonly AllowedTool[] {
  const others = allowed.filter((tool) => tool.name !== name);
  return isAllowed ? [...others, { name, repeatable: false }] : others;
}
