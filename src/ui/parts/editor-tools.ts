/** The tools of a prompt in the editor: servers, and what is allowed of each. */
import { type TemplateResult, html, nothing } from 'lit';
import { TOOL_SERVERS_MOST } from '../../domain/index.ts';
import { TOOLS_LABELS, type ToolServerRow, emptyToolServer } from '../pages/editor-tools-form.ts';
import { headerList } from './editor-http.ts';
import { addButton, groupProblem, removeButton } from './editor-rows.ts';
import type { ActionView } from './editor-view.ts';
import { textField } from './form-field.ts';
import './tool-choice.ts';
import type { ToolsAllowed } from './tool-choice.ts';

/** The servers, folded while there are none. */
export function toolFields(view: ActionView): TemplateResult {
  const { form, set } = view;
  const { toolServers: servers } = form;
  const change = (index: number, part: Partial<ToolServerRow>): void => {
    set({ toolServers: servers.map((row, at) => (at === index ? { ...row, ...part } : row)) });
  };
  return html`<details class="prompt-tools" ?open=${servers.length > 0}>
    <summary>${TOOLS_LABELS.toolServers}</summary>
    <div class="tools-inside">
      <p class="hint">
        The model may call tools of MCP servers while it answers, those that you allow here and no others.
        Nobody is there to be asked while it runs: a call of anything else is refused.
      </p>
      <fieldset class="form-field" id=${view.id('toolServers')} tabindex="-1">
        <legend class="sr-only">Servers of tools</legend>
        ${servers.map((server, index) => serverFields(view, server, index, change))}
        ${groupProblem(view.id('toolServers'), view.problem('toolServers'))}
        ${
          servers.length < TOOL_SERVERS_MOST
            ? addButton('Add a server of tools', () => {
                set({ toolServers: [...servers, emptyToolServer()] });
              })
            : nothing
        }
      </fieldset>
      ${servers.length === 0 ? nothing : bounds(view)}
    </div>
  </details>`;
}

function serverFields(
  view: ActionView,
  server: ToolServerRow,
  index: number,
  change: (index: number, part: Partial<ToolServerRow>) => void,
): TemplateResult {
  const number = index + 1;
  const id = view.id(`toolServers.${index}`);
  return html`<div class="tool-server">
    <div class="server-row">
      ${textField({
        id,
        label: `Address of server ${number}`,
        value: server.url,
        inputmode: 'url',
        mono: true,
        required: true,
        placeholder: 'https://tools.example.com/mcp',
        hint: 'MCP over streamable HTTP; most end in /mcp.',
        problem: view.problem(`toolServers.${index}`),
        onInput: (url) => {
          change(index, { url });
        },
      })}
      ${removeButton(`server ${number}`, () => {
        view.set({ toolServers: view.form.toolServers.filter((_row, at) => at !== index) });
      })}
    </div>
    ${headerList({
      id: `${id}-headers`,
      rows: server.headers,
      onChange: (headers) => {
        change(index, { headers });
      },
    })}
    <rota-tool-choice
      .host=${view.host}
      .server=${{
        url: server.url,
        headers: Object.fromEntries(
          server.headers
            .filter(({ name }) => name.trim() !== '')
            .map(({ name, value }) => [name.trim(), value]),
        ),
      }}
      .allowed=${server.tools}
      @rota-tools=${({ detail }: ToolsAllowed) => {
        change(index, { tools: detail.tools });
      }}
    ></rota-tool-choice>
  </div>`;
}

function bounds(view: ActionView): TemplateResult {
  const field = (name: 'toolRounds' | 'toolSeconds', hint: string): TemplateResult =>
    textField({
      id: view.id(name),
      label: TOOLS_LABELS[name],
      value: view.form[name],
      mono: true,
      width: 'narrow',
      inputmode: 'decimal',
      hint,
      problem: view.problem(name),
      onInput: (value) => {
        view.set({ [name]: value });
      },
    });
  return html`${field('toolRounds', 'A run whose model still calls tools after so many answers is stopped.')}
  ${field('toolSeconds', 'Within the time of the whole run. The model is told when a tool took too long.')}`;
}
