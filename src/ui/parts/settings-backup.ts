import { LitElement, type TemplateResult, css, html, nothing } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import {
  type BackupFolder,
  type BackupState,
  type BackupTrouble,
  backUpTo,
  backupName,
  browserStore,
  chooseFolder,
  hasFolders,
} from '../backups/index.ts';
import { download } from '../download.ts';
import { icon } from '../icons/icon.ts';
import { keyPlaces, mayLeave } from '../key-warning.ts';
import type { RemoteHost } from '../remote-host.ts';
import { countText } from '../text/counts.ts';
import { namedDateTime } from '../text/dates.ts';
import { errorSentence } from '../text/errors.ts';
import { problemOf } from '../watched.ts';
import { panelStyles } from './settings-styles.ts';
import { shared } from './styles.ts';
import { showToast } from './toast.ts';

/** Why a backup failed, and what helps. */
const TROUBLE_WORDS: Readonly<Record<BackupTrouble, string>> = {
  permission: 'The browser wants you to allow the folder again.',
  gone: 'The folder is not there any more. Choose it again.',
  full: 'There is no room left where the folder is.',
  other: 'The browser did not say why. Choose the folder again if this goes on.',
};

/**
 * Backups: one now, as a file; and by themselves into a folder, where the browser lets a person choose one. Fires `restore`
 * when the person wants to bring one back.
 */
@customElement('rota-backup-panel')
export class BackupPanel extends LitElement {
  static override styles = [
    shared,
    panelStyles,
    css`
      :host {
        gap: var(--space-4);
      }

      p {
        overflow-wrap: anywhere;
      }

      .buttons {
        display: flex;
        flex-wrap: wrap;
        align-items: center;
        gap: var(--space-2) var(--space-3);
      }
    `,
  ];

  @property({ attribute: false }) host!: RemoteHost;
  @state() private backups: BackupState | null = null;
  /** What the browser says of the folder now. */
  @state() private permission: PermissionState | null = null;
  @state() private isBusy = false;
  readonly #store = browserStore();
  #stop: (() => void) | null = null;

  override connectedCallback(): void {
    super.connectedCallback();
    this.#stop = this.#store.watch(() => void this.#read());
    addEventListener('focus', this.#onFocus);
    void this.#read();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#stop?.();
    removeEventListener('focus', this.#onFocus);
  }

  readonly #onFocus = (): void => void this.#read();

  async #read(): Promise<void> {
    try {
      const backups = await this.#store.read();
      this.permission = (await backups.folder?.queryPermission({ mode: 'readwrite' })) ?? null;
      this.backups = backups;
    } catch {
      // What was read before stands; a backup as a file can be had in any case.
    }
  }

  protected override render(): TemplateResult {
    return html`<div class="line">
        <p>
          ${this.#last()}
          <span class="quiet"
            >All automations as one file, without history and secrets, that knows what it is of.</span
          >
        </p>
        <span class="buttons">
          <button type="button" class="btn" ?disabled=${this.isBusy} @click=${this.#now}>
            ${icon('download', 14)}Back up now
          </button>
          <button type="button" class="btn" @click=${() => this.dispatchEvent(new CustomEvent('restore'))}>
            ${icon('upload', 14)}Restore
          </button>
        </span>
      </div>
      ${this.#byItself()}`;
  }

  #last(): TemplateResult {
    const last = this.backups?.last ?? null;
    if (last === null) return html`<b>No backup was made in this browser.</b>`;
    const { at, automations, to, file } = last;
    return html`<b>Last backup ${namedDateTime(at, Date.now())}:</b> ${countText(automations, 'automation')},
      ${to === 'folder' ? 'in the folder' : 'downloaded'} as <code>${file}</code>.`;
  }

