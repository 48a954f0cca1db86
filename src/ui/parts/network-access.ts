import { LitElement, type PropertyValues, type TemplateResult, css, html, nothing } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import { type LocalNetworkPermission, type NearNetwork, networkName } from '../../domain/index.ts';
import { askForLocalNetwork, networkOf, readPermission, watchPermission } from '../local-network.ts';
import type { Unsubscribe } from '../remote-host.ts';
import { announce } from './announcer.ts';
import { shared } from './styles.ts';

/**
 * Says that an address needs the browser's permission, has it asked by a press, and tells how to undo a refusal:
 * `<rota-network-access .address=${url}>`. Empty where nothing is to be done.
 */
@customElement('rota-network-access')
export class NetworkAccess extends LitElement {
  static override styles = [
    shared,
    css`
      :host([hidden]) {
        display: none;
      }

      .access {
        display: flex;
        flex-wrap: wrap;
        align-items: center;
        gap: var(--space-2) var(--space-3);
        padding: var(--space-2) var(--space-3);
        border-inline-start: 3px solid var(--warn);
        background: var(--warn-soft);
        font-size: var(--size-s);
        text-wrap: pretty;
      }

      .access > p {
        flex: 1 1 260px;
      }
    `,
  ];

  @property({ attribute: false }) address = '';
  @state() private permission: LocalNetworkPermission = 'unknown';
  @state() private asking: 'not-yet' | 'asking' | 'unasked' = 'not-yet';
  #network: NearNetwork | null = null;
  #unwatch: Unsubscribe | null = null;

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (changed.has('address')) this.#look();
  }

  override connectedCallback(): void {
    super.connectedCallback();
    if (this.hasUpdated) this.#look();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#unwatch?.();
    this.#unwatch = null;
    this.#network = null;
  }

  #look(): void {
    const network = networkOf(this.address);
    if (network === this.#network) return;
    this.#network = network;
    this.#unwatch?.();
    this.#unwatch = null;
    this.permission = 'unknown';
    this.asking = 'not-yet';
    if (network === null) return;
    this.#unwatch = watchPermission(network, () => void this.#read());
    void this.#read();
  }

  async #read(): Promise<void> {
    const network = this.#network;
    if (network === null) return;
    const permission = await readPermission(network);
    if (network === this.#network) this.permission = permission;
  }

  readonly #ask = async (): Promise<void> => {
    if (this.asking === 'asking') return;
    this.asking = 'asking';
    await askForLocalNetwork(this.address);
    await this.#read();
    this.asking = this.permission === 'prompt' ? 'unasked' : 'not-yet';
    announce(this.permission === 'granted' ? 'Allowed.' : 'Not allowed.');
  };

  /** Where it says nothing it takes no room, not even the gap between two fields. */
  protected override updated(): void {
    const says = this.permission === 'prompt' || this.permission === 'denied';
    this.hidden = this.#network === null || !says;
  }

  protected override render(): TemplateResult | typeof nothing {
    const network = this.#network;
    if (network === null) return nothing;
    const place = networkName(network);
    switch (this.permission) {
      case 'granted':
      case 'unknown':
        return nothing;
      case 'prompt':
        return html`<div class="access">
          <p>
            ${
              this.asking === 'unasked'
                ? html`<b>The browser has not asked, or was not answered.</b> It asks once a server answers at
                    this address: check that it runs, then press again.`
                : html`<b>This address is on ${place}.</b> The browser asks you whether Rota may reach it.
                    Until then its runs wait.`
            }
          </p>
          <button type="button" class="btn" ?disabled=${this.asking === 'asking'} @click=${this.#ask}>
            ${this.asking === 'asking' ? 'Asking…' : 'Let the browser ask'}
          </button>
        </div>`;
      case 'denied':
        return html`<div class="access">
          <p>
            <b>The browser was told not to let Rota reach ${place}.</b> A site may not ask again.
            ${howToAllow(network)}
          </p>
        </div>`;
    }
  }
}

/** What to press in Chromium, the only engine that has the permission. */
export function howToAllow(network: NearNetwork): string {
  const setting = network === 'loopback' ? 'Apps on device' : 'Local network';
  return `Press the icon before the address of this page, then Site settings, and set “${setting}” (in older versions “Local network access”) to Allow. This is noticed at once, and what waits runs.`;
}

declare global {
  interface HTMLElementTagNameMap {
    'rota-network-access': NetworkAccess;
  }
}
