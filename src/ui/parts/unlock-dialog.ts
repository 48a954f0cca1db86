import { LitElement, type TemplateResult, css, html } from 'lit';
import { customElement, property, query, state } from 'lit/decorators.js';
import type { RemoteHost } from '../remote-host.ts';
import { href, navigate } from '../router.ts';
import { errorSentence } from '../text/errors.ts';
import { problemOf } from '../watched.ts';
import { announce } from './announcer.ts';
import './dialog.ts';
import type { Dialog } from './dialog.ts';
import { formStyles, textField } from './form-field.ts';
import { shared } from './styles.ts';
import { showToast } from './toast.ts';

/** Asks for the passphrase of the secrets. It stays open until that is right, or the person closes it. */
@customElement('rota-unlock-dialog')
export class UnlockDialog extends LitElement {
  static override styles = [
    shared,
    formStyles,
    css`
      :host {
        display: contents;
      }

      form {
        display: grid;
        gap: var(--space-4);
        margin-top: var(--space-3);
      }

      p {
        color: var(--ink-2);
        font-size: var(--size-s);
        line-height: var(--line);
        text-wrap: pretty;
      }

      .buttons {
        display: flex;
        flex-wrap: wrap;
        gap: var(--space-2);
      }
    `,
  ];

  @property({ attribute: false }) host!: RemoteHost;
  /** Called once, when it is closed. */
  @property({ attribute: false }) closed: () => void = () => undefined;
  @state() private passphrase = '';
  @state() private problem: string | null = null;
  @state() private isBusy = false;
  @query('rota-dialog') private readonly dialog!: Dialog;

  /** Opens it. */
  async show(): Promise<void> {
    await this.updateComplete;
    await this.dialog.show();
    this.#focus();
  }

  #focus(): void {
    this.renderRoot.querySelector<HTMLElement>('#passphrase')?.focus();
  }

  readonly #typed = (text: string): void => {
    this.passphrase = text;
    this.problem = null;
  };

  readonly #submit = (event: Event): void => {
    event.preventDefault();
    if (!this.isBusy) void this.#unlock();
  };

  async #unlock(): Promise<void> {
    this.isBusy = true;
    try {
      const result = await this.host.unlockSecrets({ passphrase: this.passphrase });
      if (result.kind === 'invalid') {
        const [first] = result.problems;
        this.problem = first?.message ?? 'That is not the passphrase.';
        announce(this.problem);
        this.#focus();
        return;
      }
      this.dialog.hide();
      showToast({ text: 'The secrets are unlocked. What waited for them runs now.' });
    } catch (error) {
      this.problem = errorSentence(problemOf(error).code);
      announce(this.problem);
    } finally {
      this.isBusy = false;
    }
  }

  readonly #lost = (): void => {
    this.dialog.hide();
    navigate(href.settings());
  };

  protected override render(): TemplateResult {
    return html`<rota-dialog heading="Unlock the secrets" @close=${this.closed}>
      <p>For all tabs, until you lock them or the last tab is closed. The passphrase itself is not kept.</p>
      <form novalidate @submit=${this.#submit}>
        ${textField({
          id: 'passphrase',
          label: 'Passphrase',
          type: 'password',
          autocomplete: 'current-password',
          value: this.passphrase,
          required: true,
          problem: this.problem,
          onInput: this.#typed,
        })}
        <div class="buttons">
          <button type="submit" class="btn primary" aria-disabled=${this.isBusy ? 'true' : 'false'}>
            ${this.isBusy ? 'Unlocking…' : 'Unlock'}
          </button>
          <button type="button" class="btn bare" @click=${this.#lost}>I have lost it</button>
        </div>
      </form>
    </rota-dialog>`;
  }
}

/** Asks for the passphrase; resolves when the dialog is closed, with or without it. */
export function askToUnlock(host: RemoteHost): Promise<void> {
  const dialog = document.createElement('rota-unlock-dialog');
  return new Promise((resolve) => {
    dialog.host = host;
    dialog.closed = () => {
      dialog.remove();
      resolve();
    };
    document.body.append(dialog);
    void dialog.show();
  });
}

declare global {
  interface HTMLElementTagNameMap {
    'rota-unlock-dialog': UnlockDialog;
  }
}