  #byItself(): TemplateResult | typeof nothing {
    const { backups } = this;
    if (backups === null) return nothing;
    const { folder, failed } = backups;
    if (folder === null) {
      return hasFolders()
        ? html`<div class="line">
            <p class="quiet">
              Into a folder that you choose, Rota makes one by itself: at most each hour that a tab is open,
              and only when something has changed.
            </p>
            <button type="button" class="btn" ?disabled=${this.isBusy} @click=${this.#choose}>
              Choose a folder
            </button>
          </div>`
        : html`<p class="quiet">
            This browser lets no page keep a folder, so none is made by itself: download one from time to
            time.
          </p>`;
    }
    const isClosed = this.permission !== null && this.permission !== 'granted';
    return html`<div class="line">
      <p>
        <b>By itself into the folder “${folder.name}”.</b>
        ${
          isClosed
            ? html`<span class="warn">${TROUBLE_WORDS.permission}</span>`
            : failed === null
              ? html`<span class="quiet">It may be written to. Files that are there are never removed.</span>`
              : html`<span class="warn"
                  >Failed ${namedDateTime(failed.at, Date.now())}: ${TROUBLE_WORDS[failed.why]}</span
                >`
        }
      </p>
      <span class="buttons">
        ${
          isClosed
            ? html`<button
                type="button"
                class="btn primary"
                @click=${() => {
                  void this.#allow(folder);
                }}
              >
                Allow it again
              </button>`
            : nothing
        }
        <button type="button" class="btn" ?disabled=${this.isBusy} @click=${this.#choose}>
          Choose another
        </button>
        <button type="button" class="btn bare" @click=${this.#end}>Stop</button>
      </span>
    </div>`;
  }

  /** Into the folder, where there is one that may be written to; else as a download. */
  readonly #now = async (): Promise<void> => {
    await this.#busy(async () => {
      const { folder = null } = this.backups ?? {};
      if (folder !== null && this.permission === 'granted') {
        await this.#into(folder);
        return;
      }
      const { text, at, automations } = await this.host.backup();
      const kept = await mayLeave(text);
      if (kept === null) return;
      const file = backupName(at);
      download(kept, 'application/json', file);
      await this.#store.change({ last: { at, automations, file, to: 'download' } });
      showToast({ text: `Saved a backup of ${countText(automations, 'automation')} as ${file}.` });
    });
  };

  readonly #choose = async (): Promise<void> => {
    await this.#busy(async () => {
      const folder = await chooseFolder();
      if (folder === null) return;
      const { text } = await this.host.backup();
      const kept = await mayLeave(text);
      if (kept === null) return;
      const withKeys = kept === text && keyPlaces(text).length > 0;
      await this.#store.change({ folder, withKeys, digest: null, failed: null });
      await this.#read();
      await this.#into(folder);
    });
  };

  async #into(folder: BackupFolder): Promise<void> {
    const world = { host: this.host, store: this.#store, now: () => Date.now() };
    const state = await this.#store.read();
    const outcome = await backUpTo(folder, state, world, 'always');
    await this.#read();
    const { failed, last } = this.backups ?? {};
    showToast(
      outcome === 'made'
        ? { text: `Saved a backup as ${last?.file ?? ''} in ${folder.name}.` }
        : { text: `No backup was made. ${TROUBLE_WORDS[failed?.why ?? 'other']}`, tone: 'bad' },
    );
  }

  async #allow(folder: BackupFolder): Promise<void> {
    await this.#busy(async () => {
      this.permission = await folder.requestPermission({ mode: 'readwrite' });
      if (this.permission === 'granted') await this.#into(folder);
    });
  }

  readonly #end = async (): Promise<void> => {
    await this.#busy(async () => {
      await this.#store.change({ folder: null, digest: null, failed: null });
      showToast({ text: 'No more backups are made by themselves. Those that are there stay.' });
    });
  };

  async #busy(body: () => Promise<void>): Promise<void> {
    if (this.isBusy) return;
    this.isBusy = true;
    try {
      await body();
    } catch (error) {
      showToast({ text: `No backup was made. ${errorSentence(problemOf(error).code)}`, tone: 'bad' });
    } finally {
      this.isBusy = false;
    }
  }
}

declare global {
  interface HTMLElementTagNameMap {
    'rota-backup-panel': BackupPanel;
  }
}
