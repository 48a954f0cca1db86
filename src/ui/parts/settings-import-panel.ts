import { LitElement, type TemplateResult, css, html, nothing } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import type { Problem } from '../../domain/index.ts';
import { icon } from '../icons/icon.ts';
import { type FileOutline, outlineOf } from '../pages/settings-import.ts';
import type { RemoteHost } from '../remote-host.ts';
import { href, navigate } from '../router.ts';
import { countText } from '../text/counts.ts';
import { errorSentence } from '../text/errors.ts';
import { scheduleSentence } from '../text/schedule.ts';
import { problemOf } from '../watched.ts';
import { announce } from './announcer.ts';
import { areaField, checkField, formStyles } from './form-field.ts';
import { shared } from './styles.ts';
import { showToast } from './toast.ts';

/** Automations of a file that are listed before it is imported; of the others only the number is said. */
const LISTED_MOST = 50;

/** A text that may be imported, and what is known of it. */
interface Candidate {
  readonly name: string;
  readonly text: string;
  readonly outline: FileOutline;
  /** What the host said of it, once it was asked. */
  readonly refused: readonly Problem[];
}

/**
 * Brings in a file: chosen, dropped or pasted. It shows what is inside and what is wrong with it before anything is
 * stored; then all of it is stored, or nothing.
 */
@customElement('rota-import-panel')
export class ImportPanel extends LitElement {
  static override styles = [
    shared,
    formStyles,
    css`
      :host {
        display: grid;
        gap: var(--space-3);
      }

      .drop {
        display: flex;
        flex-wrap: wrap;
        align-items: center;
        gap: var(--space-3);
        padding: var(--space-4);
        border: 1px dashed var(--edge);
        border-radius: var(--radius-m);
        font-size: var(--size-s);
        color: var(--ink-2);
      }

      .drop.over {
        border-style: solid;
        border-color: var(--act);
        background: var(--act-soft);
      }

      details summary {
        width: fit-content;
        min-height: 24px;
        color: var(--act);
        font-size: var(--size-s);
        cursor: pointer;
      }

      .paste {
        display: grid;
        gap: var(--space-2);
        margin-top: var(--space-2);
      }

      .candidate {
        display: grid;
        gap: var(--space-3);
        padding: var(--space-4);
        border: 1px solid var(--rule-strong);
        border-radius: var(--radius-m);
        background: var(--sheet);
      }

      h3 {
        font-size: var(--size-m);
        font-weight: var(--weight-strong);
        overflow-wrap: anywhere;
      }

      .inside > li {
        padding: 7px 0;
        border-bottom: 1px solid var(--rule);
        font-size: var(--size-s);
        overflow-wrap: anywhere;
      }

      .inside b {
        font-weight: var(--weight-strong);
      }

      .problems {
        padding: var(--space-2) var(--space-3);
        border-inline-start: 3px solid var(--bad);
        background: var(--bad-soft);
        font-size: var(--size-s);
      }

      .problems li {
        padding: 3px 0;
        overflow-wrap: anywhere;
      }

      .buttons {
        display: flex;
        flex-wrap: wrap;
        gap: var(--space-2);
      }
    `,
  ];

  @property({ attribute: false }) host!: RemoteHost;
  @state() private candidate: Candidate | null = null;
  @state() private pasted = '';
  @state() private enable = false;
  @state() private over = false;
  @state() private busy = false;

