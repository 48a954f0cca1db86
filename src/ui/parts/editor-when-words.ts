import { LitElement, type TemplateResult, html } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import type { FormContext, WhenForm } from '../pages/editor-when-form.ts';
import { fillIn } from '../pages/editor-when-words.ts';
import { announce } from './announcer.ts';
import { formStyles, textField } from './form-field.ts';
import { shared } from './styles.ts';

const EXAMPLES = 'Such as “mondays at 18:30”, “every other week on Monday” or “tomorrow at noon”.';

/** One line in which a person writes when, in words. It fills the fields below it and saves nothing. */
@customElement('rota-when-words')
export class WhenWords extends LitElement {
  static override styles = [shared, formStyles];

  @property({ attribute: false }) context!: FormContext;
  /** The time zone that the form has now. */
  @property({ attribute: false }) zone = '';
  @property({ attribute: false }) fill: (change: Partial<WhenForm>) => void = () => undefined;
  @state() private text = '';
  @state() private problem: string | null = null;
  @state() private said = '';

  protected override render(): TemplateResult {
    return textField({
      id: 'words',
      label: 'In words',
      value: this.text,
      placeholder: 'every weekday at 9',
      hint: this.said === '' ? EXAMPLES : this.said,
      problem: this.problem,
      onInput: this.#typed,
      button: html`<button
        type="button"
        class="btn"
        ?disabled=${this.text.trim() === ''}
        @click=${() => {
          void this.#read();
        }}
      >
        Fill in
      </button>`,
    });
  }

  readonly #typed = (text: string): void => {
    this.text = text;
    this.problem = null;
    this.said = '';
  };

  override connectedCallback(): void {
    super.connectedCallback();
    this.addEventListener('keydown', this.#pressed);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.removeEventListener('keydown', this.#pressed);
  }

  readonly #pressed = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || event.ctrlKey || event.metaKey || event.isComposing) return;
    if (!(event.composedPath()[0] instanceof HTMLInputElement)) return;
    event.preventDefault();
    void this.#read();
  };

  readonly #read = async (): Promise<void> => {
    const { text } = this;
    try {
      const read = await fillIn(text, this.zone, this.context, navigator.language);
      // Typed on meanwhile: the answer is to another text.
      if (text !== this.text) return;
      if (read.kind === 'filled') {
        this.fill(read.change);
        this.said = read.said;
        announce(read.said);
      } else this.#refuse(read.message);
    } catch {
      this.#refuse('This part of Rota could not be loaded. Use the fields below, or try again online.');
    }
  };

  #refuse(message: string): void {
    this.problem = message;
    announce(message);
  }
}
