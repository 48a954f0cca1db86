import { LitElement, type TemplateResult, css, html, nothing } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import type { Problem, SecretsLock } from '../../domain/index.ts';
import type { RemoteHost } from '../remote-host.ts';
import { saying } from '../saying.ts';
import { countText } from '../text/counts.ts';
import { announce } from './announcer.ts';
import { askToConfirm } from './confirm.ts';
import { formStyles, textField } from './form-field.ts';
import { shared } from './styles.ts';
import { showToast } from './toast.ts';
import { askToUnlock } from './unlock-dialog.ts';

/** A passphrase that is being set, changed or removed, as it is typed. */
interface Draft {
  readonly kind: 'set' | 'change' | 'remove';
  readonly current: string;
  readonly next: string;
  /** `next` once more: one that was mistyped could not be guessed. */
  readonly again: string;
}

const SAVE: Readonly<Record<Draft['kind'], string>> = {
  set: 'Set the passphrase',
  change: 'Change the passphrase',
  remove: 'Remove the passphrase',
};

const DONE: Readonly<Record<Draft['kind'], string>> = {
  set: 'The secrets are under the passphrase now, and unlocked.',
  change: 'The passphrase is changed. The one before opens nothing any more.',
  remove: 'The passphrase is removed. This browser keeps the key again.',
};

/** The passphrase over all secrets: set, changed, removed; and whether they are locked now. */
@customElement('rota-passphrase-panel')
export class PassphrasePanel extends LitElement {
  static override styles = [
    shared,
    formStyles,
    css`
      :host,
      form {
        display: grid;
        gap: var(--space-4);
      }

      p {
        font-size: var(--size-s);
        text-wrap: pretty;
      }

      p b {
        font-size: var(--size-m);
        font-weight: var(--weight-strong);
      }

      .buttons {
        display: flex;
        flex-wrap: wrap;
        gap: var(--space-2);
      }
    `,
  ];

  @property({ attribute: false }) host!: RemoteHost;
  @property({ attribute: false }) lock: SecretsLock = 'none';
  @state() private draft: Draft | null = null;
  @state() private problems: readonly Problem[] = [];
  @state() private isBusy = false;

  override render(): TemplateResult {
    return html`${this.#said()} ${this.draft === null ? this.#buttons() : this.#form(this.draft)}`;
  }

  #said(): TemplateResult {
    switch (this.lock) {
      case 'none':
        return html`<p>
          <b>No passphrase.</b>
          <span class="quiet"
            >Whoever uses this browser’s profile can have them sent. With a passphrase they cannot be used
            before you give it, once after each start of the browser, and runs that name them wait for
            that.</span
          >
        </p>`;
      case 'locked':
        return html`<p>
          <b class="warn">Locked.</b>
          <span class="quiet">What names a secret waits until you unlock them, and runs at once then.</span>
        </p>`;
      case 'unlocked':
        return html`<p>
          <b>Unlocked,</b>
          <span class="quiet"
            >for all tabs, until you lock them or the last tab is closed. On the disk they are under your
            passphrase.</span
          >
        </p>`;
    }
  }

  #buttons(): TemplateResult {
    const open = (kind: Draft['kind'], label: string): TemplateResult =>
      html`<button type="button" class="btn" @click=${() => this.#open(kind)}>${label}</button>`;
    switch (this.lock) {
      case 'none':
        return html`<div class="buttons">${open('set', 'Set a passphrase')}</div>`;
      case 'locked':
        return html`<div class="buttons">
          <button type="button" class="btn primary" @click=${() => void askToUnlock(this.host)}>
            Unlock
          </button>
          <button type="button" class="btn danger" @click=${() => void this.#removeAll()}>
            I have lost it: remove all secrets
          </button>
        </div>`;
      case 'unlocked':
        return html`<div class="buttons">
          <button type="button" class="btn" @click=${() => void this.#lock()}>Lock now</button>
          ${open('change', 'Change the passphrase')} ${open('remove', 'Remove the passphrase')}
        </div>`;
    }
  }

  #open(kind: Draft['kind']): void {
    this.draft = { kind, current: '', next: '', again: '' };
    this.problems = [];
    const first = kind === 'set' ? '#passphrase-next' : '#passphrase-current';
    void this.updateComplete.then(() => this.renderRoot.querySelector<HTMLElement>(first)?.focus());
  }

  #form(draft: Draft): TemplateResult {
    const { kind } = draft;
    const field = (
      name: 'current' | 'next' | 'again',
      label: string,
      hint?: string,
    ): TemplateResult | typeof nothing =>
      textField({
        id: `passphrase-${name}`,
        label,
        value: draft[name],
        type: 'password',
        required: true,
        ...(name === 'current' ? { autocomplete: 'current-password' } : {}),
        hint,
        problem: this.problems.find(({ path }) => path === name)?.message,
        onInput: (text) => {
          this.draft = { ...draft, [name]: text };
        },
      });
    return html`<form
      novalidate
      @submit=${(event: Event) => {
        event.preventDefault();
        if (!this.isBusy) void this.#save(draft);
      }}
    >
      ${kind === 'set' ? nothing : field('current', 'Passphrase as it is')}
      ${
        kind === 'remove'
          ? nothing
          : html`${field(
              'next',
              'New passphrase',
              'At least 12 characters; four or five words do well. It is stored nowhere: if it is lost, so are the secrets.',
            )}
            ${field('again', 'The same again')}`
      }
      <div class="buttons">
        <button type="submit" class="btn primary" aria-disabled=${this.isBusy ? 'true' : 'false'}>
          ${SAVE[kind]}
        </button>
        <button
          type="button"
          class="btn"
          @click=${() => {
            this.draft = null;
          }}
        >
          Cancel
        </button>
      </div>
    </form>`;
  }

  async #save({ kind, current, next, again }: Draft): Promise<void> {
    if (kind !== 'remove' && next !== again) {
      await this.#refuse([{ path: 'again', message: 'This is not the same as above.' }]);
      return;
    }
    this.isBusy = true;
    await saying(async () => {
      const result = await this.host.setPassphrase({
        ...(kind === 'set' ? {} : { current }),
        next: kind === 'remove' ? null : next,
      });
      if (result.kind === 'invalid') {
        await this.#refuse(result.problems);
        return;
      }
      this.draft = null;
      showToast({ text: DONE[kind] });
    });
    this.isBusy = false;
  }

  async #refuse(problems: readonly Problem[]): Promise<void> {
    this.problems = problems;
    announce(problems.map(({ message }) => message).join(' '));
    await this.updateComplete;
    this.renderRoot.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }

  async #lock(): Promise<void> {
    await saying(async () => {
      await this.host.lockSecrets();
      showToast({ text: 'The secrets are locked, in all tabs.' });
    });
  }

  async #removeAll(): Promise<void> {
    const yes = await askToConfirm({
      heading: 'Remove all secrets?',
      text: 'Without the passphrase nobody can read them, so this is the only way on. What names them waits until you enter them anew.',
      confirm: 'Remove all secrets',
      cancel: 'Keep them',
    });
    if (!yes) return;
    await saying(async () => {
      const { count } = await this.host.removeSecrets();
      showToast({ text: `${countText(count, 'secret')} removed, and the passphrase with them.` });
    });
  }
}

declare global {
  interface HTMLElementTagNameMap {
    'rota-passphrase-panel': PassphrasePanel;
  }
}
