import { LitElement, type PropertyValues, type TemplateResult, css, html, nothing } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import { type Problem, type SecretInfo, originsOf, secretsOf } from '../../domain/index.ts';
import { icon } from '../icons/icon.ts';
import type { RemoteHost } from '../remote-host.ts';
import { errorSentence } from '../text/errors.ts';
import { Watched, problemOf } from '../watched.ts';
import { announce } from './announcer.ts';
import { askToConfirm } from './confirm.ts';
import { formStyles, textField } from './form-field.ts';
import './settings-passphrase.ts';
import { shared } from './styles.ts';
import './time.ts';
import { showToast } from './toast.ts';
import { askToUnlock } from './unlock-dialog.ts';

/** A secret as it is typed. */
interface Draft {
  readonly name: string;
  readonly value: string;
  /** Separated by commas, spaces or lines. */
  readonly origins: string;
  /** The stored one that it replaces; its name stays. */
  readonly stored: SecretInfo | null;
}

/** The secrets that automations may send: listed by name, and never shown. */
@customElement('rota-secrets-panel')
export class SecretsPanel extends LitElement {
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

      li {
        display: flex;
        flex-wrap: wrap;
        align-items: center;
        gap: var(--space-2) var(--space-3);
        padding: 7px 0;
        border-bottom: 1px solid var(--rule);
        font-size: var(--size-s);
      }

      li > div {
        flex: 1 1 220px;
        min-width: 0;
        overflow-wrap: anywhere;
      }

      .apart {
        display: grid;
        gap: var(--space-2);
        margin-top: var(--space-2);
      }

      h3 {
        font-size: var(--size-s);
        font-weight: 500;
      }

