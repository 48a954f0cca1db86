import { LitElement, type PropertyValues, type TemplateResult, css, html, nothing } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import { icon } from '../icons/icon.ts';
import { headOf, shownBody } from '../pages/run-body.ts';
import { bytesText, numberText } from '../text/counts.ts';
import { shared } from './styles.ts';
import { showToast } from './toast.ts';

/** What is shown before the person asks for more. */
const FOLDED = { lines: 24, characters: 4_000 };
/** What is shown after that: more in one element makes a browser slow. */
const UNFOLDED = { lines: 5_000, characters: 200_000 };

/**
 * A body as text, folded while it is long: `<rota-body-view .text=${text} .contentType=${type} label="Body">`. JSON is
 * indented; markup is shown as the text that it is. What does not fit is still copied and saved whole.
 */
@customElement('rota-body-view')
export class BodyView extends LitElement {
  static override styles = [
    shared,
    css`
      pre {
        max-height: min(70vh, 640px);
        margin: 0;
        padding: 10px 12px;
        overflow: auto;
        border: 1px solid var(--rule);
        border-radius: var(--radius-s);
        background: var(--sunk);
        font: var(--size-s) / 1.5 var(--font-mono);
        overflow-wrap: anywhere;
        white-space: pre-wrap;
        tab-size: 2;
      }

      .more {
        display: flex;
        flex-wrap: wrap;
        align-items: center;
        gap: 2px 4px;
        margin-top: 4px;
        font-size: var(--size-s);
        color: var(--ink-2);
      }

      .more p {
        flex: 1 1 auto;
      }

      .btn {
        min-height: 28px;
        padding: 0 8px;
      }
    `,
  ];

  /** The body, whole. */
  @property({ attribute: false }) text = '';
  @property({ attribute: false }) contentType = '';
  /** What it is, for screen readers: `Body of the answer`. */
  @property() label = 'Body';
  /** For the name of the file that it can be saved as. */
  @property() name = 'body';
  @state() private unfolded = false;
  #shown = '';
  #indented = false;

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (!changed.has('text') && !changed.has('contentType')) return;
    const { text, indented } = shownBody(this.text, this.contentType);
    this.#shown = text;
    this.#indented = indented;
    this.unfolded = false;
  }

  readonly #copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(this.text);
      showToast({ text: `${this.label} copied.` });
    } catch {
      showToast({ text: 'The browser did not let Rota copy it.', tone: 'bad' });
    }
  };

  readonly #save = (): void => {
    const url = URL.createObjectURL(new Blob([this.text], { type: this.contentType }));
    const link = document.createElement('a');
    link.href = url;
    link.download = `${this.name}.${extensionOf(this.contentType)}`;
    link.click();
    // The download reads the address after this task.
    setTimeout(() => {
      URL.revokeObjectURL(url);
    }, 60_000);
  };

  readonly #toggle = (): void => {
    this.unfolded = !this.unfolded;
  };

  protected override render(): TemplateResult {
    const limit = this.unfolded ? UNFOLDED : FOLDED;
    const part = headOf(this.#shown, limit.lines, limit.characters);
    const whole = part.length === this.#shown.length;
    const folds = headOf(this.#shown, FOLDED.lines, FOLDED.characters).length < this.#shown.length;
    return html`<pre tabindex="0" role="region" aria-label=${this.label}>${part}${whole ? '' : '\n…'}</pre>
      <div class="more">
        <p>
          ${this.#indented ? 'Indented for reading. ' : ''}${
            whole
              ? ''
              : `The first ${numberText(part.length)} of ${numberText(this.#shown.length)} characters.`
          }
        </p>
        ${
          folds
            ? html`<button
                type="button"
                class="btn bare"
                aria-expanded=${this.unfolded}
                @click=${this.#toggle}
              >
                ${this.unfolded ? 'Show less' : `Show more of ${bytesText(this.#shown.length)}`}
              </button>`
            : nothing
        }
        <button
          type="button"
          class="btn bare"
          aria-label="Copy ${this.label.toLowerCase()}"
          @click=${this.#copy}
        >
          ${icon('copy', 14)}Copy
        </button>
        <button
          type="button"
          class="btn bare"
          aria-label="Save ${this.label.toLowerCase()} as a file"
          @click=${this.#save}
        >
          ${icon('download', 14)}Save
        </button>
      </div>`;
  }
}

/** The usual end of a file's name for a media type. */
function extensionOf(contentType: string): string {
  const type = contentType.toLowerCase();
  if (/[/+]json\b/.test(type)) return 'json';
  if (/[/+]xml\b/.test(type)) return 'xml';
  if (type.startsWith('text/html')) return 'html';
  if (type.startsWith('text/csv')) return 'csv';
  return 'txt';
}

declare global {
  interface HTMLElementTagNameMap {
    'rota-body-view': BodyView;
  }
}
