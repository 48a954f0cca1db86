import { LitElement, type TemplateResult, css, html, nothing } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import type { EngineReport, StorageReport } from '../../rpc/index.ts';
import { icon } from '../icons/icon.ts';
import { askToConfirm } from '../parts/confirm.ts';
import { pageHeader } from '../parts/page-header.ts';
import { failed, placeholderStyles, skeleton } from '../parts/placeholder.ts';
import '../parts/settings-integrity.ts';
import { shared } from '../parts/styles.ts';
import { showToast } from '../parts/toast.ts';
import { type StorageState, readStorage } from '../persistence.ts';
import type { RemoteHost } from '../remote-host.ts';
import { href } from '../router.ts';
import { numberText } from '../text/counts.ts';
import { clockTimeMs, fullDateTime } from '../text/dates.ts';
import { diagnosticsText } from '../text/diagnostics.ts';
import { elapsedText } from '../text/durations.ts';
import {
  OUTCOME_WORDS,
  engineSentence,
  hostWord,
  outcomeTone,
  proofSentence,
  storageSentence,
} from '../text/engine.ts';
import { errorSentence } from '../text/errors.ts';
import { Watched, problemOf } from '../watched.ts';

interface Stored {
  readonly report: StorageReport;
  readonly browser: StorageState;
  /** How many rows could not be read. */
  readonly setAside: number;
}

/** How many claims are shown until more are asked for. */
const CLAIMS_SHOWN = 25;

/** The coordination made visible: who hosts, who holds what, and how the last claims were decided. */
@customElement('rota-engine-page')
export class EnginePage extends LitElement {
  static override styles = [
    shared,
    placeholderStyles,
    css`
      .sentence {
        margin: 0 var(--gutter) var(--space-5);
        font-size: var(--size-l);
        text-wrap: pretty;
      }

      section {
        margin: 0 var(--gutter);
        padding: var(--space-4) 0 var(--space-6);
        border-top: 1px solid var(--rule);
      }

      h2 {
        margin-bottom: var(--space-2);
      }

      table {
        width: 100%;
        border-collapse: collapse;
        font-size: var(--size-s);
      }

      th {
        padding: 4px var(--space-4) 4px 0;
        border-bottom: 1px solid var(--rule);
        color: var(--ink-3);
        font-weight: 500;
        text-align: start;
        white-space: nowrap;
      }

      td {
        padding: 7px var(--space-4) 7px 0;
        border-bottom: 1px solid var(--rule);
        vertical-align: baseline;
      }

      td {
        overflow-wrap: anywhere;
      }

      td:first-child.mono {
        white-space: nowrap;
      }

      .more {
        margin-top: var(--space-3);
      }

      @media (max-width: 760px) {
        .wide {
          display: none;
        }
      }
    `,
  ];

  @property({ attribute: false }) host!: RemoteHost;
  @state() private allClaims = false;

