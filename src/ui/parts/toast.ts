/**
 * Short messages on what was just done, with a way back where there is one. There is one place for them, in the strip at
 * the top of the app (`rota-toasts`): it covers nothing, so it cannot cover what it speaks of.
 */
import { LitElement, css, html, nothing, type TemplateResult } from 'lit';
import { customElement, state } from 'lit/decorators.js';
import { icon } from '../icons/icon.ts';
import { Lingering } from '../lingering.ts';
import { Shortcuts, shortcutsOn } from '../shortcuts.ts';
import { announce } from './announcer.ts';
import { shared } from './styles.ts';

/** A message and, if there is one, what can be done about it. */
export interface Toast {
  readonly text: string;
  readonly tone?: 'done' | 'bad';
  /** `label` names what is done: `Undo`, `Open the run`. */
  readonly action?: { readonly label: string; readonly run: () => void };
}

/** How long a message stays, at least; longer while it is pointed at or has the focus. */
const SHOWN_MS = 8_000;
/** The same for one with something to do: to read it, think about it and come to it takes longer. */
const OFFERED_MS = 20_000;

let show: ((toast: Toast) => void) | null = null;

/** Says `toast`, in place of the one before, and to screen readers politely. */
export function showToast(toast: Toast): void {
  show?.(toast);
  const hint = toast.action === undefined || !shortcutsOn() ? '' : ` ${toast.action.label}: press u.`;
  announce(`${toast.text}${hint}`);
}

/** The place for toasts. The shell holds exactly one; `data-shown` tells it to make room. */
@customElement('rota-toasts')
export class Toasts extends LitElement {
  static override styles = [
    shared,
    css`
      :host {
        display: none;
      }

      :host([data-shown]) {
        display: flex;
        align-items: center;
        gap: var(--space-2);
        flex: 0 1 auto;
        animation: arrive var(--calm) var(--ease);
      }

      @keyframes arrive {
        from {
          opacity: 0;
          transform: translateY(-4px);
        }
      }

      p {
        flex: 0 1 auto;
        min-width: 0;
        color: var(--ink);
        font-weight: 500;
        font-size: var(--size-s);
        overflow-wrap: anywhere;
      }

      .mark {
        flex: none;
      }

      .btn {
        min-height: 28px;
        flex: none;
      }

      .btn.icon {
        width: 28px;
      }
    `,
  ];

  @state() private toast: Toast | null = null;
  readonly #lingering = new Lingering(() => this.#hide());

  constructor() {
    super();
    new Shortcuts(this, () => {
      const action = this.toast?.action;
      return action === undefined ? [] : [{ key: 'u', label: action.label, run: this.#act }];
    });
    this.addEventListener('pointerenter', () => this.#lingering.hold('pointer'));
    this.addEventListener('pointerleave', () => this.#lingering.release('pointer'));
    this.addEventListener('focusin', () => this.#lingering.hold('focus'));
    this.addEventListener('focusout', () => this.#lingering.release('focus'));
  }

  override connectedCallback(): void {
    super.connectedCallback();
    show = (toast) => {
      this.toast = toast;
      this.toggleAttribute('data-shown', true);
      this.#lingering.begin(toast.action === undefined ? SHOWN_MS : OFFERED_MS);
    };
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#lingering.stop();
    show = null;
  }

  readonly #close = (): void => {
    this.#lingering.stop();
    this.#hide();
  };

  #hide(): void {
    this.toast = null;
    this.toggleAttribute('data-shown', false);
  }

  readonly #act = (): void => {
    const action = this.toast?.action;
    this.#close();
    action?.run();
  };

  protected override updated(): void {
    // A button that had the focus and is not there any more does not always say that it lost it.
    if (this.shadowRoot?.activeElement == null) this.#lingering.release('focus');
  }

  protected override render(): TemplateResult | typeof nothing {
    const { toast } = this;
    if (toast === null) return nothing;
    const bad = toast.tone === 'bad';
    return html`<span class="mark ${bad ? 'bad' : 'ok'}"
        >${icon(bad ? 'triangle-exclamation' : 'check', 16)}</span
      >
      <p>${toast.text}</p>
      ${
        toast.action === undefined
          ? nothing
          : html`<button class="btn" @click=${this.#act}>${toast.action.label} <kbd>U</kbd></button>`
      }
      <button class="btn bare icon" aria-label="Dismiss the message" @click=${this.#close}>
        ${icon('xmark', 14)}
      </button>`;
  }
}
