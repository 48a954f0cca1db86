import { LitElement, type PropertyValues, type TemplateResult, css, html, nothing } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import { repeat } from 'lit/directives/repeat.js';
import type { AllowedTool, AskedServerInput, Failure, ToolInfo, ToolList } from '../../domain/index.ts';
import { askForLocalNetwork } from '../local-network.ts';
import { withTool } from '../pages/editor-tools-form.ts';
import type { RemoteHost } from '../remote-host.ts';
import { countText } from '../text/counts.ts';
import { durationText } from '../text/durations.ts';
import { errorSentence } from '../text/errors.ts';
import { problemOf } from '../watched.ts';
import { checkField, formStyles, textField } from './form-field.ts';
import { shared } from './styles.ts';

/** What came of asking. */
type Asked =
  | { readonly kind: 'not-yet' }
  | { readonly kind: 'asking' }
  | Extract<ToolList, { readonly kind: 'tools' }>
  | { readonly kind: 'failed'; readonly failure: Pick<Failure, 'message' | 'advice'> };

/** Other tools are allowed now. */
export type ToolsAllowed = CustomEvent<{ readonly tools: readonly AllowedTool[] }>;

/** Most tools that are shown at once; the others are found by typing. */
const SHOWN_MOST = 50;
/** From so many tools on they can be searched. */
const SEARCHED_LEAST = 12;
/** A description that is longer is folded, in characters. */
const DESCRIPTION_SHORT = 200;

/**
 * Asks a server which tools it has, by a press and as a run would ask it, and lets the person allow some: `<rota-tool-choice
 * .host=${host} .server=${server} .allowed=${tools} @rota-tools=${(event: ToolsAllowed) => …}>`. What the server says of
 * its tools is shown as text, and as its own words.
 */
@customElement('rota-tool-choice')
export class ToolChoice extends LitElement {
  static override styles = [
    shared,
    formStyles,
    css`
      :host,
      .list {
        display: grid;
        gap: var(--space-3);
        min-width: 0;
      }

      .row {
        display: flex;
        flex-wrap: wrap;
        align-items: center;
        gap: var(--space-2) var(--space-3);
      }

      [role='status'],
      .said,
      summary {
        max-width: 72ch;
        font-size: var(--size-s);
        color: var(--ink-2);
        overflow-wrap: anywhere;
      }

      .bad {
        color: var(--bad);
      }

      fieldset {
        display: grid;
        gap: var(--space-2);
        margin: 0;
        padding: 0;
        border: 0;
        min-width: 0;
      }

      legend {
        padding: 0 0 var(--space-1);
        font-weight: 600;
      }

      .tool {
        display: grid;
        gap: 2px;
        padding: var(--space-2) 0;
        border-top: 1px solid var(--rule);
        min-width: 0;
      }

      .tool > .said,
      .tool > details,
      .tool > .again {
        margin-inline-start: 28px;
      }

      .tool details .said {
        white-space: pre-wrap;
      }

      .name {
        overflow-wrap: anywhere;
      }
    `,
  ];

  @property({ attribute: false }) host!: RemoteHost;
  @property({ attribute: false }) server!: AskedServerInput;
  /** What may be called now. */
  @property({ attribute: false }) allowed: readonly AllowedTool[] = [];
  @state() private asked: Asked = { kind: 'not-yet' };
  @state() private sought = '';
  #about = '';

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (!changed.has('server')) return;
    const about = JSON.stringify(this.server);
    // What was found out about another server says nothing of this one.
    if (about !== this.#about) this.asked = { kind: 'not-yet' };
    this.#about = about;
  }

  readonly #list = async (): Promise<void> => {
    if (this.asked.kind === 'asking') return;
    this.asked = { kind: 'asking' };
    const about = this.#about;
    const asked = await this.#ask();
    if (about === this.#about) this.asked = asked;
  };

