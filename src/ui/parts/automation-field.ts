import { LitElement, type TemplateResult, css, html, nothing } from 'lit';
import { customElement, property, query, state } from 'lit/decorators.js';
import { live } from 'lit/directives/live.js';
import { repeat } from 'lit/directives/repeat.js';
import type { AutomationId } from '../../domain/index.ts';
import { AutomationFinder, choiceKey } from '../automation-finder.ts';
import { icon } from '../icons/icon.ts';
import type { RemoteHost } from '../remote-host.ts';
import { fieldStyles, shared } from './styles.ts';

/** Says which automation was chosen; `null`: all of them. */
export class AutomationChosen extends Event {
  static readonly type = 'rota-automation-chosen';
  constructor(readonly automationId: AutomationId | null) {
    super(AutomationChosen.type);
  }
}

/** What can be chosen: an automation, or all. */
interface Choice {
  readonly id: AutomationId | null;
  readonly name: string;
}

/**
 * Chooses one automation of any number: a field with the name of the chosen one, and below it, while it is open, those that
 * are called as was typed (ARIA Authoring Practices, "Combobox" with a list box). Nothing is chosen by leaving the field.
 * Fires {@link AutomationChosen}; the page puts what it makes of it into `value` and `name`.
 */
@customElement('rota-automation-field')
export class AutomationField extends LitElement {
  static override styles = [
    shared,
    fieldStyles,
    css`
      :host {
        position: relative;
        display: block;
        width: 190px;
        max-width: 100%;
      }

      input {
        width: 100%;
        padding-inline-end: 34px;
        text-overflow: ellipsis;
      }

      /* What it says when nothing is chosen is a choice, too. */
      input.field::placeholder {
        color: var(--ink-2);
      }

      .end {
        position: absolute;
        inset-block: 0;
        inset-inline-end: 0;
        display: grid;
        place-items: center;
        width: 32px;
        color: var(--ink-2);
      }

      .arrow {
        pointer-events: none;
      }

      button.end {
        border-radius: var(--radius-s);
      }

      button.end:hover {
        color: var(--ink);
      }

      button.end:focus-visible {
        outline-offset: -3px;
      }

      .list {
        position: absolute;
        z-index: 2;
        inset-block-start: calc(100% + 4px);
        inset-inline-start: 0;
        width: 280px;
        min-width: 100%;
        max-height: min(340px, 50dvh);
        overflow-y: auto;
        overscroll-behavior: contain;
        padding: 4px;
        border: 1px solid var(--rule-strong);
        border-radius: var(--radius-m);
        background: var(--sheet);
        color: var(--ink);
        box-shadow: var(--shadow);
        scroll-padding-block: 4px;
      }

      .option {
        display: flex;
        align-items: center;
        justify-content: space-between;
        gap: var(--space-2);
        min-height: 34px;
        padding: 5px 10px;
        border-radius: var(--radius-s);
        font-size: var(--size-s);
        line-height: 1.3;
        overflow-wrap: anywhere;
        cursor: pointer;
      }

      .option:hover {
        background: var(--hover);
      }

      .option[aria-selected='true'] {
        background: var(--act-soft);
        box-shadow: inset 3px 0 0 var(--act);
      }

      .option .icon {
        flex: none;
        color: var(--act);
      }

      .none {
        padding: 7px 10px;
        color: var(--ink-2);
        font-size: var(--size-s);
      }

      @media (max-width: 760px) {
        :host,
        .list {
          width: 100%;
        }
      }

      @media (pointer: coarse) {
        .option {
          min-height: 44px;
        }

        input {
          padding-inline-end: 44px;
        }

        .end {
          width: 40px;
        }
      }

      @media (forced-colors: active) {
        .option[aria-selected='true'] {
          outline: 2px solid Highlight;
          outline-offset: -2px;
        }
      }
    `,
  ];

