import { LitElement, css, html, type TemplateResult } from 'lit';
import { customElement, query, state } from 'lit/decorators.js';
import { CHORD, listShortcuts, shortcutsOn, switchShortcuts, type Shortcut } from '../shortcuts.ts';
import './dialog.ts';
import type { Dialog } from './dialog.ts';
import { shared } from './styles.ts';
import { switchStyles, switchControl } from './switch.ts';

/** The dialog that lists the keys which work on the screen behind it, and switches them all off or on. */
@customElement('rota-shortcut-list')
export class ShortcutList extends LitElement {
  static override styles = [
    shared,
    switchStyles,
    css`
      :host {
        display: contents;
      }

      dl {
        display: grid;
        grid-template-columns: 1fr auto;
        font-size: var(--size-s);
      }

      dl > div {
        display: contents;
      }

      dt,
      dd {
        padding: 7px 0;
        border-bottom: 1px solid var(--rule);
      }

      dd {
        text-align: end;
      }

      .off {
        opacity: 0.55;
      }

      kbd {
        display: inline-block;
        min-width: 24px;
        text-align: center;
      }

      .switch-line {
        display: flex;
        align-items: center;
        gap: var(--space-3);
        margin-top: var(--space-4);
        font-size: var(--size-s);
      }
    `,
  ];

  @query('rota-dialog') private readonly dialog!: Dialog;
  @state() private shortcuts: readonly Shortcut[] = [];
  @state() private on = true;

  /** Opens it with what works now. */
  show(): void {
    this.shortcuts = listShortcuts();
    this.on = shortcutsOn();
    void this.dialog.show();
  }

  readonly #switch = (): void => {
    switchShortcuts(!this.on);
    this.on = shortcutsOn();
  };

  protected override render(): TemplateResult {
    return html`<rota-dialog heading="Keyboard shortcuts">
      <dl>
        <div>
          <dt>Search or command</dt>
          <dd><kbd>${CHORD}</kbd></dd>
        </div>
      </dl>
      <dl class=${this.on ? '' : 'off'}>
        ${this.shortcuts.map(
          ({ key, label }) =>
            html`<div>
              <dt>${label}</dt>
              <dd><kbd>${key.length === 1 ? key.toUpperCase() : key}</kbd></dd>
            </div>`,
        )}
      </dl>
      <div class="switch-line">
        ${switchControl({
          on: this.on,
          label: 'Shortcuts of one key',
          change: this.#switch,
        })}
        <span aria-hidden="true">Shortcuts of one key are ${this.on ? 'on' : 'off'}</span>
      </div>
    </rota-dialog>`;
  }
}

declare global {
  interface HTMLElementTagNameMap {
    'rota-shortcut-list': ShortcutList;
  }
}