      .buttons {
        display: flex;
        flex-wrap: wrap;
        gap: var(--space-2);
      }
    `,
  ];

  @property({ attribute: false }) host!: RemoteHost;
  /** The name of one that a run waits for: its form is opened. */
  @property({ attribute: false }) wanted: string | null = null;
  @state() private draft: Draft | null = null;
  @state() private problems: readonly Problem[] = [];
  readonly #secrets = new Watched(this, { read: () => this.host.listSecrets(), topics: ['settings'] });

  override willUpdate(changed: PropertyValues<this>): void {
    if (changed.has('wanted') && this.wanted !== null) void this.#offer(this.wanted);
  }

  /** Opens the form for a secret that is named already, with where those that name it send it. */
  async #offer(name: string): Promise<void> {
    const find = async (): Promise<readonly [SecretInfo | null, string]> => {
      const [{ items: secrets }, { items }] = await Promise.all([
        this.host.listSecrets(),
        this.host.listAutomations(),
      ]);
      const named = items.filter(({ action }) => secretsOf(action).includes(name));
      const origins = new Set(named.flatMap(({ action }) => originsOf(action)));
      return [secrets.find((one) => one.name === name) ?? null, [...origins].join(', ')];
    };
    const [stored, origins] = await find().catch(() => [null, ''] as const);
    this.#open({ name, value: '', origins: stored?.origins.join(', ') ?? origins, stored }, '#secret-value');
  }

  override render(): TemplateResult {
    const { items: secrets = [], lock = 'none' } = this.#secrets.value ?? {};
    return html`<p class="quiet">
        Keys and passwords for your requests and prompts, named there as <code>{{ secrets.NAME }}</code>. They
        are encrypted in this browser, sent only to the origins that you name here, and nobody can read them
        again, neither you nor an export.
      </p>
      ${
        secrets.length === 0
          ? nothing
          : html`<ul>
              ${secrets.map((secret) => this.#row(secret))}
            </ul>`
      }
      ${this.draft === null ? this.#addButton() : this.#form(this.draft)}
      <div class="apart">
        <h3>Passphrase</h3>
        <rota-passphrase-panel .host=${this.host} .lock=${lock}></rota-passphrase-panel>
      </div>`;
  }

  #row(secret: SecretInfo): TemplateResult {
    const { name, origins, updatedAt } = secret;
    return html`<li>
      <div>
        <code>${name}</code><br /><span class="quiet"
          >for ${origins.join(', ')}; set <rota-time .at=${updatedAt}></rota-time
        ></span>
      </div>
      <div class="buttons">
        <button
          type="button"
          class="btn"
          aria-label="Change ${name}"
          @click=${() => {
            this.#open({ name, value: '', origins: origins.join(', '), stored: secret });
          }}
        >
          Change
        </button>
        <button type="button" class="btn" aria-label="Remove ${name}" @click=${() => void this.#remove(name)}>
          Remove
        </button>
      </div>
    </li>`;
  }

  #addButton(): TemplateResult {
    return html`<div>
      <button
        type="button"
        class="btn"
        @click=${() => {
          this.#open({ name: '', value: '', origins: '', stored: null });
        }}
      >
        ${icon('plus', 14)}Add a secret
      </button>
    </div>`;
  }

  #open(draft: Draft, first = draft.stored === null ? '#secret-name' : '#secret-value'): void {
    this.draft = draft;
    this.problems = [];
    void this.updateComplete.then(() => this.renderRoot.querySelector<HTMLElement>(first)?.focus());
  }

  #form(draft: Draft): TemplateResult {
    const set = (part: Partial<Draft>): void => {
      this.draft = { ...draft, ...part };
    };
    return html`<form
      @submit=${(event: Event) => {
        event.preventDefault();
        void this.#save(draft);
      }}
    >
      ${
        draft.stored === null
          ? textField({
              id: 'secret-name',
              label: 'Name',
              value: draft.name,
              mono: true,
              required: true,
              width: 'medium',
              placeholder: 'OPENAI_KEY',
              problem: this.#problem('name'),
              onInput: (name) => {
                set({ name: name.toUpperCase() });
              },
            })
          : html`<p><b>${draft.stored.name}</b></p>`
      }
      ${textField({
        id: 'secret-value',
        label: 'Value',
        value: draft.value,
        type: 'password',
        mono: true,
        required: draft.stored === null,
        hint: draft.stored === null ? undefined : 'Leave it empty to keep the one that is stored.',
        problem: this.#problem('value'),
        onInput: (value) => {
          set({ value });
        },
      })}
      ${textField({
        id: 'secret-origins',
        label: 'May be sent to',
        value: draft.origins,
        mono: true,
        required: true,
        inputmode: 'url',
        placeholder: 'https://api.example.com',
        hint: 'Origins, separated by commas. It goes nowhere else, also not when a server redirects.',
        problem: this.#problem('origins'),
        onInput: (origins) => {
          set({ origins });
        },
      })}
      <div class="buttons">
        <button type="submit" class="btn primary">Save the secret</button>
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

  #problem(field: string): string | null {
    return this.problems.find(({ path }) => path.split(/[.[]/)[0] === field)?.message ?? null;
  }

  async #save({ name, value, origins, stored }: Draft): Promise<void> {
    const listed = origins.split(/[\s,]+/).filter((origin) => origin !== '');
    try {
      const result = await this.host.saveSecret({
        name: stored?.name ?? name.trim(),
        ...(value === '' ? {} : { value }),
        origins: listed.map(originOf),
      });
      if (result.kind === 'invalid') {
        this.problems = result.problems;
        announce(`Not saved. ${result.problems.map(({ message }) => message).join(' ')}`);
        await this.updateComplete;
        this.renderRoot.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
        return;
      }
      if (result.kind === 'locked') {
        // What is typed stays; once they are unlocked it is saved by another press.
        await askToUnlock(this.host);
        return;
      }
      this.draft = null;
      await this.#secrets.refresh();
      showToast({ text: `Saved. Name it as {{ secrets.${result.secret.name} }}.` });
    } catch (error) {
      showToast({ text: `Not saved. ${errorSentence(problemOf(error).code)}`, tone: 'bad' });
    }
  }

  async #remove(name: string): Promise<void> {
    const yes = await askToConfirm({
      heading: `Remove ${name}?`,
      text: 'Automations that name it wait from then on until it is there again. Its value cannot be brought back.',
      confirm: 'Remove it',
      cancel: 'Keep it',
    });
    if (!yes) return;
    try {
      await this.host.removeSecret({ name });
      await this.#secrets.refresh();
      showToast({ text: `${name} is removed.` });
    } catch (error) {
      showToast({ text: `Not removed. ${errorSentence(problemOf(error).code)}`, tone: 'bad' });
    }
  }
}

/** People paste addresses: of one that is a URL, the origin is meant. */
function originOf(text: string): string {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol) ? new URL(text).origin : text;
}

declare global {
  interface HTMLElementTagNameMap {
    'rota-secrets-panel': SecretsPanel;
  }
}
