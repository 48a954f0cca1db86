import { LitElement, type PropertyValues, type TemplateResult, css, html, nothing } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import { icon } from '../icons/icon.ts';
import './body-view.ts';
import { shared } from './styles.ts';
import { showToast } from './toast.ts';

/**
 * What a model answered: `<rota-answer-view .text=${text}>`. Set as Markdown once the part that reads it is there, and as
 * plain text until then, where it cannot be read, and whenever the person likes.
 */
@customElement('rota-answer-view')
export class AnswerView extends LitElement {
  static override styles = [
    shared,
    css`
      .answer {
        padding: var(--space-3) var(--space-4);
        border-inline-start: 2px solid var(--rule-strong);
        max-width: 100ch;
        overflow-wrap: anywhere;
      }

      .answer > * + * {
        margin-top: var(--space-3);
      }

      .answer h2,
      .answer h3,
      .answer h4,
      .answer h5,
      .answer h6 {
        margin-top: var(--space-4);
        font-size: var(--size-m);
        font-weight: var(--weight-strong);
      }

      .answer h2 {
        font-size: var(--size-l);
      }

      .answer ul,
      .answer ol {
        padding-inline-start: 1.6em;
        list-style: revert;
      }

      .answer li > * + * {
        margin-top: 4px;
      }

      .answer blockquote {
        margin-inline: 0;
        padding-inline-start: var(--space-3);
        border-inline-start: 2px solid var(--rule);
        color: var(--ink-2);
      }

      .answer pre {
        padding: 10px 12px;
        overflow: auto;
        border: 1px solid var(--rule);
        border-radius: var(--radius-s);
        background: var(--sunk);
      }

      .answer code,
      .answer pre {
        font: var(--size-s) / 1.5 var(--font-mono);
      }

      .answer pre code {
        white-space: pre-wrap;
      }

      .answer .table {
        overflow: auto;
      }

      .answer table {
        border-collapse: collapse;
      }

      .answer th,
      .answer td {
        padding: 4px 10px;
        border: 1px solid var(--rule);
        text-align: start;
        vertical-align: top;
      }

      .answer .address,
      .answer .image {
        color: var(--ink-2);
        font-size: var(--size-s);
      }

      .answer hr {
        border: 0;
        border-top: 1px solid var(--rule);
      }

      .more {
        display: flex;
        flex-wrap: wrap;
        gap: 2px 4px;
        margin-top: 4px;
      }

      .btn {
        min-height: 28px;
        padding: 0 8px;
      }
    `,
  ];

  /** The answer, whole. */
  @property({ attribute: false }) text = '';
  @state() private plain = false;
  @state() private set: TemplateResult | null = null;

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (!changed.has('text')) return;
    this.set = null;
    void this.#setIt(this.text);
  }

  async #setIt(text: string): Promise<void> {
    try {
      const { markdown } = await import('./markdown.ts');
      if (text === this.text) this.set = markdown(text);
    } catch {
      // Offline, or after a deploy took the file away: it is readable as text.
    }
  }

  readonly #copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(this.text);
      showToast({ text: 'Answer copied.' });
    } catch {
      showToast({ text: 'The browser did not let Rota copy it.', tone: 'bad' });
    }
  };

  readonly #toggle = (): void => {
    this.plain = !this.plain;
  };

  protected override render(): TemplateResult {
    const isSet = this.set !== null && !this.plain;
    return html`${
      isSet
        ? html`<div class="answer" role="region" aria-label="Answer">${this.set}</div>`
        : html`<rota-body-view
            .text=${this.text}
            .contentType=${'text/markdown'}
            label="Answer"
            name="answer"
          ></rota-body-view>`
    }${
      this.set === null
        ? nothing
        : html`<div class="more">
            <button type="button" class="btn bare" @click=${this.#toggle}>
              ${this.plain ? 'Show formatted' : 'Show as text'}
            </button>
            ${
              isSet
                ? html`<button type="button" class="btn bare" aria-label="Copy answer" @click=${this.#copy}>
                    ${icon('copy', 14)}Copy
                  </button>`
                : nothing
            }
          </div>`
    }`;
  }
}

declare global {
  interface HTMLElementTagNameMap {
    'rota-answer-view': AnswerView;
  }
}
