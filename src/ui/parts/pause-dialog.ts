import { LitElement, type TemplateResult, css, html } from 'lit';
import { customElement, property, query, state } from 'lit/decorators.js';
import type { EpochMs } from '../../domain/index.ts';
import {
  type PauseChoice,
  type ReadUntil,
  pauseChoices,
  readUntil,
  untilAtFirst,
} from '../pages/pause-choices.ts';
import { ownZone } from '../text/dates.ts';
import { UNTIL_RESUMED } from '../text/pauses.ts';
import { announce } from './announcer.ts';
import './dialog.ts';
import type { Dialog } from './dialog.ts';
import { formStyles, textField } from './form-field.ts';
import { shared } from './styles.ts';

/** What is asked about. */
export interface PauseQuestion {
  /** `Pause all automations`, `Pause Check the API`. */
  readonly heading: string;
  /** What happens until then, and to what falls due meanwhile. */
  readonly text: string;
}

/** The dialog that asks until when to pause. Each choice acts at once; what it did can be undone. */
@customElement('rota-pause-dialog')
export class PauseDialog extends LitElement {
  static override styles = [
    shared,
    formStyles,
    css`
      :host {
        display: contents;
      }

      p.about {
        color: var(--ink-2);
        font-size: var(--size-s);
        line-height: var(--line);
        text-wrap: pretty;
      }

      ul {
        margin: var(--space-4) 0;
        border-top: 1px solid var(--rule);
      }

      .choice {
        display: flex;
        flex-wrap: wrap;
        align-items: baseline;
        justify-content: space-between;
        gap: 2px var(--space-3);
        width: 100%;
        min-height: 40px;
        padding: 10px 4px;
        border-bottom: 1px solid var(--rule);
        text-align: start;
      }

      .choice:hover {
        background: var(--hover);
      }

      .choice b {
        font-size: var(--size-m);
        font-weight: var(--weight-strong);
      }

      .choice .when {
        color: var(--ink-2);
        font-family: var(--font-mono);
        font-size: var(--size-s);
        letter-spacing: -0.01em;
      }

      .with-button {
        flex-wrap: wrap;
      }

      .with-button .field {
        flex: 1 1 200px;
      }

      @media (pointer: coarse) {
        .choice {
          min-height: 46px;
          padding-block: 13px;
        }
      }
    `,
  ];

  @property({ attribute: false }) question: PauseQuestion = { heading: '', text: '' };
  /** Called once: with the end of the pause, or with `null` when nothing is to be paused. */
  @property({ attribute: false }) answered: (until: EpochMs | null) => void = () => undefined;
  @state() private text = '';
  @state() private problem: string | null = null;
  @query('rota-dialog') private readonly dialog!: Dialog;
  #answer: EpochMs | null = null;

  /** Opens it. */
  async show(): Promise<void> {
    this.text = untilAtFirst(Date.now(), ownZone());
    await this.updateComplete;
    await this.dialog.show();
  }

  #choose(until: EpochMs): void {
    this.#answer = until;
    this.dialog.hide();
  }

  readonly #closed = (): void => {
    this.answered(this.#answer);
  };

  get #read(): ReadUntil {
    return readUntil(this.text, Date.now(), ownZone());
  }

  readonly #typed = (text: string): void => {
    this.text = text;
    this.problem = null;
  };

  readonly #submit = (event: Event): void => {
    event.preventDefault();
    const read = this.#read;
    if (read.kind === 'ok') {
      this.#choose(read.until);
      return;
    }
    this.problem = read.message;
    announce(read.message);
    this.renderRoot.querySelector<HTMLElement>('#until')?.focus();
  };

  protected override render(): TemplateResult {
    const { heading, text } = this.question;
    const zone = ownZone();
    const read = this.#read;
    return html`<rota-dialog heading=${heading} @close=${this.#closed}>
      <p class="about">${text}</p>
      <ul>
        ${pauseChoices(Date.now(), zone).map((choice) => html`<li>${this.#choice(choice)}</li>`)}
        <li>${this.#choice({ label: 'Until I resume', until: UNTIL_RESUMED, when: 'no end' })}</li>
      </ul>
      <form novalidate @submit=${this.#submit}>
        ${textField({
          id: 'until',
          label: `Until another time, ${zone}`,
          type: 'datetime-local',
          value: this.text,
          hint: read.kind === 'ok' ? read.said : undefined,
          problem: this.problem,
          onInput: this.#typed,
          button: html`<button type="submit" class="btn">Pause until then</button>`,
        })}
      </form>
    </rota-dialog>`;
  }

  #choice({ label, until, when }: PauseChoice): TemplateResult {
    return html`<button
      type="button"
      class="choice"
      @click=${() => {
        this.#choose(until);
      }}
    >
      <b>${label}</b> <span class="when">${when}</span>
    </button>`;
  }
}

/** Asks, and resolves to the end of the pause; `null` when the person closed it without a choice. */
export function askUntil(question: PauseQuestion): Promise<EpochMs | null> {
  const dialog = document.createElement('rota-pause-dialog');
  return new Promise((resolve) => {
    dialog.question = question;
    dialog.answered = (until) => {
      dialog.remove();
      resolve(until);
    };
    document.body.append(dialog);
    void dialog.show();
  });
}

declare global {
  interface HTMLElementTagNameMap {
    'rota-pause-dialog': PauseDialog;
  }
}
