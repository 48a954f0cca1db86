import { LitElement, css, html, nothing, type TemplateResult } from 'lit';
import { customElement, property, query } from 'lit/decorators.js';
import { icon } from '../icons/icon.ts';
import { shared } from './styles.ts';

/**
 * A modal dialog on the platform's own `<dialog>`: it holds the focus, closes on Escape and on a press beside it, and
 * gives the focus back. Content goes into the default slot, buttons into `footer`. Fires `close` when it has closed.
 */
@customElement('rota-dialog')
export class Dialog extends LitElement {
  static override styles = [
    shared,
    css`
      dialog {
        width: min(var(--dialog-width, 460px), calc(100vw - 32px));
        max-height: calc(100dvh - 48px);
        margin: auto;
        padding: 0;
        border: 1px solid var(--rule-strong);
        border-radius: var(--radius-m);
        background: var(--sheet);
        color: var(--ink);
        box-shadow: var(--shadow);
        overflow: auto;
      }

      dialog[open] {
        animation: rise var(--calm) var(--ease);
      }

      dialog::backdrop {
        background: var(--veil);
      }

      @keyframes rise {
        from {
          opacity: 0;
          transform: translateY(8px);
        }
      }

      header {
        display: flex;
        align-items: start;
        gap: var(--space-4);
        padding: var(--space-5) var(--space-5) 0;
      }

      h2 {
        flex: 1;
        padding-top: 4px;
        font-size: var(--size-l);
        letter-spacing: -0.01em;
      }

      .body {
        padding: var(--space-3) var(--space-5) var(--space-5);
      }

      /* What decides stays in sight while a long dialog is scrolled. */
      footer {
        position: sticky;
        bottom: 0;
        background: var(--sheet);
        display: flex;
        flex-wrap: wrap;
        justify-content: end;
        gap: var(--space-2);
        padding: var(--space-3) var(--space-5) var(--space-5);
      }
    `,
  ];

  @property() heading = '';
  /** Whether the footer has buttons. */
  @property({ type: Boolean, attribute: 'with-footer' }) withFooter = false;
  @query('dialog') private readonly dialog!: HTMLDialogElement;

  /** Opens it; resolves when it stands. */
  async show(): Promise<void> {
    await this.updateComplete;
    if (!this.dialog.open) this.dialog.showModal();
  }

  /** Closes it, as Escape does. */
  hide(): void {
    this.dialog.close();
  }

  readonly #closed = (event: Event): void => {
    event.stopPropagation();
    this.dispatchEvent(new Event('close'));
  };

  readonly #pressed = (event: PointerEvent): void => {
    // The dialog itself is hit only beside its content, which is on its backdrop: it has no padding.
    if (event.target === this.dialog) this.hide();
  };

  protected override render(): TemplateResult {
    return html`<dialog aria-labelledby="heading" @close=${this.#closed} @pointerdown=${this.#pressed}>
      <header>
        <h2 id="heading">${this.heading}</h2>
        <button class="btn bare icon" aria-label="Close" @click=${this.hide}>${icon('xmark')}</button>
      </header>
      <div class="body"><slot></slot></div>
      ${this.withFooter ? html`<footer><slot name="footer"></slot></footer>` : nothing}
    </dialog>`;
  }
}

declare global {
  interface HTMLElementTagNameMap {
    'rota-dialog': Dialog;
  }
}
