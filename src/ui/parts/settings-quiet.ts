import { LitElement, type TemplateResult, css, html, nothing } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import type { QuietHours } from '../../domain/index.ts';
import type { RemoteHost } from '../remote-host.ts';
import { ownZone } from '../text/dates.ts';
import { errorSentence } from '../text/errors.ts';
import { Watched, problemOf } from '../watched.ts';
import { announce } from './announcer.ts';
import { checkField, choiceField, formStyles, textField } from './form-field.ts';
import { shared } from './styles.ts';
import { showToast } from './toast.ts';

interface Draft {
  readonly isOn: boolean;
  readonly from: string;
  readonly until: string;
  /** Empty for the machine's own. */
  readonly zone: string;
  readonly held: QuietHours['held'];
}

type Field = 'from' | 'until' | 'zone';

/** When no notifications are shown, for all automations but those that are urgent. */
@customElement('rota-quiet-hours')
export class QuietHoursPanel extends LitElement {
  static override styles = [
    shared,
    formStyles,
    css`
      :host {
        display: grid;
        gap: var(--space-4);
      }

      .times {
        display: flex;
        flex-wrap: wrap;
        gap: var(--space-3) var(--space-4);
      }

      .line {
        display: flex;
        flex-wrap: wrap;
        gap: var(--space-2) var(--space-3);
      }
    `,
  ];

  @property({ attribute: false }) host!: RemoteHost;
  /** What is chosen and not saved; `null` shows what is stored. */
  @state() private draft: Draft | null = null;
  @state() private problems: Partial<Record<Field, string>> = {};

  readonly #settings = new Watched(this, { read: () => this.host.getSettings(), topics: ['settings'] });

  protected override render(): TemplateResult | typeof nothing {
    const settings = this.#settings.value;
    if (settings === null) return nothing;
    const stored = draftOf(settings.quiet);
    const draft = this.draft ?? stored;
    const isChanged = JSON.stringify(draft) !== JSON.stringify(stored);
    return html`${checkField({
      id: 'quiet',
      label: 'Quiet hours',
      hint: 'What comes in them is held back. Automations that say “In quiet hours too” are not.',
      checked: draft.isOn,
      onChange: (isOn) => {
        this.#change({ isOn });
      },
    })}
    ${draft.isOn ? this.#fields(draft) : nothing}
    ${
      isChanged
        ? html`<div class="line">
            <button type="button" class="btn primary" @click=${() => void this.#save(draft)}>
              Save quiet hours
            </button>
            <button type="button" class="btn" @click=${this.#reset}>Leave as it was</button>
          </div>`
        : nothing
    }`;
  }

  #fields(draft: Draft): TemplateResult {
    return html`<div class="times">
        ${textField({
          id: 'quiet-from',
          label: 'From',
          type: 'time',
          width: 'time',
          value: draft.from,
          problem: this.problems.from ?? null,
          onInput: (from) => {
            this.#change({ from });
          },
        })}
        ${textField({
          id: 'quiet-until',
          label: 'Until',
          type: 'time',
          width: 'time',
          value: draft.until,
          problem: this.problems.until ?? null,
          onInput: (until) => {
            this.#change({ until });
          },
        })}
        ${textField({
          id: 'quiet-zone',
          label: 'By the clock of',
          width: 'medium',
          value: draft.zone,
          placeholder: ownZone(),
          hint: 'Empty: this machine’s, wherever it is.',
          problem: this.problems.zone ?? null,
          onInput: (zone) => {
            this.#change({ zone });
          },
        })}
      </div>
      ${choiceField({
        id: 'quiet-held',
        label: 'What was held back',
        value: draft.held,
        options: [
          { value: 'digest', label: 'Show as one when they end' },
          { value: 'never', label: 'Only list it' },
        ],
        onChange: (held) => {
          this.#change({ held });
        },
      })}`;
  }

  #change(change: Partial<Draft>): void {
    this.draft = { ...(this.draft ?? draftOf(this.#settings.value?.quiet ?? null)), ...change };
    this.problems = {};
  }

  readonly #reset = (): void => {
    this.draft = null;
    this.problems = {};
  };

  async #save(draft: Draft): Promise<void> {
    const quiet = draft.isOn ? quietOf(draft) : null;
    try {
      const result = await this.host.saveSettings({ settings: { quiet } });
      if (result.kind === 'invalid') {
        this.#refuse(result.problems);
        return;
      }
      await this.#settings.refresh();
      this.#reset();
      showToast({
        text:
          quiet === null
            ? 'Saved. There are no quiet hours.'
            : `Saved. Quiet from ${quiet.from} until ${quiet.until}.`,
      });
    } catch (error) {
      showToast({ text: `Not saved. ${errorSentence(problemOf(error).code)}`, tone: 'bad' });
    }
  }

  #refuse(problems: readonly { readonly path: string; readonly message: string }[]): void {
    const found: Partial<Record<Field, string>> = {};
    for (const { path, message } of problems) {
      const field: Field = path === 'quiet.from' ? 'from' : path === 'quiet.timeZone' ? 'zone' : 'until';
      found[field] ??= message;
    }
    this.problems = found;
    announce(`Not saved. ${problems.map(({ message }) => message).join(' ')}`);
    const [first] = Object.keys(found);
    if (first !== undefined) this.renderRoot.querySelector<HTMLElement>(`#quiet-${first}`)?.focus();
  }
}

function draftOf(quiet: QuietHours | null): Draft {
  const { from = '22:00', until = '07:00', timeZone = '', held = 'digest' } = quiet ?? {};
  return { isOn: quiet !== null, from, until, zone: timeZone, held };
}

function quietOf({ from, until, zone, held }: Draft): QuietHours {
  return { from, until, held, ...(zone.trim() === '' ? {} : { timeZone: zone.trim() }) };
}

declare global {
  interface HTMLElementTagNameMap {
    'rota-quiet-hours': QuietHoursPanel;
  }
}
