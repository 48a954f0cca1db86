import { LitElement, type TemplateResult, css, html, nothing } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import type { Finding } from '../../domain/index.ts';
import type { UpkeepReport } from '../../rpc/index.ts';
import type { RemoteHost } from '../remote-host.ts';
import { href } from '../router.ts';
import { saying } from '../saying.ts';
import { namedDateTime } from '../text/dates.ts';
import { checkedSentence, findingSentence } from '../text/upkeep.ts';
import { Watched } from '../watched.ts';
import { announce } from './announcer.ts';
import { panelStyles } from './settings-styles.ts';
import { shared } from './styles.ts';

/** Findings that are shown one by one. */
const SHOWN_MOST = 20;
/** How often a check that goes on is asked after. */
const LOOK_MS = 500;

/** Whether rows that are stored contradict each other: what the last check found and corrected, and a check at once. */
@customElement('rota-integrity-panel')
export class IntegrityPanel extends LitElement {
  static override styles = [
    shared,
    panelStyles,
    css`
      :host {
        gap: var(--space-2);
      }

      p {
        overflow-wrap: anywhere;
      }

      li {
        display: grid;
        padding: 6px 0;
        font-size: var(--size-s);
        text-wrap: pretty;
        overflow-wrap: anywhere;
        border-top: 1px solid var(--rule);
      }
    `,
  ];

  @property({ attribute: false }) host!: RemoteHost;
  /** A check was asked for here, and its end is to be said. */
  @state() private isAsked = false;
  #timer: ReturnType<typeof setTimeout> | null = null;

  readonly #upkeep = new Watched(this, {
    read: () => this.host.upkeep(),
    topics: ['runs', 'automations', 'settings'],
    keep: true,
  });

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  protected override updated(): void {
    const report = this.#upkeep.value;
    if (report === null) return;
    if (report.checking) {
      this.#timer ??= setTimeout(() => {
        this.#timer = null;
        void this.#upkeep.refresh();
      }, LOOK_MS);
    } else if (this.isAsked && this.#timer === null) {
      this.isAsked = false;
      announce(checkedSentence(report.checked) ?? '');
    }
  }

  protected override render(): TemplateResult | typeof nothing {
    const report = this.#upkeep.value;
    if (report === null) return nothing;
    return html`<div class="line">
        <p>${this.#sentence(report)}</p>
        <button type="button" class="btn" ?disabled=${report.checking} @click=${this.#check}>
          ${report.checking ? 'Checking…' : 'Check now'}
        </button>
      </div>
      ${this.#findings(report.checked?.findings ?? [])}`;
  }

  #sentence({ checked, checking }: UpkeepReport): TemplateResult {
    if (checking)
      return html`<span class="quiet"
        >Checking everything that is stored, history too. What is due goes first.</span
      >`;
    if (checked === null)
      return html`<b>No problem was found.</b>
        <span class="quiet">What is pending is checked at each start; Check now checks history too.</span>`;
    return html`<b>${checkedSentence(checked)}</b>
      <span class="quiet">Last check ${namedDateTime(checked.at, Date.now())}.</span>`;
  }

  #findings(findings: readonly Finding[]): TemplateResult | typeof nothing {
    if (findings.length === 0) return nothing;
    const more = findings.length - SHOWN_MOST;
    return html`<ul aria-label="What contradicted each other">
      ${findings.slice(0, SHOWN_MOST).map(
        (one) =>
          html`<li>
            <span
              >${
                one.automationId === undefined || one.what === 'agenda-without-automation'
                  ? nothing
                  : html`<a href=${href.automation(one.automationId)}
                        >${one.automationName ?? one.automationId}</a
                      >: `
              }${findingSentence(one)}</span
            >
            <code class="faint">${one.key}</code>
          </li>`,
      )}
      ${more > 0 ? html`<li class="quiet">and ${more} more</li>` : nothing}
    </ul>`;
  }

  readonly #check = async (): Promise<void> => {
    await saying(async () => {
      await this.host.checkIntegrity();
      this.isAsked = true;
      await this.#upkeep.refresh();
    });
  };
}

declare global {
  interface HTMLElementTagNameMap {
    'rota-integrity-panel': IntegrityPanel;
  }
}
