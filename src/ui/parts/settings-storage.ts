import { LitElement, type TemplateResult, css, html, nothing } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import { type StorageState, askToPersist, readStorage } from '../persistence.ts';
import type { RemoteHost } from '../remote-host.ts';
import { bytesText, numberText } from '../text/counts.ts';
import { type KindUsage, USAGE_WORDS, usageByKind } from '../text/upkeep.ts';
import { errorSentence } from '../text/errors.ts';
import { Watched } from '../watched.ts';
import { formStyles } from './form-field.ts';
import { panelStyles } from './settings-styles.ts';
import { shared } from './styles.ts';
import { showToast } from './toast.ts';

/** What is stored, by kind, how much room there is, and whether the browser keeps it when the disk is full. */
@customElement('rota-storage-panel')
export class StoragePanel extends LitElement {
  static override styles = [
    shared,
    formStyles,
    panelStyles,
    css`
      :host {
        gap: var(--space-3);
      }

      .bar {
        display: flex;
        gap: 1px;
        height: 10px;
        border-radius: 3px;
        background: var(--rule);
        overflow: clip;
      }

      .bar > span {
        min-width: 2px;
      }

      .automations {
        --kind: var(--act);
      }

      .runs {
        --kind: var(--ink-2);
      }

      .outputs {
        --kind: var(--now);
      }

      .snapshots {
        --kind: var(--ok);
      }

      .other {
        --kind: var(--edge);
      }

      .bar > span,
      .mark {
        background: var(--kind);
      }

      .mark {
        display: inline-block;
        width: 9px;
        height: 9px;
        margin-inline-end: 8px;
        border-radius: 2px;
      }

      table {
        width: 100%;
        border-collapse: collapse;
        font-size: var(--size-s);
      }

      th,
      td {
        padding: 6px 0 6px var(--space-3);
        border-bottom: 1px solid var(--rule);
        font-weight: 400;
        text-align: end;
        white-space: nowrap;
      }

      th:first-child {
        padding-inline-start: 0;
        text-align: start;
        white-space: normal;
      }

      thead th {
        color: var(--ink-3);
        font-size: var(--size-xs);
      }

      td {
        font-variant-numeric: tabular-nums;
      }

      @media (forced-colors: active) {
        .bar > span,
        .mark {
          border: 1px solid;
        }
      }
    `,
  ];

  @property({ attribute: false }) host!: RemoteHost;
  @state() private browser: StorageState | null = null;
  /** The browser was asked to keep it, and did not agree. */
  @state() private isRefused = false;

  readonly #usage = new Watched(this, {
    read: () => this.host.usage(),
    // Not with each run: it reads rows of all kinds to reckon with. A tab that is looked at again asks again.
    topics: ['settings'],
    keep: true,
  });

  override connectedCallback(): void {
    super.connectedCallback();
    void this.#readBrowser();
  }

  async #readBrowser(): Promise<void> {
    this.browser = await readStorage();
  }

  protected override render(): TemplateResult {
    const { state } = this.#usage;
    return html`${
      state.kind === 'loading'
        ? html`<p class="quiet">Looking…</p>`
        : state.kind === 'failed'
          ? html`<p class="bad">${errorSentence(state.problem.code)}</p>`
          : this.#kinds(usageByKind(state.value))
    }
    ${this.browser === null ? nothing : this.#room(this.browser)}`;
  }

  #kinds(kinds: readonly KindUsage[]): TemplateResult {
    const total = kinds.reduce((sum, { bytes }) => sum + bytes, 0);
    return html`<div class="bar" aria-hidden="true">
        ${kinds.map(({ kind, bytes }) =>
          bytes === 0 ? nothing : html`<span class=${kind} .style=${`flex:${bytes / total} 1 0`}></span>`,
        )}
      </div>
      <table>
        <caption class="sr-only">
          What is stored
        </caption>
        <thead>
          <tr>
            <th scope="col">Kind</th>
            <th scope="col">Rows</th>
            <th scope="col">About</th>
          </tr>
        </thead>
        <tbody>
          ${kinds.map(
            ({ kind, rows, bytes }) =>
              html`<tr>
                <th scope="row"><span class="mark ${kind}"></span>${USAGE_WORDS[kind]}</th>
                <td>${numberText(rows)}</td>
                <td>${bytesText(bytes)}</td>
              </tr>`,
          )}
          ${this.#free()}
        </tbody>
      </table>`;
  }

  #free(): TemplateResult | typeof nothing {
    const { usageBytes = null, quotaBytes = null } = this.browser ?? {};
    if (usageBytes === null || quotaBytes === null) return nothing;
    return html`<tr>
      <th scope="row">Free</th>
      <td></td>
      <td>${bytesText(Math.max(0, quotaBytes - usageBytes))}</td>
    </tr>`;
  }

  #room({ usageBytes, quotaBytes, persisted }: StorageState): TemplateResult {
    const used =
      usageBytes === null
        ? html`<p class="quiet">This browser does not say how much it uses for it.</p>`
        : html`<p class="quiet">
            On the disk
            ${bytesText(usageBytes)}${quotaBytes === null ? '' : ` of about ${bytesText(quotaBytes)}`}, app
            and data together, as the browser reckons. The sizes by kind are reckoned as text.
          </p>`;
    return html`${used} ${persisted === null ? nothing : this.#persisted(persisted)}`;
  }

  #persisted(persisted: boolean): TemplateResult {
    if (persisted)
      return html`<p>
        <b>Kept.</b>
        <span class="quiet"
          >The browser does not remove it by itself, also when the disk is nearly full. You still can, by
          clearing this site’s data.</span
        >
      </p>`;
    return html`<div class="line">
      <p>
        ${
          this.isRefused
            ? html`<b class="warn">The browser did not agree.</b>
                <span class="quiet"
                  >It does for sites that are installed or often used. Until then it may remove everything
                  when the disk is nearly full; a backup is safe in any case.</span
                >`
            : html`<b>Not promised.</b>
                <span class="quiet"
                  >When the disk is nearly full, the browser may remove it without asking.</span
                >`
        }
      </p>
      <button type="button" class="btn" @click=${this.#persist}>Ask to keep it</button>
    </div>`;
  }

  readonly #persist = async (): Promise<void> => {
    const kept = await askToPersist();
    this.isRefused = !kept;
    await this.#readBrowser();
    showToast(
      kept
        ? { text: 'The browser keeps Rota’s data from now on.' }
        : { text: 'The browser did not agree to keep it.', tone: 'bad' },
    );
  };
}

declare global {
  interface HTMLElementTagNameMap {
    'rota-storage-panel': StoragePanel;
  }
}
