import { LitElement, type TemplateResult, css, html, nothing } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import { DEFAULT_KEEP, type KeepRule, type Problem } from '../../domain/index.ts';
import type { RemoteHost } from '../remote-host.ts';
import { saying } from '../saying.ts';
import { namedDateTime } from '../text/dates.ts';
import { errorSentence } from '../text/errors.ts';
import { keepText, sweptSentence } from '../text/upkeep.ts';
import { Watched, problemOf } from '../watched.ts';
import { announce } from './announcer.ts';
import { formStyles, textField } from './form-field.ts';
import { panelStyles } from './settings-styles.ts';
import { shared } from './styles.ts';
import { showToast } from './toast.ts';

/** The fields, by their path in the settings. */
const FIELDS = ['runs.days', 'runs.most', 'outputs.days', 'outputs.most'] as const;
type Field = (typeof FIELDS)[number];
type Draft = Readonly<Record<Field, string>>;
/** How often a clean-up that goes on is asked after. */
const LOOK_MS = 500;

/** How long history is kept, for all automations that do not say otherwise, and what the last clean-up removed. */
@customElement('rota-keep-panel')
export class KeepPanel extends LitElement {
  static override styles = [
    shared,
    formStyles,
    panelStyles,
    css`
      :host {
        gap: var(--space-3);
      }

      fieldset {
        display: flex;
        flex-wrap: wrap;
        gap: var(--space-3) var(--space-4);
        min-width: 0;
        margin: 0;
        padding: 0;
        border: 0;
      }

      legend {
        padding: 0 0 var(--space-1);
        color: var(--ink-2);
        font-size: var(--size-s);
      }
    `,
  ];

  @property({ attribute: false }) host!: RemoteHost;
  /** What is typed and not saved; `null` shows what is stored. */
  @state() private draft: Draft | null = null;
  @state() private problems: Partial<Record<Field, string>> = {};
  #timer: ReturnType<typeof setTimeout> | null = null;