  async #ask(): Promise<Asked> {
    try {
      await askForLocalNetwork(this.server.url);
      const answer = await this.host.listTools(this.server);
      if (answer.kind !== 'invalid') return answer;
      return {
        kind: 'failed',
        failure: { message: answer.problems.map(({ message }) => message).join(' ') },
      };
    } catch (error) {
      return { kind: 'failed', failure: { message: errorSentence(problemOf(error).code) } };
    }
  }

  #allow(tools: readonly AllowedTool[]): void {
    this.dispatchEvent(new CustomEvent('rota-tools', { detail: { tools } }) satisfies ToolsAllowed);
  }

  protected override render(): TemplateResult {
    return html`<div class="row">
        <button type="button" class="btn" ?disabled=${this.asked.kind === 'asking'} @click=${this.#list}>
          List tools
        </button>
        <p role="status">${this.#said()}</p>
      </div>
      ${this.#tools()}`;
  }

  #said(): TemplateResult | string {
    const { asked } = this;
    switch (asked.kind) {
      case 'not-yet':
        return this.allowed.length === 0 ? '' : `${countText(this.allowed.length, 'tool')} allowed.`;
      case 'asking':
        return 'Asking…';
      case 'tools': {
        const count = `${asked.isCut === true ? 'more than ' : ''}${countText(asked.tools.length, 'tool')}`;
        const name = asked.server === undefined ? 'It' : asked.server;
        return `${name} answers: ${count}, in ${durationText(asked.tookMs)}.`;
      }
      case 'failed':
        return html`<span class="bad">${asked.failure.message}</span> ${asked.failure.advice ?? ''}`;
    }
  }

  #tools(): TemplateResult | typeof nothing {
    const listed = this.asked.kind === 'tools' ? this.asked.tools : null;
    const names = new Set(listed?.map(({ name }) => name));
    // What is allowed and not listed comes first: nothing else would tell that it is gone.
    const gone = this.allowed
      .filter(({ name }) => !names.has(name))
      .map(({ name }): ToolInfo => ({ name, claim: 'unknown' }));
    const all = [...gone, ...(listed ?? [])];
    if (all.length === 0) return nothing;
    const sought = this.sought.trim().toLowerCase();
    const found = all.filter(({ name, title = '', description = '' }) =>
      `${name}\n${title}\n${description}`.toLowerCase().includes(sought),
    );
    const shown = found.slice(0, SHOWN_MOST);
    return html`<div class="list">
      ${
        all.length < SEARCHED_LEAST
          ? nothing
          : textField({
              id: 'sought',
              label: 'Find a tool',
              value: this.sought,
              width: 'medium',
              onInput: (value) => {
                this.sought = value;
              },
            })
      }
      <fieldset>
        <legend>Tools that may be called</legend>
        ${repeat(
          shown,
          ({ name }) => name,
          (tool) => this.#tool(tool, listed !== null && !names.has(tool.name)),
        )}
        ${
          found.length > shown.length
            ? html`<p class="said">
                ${countText(found.length - shown.length, 'more tool')} can be found by typing.
              </p>`
            : nothing
        }
      </fieldset>
    </div>`;
  }

  #tool(tool: ToolInfo, isGone: boolean): TemplateResult {
    const { name, title } = tool;
    const allowed = this.allowed.find((one) => one.name === name);
    const claim = isGone ? 'The server does not list it any more.' : claimText(tool);
    return html`<div class="tool">
      <wa-checkbox
        class="check"
        size="s"
        .checked=${allowed !== undefined}
        @change=${(event: Event) => {
          this.#allow(withTool(this.allowed, name, (event.target as HTMLInputElement).checked));
        }}
        ><span class="name"><b>${name}</b>${title === undefined ? '' : ` ${title}`}</span></wa-checkbox
      >
      ${this.#description(tool)}
      ${claim === '' ? nothing : html`<p class="said ${isGone ? 'bad' : ''}">${claim}</p>`}
      ${
        allowed === undefined
          ? nothing
          : html`<div class="again">
              ${checkField({
                id: `again-${this.allowed.indexOf(allowed)}`,
                label: `${name} is safe to repeat`,
                hint: 'Calling it again does no harm. Otherwise a run that breaks off after a call asks you.',
                checked: allowed.repeatable,
                onChange: (repeatable) => {
                  this.#allow(this.allowed.map((one) => (one.name === name ? { ...one, repeatable } : one)));
                },
              })}
            </div>`
      }
    </div>`;
  }

  #description({ name, description = '' }: ToolInfo): TemplateResult | typeof nothing {
    if (description === '') return nothing;
    if (description.length <= DESCRIPTION_SHORT) return html`<p class="said">${description}</p>`;
    return html`<details>
      <summary aria-label="Description of ${name}">${description.slice(0, DESCRIPTION_SHORT - 80)}…</summary>
      <p class="said">${description}</p>
    </details>`;
  }
}

/** What a server claims of a tool, in a sentence that says whose claim it is. */
function claimText({ claim, claimsIdempotent }: ToolInfo): string {
  const again = claimsIdempotent === true ? ', and does no more when it is called again' : '';
  switch (claim) {
    case 'read-only':
      return `The server says that it changes nothing${again}.`;
    case 'destructive':
      return `The server says that it may delete or overwrite${again}.`;
    case 'additive':
      return `The server says that it only adds${again}.`;
    case 'unknown':
      return claimsIdempotent === true ? 'The server says that it does no more when it is called again.' : '';
  }
}

declare global {
  interface HTMLElementTagNameMap {
    'rota-tool-choice': ToolChoice;
  }
}