  @property({ attribute: false }) host!: RemoteHost;
  /** The one that is chosen; `null`: all. */
  @property({ attribute: false }) value: AutomationId | null = null;
  /** What the chosen one is called; `null` while that is not known. */
  @property({ attribute: false }) name: string | null = null;
  /** What all of them are called, as in *All automations*; `null` where one has to be chosen. */
  @property({ attribute: false }) all: string | null = null;
  @query('input') private readonly input!: HTMLInputElement;
  @state() private isOpen = false;
  /** What was typed since it was opened; `null`: nothing. */
  @state() private typed: string | null = null;
  @state() private active = 0;
  /** What was chosen here last: its name stands before the page has read it. */
  #chosen: Choice | null = null;
  /** Resolves when what is shown is what was typed last. */
  #reading: Promise<void> = Promise.resolve();
  readonly #finder = new AutomationFinder(
    () => this.host,
    () => this.requestUpdate(),
  );

  get #choices(): readonly Choice[] {
    const found: readonly Choice[] = this.#finder.items;
    // Emptying the field asks for all, as nothing has been typed that anything could be called.
    return this.all !== null && (this.typed ?? '').trim() === ''
      ? [{ id: null, name: this.all }, ...found]
      : found;
  }

  get #name(): string {
    if (this.value === null) return '';
    return this.name ?? (this.#chosen?.id === this.value ? this.#chosen.name : '');
  }

  protected override updated(changed: ReadonlyMap<PropertyKey, unknown>): void {
    if (!this.isOpen) return;
    if (changed.has('active') || changed.has('isOpen'))
      this.renderRoot.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' });
    void this.#finder.reach(this.active);
  }

  readonly #open = (): void => {
    if (this.isOpen) return;
    this.isOpen = true;
    this.typed = null;
    this.active = 0;
    this.input.select();
    this.#reading = this.#finder.find('').then(() => {
      if (this.typed !== null || this.active > 0) return;
      const at = this.#choices.findIndex(({ id }) => id === this.value);
      this.active = Math.max(0, at);
    });
  };

  readonly #close = (): void => {
    this.isOpen = false;
    this.typed = null;
  };

  readonly #typing = (): void => {
    this.isOpen = true;
    this.typed = this.input.value;
    this.active = 0;
    this.#reading = this.#finder.find(this.typed);
  };

  readonly #pressed = (event: KeyboardEvent): void => {
    if (event.isComposing) return;
    const meant = choiceKey(event, this.isOpen ? this.active : null, this.#choices.length);
    if (meant === null) return;
    event.preventDefault();
    event.stopPropagation();
    switch (meant.kind) {
      case 'open':
        this.#open();
        return;
      case 'close':
        this.#close();
        return;
      case 'to':
        this.active = meant.index;
        return;
      case 'choose':
        void this.#enter();
    }
  };

  /** Chooses what is active. Who types quickly means what the words find, and not what stood there before them. */
  async #enter(): Promise<void> {
    const { typed } = this;
    await this.#reading;
    if (this.isOpen && this.typed === typed) this.#choose(this.#choices[this.active]);
  }

  #choose(choice: Choice | undefined): void {
    if (choice === undefined) return;
    this.#close();
    if (choice.id === this.value) return;
    this.#chosen = choice;
    this.dispatchEvent(new AutomationChosen(choice.id));
  }

  readonly #clicked = (event: MouseEvent): void => {
    const at = event
      .composedPath()
      .find((target) => target instanceof HTMLElement && target.matches('.option'));
    if (at instanceof HTMLElement) this.#choose(this.#choices[Number(at.dataset['at'])]);
  };

  constructor() {
    super();
    this.addEventListener('click', this.#clicked);
  }

  readonly #clear = (): void => {
    // The button goes, and the focus would go with it.
    this.input.focus();
    this.#choose({ id: null, name: '' });
  };

  readonly #scrolled = (event: Event): void => {
    const list = event.currentTarget;
    if (!(list instanceof HTMLElement)) return;
    if (list.scrollTop + 2 * list.clientHeight >= list.scrollHeight)
      void this.#finder.reach(this.#finder.items.length);
  };

  protected override render(): TemplateResult {
    const choices = this.isOpen ? this.#choices : [];
    const isListed = choices.length > 0;
    return html`<input
        class="field"
        type="text"
        role="combobox"
        aria-label="Automation"
        aria-autocomplete="list"
        aria-expanded=${isListed ? 'true' : 'false'}
        aria-controls=${isListed ? 'choices' : nothing}
        aria-activedescendant=${isListed ? `choice-${this.active}` : nothing}
        placeholder=${this.all ?? ''}
        autocomplete="off"
        autocapitalize="off"
        spellcheck="false"
        .value=${live(this.typed ?? this.#name)}
        @click=${this.#open}
        @input=${this.#typing}
        @keydown=${this.#pressed}
        @blur=${this.#close}
      />${
        this.all !== null && this.value !== null
          ? html`<button
              type="button"
              class="end"
              aria-label="Show ${this.all.toLowerCase()}"
              title="Show ${this.all.toLowerCase()}"
              @click=${this.#clear}
            >
              ${icon('xmark', 14)}
            </button>`
          : html`<span class="end arrow">${icon('chevron-down', 14)}</span>`
      }
      ${isListed ? this.#list(choices) : this.isOpen ? this.#nothing() : nothing}`;
  }

  #list(choices: readonly Choice[]): TemplateResult {
    // A press in the list leaves the focus in the field.
    return html`<div
      class="list"
      id="choices"
      role="listbox"
      aria-label="Automations"
      @mousedown=${(event: Event) => event.preventDefault()}
      @scroll=${this.#scrolled}
    >
      ${repeat(
        choices,
        ({ id }) => id,
        (choice, index) =>
          html`<div
            class="option"
            role="option"
            id="choice-${index}"
            aria-selected=${index === this.active ? 'true' : 'false'}
            aria-current=${choice.id === this.value ? 'true' : nothing}
            data-at=${index}
          >
            <span>${choice.name}</span>${choice.id === this.value ? icon('check', 14) : nothing}
          </div>`,
      )}
    </div>`;
  }

  #nothing(): TemplateResult | typeof nothing {
    if (this.#finder.isReading) return nothing;
    const { problem } = this.#finder;
    return html`<div class="list">
      <p class="none" role="status">${problem ?? 'Nothing is called that. Try fewer or other words.'}</p>
    </div>`;
  }
}

declare global {
  interface HTMLElementTagNameMap {
    'rota-automation-field': AutomationField;
  }
}