  readonly #settings = new Watched(this, { read: () => this.host.getSettings(), topics: ['settings'] });
  readonly #upkeep = new Watched(this, {
    read: () => this.host.upkeep(),
    topics: ['settings'],
    keep: true,
  });

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  protected override updated(): void {
    if (this.#upkeep.value?.sweeping !== true) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      void this.#upkeep.refresh();
    }, LOOK_MS);
  }

  protected override render(): TemplateResult | typeof nothing {
    const settings = this.#settings.value;
    if (settings === null) return nothing;
    const stored = draftOf(settings.keep);
    const draft = this.draft ?? stored;
    const isChanged = FIELDS.some((field) => draft[field].trim() !== stored[field]);
    return html`<p class="quiet">
        Counted for each automation by itself, and one can have limits of its own. Empty is without that
        limit. What failed stays twice as long; the newest 30 runs, and the last 40 days of what a schedule
        decided, stay in any case.
      </p>
      ${this.#limit('runs', 'Runs stay', draft)}
      ${this.#limit('outputs', 'What they brought back stays', draft)}
      ${
        isChanged
          ? html`<p class="warn">
                What is removed cannot be brought back. The clean-up does it in the background, within a day
                or so.
              </p>
              <div class="line">
                <button type="button" class="btn primary" @click=${() => void this.#save(draft)}>
                  Save limits
                </button>
                <button type="button" class="btn" @click=${this.#reset}>Leave as it was</button>
              </div>`
          : nothing
      }
      ${this.#swept()}`;
  }

  #limit(of: 'runs' | 'outputs', legend: string, draft: Draft): TemplateResult {
    const field = (name: 'days' | 'most', label: string): TemplateResult => {
      const id: Field = `${of}.${name}`;
      return textField({
        id: `keep-${of}-${name}`,
        label,
        width: 'narrow',
        inputmode: 'numeric',
        value: draft[id],
        placeholder: 'no limit',
        problem: this.problems[id] ?? null,
        onInput: (value) => {
          this.draft = { ...draft, [id]: value };
          this.problems = {};
        },
      });
    };
    return html`<fieldset>
      <legend>${legend}</legend>
      ${field('days', 'Days')} ${field('most', 'Newest, at most')}
    </fieldset>`;
  }

  #swept(): TemplateResult | typeof nothing {
    const upkeep = this.#upkeep.value;
    if (upkeep === null) return nothing;
    const { swept, sweeping } = upkeep;
    return html`<div class="line">
      <p>
        ${
          sweeping
            ? html`<span class="quiet">Removing what is past its limit. What is due goes first.</span>`
            : swept === null
              ? html`<span class="quiet"
                  >There was no clean-up yet: in a new database the first one waits for some days.</span
                >`
              : html`${sweptSentence(swept)}
                  <span class="quiet">Last clean-up ${namedDateTime(swept.at, Date.now())}.</span>`
        }
      </p>
      <button type="button" class="btn" ?disabled=${sweeping} @click=${this.#sweep}>
        ${sweeping ? 'Cleaning up…' : 'Clean up now'}
      </button>
    </div>`;
  }

  readonly #sweep = async (): Promise<void> => {
    await saying(async () => {
      await this.host.sweep();
      await this.#upkeep.refresh();
    });
  };

  readonly #reset = (): void => {
    this.draft = null;
    this.problems = {};
  };

  async #save(draft: Draft): Promise<void> {
    const read = readDraft(draft);
    if (read.kind === 'invalid') {
      this.#refuse(read.problems);
      return;
    }
    try {
      const result = await this.host.saveSettings({ settings: { keep: read.keep } });
      if (result.kind === 'invalid') {
        this.#refuse(result.problems);
        return;
      }
      await this.#settings.refresh();
      this.#reset();
      const { runs, outputs } = result.settings.keep;
      showToast({ text: `Saved. Runs stay ${keepText(runs)}, what they brought back ${keepText(outputs)}.` });
    } catch (error) {
      showToast({ text: `Not saved. ${errorSentence(problemOf(error).code)}`, tone: 'bad' });
    }
  }

  #refuse(problems: readonly Problem[]): void {
    const found: Partial<Record<Field, string>> = {};
    for (const { path, message } of problems) {
      const field = FIELDS.find((one) => path === `keep.${one}`);
      if (field !== undefined) found[field] ??= message;
    }
    this.problems = found;
    announce(`Not saved. ${problems.map(({ message }) => message).join(' ')}`);
    const first = FIELDS.find((field) => found[field] !== undefined);
    if (first !== undefined)
      this.renderRoot.querySelector<HTMLElement>(`#keep-${first.replace('.', '-')}`)?.focus();
  }
}

function draftOf(keep: KeepRule = DEFAULT_KEEP): Draft {
  const text = (value: number | null): string => (value === null ? '' : String(value));
  const { runs, outputs } = keep;
  return {
    'runs.days': text(runs.days),
    'runs.most': text(runs.most),
    'outputs.days': text(outputs.days),
    'outputs.most': text(outputs.most),
  };
}

function readDraft(
  draft: Draft,
):
  | { readonly kind: 'ok'; readonly keep: KeepRule }
  | { readonly kind: 'invalid'; readonly problems: readonly Problem[] } {
  const problems: Problem[] = [];
  const read = (field: Field): number | null => {
    const text = draft[field].trim();
    if (text === '') return null;
    if (/^\d{1,9}$/.test(text)) return Number(text);
    problems.push({ path: `keep.${field}`, message: 'Enter a whole number, or nothing.' });
    return null;
  };
  const keep = {
    runs: { days: read('runs.days'), most: read('runs.most') },
    outputs: { days: read('outputs.days'), most: read('outputs.most') },
  };
  return problems.length > 0 ? { kind: 'invalid', problems } : { kind: 'ok', keep };
}

declare global {
  interface HTMLElementTagNameMap {
    'rota-keep-panel': KeepPanel;
  }
}
