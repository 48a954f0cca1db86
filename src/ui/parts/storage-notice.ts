import { LitElement, type PropertyValues, type TemplateResult, css, html, nothing } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import { type BackupState, browserStore } from '../backups/index.ts';
import { type KeptMarker, isNews, lookAtKept, noteKept, readMarker } from '../kept-marker.ts';
import type { RemoteHost } from '../remote-host.ts';
import { href } from '../router.ts';
import { saying } from '../saying.ts';
import { countText } from '../text/counts.ts';
import { namedDateTime } from '../text/dates.ts';
import { shared } from './styles.ts';

/**
 * Says that the browser has removed what was stored, and offers to bring a backup back; and that backups fail, while they
 * do. Shows nothing while all is well.
 */
@customElement('rota-storage-notice')
export class StorageNotice extends LitElement {
  static override styles = [
    shared,
    css`
      section {
        display: grid;
        gap: var(--space-3);
        margin: var(--space-4) var(--gutter) 0;
        padding: 12px 14px;
        border: 1px solid var(--rule);
        border-inline-start: 3px solid var(--warn);
        border-radius: var(--radius-m);
        background: var(--warn-soft);
        font-size: var(--size-s);
      }

      p {
        max-width: 72ch;
        text-wrap: pretty;
        overflow-wrap: anywhere;
      }

      .buttons {
        display: flex;
        flex-wrap: wrap;
        gap: var(--space-2);
      }

      rota-import-panel {
        max-width: 720px;
      }
    `,
  ];

  @property({ attribute: false }) host!: RemoteHost;
  /** How many automations there are; `null`: that is not known yet. */
  @property({ attribute: false }) count: number | null = null;
  @state() private lost: KeptMarker | null = null;
  @state() private backups: BackupState | null = null;
  @state() private isRestoring = false;
  readonly #store = browserStore();
  #stop: (() => void) | null = null;
  /** Which database is here, once it had to be asked. */
  #ledger: string | null = null;

  override connectedCallback(): void {
    super.connectedCallback();
    this.#stop = this.#store.watch(() => void this.#readBackups());
    void this.#readBackups();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#stop?.();
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (changed.has('count') && this.count !== null) void this.#look(this.count);
  }

  async #readBackups(): Promise<void> {
    try {
      this.backups = await this.#store.read();
    } catch {
      // What is not known is not told.
    }
  }

  async #look(count: number): Promise<void> {
    const marker = readMarker(localStorage);
    if (!isNews(marker, count)) {
      this.lost = null;
      return;
    }
    try {
      const { ledger } = await this.host.upkeep();
      // It was looked again meanwhile.
      if (this.count !== count) return;
      this.#ledger = ledger;
      const look = lookAtKept(marker, { ledger, automations: count, at: Date.now() });
      this.lost = look.kind === 'lost' ? look.lost : null;
      if (look.kind === 'note') noteKept(localStorage, look.marker);
    } catch {
      // A host that cannot answer is looked after elsewhere; the next number is as good.
    }
  }

  protected override render(): TemplateResult | typeof nothing {
    if (this.lost !== null) return this.#loss(this.lost);
    const failed = this.backups?.failed ?? null;
    if (failed === null || this.backups?.folder == null) return nothing;
    const last = this.backups.last;
    return html`<section aria-label="Backups">
      <p>
        <b>No backups are being made:</b> the last attempt failed ${namedDateTime(failed.at, Date.now())}.
        ${last === null ? nothing : html`The last one that succeeded is of ${namedDateTime(last.at, Date.now())}.`}
        <a href=${href.settings()}>See why in the settings</a>
      </p>
    </section>`;
  }

  #loss({ automations, at }: KeptMarker): TemplateResult {
    const last = this.backups?.last ?? null;
    const now = Date.now();
    return html`<section aria-label="Storage">
      <p role="status">
        <b>The browser has removed what Rota had stored:</b> ${countText(automations, 'automation')}, last
        seen ${namedDateTime(at, now)}, with their history. Browsers do that when the disk is nearly full, or
        when site data is cleared.
        ${
          last === null
            ? 'A backup or an export that you have brings the automations back, paused.'
            : html`Your last backup is of ${namedDateTime(last.at, now)}, <code>${last.file}</code>; it brings
                ${countText(last.automations, 'automation')} back, paused.`
        }
      </p>
      <div class="buttons">
        <button type="button" class="btn primary" @click=${this.#restore}>Restore a backup</button>
        <button type="button" class="btn" @click=${this.#dismiss}>Go on without</button>
      </div>
      ${this.isRestoring ? html`<rota-import-panel .host=${this.host}></rota-import-panel>` : nothing}
    </section>`;
  }

  readonly #restore = async (): Promise<void> => {
    await saying(async () => {
      await import('./settings-import-panel.ts');
      this.isRestoring = true;
      await this.updateComplete;
      const panel = this.renderRoot.querySelector('rota-import-panel');
      await panel?.updateComplete;
      panel?.choose();
    });
  };

  readonly #dismiss = (): void => {
    const { count } = this;
    if (this.#ledger === null || count === null) return;
    noteKept(localStorage, { ledger: this.#ledger, automations: count, at: Date.now() });
    this.lost = null;
  };
}

declare global {
  interface HTMLElementTagNameMap {
    'rota-storage-notice': StorageNotice;
  }
}
