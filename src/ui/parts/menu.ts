import { LitElement, css, html, nothing, type TemplateResult } from 'lit';
import { customElement, query, state } from 'lit/decorators.js';
import { icon, type IconName } from '../icons/icon.ts';
import { shared } from './styles.ts';

/** One thing that a menu offers. */
export interface MenuItem {
  readonly label: string;
  readonly icon?: IconName;
  /** What stands beside it, in one line that is cut where it is too long. */
  readonly detail?: string;
  /** What it and those after it have in common, above it. */
  readonly heading?: string;
  /** Goes somewhere, or does something. */
  readonly act: { readonly href: string } | { readonly run: () => void };
  readonly tone?: 'bad';
  /** A line above it: it belongs to another kind of thing. */
  readonly apart?: boolean;
}

const GAP = 4;
const EDGE = 8;

/**
 * The menu of whichever button asked for it: a screen with hundreds of rows has one `<rota-menu>`. It stands in the top
 * layer (`popover`), so that no row clips it, closes on Escape and on a press elsewhere, and gives the focus back.
 * Arrow keys, Home, End and first letters move in it (ARIA Authoring Practices, "Menu Button").
 *
 *     <button aria-haspopup="menu" @click=${(event) => menu.toggle(event, 'More for Feed', items)}>
 */
@customElement('rota-menu')
export class Menu extends LitElement {
  static override styles = [
    shared,
    css`
      :host {
        display: contents;
      }

      [popover] {
        position: fixed;
        inset: auto;
        margin: 0;
        min-width: 184px;
        max-width: calc(100vw - 16px);
        max-height: min(430px, calc(100dvh - 16px));
        overflow: auto;
        padding: 4px;
        border: 1px solid var(--rule-strong);
        border-radius: var(--radius-m);
        background: var(--sheet);
        color: var(--ink);
        box-shadow: var(--shadow);
      }

      a,
      button {
        display: flex;
        align-items: center;
        gap: 10px;
        width: 100%;
        min-height: 34px;
        padding: 0 12px 0 10px;
        border-radius: var(--radius-s);
        color: inherit;
        font: var(--weight) var(--size-s) / 1 var(--font);
        text-align: start;
        text-decoration: none;
        white-space: nowrap;
      }

      .label {
        padding: 8px 10px 2px;
      }

      .label:not(:first-child) {
        margin-top: 5px;
        border-top: 1px solid var(--rule);
      }

      .label,
      .detail {
        max-width: 340px;
        overflow: hidden;
        text-overflow: ellipsis;
        white-space: nowrap;
      }

      .detail {
        flex: 1;
        min-width: 0;
        max-width: 240px;
        padding-inline-start: 12px;
        color: var(--ink-2);
        text-align: end;
        line-height: var(--line);
      }

      a:hover,
      button:hover,
      a:focus,
      button:focus {
        background: var(--hover);
        color: inherit;
      }

      :focus-visible {
        outline-offset: -2px;
      }

      .icon {
        flex: none;
        color: var(--ink-3);
      }

      .bad,
      .bad .icon {
        color: var(--bad);
      }

      .apart {
        margin-top: 9px;
      }

      .apart::before {
        content: '';
        position: absolute;
        inset-inline: 4px;
        margin-top: -39px;
        border-top: 1px solid var(--rule);
      }

      @media (pointer: coarse) {
        a,
        button {
          min-height: 44px;
        }

        .apart::before {
          margin-top: -49px;
        }
      }
    `,
  ];

  @state() private items: readonly MenuItem[] = [];
  @state() private label = '';
  @query('[popover]') private readonly popup!: HTMLElement;
  #anchor: HTMLElement | null = null;
  #closed: { readonly anchor: HTMLElement; readonly at: number } | null = null;

  /** Opens the menu at the button that `event` comes from, or closes it if it is open there. */
  async toggle(event: Event, label: string, items: readonly MenuItem[]): Promise<void> {
    const anchor = event.currentTarget;
    if (anchor instanceof HTMLElement) await this.toggleAt(anchor, event, label, items);
  }

