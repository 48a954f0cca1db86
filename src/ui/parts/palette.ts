import { LitElement, css, html, nothing, type TemplateResult } from 'lit';
import { customElement, property, query, state } from 'lit/decorators.js';
import { repeat } from 'lit/directives/repeat.js';
import type { AutomationView } from '../../rpc/index.ts';
import { icon } from '../icons/icon.ts';
import { type PaletteItem, nameAsked, paletteItems } from '../palette-items.ts';
import type { RemoteHost } from '../remote-host.ts';
import { type Shortcut, listShortcuts } from '../shortcuts.ts';
import { shared } from './styles.ts';

/** In the order in which {@link paletteItems} has them. */
const GROUPS = ['Automations', 'Go to', 'Do'] as const satisfies readonly PaletteItem['group'][];
/** How many automations are offered at once. */
const AUTOMATIONS_MOST = 8;

/**
 * The command palette: a field, and below it what the words in it mean, by name or by what can be done. Arrow keys choose,
 * Enter does it, Escape closes. `show()` opens it with what works on the screen behind it.
 */
@customElement('rota-palette')
export class Palette extends LitElement {
  static override styles = [
    shared,
    css`
      :host {
        display: contents;
      }

      dialog {
        width: min(620px, calc(100vw - 24px));
        max-height: min(560px, calc(100dvh - 48px));
        margin: min(12dvh, 96px) auto auto;
        padding: 0;
        border: 1px solid var(--rule-strong);
        border-radius: var(--radius-l);
        background: var(--sheet);
        color: var(--ink);
        box-shadow: var(--shadow);
        overflow: hidden;
      }

      dialog[open] {
        display: flex;
        flex-direction: column;
        animation: rise var(--quick) var(--ease);
      }

      dialog::backdrop {
        background: var(--veil);
      }

      @keyframes rise {
        from {
          opacity: 0;
          transform: translateY(-6px);
        }
      }

      .ask {
        display: flex;
        align-items: center;
        gap: var(--space-3);
        padding: 0 var(--space-4);
        border-bottom: 1px solid var(--rule);
        color: var(--ink-3);
      }

      input {
        flex: 1;
        min-width: 0;
        height: 52px;
        border: 0;
        background: none;
        color: var(--ink);
        font: var(--weight) 1rem / 1.3 var(--font);
      }

      /* Nothing else in it can have the focus, and the frame around it is the dialog's. */
      input:focus-visible {
        outline: none;
      }

      input::placeholder {
        color: var(--ink-3);
        opacity: 1;
      }

      .list {
        overflow-y: auto;
        padding: 0 0 var(--space-2);
        scroll-padding-block: 32px var(--space-2);
      }

      .group {
        position: sticky;
        top: 0;
        padding: var(--space-3) var(--space-4) 4px;
        background: var(--sheet);
        color: var(--ink-3);
        font-size: var(--size-xs);
        font-weight: 500;
      }

      .item {
        display: flex;
        align-items: center;
        justify-content: space-between;
        gap: var(--space-3);
        min-height: 36px;
        margin: 0 var(--space-2);
        padding: 4px 10px;
        border-radius: var(--radius-s);
        font-size: var(--size-m);
        cursor: pointer;
      }

      .item span {
        overflow: hidden;
        text-overflow: ellipsis;
        white-space: nowrap;
      }

      .item[aria-selected='true'] {
        background: var(--act-soft);
        box-shadow: inset 3px 0 0 var(--act);
      }

      .none {
        padding: var(--space-5) var(--space-4);
        color: var(--ink-2);
        font-size: var(--size-s);
      }

      .keys {
        display: flex;
        gap: var(--space-4);
        padding: 8px var(--space-4);
        border-top: 1px solid var(--rule);
        color: var(--ink-3);
        font-size: var(--size-xs);
      }

      @media (pointer: coarse) {
        .item {
          min-height: 44px;
        }

        .keys {
          display: none;
        }
      }

      @media (forced-colors: active) {
        .item[aria-selected='true'] {
          outline: 2px solid Highlight;
        }
      }
    `,
  ];

  @property({ attribute: false }) host!: RemoteHost;
  @query('dialog') private readonly dialog!: HTMLDialogElement;
  @query('input') private readonly input!: HTMLInputElement;
  @state() private text = '';
  @state() private chosen = 0;
  @state() private automations: readonly AutomationView[] = [];
  #shortcuts: readonly Shortcut[] = [];
  /** Number of the latest read: an answer to an earlier word is not shown. */
  #latest = 0;
  /** Resolves when what is shown is what was typed last. */
  #reading: Promise<void> = Promise.resolve();

