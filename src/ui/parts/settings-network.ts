import { LitElement, type TemplateResult, css, html, nothing } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import {
  type LocalNetworkPermission,
  type NearNetwork,
  guardedNetwork,
  nearServersOf,
  networkName,
} from '../../domain/index.ts';
import { readPermission, watchPermission } from '../local-network.ts';
import type { RemoteHost, Unsubscribe } from '../remote-host.ts';
import { Watched } from '../watched.ts';
import { howToAllow } from './network-access.ts';
import { shared } from './styles.ts';

const NETWORKS: readonly NearNetwork[] = ['loopback', 'local'];

/** Whether Rota may reach this device and its network, as far as automations want to: `<rota-settings-network .host=${host}>`. */
@customElement('rota-settings-network')
export class SettingsNetwork extends LitElement {
  static override styles = [
    shared,
    css`
      :host {
        display: grid;
        gap: var(--space-3);
      }

      p {
        font-size: var(--size-s);
        text-wrap: pretty;
      }

      p b {
        font-size: var(--size-m);
        font-weight: var(--weight-strong);
      }
    `,
  ];

  @property({ attribute: false }) host!: RemoteHost;
  @state() private permissions: Readonly<Record<NearNetwork, LocalNetworkPermission>> | null = null;
  #unwatch: readonly Unsubscribe[] = [];

  readonly #automations = new Watched(this, {
    read: async () => (await this.host.listAutomations({ limit: 1_000 })).items,
    topics: ['automations'],
  });

  override connectedCallback(): void {
    super.connectedCallback();
    void this.#read();
    this.#unwatch = NETWORKS.map((network) => watchPermission(network, () => void this.#read()));
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    for (const unwatch of this.#unwatch) unwatch();
    this.#unwatch = [];
  }

  async #read(): Promise<void> {
    const [loopback, local] = await Promise.all([readPermission('loopback'), readPermission('local')]);
    this.permissions = { loopback, local };
  }

  protected override render(): TemplateResult | readonly TemplateResult[] {
    const { permissions } = this;
    if (permissions === null) return html`<p class="quiet">Looking…</p>`;
    if (NETWORKS.every((network) => permissions[network] === 'unknown'))
      return html`<p class="quiet">
        This browser asks for no permission to reach this device or its network.
      </p>`;
    return NETWORKS.map((network) => this.#network(network, permissions[network]));
  }

  #network(network: NearNetwork, permission: LocalNetworkPermission): TemplateResult {
    const place = networkName(network);
    const name = place.charAt(0).toUpperCase() + place.slice(1);
    const address = this.#addressIn(network);
    if (guardedNetwork(network === 'loopback' ? 'localhost' : 'host.local', location.hostname) === null)
      return html`<p>
        <b>${name}: nothing to allow.</b><br /><span class="quiet">Rota itself comes from there.</span>
      </p>`;
    switch (permission) {
      case 'granted':
        return html`<p>
          <b>${name}: allowed.</b><br /><span class="quiet">Automations may ask servers there.</span>
        </p>`;
      case 'denied':
        return html`<p>
          <b class="warn">${name}: blocked for this site.</b><br /><span class="quiet"
            >What needs it waits. ${howToAllow(network)}</span
          >
        </p>`;
      case 'prompt':
      case 'unknown':
        return html`<p>
            <b>${name}: not asked yet.</b><br /><span class="quiet"
              >${
                address === null
                  ? 'No automation asks a server there. The browser asks you once one does.'
                  : `An automation wants to reach ${address}.`
              }</span
            >
          </p>
          ${address === null ? nothing : html`<rota-network-access .address=${address}></rota-network-access>`}`;
    }
  }

  /** A server there that an automation asks: without one that answers the browser has no question. */
  #addressIn(network: NearNetwork): string | null {
    for (const { action } of this.#automations.value ?? [])
      for (const { origin, hostname } of nearServersOf(action))
        if (guardedNetwork(hostname, location.hostname) === network) return origin;
    return null;
  }
}

declare global {
  interface HTMLElementTagNameMap {
    'rota-settings-network': SettingsNetwork;
  }
}
