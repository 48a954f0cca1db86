import { LitElement, type TemplateResult, css, html, nothing } from 'lit';
import { customElement, state } from 'lit/decorators.js';
import type { ModelAvailability } from '../../domain/index.ts';
import { downloadModel, readAvailability } from '../built-in-model.ts';
import { formStyles } from './form-field.ts';
import { shared } from './styles.ts';

/** What is known of the model of this browser. */
type Known =
  | { readonly kind: 'asking' }
  | { readonly kind: 'told'; readonly availability: ModelAvailability }
  | { readonly kind: 'loading'; readonly share: number }
  | { readonly kind: 'failed'; readonly words: string };

const SAID: Readonly<Record<ModelAvailability, string>> = {
  unavailable:
    'This browser has no model of its own, or not on this device. The automation waits until Rota is open in one that has.',
  downloadable: 'This browser has one, which is not downloaded yet. It takes some gigabytes.',
  downloading: 'The browser is downloading it. What is due meanwhile waits.',
  available: 'It is there. It is asked by an open tab of Rota; with every tab closed, what is due waits.',
};

/** Says whether the model of this browser can be asked, and has it downloaded by a press: `<rota-built-in-model>`. */
@customElement('rota-built-in-model')
export class BuiltInModel extends LitElement {
  static override styles = [
    shared,
    formStyles,
    css`
      .row {
        display: flex;
        flex-wrap: wrap;
        align-items: center;
        gap: var(--space-2) var(--space-3);
      }

      [role='status'] {
        max-width: 72ch;
        font-size: var(--size-s);
        color: var(--ink-2);
        overflow-wrap: anywhere;
      }
    `,
  ];

  @state() private known: Known = { kind: 'asking' };

  override connectedCallback(): void {
    super.connectedCallback();
    void this.#ask();
  }

  async #ask(): Promise<void> {
    this.known = { kind: 'told', availability: await readAvailability() };
  }

  readonly #download = async (): Promise<void> => {
    this.known = { kind: 'loading', share: 0 };
    try {
      await downloadModel((share) => {
        if (this.known.kind === 'loading') this.known = { kind: 'loading', share };
      });
      await this.#ask();
    } catch (error) {
      this.known = { kind: 'failed', words: error instanceof Error ? error.message : String(error) };
    }
  };

  protected override render(): TemplateResult {
    const { known } = this;
    const canLoad = known.kind === 'told' && known.availability === 'downloadable';
    return html`<div class="row">
      ${
        canLoad || known.kind === 'failed'
          ? html`<button type="button" class="btn" @click=${this.#download}>Download the model</button>`
          : nothing
      }
      <p role="status">${saidOf(known)}</p>
    </div>`;
  }
}

function saidOf(known: Known): string {
  switch (known.kind) {
    case 'asking':
      return 'Asking the browser.';
    case 'told':
      return SAID[known.availability];
    case 'loading':
      return `Downloading: ${Math.round(known.share * 100)} %.`;
    case 'failed':
      return `The browser did not download it: ${known.words}`;
  }
}

declare global {
  interface HTMLElementTagNameMap {
    'rota-built-in-model': BuiltInModel;
  }
}
