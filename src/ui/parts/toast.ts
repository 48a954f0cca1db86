/**
 * Short messages on what was just done, with a way back where there is one. There is one place for them, in the strip at
 * the top of the app (`rota-toasts`): it covers nothing, so it cannot cover what it speaks of.
 */
import { LitElement, css, html, nothing, type TemplateResult } from 'lit';
import { customElement, state } from 'lit/decorators.js';
import { icon } from '../icons/icon.ts';
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
  #timer: ReturnType<typeof setTimeout> | null = null;

  constructor() {
    super();
    new Shortcuts(this, () => {
      const action = this.toast?.action;
      return action === undefined ? [] : [{ key: 'u', label: action.label, run: this.#act }];
    });
    this.addEventListener('pointerenter', this.#hold);
    this.addEventListener('pointerleave', this.#release);
    this.addEventListener('focusin', this.#hold);
    this.addEventListener('focusout', this.#release);
  }

  override connectedCallback(): void {
    super.connectedCallback();
    show = (toast) => {
      this.toast = toast;
      this.toggleAttribute('data-shown', true);
      this.#release();
    };
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#hold();
    show = null;
  }

  readonly #hold = (): void => {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  };

  readonly #release = (): void => {
    this.#hold();
    if (this.toast !== null) this.#timer = setTimeout(this.#close, SHOWN_MS);
  };

  readonly #close = (): void => {
    this.#hold();
    this.toast = null;
    this.toggleAttribute('data-shown', false);
  };

  readonly #act = (): void => {
    const action = this.toast?.action;
    this.#close();
    action?.run();
  };

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
