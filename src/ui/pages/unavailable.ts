import { LitElement, css, html, nothing, type TemplateResult } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import { icon } from '../icons/icon.ts';
import { shared } from '../parts/styles.ts';
import type { MissingPart } from '../remote-host.ts';
import { missingText } from '../text/errors.ts';
import { reloadNewest } from '../updates.ts';

/**
 * The one screen that is shown when the platform lacks what Rota cannot do without: what is missing, and the one thing
 * to do. Nothing runs meanwhile, and it says so.
 */
@customElement('rota-unavailable-page')
export class UnavailablePage extends LitElement {
  static override styles = [
    shared,
    css`
      :host {
        display: grid;
        place-items: center;
        min-height: 100dvh;
        padding: var(--space-6) var(--gutter);
      }

      main {
        width: 100%;
        max-width: 560px;
        border-top: 2px solid var(--ink);
        padding-top: var(--space-5);
      }

      .brand {
        display: flex;
        align-items: center;
        gap: 8px;
        margin-bottom: var(--space-6);
        font-weight: var(--weight-head);
      }

      h1 {
        text-wrap: balance;
      }

      p {
        margin-top: var(--space-3);
        text-wrap: pretty;
      }

      .help {
        font-size: var(--size-l);
        line-height: 1.4;
      }

      .btn {
        margin-top: var(--space-5);
      }

      details {
        margin-top: var(--space-6);
        padding-top: var(--space-3);
        border-top: 1px solid var(--rule);
        color: var(--ink-2);
        font-size: var(--size-s);
        overflow-wrap: anywhere;
      }

      summary {
        cursor: pointer;
      }
    `,
  ];

  @property() missing: MissingPart = 'storage';
  /** What the browser said. */
  @property() detail = '';

  protected override firstUpdated(): void {
    document.title = 'Rota cannot start';
  }

  protected override render(): TemplateResult {
    const { what, help } = missingText(this.missing);
    return html`<main>
      <div class="brand">${icon('rota', 24)} Rota</div>
      <h1 tabindex="-1">${what}</h1>
      <p class="help">${help}</p>
      <p class="quiet">
        Until then nothing runs${this.missing === 'newer-storage' ? ' in this tab' : nothing}. What was stored
        before is not touched.
      </p>
      ${
        this.missing === 'newer-storage'
          ? html`<button class="btn primary" @click=${() => void reloadNewest()}>
              ${icon('refresh')} Reload this tab
            </button>`
          : html`<button class="btn primary" @click=${() => location.reload()}>
              ${icon('refresh')} Try again
            </button>`
      }
      <details>
        <summary>What the browser said</summary>
        <code>${this.missing}: ${this.detail}</code>
      </details>
    </main>`;
  }
}

declare global {
  interface HTMLElementTagNameMap {
    'rota-unavailable-page': UnavailablePage;
  }
}
