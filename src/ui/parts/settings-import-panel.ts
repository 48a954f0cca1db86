import { LitElement, type TemplateResult, css, html, nothing } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import { icon } from '../icons/icon.ts';
import type { ChooseEvent } from '../imports/import-preview.ts';
import type { Chosen, Offer, TakenIn } from '../imports/offer.ts';
import type { RemoteHost } from '../remote-host.ts';
import { href, navigate } from '../router.ts';
import { ownZone } from '../text/dates.ts';
import { errorSentence } from '../text/errors.ts';
import { problemOf } from '../watched.ts';
import { announce } from './announcer.ts';
import { areaField, formStyles } from './form-field.ts';
import { shared } from './styles.ts';
import { showToast } from './toast.ts';

/**
 * Brings in files: chosen, dropped or pasted. It shows what is inside, what would change and what is wrong with it before
 * anything is stored.
 */
@customElement('rota-import-panel')
export class ImportPanel extends LitElement {
  static override styles = [
    shared,
    formStyles,
    css`
      :host {
        display: grid;
        gap: var(--space-3);
      }

      .drop {
        display: flex;
        flex-wrap: wrap;
        align-items: center;
        gap: var(--space-3);
        padding: var(--space-4);
        border: 1px dashed var(--edge);
        border-radius: var(--radius-m);
        font-size: var(--size-s);
        color: var(--ink-2);
      }

      .drop.over {
        border-style: solid;
        border-color: var(--act);
        background: var(--act-soft);
      }

      details summary {
        width: fit-content;
        min-height: 24px;
        color: var(--act);
        font-size: var(--size-s);
        cursor: pointer;
      }

      .paste {
        display: grid;
        gap: var(--space-2);
        margin-top: var(--space-2);
      }

      .problems {
        padding: var(--space-2) var(--space-3);
        border-inline-start: 3px solid var(--bad);
        background: var(--bad-soft);
        font-size: var(--size-s);
      }

      .problems li {
        padding: 3px 0;
        overflow-wrap: anywhere;
      }
    `,
  ];

  @property({ attribute: false }) host!: RemoteHost;
  @state() private offer: Offer | null = null;
  @state() private refused: TakenIn['refused'] = [];
  @state() private pasted = '';
  @state() private over = false;
  @state() private busy = false;

  async #look(chosen: readonly Chosen[]): Promise<void> {
    if (chosen.length === 0) return;
    try {
      const { offerOf, readChosen } = await import('../imports/index.ts');
      this.refused = [];
      this.offer = await offerOf(this.host, await readChosen(chosen, ownZone()));
      await this.updateComplete;
      const preview = this.renderRoot.querySelector('rota-import-preview');
      await preview?.updateComplete;
      preview?.focus();
    } catch (error) {
      showToast({ text: `Not read. ${errorSentence(problemOf(error).code)}`, tone: 'bad' });
    }
  }

  readonly #import = async ({ detail: { steps } }: ChooseEvent): Promise<void> => {
    const { offer } = this;
    if (offer === null || this.busy) return;
    this.busy = true;
    try {
      const { doneText, offerOf, takeIn } = await import('../imports/index.ts');
      const taken = await takeIn(this.host, steps);
      this.refused = taken.refused;
      const isWhole = taken.refused.length === 0 && taken.stoppedAt === null;
      // What could not come in stays in sight, beside what is here now.
      this.offer = isWhole ? null : await offerOf(this.host, offer.readings);
      if (isWhole) this.pasted = '';
      const stopped =
        taken.stoppedAt === null
          ? ''
          : ` ${taken.stoppedAt} was changed meanwhile, so the rest was left: look again.`;
      const left = taken.refused.length === 0 ? '' : ' Some could not come in.';
      if (!isWhole) announce(`${doneText(taken)}.${stopped}${left}`);
      showToast({
        text: `${doneText(taken)}.${stopped}${left}`,
        ...(isWhole ? {} : { tone: 'bad' as const }),
        action: {
          label: 'Show them',
          run: () => {
            navigate(href.automations({ view: 'paused' }));
          },
        },
      });
    } catch (error) {
      showToast({
        text: `Not all was imported. ${errorSentence(problemOf(error).code)} The same files again go on from there.`,
        tone: 'bad',
      });
    } finally {
      this.busy = false;
    }
  };

  /** Lets the person choose files. Only within a click. */
  readonly choose = (): void => {
    this.renderRoot.querySelector<HTMLInputElement>('input[type="file"]')?.click();
  };

  readonly #chosen = (event: Event): void => {
    const input = event.target as HTMLInputElement;
    void this.#look([...(input.files ?? [])]);
    // The same file may be chosen again after it was mended.
    input.value = '';
  };

  readonly #dragged = (event: DragEvent): void => {
    if (event.dataTransfer?.types.includes('Files') !== true) return;
    event.preventDefault();
    this.over = true;
  };

  readonly #dragLeft = (): void => {
    this.over = false;
  };

  readonly #typed = (text: string): void => {
    this.pasted = text;
  };

  readonly #dropped = (event: DragEvent): void => {
    event.preventDefault();
    this.over = false;
    void this.#look([...(event.dataTransfer?.files ?? [])]);
  };

  protected override render(): TemplateResult {
    return html`<div
        class="drop ${this.over ? 'over' : ''}"
        @dragover=${this.#dragged}
        @dragleave=${this.#dragLeft}
        @drop=${this.#dropped}
      >
        <button type="button" class="btn" @click=${this.choose}>${icon('upload', 14)}Choose files</button>
        <span
          >or drop them here: of Rota, a backup among them, VS Code’s automations or its ledger, or a crontab.
          You see what would change first.</span
        >
        <input type="file" multiple hidden aria-label="File to import" @change=${this.#chosen} />
      </div>
      <details>
        <summary>Paste its text instead</summary>
        <div class="paste">
          ${areaField({
            id: 'pasted',
            label: 'Text of a file',
            value: this.pasted,
            rows: 5,
            mono: true,
            placeholder: '{ "format": "rota", … }, a crontab, or an automation of VS Code',
            onInput: this.#typed,
          })}
          <div>
            <button
              type="button"
              class="btn"
              ?disabled=${this.pasted.trim() === ''}
              @click=${() => {
                void this.#look([{ name: 'The pasted text', text: this.pasted }]);
              }}
            >
              Look inside
            </button>
          </div>
        </div>
      </details>
      ${this.refused.length === 0 ? nothing : this.#refusals()}
      ${
        this.offer === null
          ? nothing
          : html`<rota-import-preview
              .offer=${this.offer}
              ?busy=${this.busy}
              @choose=${this.#import}
              @cancel=${this.#setAside}
            ></rota-import-preview>`
      }`;
  }

  readonly #setAside = (): void => {
    this.offer = null;
    this.refused = [];
  };

  /** What only the engine could see. */
  #refusals(): TemplateResult {
    return html`<div class="problems" role="group" aria-label="What could not come in">
      <ul>
        ${this.refused.map(
          ({ name, problems }) =>
            html`<li>
              <b>${name}</b>
              ${problems.map(({ path, message }) => html`<br /><code>${path}</code> ${message}`)}
            </li>`,
        )}
      </ul>
    </div>`;
  }
}

declare global {
  interface HTMLElementTagNameMap {
    'rota-import-panel': ImportPanel;
  }
}
