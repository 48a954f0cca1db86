import { LitElement, css, html, nothing, type TemplateResult } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import { type IconName, icon } from '../icons/icon.ts';
import { numberText } from '../text/counts.ts';
import { type BulkAct, BulkAsked } from './bulk-asked.ts';
import { shared } from './styles.ts';

const ACTS: readonly {
  readonly act: BulkAct;
  readonly label: string;
  readonly icon: IconName;
}[] = [
  { act: 'run', label: 'Run now', icon: 'play' },
  { act: 'pause', label: 'Pause…', icon: 'pause' },
  { act: 'resume', label: 'Resume', icon: 'refresh' },
  { act: 'tag', label: 'Tag…', icon: 'tag' },
  { act: 'export', label: 'Export', icon: 'download' },
  { act: 'remove', label: 'Delete', icon: 'trash' },
];

/**
 * What can be done to the rows that are selected. It takes the place of the head of the list and covers none of them; how
 * many there are is announced by the list.
 */
@customElement('rota-bulk-bar')
export class BulkBar extends LitElement {
  static override styles = [
    shared,
    css`
      :host {
        display: flex;
        flex-wrap: wrap;
        align-items: center;
        gap: 2px var(--space-4);
        min-height: 40px;
        padding-inline-end: var(--gutter);
      }

      .count {
        flex: none;
        min-width: 86px;
        font-size: var(--size-s);
        font-weight: var(--weight-strong);
        font-variant-numeric: tabular-nums;
      }

      .acts {
        display: flex;
        flex: 1 1 auto;
        gap: 2px;
      }

      .btn {
        min-height: 30px;
        padding: 0 9px;
      }

      .btn .icon {
        flex: none;
      }

      .acts .danger {
        color: var(--bad);
      }

      .all {
        flex: none;
        padding: 0 6px;
        color: var(--act);
      }

      .close {
        flex: none;
        width: 32px;
        padding: 0;
        margin-inline-end: -8px;
      }

      @container list (max-width: 860px) {
        .acts .btn {
          width: 36px;
          padding: 0;
        }

        .acts .btn span {
          position: absolute;
          clip-path: inset(50%);
        }
      }

      @container list (max-width: 540px) {
        :host {
          padding-inline: var(--gutter);
          padding-block: 4px 6px;
        }

        .count {
          flex: 1 1 auto;
        }

        .close {
          order: 1;
        }

        .acts {
          order: 2;
          flex: 1 0 100%;
          justify-content: space-between;
          margin-inline: -6px;
        }

        .acts .btn {
          flex: 1 1 0;
          flex-direction: column;
          gap: 4px;
          width: auto;
          min-width: 0;
          min-height: 48px;
          font-size: 0.6875rem;
        }

        .acts .btn span {
          position: static;
          clip-path: none;
        }
      }
    `,
  ];

  /** How many are selected. */
  @property({ type: Number }) count = 0;
  /** How many there are in the list. */
  @property({ type: Number }) total = 0;
  /** What goes on, in words: nothing else can be asked for meanwhile. */
  @property({ attribute: false }) busy: string | null = null;

  override connectedCallback(): void {
    super.connectedCallback();
    this.setAttribute('role', 'group');
    this.setAttribute('aria-label', 'What to do with the selected');
  }

  #ask(act: BulkAct): void {
    if (this.busy === null) this.dispatchEvent(new BulkAsked(act));
  }

  protected override render(): TemplateResult {
    const { count, total, busy } = this;
    return html`<span class="count">${busy ?? `${numberText(count)} selected`}</span>
      ${
        count >= total || busy !== null
          ? nothing
          : html`<button class="btn bare all" @click=${() => this.#ask('all')}>
              Select all ${numberText(total)}
            </button>`
      }
      <div class="acts">
        ${ACTS.map(
          ({ act, label, icon: name }) =>
            html`<button
              class="btn bare ${act === 'remove' ? 'danger' : ''}"
              aria-disabled=${count === 0 || busy !== null ? 'true' : nothing}
              title=${label}
              @click=${() => {
                if (count > 0) this.#ask(act);
              }}
            >
              ${icon(name, 16)}<span>${label}</span>
            </button>`,
        )}
      </div>
      <button
        class="btn bare icon close"
        aria-label="Clear the selection"
        title="Clear the selection (Esc)"
        @click=${() => this.#ask('clear')}
      >
        ${icon('xmark', 14)}
      </button>`;
  }
}

declare global {
  interface HTMLElementTagNameMap {
    'rota-bulk-bar': BulkBar;
  }
}