  readonly #report = new Watched(this, {
    read: () => this.host.engine(),
    topics: ['hosts', 'runs', 'automations'],
  });

  readonly #storage = new Watched(this, {
    read: async () => {
      const [report, browser, quarantine] = await Promise.all([
        this.host.storage(),
        readStorage(),
        this.host.listQuarantine(),
      ]);
      return { report, browser, setAside: quarantine.items.length };
    },
    topics: ['runs', 'automations', 'settings'],
  });

  protected override render(): TemplateResult {
    const { state } = this.#report;
    const head = pageHeader({ title: 'Engine', actions: this.#actions() });
    switch (state.kind) {
      case 'loading':
        return html`${head} ${skeleton(6)}`;
      case 'failed':
        return html`${head} ${failed(state.problem, () => void this.#report.refresh())}`;
      case 'ready':
        return html`${head} ${this.#shown(state.value)}`;
    }
  }

  #actions(): TemplateResult {
    return html`<button type="button" class="btn bare" @click=${this.#copy}>
        ${icon('copy', 14)}Copy diagnostics
      </button>
      <button type="button" class="btn" @click=${this.#restart}>
        ${icon('refresh', 14)}Restart engine
      </button>`;
  }

  #shown(report: EngineReport): TemplateResult {
    return html`<p class="sentence">${engineSentence(report)}</p>
      ${this.#hosts(report)} ${this.#leases(report)} ${this.#claims(report)} ${this.#recoveries(report)}
      ${this.#stored()}
      <section aria-labelledby="integrity">
        <h2 id="integrity">Integrity</h2>
        <rota-integrity-panel .host=${this.host}></rota-integrity-panel>
      </section>`;
  }

  #hosts({ hosts, now }: EngineReport): TemplateResult {
    return html`<section aria-labelledby="hosts">
      <h2 id="hosts">Hosts</h2>
      <table aria-labelledby="hosts">
        <thead>
          <tr>
            <th scope="col">Host</th>
            <th scope="col">Build</th>
            <th scope="col">Alive for</th>
            <th scope="col" class="wide">Id</th>
          </tr>
        </thead>
        <tbody>
          ${hosts.map(
            (host) =>
              html`<tr>
                <td>
                  ${hostWord(host.kind)}${host.self ? html` <span class="quiet">serves this tab</span>` : nothing}
                </td>
                <td class="mono">${host.build}</td>
                <td>${elapsedText(Math.max(0, now - host.startedAt))}</td>
                <td class="mono wide">${host.hostId.slice(0, 8)}</td>
              </tr>`,
          )}
        </tbody>
      </table>
    </section>`;
  }

  #leases({ leases, hosts, now }: EngineReport): TemplateResult {
    const alive = new Set(hosts.map(({ hostId }) => hostId));
    return html`<section aria-labelledby="leases">
      <h2 id="leases">Leases held</h2>
      ${
        leases.length === 0
          ? html`<p class="quiet">None: nothing runs.</p>`
          : html`<table aria-labelledby="leases">
              <thead>
                <tr>
                  <th scope="col">Automation</th>
                  <th scope="col">Held by</th>
                  <th scope="col">For</th>
                </tr>
              </thead>
              <tbody>
                ${leases.map(
                  (lease) =>
                    html`<tr>
                      <td><a href=${href.run(lease.runId)}>${lease.automationName}</a></td>
                      <td class="mono">
                        ${lease.hostId.slice(0, 8)}${alive.has(lease.hostId) ? nothing : html` <span class="warn">gone</span>`}
                      </td>
                      <td>
                        ${elapsedText(Math.max(0, now - lease.since))}${
                          now > lease.deadline ? html` <span class="bad">past its deadline</span>` : nothing
                        }
                      </td>
                    </tr>`,
                )}
              </tbody>
            </table>`
      }
    </section>`;
  }

  #claims({ claims }: EngineReport): TemplateResult {
    const shown = this.allClaims ? claims : claims.slice(0, CLAIMS_SHOWN);
    return html`<section aria-labelledby="claims">
      <h2 id="claims">Last claims</h2>
      ${
        claims.length === 0
          ? html`<p class="quiet">None since this engine started.</p>`
          : html`<table aria-labelledby="claims">
              <thead>
                <tr>
                  <th scope="col">At</th>
                  <th scope="col">Automation</th>
                  <th scope="col">Outcome</th>
                  <th scope="col" class="wide">Took</th>
                </tr>
              </thead>
              <tbody>
                ${shown.map(
                  (claim) =>
                    html`<tr>
                      <td class="mono">
                        <time title=${fullDateTime(claim.at)}>${clockTimeMs(claim.at)}</time>
                      </td>
                      <td>
                        ${
                          claim.automationName === null
                            ? html`<span class="quiet">deleted</span>`
                            : html`<a href=${href.automation(claim.automationId)}>${claim.automationName}</a>`
                        }
                      </td>
                      <td class=${outcomeTone(claim.outcome)}>${OUTCOME_WORDS[claim.outcome]}</td>
                      <td class="mono wide">${claim.tookMs.toFixed(1)} ms</td>
                    </tr>`,
                )}
              </tbody>
            </table>`
      }
      ${
        shown.length < claims.length
          ? html`<button type="button" class="btn more" @click=${() => (this.allClaims = true)}>
              Show all ${claims.length}
            </button>`
          : nothing
      }
    </section>`;
  }

  #recoveries({ recoveries }: EngineReport): TemplateResult {
    return html`<section aria-labelledby="recoveries">
      <h2 id="recoveries">Recoveries</h2>
      ${
        recoveries.length === 0
          ? html`<p class="quiet">This engine has had to end no run of another.</p>`
          : html`<table aria-labelledby="recoveries">
              <thead>
                <tr>
                  <th scope="col">At</th>
                  <th scope="col">Run of</th>
                  <th scope="col">Why</th>
                </tr>
              </thead>
              <tbody>
                ${recoveries.map(
                  (one) =>
                    html`<tr>
                      <td class="mono"><time title=${fullDateTime(one.at)}>${clockTimeMs(one.at)}</time></td>
                      <td><a href=${href.run(one.runId)}>${one.automationName}</a></td>
                      <td>${proofSentence(one.proof)}</td>
                    </tr>`,
                )}
              </tbody>
            </table>`
      }
    </section>`;
  }

  #stored(): TemplateResult {
    const { state } = this.#storage;
    return html`<section aria-labelledby="storage">
      <h2 id="storage">Storage</h2>
      ${
        state.kind === 'loading'
          ? html`<p class="quiet">Looking…</p>`
          : state.kind === 'failed'
            ? html`<p class="bad">${errorSentence(state.problem.code)}</p>`
            : this.#rows(state.value)
      }
    </section>`;
  }

  #rows({ report, browser, setAside }: Stored): TemplateResult {
    return html`<p>${storageSentence(browser, setAside)}</p>
      <table aria-labelledby="storage">
        <thead>
          <tr>
            <th scope="col">Store</th>
            <th scope="col">Rows</th>
          </tr>
        </thead>
        <tbody>
          ${report.stores.map(
            ({ store, rows }) =>
              html`<tr>
                <td class="mono">${store}</td>
                <td class="mono">${numberText(rows)}</td>
              </tr>`,
          )}
        </tbody>
      </table>`;
  }

  readonly #copy = async (): Promise<void> => {
    try {
      const [version, engine, storage, state] = await Promise.all([
        this.host.version(),
        this.host.engine(),
        this.host.storage(),
        readStorage(),
      ]);
      const browser = { ...state, userAgent: navigator.userAgent };
      const text = diagnosticsText({ version, engine, storage, browser });
      await navigator.clipboard.writeText(text);
      showToast({
        text: 'Diagnostics copied: ids, times and outcomes, nothing of what your automations say.',
      });
    } catch {
      showToast({ text: 'The browser did not let Rota copy it.', tone: 'bad' });
    }
  };

  readonly #restart = async (): Promise<void> => {
    const sure = await askToConfirm({
      heading: 'Restart the engine?',
      text: 'What runs now gets three seconds to finish; what has not finished then is interrupted, and tried again where that is safe.',
      confirm: 'Restart',
    });
    if (!sure) return;
    try {
      await this.host.restartEngine();
    } catch (error) {
      showToast({ text: errorSentence(problemOf(error).code), tone: 'bad' });
    }
  };
}

declare global {
  interface HTMLElementTagNameMap {
    'rota-engine-page': EnginePage;
  }
}