  /** The same at `anchor`, where the event has been on its way since. */
  async toggleAt(
    anchor: HTMLElement,
    event: Event,
    label: string,
    items: readonly MenuItem[],
  ): Promise<void> {
    // A press of the button is outside the open menu and has just closed it: then the person meant to close. A key is
    // pressed inside, and asks for the menu.
    const pressed = event instanceof MouseEvent && event.detail > 0;
    if (pressed && this.#closed?.anchor === anchor && event.timeStamp - this.#closed.at < 300) return;
    this.#anchor = anchor;
    this.items = items;
    this.label = label;
    await this.updateComplete;
    this.popup.showPopover();
    this.#place(anchor);
    this.#entries()[0]?.focus({ preventScroll: true });
  }

  #place(anchor: HTMLElement): void {
    const at = anchor.getBoundingClientRect();
    const size = this.popup.getBoundingClientRect();
    const below = at.bottom + GAP;
    const fits = below + size.height + EDGE <= innerHeight;
    const top = fits ? below : Math.max(EDGE, at.top - GAP - size.height);
    const left = Math.max(EDGE, Math.min(at.right - size.width, innerWidth - EDGE - size.width));
    this.popup.style.top = `${top}px`;
    this.popup.style.left = `${left}px`;
  }

  #entries(): readonly HTMLElement[] {
    return [...this.popup.querySelectorAll<HTMLElement>('[role="menuitem"]')];
  }

  readonly #toggles = (event: ToggleEvent): void => {
    // Before the focus is lost with the menu; a press elsewhere has taken it already.
    const holdsFocus = this.shadowRoot?.activeElement != null;
    if (event.newState === 'closed' && holdsFocus) this.#anchor?.focus({ preventScroll: true });
  };

  readonly #toggled = (event: ToggleEvent): void => {
    const anchor = this.#anchor;
    if (anchor === null) return;
    anchor.setAttribute('aria-expanded', String(event.newState === 'open'));
    if (event.newState === 'open') return;
    this.#closed = { anchor, at: event.timeStamp };
    this.#anchor = null;
  };

  readonly #key = (event: KeyboardEvent): void => {
    const entries = this.#entries();
    const at = entries.findIndex((entry) => entry === this.shadowRoot?.activeElement);
    const to = (index: number): void => {
      event.preventDefault();
      entries[(index + entries.length) % entries.length]?.focus();
    };
    switch (event.key) {
      case 'ArrowDown':
        to(at + 1);
        return;
      case 'ArrowUp':
        to(at - 1);
        return;
      case 'Home':
        to(0);
        return;
      case 'End':
        to(-1);
        return;
      case 'Tab':
        // A menu is one stop: the focus goes back to its button, and on from there.
        this.popup.hidePopover();
        return;
      default: {
        if (event.key.length !== 1 || event.ctrlKey || event.metaKey || event.altKey) return;
        const starts = (index: number): boolean =>
          this.items[index]?.label.toLowerCase().startsWith(event.key.toLowerCase()) === true;
        const found = entries.findIndex((_, step) => starts((at + 1 + step) % entries.length));
        if (found !== -1) to(at + 1 + found);
      }
    }
  };

  #choose(item: MenuItem): void {
    this.popup.hidePopover();
    if ('run' in item.act) item.act.run();
  }

  protected override render(): TemplateResult {
    return html`<div
      popover
      role="menu"
      aria-label=${this.label || nothing}
      @beforetoggle=${this.#toggles}
      @toggle=${this.#toggled}
      @keydown=${this.#key}
    >
      ${this.items.map((item) => {
        const content = html`${item.icon === undefined ? nothing : icon(item.icon)}${item.label}${
          item.detail === undefined ? nothing : html`<span class="detail">${item.detail}</span>`
        }`;
        const classes = `${item.tone ?? ''} ${item.apart === true ? 'apart' : ''}`;
        const heading =
          item.heading === undefined
            ? nothing
            : html`<p class="label" role="presentation">${item.heading}</p>`;
        return 'href' in item.act
          ? html`${heading}<a
                class=${classes}
                role="menuitem"
                tabindex="-1"
                href=${item.act.href}
                @click=${() => this.#choose(item)}
                >${content}</a
              >`
          : html`${heading}<button
                class=${classes}
                role="menuitem"
                tabindex="-1"
                @click=${() => this.#choose(item)}
              >
                ${content}
              </button>`;
      })}
    </div>`;
  }
}

declare global {
  interface HTMLElementTagNameMap {
    'rota-menu': Menu;
  }
}
