import { LitElement, type TemplateResult, css, html, nothing } from 'lit';
import { customElement, property, query, state } from 'lit/decorators.js';
import { automationsText } from '../text/bulk.ts';
import { announce } from './announcer.ts';
import './dialog.ts';
import type { Dialog } from './dialog.ts';
import { formStyles, textField } from './form-field.ts';
import { shared } from './styles.ts';

/** A tag that all are to have, or none of them. */
export interface TagAnswer {
  readonly kind: 'add-tag' | 'remove-tag';
  readonly tag: string;
}

/** The dialog that asks which tag many automations are to have, or to lose. */
@customElement('rota-tag-dialog')
export class TagDialog extends LitElement {
  static override styles = [
    shared,
    formStyles,
    css`
      :host {
        display: contents;
      }

      p.about {
        margin-bottom: var(--space-4);
        color: var(--ink-2);
        font-size: var(--size-s);
        line-height: var(--line);
      }

      ul {
        display: flex;
        flex-wrap: wrap;
        gap: var(--space-1) var(--space-2);
        margin-top: var(--space-3);
        max-height: 190px;
        overflow: auto;
        padding: 2px;
      }

      li .btn {
        min-height: 30px;
        max-width: 240px;
      }

      .decide {
        display: flex;
        flex-wrap: wrap;
        justify-content: end;
        gap: var(--space-2);
        margin-top: var(--space-5);
      }
    `,
  ];

  /** How many automations it is about. */
  @property({ type: Number }) count = 0;
  /** All tags that there are. */
  @property({ attribute: false }) tags: readonly string[] = [];
  /** Called once: with what is wanted, or with `null`. */
  @property({ attribute: false }) answered: (answer: TagAnswer | null) => void = () => undefined;
  @state() private text = '';
  @state() private problem: string | null = null;
  @query('rota-dialog') private readonly dialog!: Dialog;
  #answer: TagAnswer | null = null;

  /** Opens it, with the focus in its field. */
  async show(): Promise<void> {
    await this.updateComplete;
    await this.dialog.show();
    this.renderRoot.querySelector<HTMLElement>('#tag')?.focus();
  }

  #decide(kind: TagAnswer['kind']): void {
    const tag = this.text.trim();
    const problem =
      tag === ''
        ? 'Enter a tag, or press one of those below.'
        : tag.length > 50
          ? 'A tag has at most 50 characters.'
          : kind === 'remove-tag' && !this.tags.includes(tag)
            ? 'No automation has this tag.'
            : null;
    if (problem !== null) {
      this.problem = problem;
      announce(problem);
      this.renderRoot.querySelector<HTMLElement>('#tag')?.focus();
      return;
    }
    this.#answer = { kind, tag };
    this.dialog.hide();
  }

  readonly #typed = (text: string): void => {
    this.text = text;
    this.problem = null;
  };

  protected override render(): TemplateResult {
    const them = automationsText(this.count);
    return html`<rota-dialog
      heading="Tag ${them}"
      @close=${() => {
        this.answered(this.#answer);
      }}
    >
      <p class="about">A tag that is added stands beside those that each of them has.</p>
      <form
        novalidate
        @submit=${(event: Event) => {
          event.preventDefault();
          this.#decide('add-tag');
        }}
      >
        ${textField({
          id: 'tag',
          label: 'Tag',
          value: this.text,
          problem: this.problem,
          onInput: this.#typed,
        })}
        ${
          this.tags.length === 0
            ? nothing
            : html`<ul aria-label="Tags that there are">
                ${this.tags.map(
                  (tag) =>
                    html`<li>
                      <button
                        type="button"
                        class="btn"
                        aria-pressed=${tag === this.text.trim()}
                        @click=${() => {
                          this.#typed(tag);
                        }}
                      >
                        <span class="clip">#${tag}</span>
                      </button>
                    </li>`,
                )}
              </ul>`
        }
        <div class="decide">
          <button
            type="button"
            class="btn"
            @click=${() => {
              this.#decide('remove-tag');
            }}
          >
            Remove the tag
          </button>
          <button type="submit" class="btn primary">Add the tag</button>
        </div>
      </form>
    </rota-dialog>`;
  }
}

/** Asks for a tag for `count` automations; `null` when the person closed it without a choice. */
export function askForTag(count: number, tags: readonly string[]): Promise<TagAnswer | null> {
  const dialog = document.createElement('rota-tag-dialog');
  return new Promise((resolve) => {
    dialog.count = count;
    dialog.tags = tags;
    dialog.answered = (answer) => {
      dialog.remove();
      resolve(answer);
    };
    document.body.append(dialog);
    void dialog.show();
  });
}

declare global {
  interface HTMLElementTagNameMap {
    'rota-tag-dialog': TagDialog;
  }
}