  async #look(name: string, text: Promise<string> | string): Promise<void> {
    try {
      const whole = await text;
      this.candidate = { name, text: whole, outline: outlineOf(whole), refused: [] };
      this.enable = false;
      if (this.candidate.outline.kind === 'unreadable') await this.#import();
      await this.updateComplete;
      this.renderRoot.querySelector<HTMLElement>('h3')?.focus();
    } catch {
      showToast({ text: `${name} could not be read.`, tone: 'bad' });
    }
  }

  /** Asks the host. For a text that is no file of Rota's it only says what is wrong, with line and column. */
  readonly #import = async (): Promise<void> => {
    const { candidate } = this;
    if (candidate === null || this.busy) return;
    this.busy = true;
    try {
      const result = await this.host.importFile({ text: candidate.text, enable: this.enable });
      if (result.kind === 'invalid') {
        this.candidate = { ...candidate, refused: result.problems };
        announce(`Not imported. ${countText(result.problems.length, 'problem')}.`);
        return;
      }
      const count = countText(result.ids.length, 'automation');
      this.candidate = null;
      this.pasted = '';
      showToast({
        text: this.enable ? `Imported ${count}.` : `Imported ${count}, paused.`,
        action: {
          label: 'Show them',
          run: () => {
            navigate(href.automations(this.enable ? {} : { view: 'paused' }));
          },
        },
      });
    } catch (error) {
      showToast({ text: `Not imported. ${errorSentence(problemOf(error).code)}`, tone: 'bad' });
    } finally {
      this.busy = false;
    }
  };

  readonly #choose = (): void => {
    this.renderRoot.querySelector<HTMLInputElement>('input[type="file"]')?.click();
  };

  readonly #chosen = (event: Event): void => {
    const input = event.target as HTMLInputElement;
    const file = input.files?.[0];
    if (file !== undefined) void this.#look(file.name, file.text());
    // The same file may be chosen again after it was mended.
    input.value = '';
  };

  readonly #dragged = (event: DragEvent): void => {
    if (event.dataTransfer?.types.includes('Files') !== true) return;
    event.preventDefault();
    this.over = true;
  };

  readonly #dragLeft = (): void => {
    this.over = false;
  };

  readonly #typed = (text: string): void => {
    this.pasted = text;
  };

  readonly #dropped = (event: DragEvent): void => {
    event.preventDefault();
    this.over = false;
    const file = event.dataTransfer?.files[0];
    if (file !== undefined) void this.#look(file.name, file.text());
  };

  protected override render(): TemplateResult {
    return html`<div
        class="drop ${this.over ? 'over' : ''}"
        @dragover=${this.#dragged}
        @dragleave=${this.#dragLeft}
        @drop=${this.#dropped}
      >
        <button type="button" class="btn" @click=${this.#choose}>${icon('upload', 14)}Choose a file</button>
        <span>or drop one here. You see what is inside before anything is stored.</span>
        <input
          type="file"
          accept=".json,application/json"
          hidden
          aria-label="File to import"
          @change=${this.#chosen}
        />
      </div>
      <details>
        <summary>Paste its text instead</summary>
        <div class="paste">
          ${areaField({
            id: 'pasted',
            label: 'Text of a Rota file',
            value: this.pasted,
            rows: 5,
            mono: true,
            placeholder: '{ "format": "rota", "version": 1, "automations": [ … ] }',
            onInput: this.#typed,
          })}
          <div>
            <button
              type="button"
              class="btn"
              ?disabled=${this.pasted.trim() === ''}
              @click=${() => {
                void this.#look('The pasted text', this.pasted);
              }}
            >
              Look inside
            </button>
          </div>
        </div>
      </details>
      ${this.candidate === null ? nothing : this.#inside(this.candidate)}`;
  }

  #inside({ name, outline, refused }: Candidate): TemplateResult {
    const automations = outline.kind === 'file' ? outline.automations : [];
    const own = outline.kind === 'file' ? outline.problems : [];
    const problems = refused.length > 0 ? refused : own;
    const heading =
      outline.kind === 'unreadable'
        ? `${name} cannot be imported`
        : `${name} holds ${countText(automations.length, 'automation')}`;
    return html`<section class="candidate" aria-labelledby="inside">
      <h3 id="inside" tabindex="-1">${heading}</h3>
      ${problems.length === 0 ? nothing : this.#problems(problems)}
      ${
        automations.length === 0
          ? nothing
          : html`<ul class="inside">
              ${automations.slice(0, LISTED_MOST).map(
                ({ name: called, definition, what }) =>
                  html`<li>
                    <b>${called}</b>
                    ${
                      definition === null
                        ? html`<div class="bad">cannot be read</div>`
                        : html`<div class="quiet">${scheduleSentence(definition.schedule, Date.now())}</div>
                            <div class="quiet">${what}</div>`
                    }
                  </li>`,
              )}
              ${
                automations.length > LISTED_MOST
                  ? html`<li class="quiet">and ${automations.length - LISTED_MOST} more</li>`
                  : nothing
              }
            </ul>`
      }
      ${
        problems.length > 0 || automations.length === 0
          ? nothing
          : checkField({
              id: 'enable',
              label: 'Start them right away',
              hint: 'Else they come in paused, and nothing runs before you turn them on. What the file has paused stays paused.',
              checked: this.enable,
              onChange: (enable) => {
                this.enable = enable;
              },
            })
      }
      <div class="buttons">
        ${
          problems.length > 0 || automations.length === 0
            ? nothing
            : html`<button type="button" class="btn primary" ?disabled=${this.busy} @click=${this.#import}>
                ${this.busy ? 'Importing…' : `Import ${countText(automations.length, 'automation')}`}
              </button>`
        }
        <button
          type="button"
          class="btn"
          @click=${() => {
            this.candidate = null;
          }}
        >
          ${problems.length > 0 ? 'Close' : 'Do not import'}
        </button>
      </div>
    </section>`;
  }

  #problems(problems: readonly Problem[]): TemplateResult {
    return html`<div class="problems" role="group" aria-label="What is wrong with it">
      <p>${countText(problems.length, 'problem')}. Nothing is stored; mend the file and choose it again.</p>
      <ul>
        ${problems.map(
          ({ path, message }) =>
            html`<li>${path === '' ? nothing : html`<code>${path}</code><br />`}${message}</li>`,
        )}
      </ul>
    </div>`;
  }
}

declare global {
  interface HTMLElementTagNameMap {
    'rota-import-panel': ImportPanel;
  }
}