  /** Opens it, or closes it when it is open. */
  async toggle(): Promise<void> {
    await this.updateComplete;
    if (this.dialog.open) {
      this.dialog.close();
      return;
    }
    this.#shortcuts = listShortcuts();
    this.text = '';
    this.chosen = 0;
    this.input.value = '';
    this.dialog.showModal();
    this.#reading = this.#read();
  }

  get #items(): readonly PaletteItem[] {
    return paletteItems(this.host, this.text, this.automations, this.#shortcuts);
  }

  async #read(): Promise<void> {
    const mine = ++this.#latest;
    const text = nameAsked(this.text);
    try {
      const { items } = await this.host.listAutomations({
        limit: AUTOMATIONS_MOST,
        ...(text === '' ? {} : { text }),
      });
      if (mine === this.#latest) this.automations = items;
    } catch {
      // Without an engine there is still everywhere to go to.
      if (mine === this.#latest) this.automations = [];
    }
  }

  protected override updated(changed: ReadonlyMap<PropertyKey, unknown>): void {
    if (!changed.has('chosen')) return;
    this.renderRoot.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' });
  }

  readonly #typed = (): void => {
    this.text = this.input.value;
    this.chosen = 0;
    this.#reading = this.#read();
  };

  readonly #pressed = (event: KeyboardEvent): void => {
    const count = this.#items.length;
    const to = new Map([
      ['ArrowDown', (this.chosen + 1) % Math.max(1, count)],
      ['ArrowUp', (this.chosen + count - 1) % Math.max(1, count)],
      ['PageDown', Math.min(count - 1, this.chosen + 8)],
      ['PageUp', Math.max(0, this.chosen - 8)],
    ]).get(event.key);
    if (event.isComposing) return;
    if (to !== undefined) {
      event.preventDefault();
      this.chosen = Math.max(0, to);
    } else if (event.key === 'Enter') {
      event.preventDefault();
      void this.#enter();
    }
  };

  /** Does what is chosen. Who types quickly means what the words find, and not what stood there before them. */
  async #enter(): Promise<void> {
    const typed = this.text;
    await this.#reading;
    if (this.dialog.open && this.text === typed) this.#do(this.#items[this.chosen]);
  }

  #do(item: PaletteItem | undefined): void {
    if (item === undefined) return;
    this.dialog.close();
    item.run();
  }

  readonly #beside = (event: PointerEvent): void => {
    if (event.target === this.dialog) this.dialog.close();
  };

  readonly #clicked = (event: MouseEvent): void => {
    const at = event
      .composedPath()
      .find((target) => target instanceof HTMLElement && target.matches('.item'));
    if (at instanceof HTMLElement) this.#do(this.#items[Number(at.dataset['at'])]);
  };

  constructor() {
    super();
    this.addEventListener('click', this.#clicked);
  }

  protected override render(): TemplateResult {
    const items = this.#items;
    return html`<dialog aria-label="Search or command" @pointerdown=${this.#beside}>
      <div class="ask">
        ${icon('magnifying-glass')}
        <input
          type="text"
          role="combobox"
          aria-label="Search or command"
          aria-expanded="true"
          aria-controls="items"
          aria-autocomplete="list"
          aria-activedescendant=${items.length === 0 ? nothing : `item-${this.chosen}`}
          placeholder="An automation, a screen, or what to do"
          autocomplete="off"
          autocapitalize="off"
          spellcheck="false"
          @input=${this.#typed}
          @keydown=${this.#pressed}
        />
      </div>
      <div class="list" id="items" role="listbox" aria-label="What can be chosen">
        ${GROUPS.map((group) => {
          const inGroup = items.flatMap((item, index) => (item.group === group ? [{ item, index }] : []));
          return inGroup.length === 0
            ? nothing
            : html`<div role="group" aria-label=${group}>
                <div class="group" aria-hidden="true">${group}</div>
                ${repeat(
                  inGroup,
                  ({ item }) => item.id,
                  ({ item, index }) => this.#item(item, index),
                )}
              </div>`;
        })}
      </div>
      ${
        items.length === 0
          ? html`<p class="none" role="status">Nothing is called that. Try fewer or other words.</p>`
          : nothing
      }
      <p class="keys" aria-hidden="true">
        <span><kbd>↑</kbd> <kbd>↓</kbd> choose</span><span><kbd>Enter</kbd> do it</span
        ><span><kbd>Esc</kbd> close</span>
      </p>
    </dialog>`;
  }

  #item({ label, key }: PaletteItem, index: number): TemplateResult {
    return html`<div
      class="item"
      role="option"
      id="item-${index}"
      data-at=${index}
      aria-selected=${index === this.chosen}
    >
      <span>${label}</span>${
        key === undefined
          ? nothing
          : html`<kbd aria-hidden="true">${key.length === 1 ? key.toUpperCase() : key}</kbd>`
      }
    </div>`;
  }
}

declare global {
  interface HTMLElementTagNameMap {
    'rota-palette': Palette;
  }
}
