import { LitElement, type TemplateResult, css, html, nothing } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import { type ImportChoice, type PreviewedEntry, type Problem, choicesFor } from '../../domain/index.ts';
import { actionText } from '../pages/editor-words.ts';
import { choiceField, formStyles } from '../parts/form-field.ts';
import { shared } from '../parts/styles.ts';
import { countText } from '../text/counts.ts';
import { scheduleSentence } from '../text/schedule.ts';
import { type Offer, planOf } from './offer.ts';
import { SOURCE_NAMES } from '../text/import-sources.ts';
import { CHOICE_NAMES, backupText, countsText, fieldName, inFieldOrder, valueText } from './words.ts';

/** Entries of one kind that are shown; of the others only the number is said, and what is chosen for all holds for them. */
const SHOWN_MOST = 100;
/** Longest value that is shown in full. */
const VALUE_MOST = 600;
const PROBLEMS_MOST = 20;
/** The place of what is a file by itself. */
const WHOLE_FILE = 'the file';

/** What was chosen: fired as `choose`, with the steps that it comes to. */
export type ChooseEvent = CustomEvent<ReturnType<typeof planOf>>;

/**
 * What an import would change, entry by entry and field by field, with a choice for each and for all at once. Nothing is
 * stored by it: it fires `choose` with the plan, and `cancel`.
 */
@customElement('rota-import-preview')
export class ImportPreview extends LitElement {
  static override styles = [
    shared,
    formStyles,
    css`
      section {
        display: grid;
        gap: var(--space-4);
        padding: var(--space-4);
        border: 1px solid var(--rule-strong);
        border-radius: var(--radius-m);
        background: var(--sheet);
      }

      h3 {
        font-size: var(--size-m);
        font-weight: var(--weight-strong);
        overflow-wrap: anywhere;
      }

      h3:focus {
        outline: none;
      }

      h4 {
        margin: 0;
        font-size: var(--size-s);
        font-weight: var(--weight-strong);
        overflow-wrap: anywhere;
      }

      p,
      li,
      summary {
        font-size: var(--size-s);
        overflow-wrap: anywhere;
        text-wrap: pretty;
      }

      .group {
        display: grid;
        gap: var(--space-2);
        min-width: 0;
      }

      .group > .head {
        display: flex;
        flex-wrap: wrap;
        align-items: end;
        justify-content: space-between;
        gap: var(--space-2) var(--space-4);
      }

      .entries > li {
        display: grid;
        gap: var(--space-2);
        padding: var(--space-3) 0;
        border-top: 1px solid var(--rule);
      }

      .entry {
        display: grid;
        gap: 2px;
        min-width: 0;
      }

      .notes {
        display: grid;
        gap: 2px;
        padding-left: var(--space-4);
        color: var(--ink-2);
        list-style: disc;
      }

      .entries .choice {
        --gap: var(--space-2);
      }

      table {
        width: 100%;
        border-collapse: collapse;
        font-size: var(--size-s);
        table-layout: fixed;
      }

      th,
      td {
        padding: 5px 8px;
        border: 1px solid var(--rule);
        text-align: left;
        vertical-align: top;
        overflow-wrap: anywhere;
      }

      thead th {
        font-size: var(--size-xs);
        font-weight: 500;
        color: var(--ink-3);
      }

      tbody th {
        font-weight: 500;
        color: var(--ink-2);
      }

      td {
        white-space: pre-wrap;
      }

      .problems {
        padding: var(--space-2) var(--space-3);
        border-left: 3px solid var(--bad);
        background: var(--bad-soft);
      }

      .problems li {
        padding: 3px 0;
      }

      summary {
        width: fit-content;
        min-height: 24px;
        color: var(--act);
        cursor: pointer;
      }

      .buttons {
        display: flex;
        flex-wrap: wrap;
        gap: var(--space-2);
      }

      @media (max-width: 560px) {
        section {
          padding: var(--space-3);
        }

        table,
        tbody,
        tr,
        th,
        td {
          display: block;
        }

        thead {
          display: none;
        }

        tbody tr {
          border: 1px solid var(--rule);
          border-top: 0;
        }

        tbody tr:first-child {
          border-top: 1px solid var(--rule);
        }

        th,
        td {
          border: 0;
          padding: 3px 8px;
        }

        td::before {
          content: attr(data-label) ' ';
          color: var(--ink-3);
          font-size: var(--size-xs);
        }
      }
    `,
  ];

  @property({ attribute: false }) offer!: Offer;
  /** The steps are being taken. */
  @property({ type: Boolean }) busy = false;
  @state() private choices: ReadonlyMap<PreviewedEntry, ImportChoice> = new Map();

  /** Brings the focus to what was found. */
  override focus(): void {
    this.renderRoot.querySelector<HTMLElement>('h3')?.focus();
  }

  readonly #choiceOf = (entry: PreviewedEntry): ImportChoice =>
    this.choices.get(entry) ?? choicesFor(entry)[0] ?? 'skip';

  #of<Kind extends PreviewedEntry['kind']>(kind: Kind): readonly Extract<PreviewedEntry, { kind: Kind }>[] {
    return this.offer.previewed.filter(
      (one): one is Extract<PreviewedEntry, { kind: Kind }> => one.kind === kind,
    );
  }

  #choose(entries: readonly PreviewedEntry[], choice: ImportChoice): void {
    this.choices = new Map([...this.choices, ...entries.map((entry) => [entry, choice] as const)]);
  }

  protected override render(): TemplateResult {
    const { readings, previewed } = this.offer;
    const plan = planOf(this.offer, this.#choiceOf);
    const [first] = readings;
    const what =
      readings.length === 1 && first !== undefined ? first.file : countText(readings.length, 'file');
    const count = previewed.length;
    const heading =
      count === 0
        ? `${what} cannot be imported`
        : `${what} ${readings.length === 1 ? 'holds' : 'hold'} ${countText(count, 'automation')}`;
    return html`<section aria-labelledby="inside">
      <h3 id="inside" tabindex="-1">${heading}</h3>
      ${count === 0 ? nothing : html`<p class="quiet">${this.#kinds()} ${countsText(previewed)}.</p>`}
      ${this.#ofFiles()} ${this.#bad()} ${this.#different()} ${this.#new()} ${this.#same()}
      ${this.#buttons(plan)}
    </section>`;
  }

  #kinds(): string {
    const kinds = new Set(
      this.offer.readings.flatMap(({ source }) => (source === null ? [] : [SOURCE_NAMES[source]])),
    );
    const text = [...kinds].join(', ');
    return text === '' ? '' : `${text.charAt(0).toUpperCase()}${text.slice(1)}:`;
  }

  /** What is to be said of files as a whole. */
  #ofFiles(): TemplateResult {
    const { readings } = this.offer;
    const isOne = readings.length === 1;
    return html`${readings.map(({ file, problems, notes, backup }) => {
      const name = isOne ? '' : `${file}: `;
      return html`${
        backup === undefined
          ? nothing
          : html`<p>${name}${backupText(backup.at, backup.ledger === this.offer.ledger, Date.now())}</p>`
      }
      ${problems.length === 0 ? nothing : this.#problems(problems, isOne ? 'What is wrong with it' : `What is wrong with ${file}`, name)}
      ${notes.map((note) => html`<p class="quiet">${name}${note}</p>`)}`;
    })}`;
  }

  #problems(problems: readonly Problem[], label: string, name = ''): TemplateResult {
    const more = problems.length - PROBLEMS_MOST;
    return html`<div class="problems" role="group" aria-label=${label}>
      <ul>
        ${problems
          .slice(0, PROBLEMS_MOST)
          .map(
            ({ path, message }) =>
              html`<li>${name}${path === '' ? nothing : html`<code>${path}</code><br />`}${message}</li>`,
          )}
        ${more > 0 ? html`<li>and ${more} more</li>` : nothing}
      </ul>
    </div>`;
  }

  #bad(): TemplateResult | typeof nothing {
    const bad = this.#of('bad');
    if (bad.length === 0) return nothing;
    return html`<div class="group">
      <h4>Cannot come in (${bad.length})</h4>
      <ul class="entries">
        ${bad.slice(0, SHOWN_MOST).map(
          (one) =>
            html`<li>
              <div class="entry"><b>${one.name}</b><span class="faint small">${this.#where(one)}</span></div>
              ${this.#problems(one.problems, `What is wrong with ${one.name}`)}
            </li>`,
        )}
        ${more(bad.length)}
      </ul>
    </div>`;
  }

  #different(): TemplateResult | typeof nothing {
    const different = this.#of('different');
    const [first] = different;
    if (first === undefined) return nothing;
    return html`<div class="group">
      <div class="head">
        <h4>Here already, and different (${different.length})</h4>
        ${
          different.length < 2
            ? nothing
            : this.#choiceFor('all', 'For all of them', different, different, first)
        }
      </div>
      <ul class="entries">
        ${different
          .slice(0, SHOWN_MOST)
          .map(
            (one, index) =>
              html`<li>
                ${this.#entry(one)} ${this.#differences(one)}
                ${this.#choiceFor(String(index), `${one.current.name}: yours and the file's`, [one], [one], one)}
                ${
                  this.#choiceOf(one) === 'replace' && one.current.enabled
                    ? html`<p class="warn">It is on, and will be paused.</p>`
                    : nothing
                }
              </li>`,
          )}
        ${more(different.length)}
      </ul>
    </div>`;
  }

  #choiceFor(
    id: string,
    label: string,
    entries: readonly PreviewedEntry[],
    chosen: readonly PreviewedEntry[],
    kind: PreviewedEntry,
  ): TemplateResult {
    const values = new Set(chosen.map(this.#choiceOf));
    const [value] = values;
    return choiceField<ImportChoice>({
      id: `choice-${id}`,
      label,
      labelHidden: id !== 'all',
      // Where they are not alike, none is shown as the choice for all.
      value: values.size === 1 && value !== undefined ? value : ('' as ImportChoice),
      options: choicesFor(kind).map((choice) => ({ value: choice, label: CHOICE_NAMES[choice] })),
      onChange: (choice) => {
        this.#choose(entries, choice);
      },
    });
  }

  #differences(one: Extract<PreviewedEntry, { kind: 'different' }>): TemplateResult {
    const now = Date.now();
    return html`<table>
      <caption class="sr-only">
        What is different in ${one.current.name}
      </caption>
      <thead>
        <tr>
          <th scope="col">Field</th>
          <th scope="col">Yours</th>
          <th scope="col">In the file</th>
        </tr>
      </thead>
      <tbody>
        ${
          one.differences.some(({ path }) => path.startsWith('schedule'))
            ? row(
                'When',
                scheduleSentence(one.current.schedule, now),
                scheduleSentence(one.replaced.schedule, now),
              )
            : nothing
        }
        ${inFieldOrder(one.differences).map(({ path, here, there }) =>
          row(fieldName(path), valueText(path, here, now), valueText(path, there, now)),
        )}
      </tbody>
    </table>`;
  }

  #new(): TemplateResult | typeof nothing {
    const all = this.#of('new');
    return html`${this.#comingIn(
      'New',
      'new',
      all.filter((one) => one.isDeleted !== true),
    )}
    ${this.#comingIn(
      'Deleted here since',
      'deleted',
      all.filter((one) => one.isDeleted === true),
    )}`;
  }

  /** Those that are not here, with a choice for each. */
  #comingIn(
    heading: string,
    id: string,
    fresh: readonly Extract<PreviewedEntry, { kind: 'new' }>[],
  ): TemplateResult | typeof nothing {
    if (fresh.length === 0) return nothing;
    const all = fresh.every((one) => this.#choiceOf(one) === 'add');
    return html`<div class="group">
      <div class="head">
        <h4>${heading} (${fresh.length})</h4>
        ${
          fresh.length < 2
            ? nothing
            : html`<button
                type="button"
                class="btn bare"
                @click=${() => {
                  this.#choose(fresh, all ? 'skip' : 'add');
                }}
              >
                ${all ? 'Choose none' : 'Choose all'}
              </button>`
        }
      </div>
      <ul class="entries">
        ${fresh.slice(0, SHOWN_MOST).map(
          (one, index) =>
            html`<li>
              ${this.#entry(one)}
              ${choiceField<ImportChoice>({
                id: `${id}-${index}`,
                label: one.name,
                labelHidden: true,
                value: this.#choiceOf(one),
                options: [
                  { value: 'add', label: 'Bring in, paused' },
                  { value: 'skip', label: 'Leave out' },
                ],
                onChange: (choice) => {
                  this.#choose([one], choice);
                },
              })}
            </li>`,
        )}
        ${more(fresh.length)}
      </ul>
    </div>`;
  }

  #same(): TemplateResult | typeof nothing {
    const same = this.#of('same');
    if (same.length === 0) return nothing;
    const runs = [...this.offer.missing.values()].reduce((sum, list) => sum + list.length, 0);
    return html`<details>
      <summary>
        ${countText(same.length, 'automation')} already here as ${same.length === 1 ? 'it is' : 'they are'}
      </summary>
      <ul class="entries">
        ${same.slice(0, SHOWN_MOST).map((one) => html`<li>${one.current.name}</li>`)} ${more(same.length)}
      </ul>
      ${runs === 0 ? nothing : html`<p>${countText(runs, 'run')} of their history will come in.</p>`}
    </details>`;
  }

  #where({ file, place }: PreviewedEntry): string {
    if (this.offer.readings.length === 1) return place;
    return place === WHOLE_FILE ? file : `${place} of ${file}`;
  }

  #entry(one: Extract<PreviewedEntry, { kind: 'new' | 'different' }>): TemplateResult {
    const { definition, notes, runs } = one.entry;
    return html`<div class="entry">
        <b>${one.name}</b>
        <span class="quiet small">${scheduleSentence(definition.schedule, Date.now())}</span>
        <span class="quiet small">${cut(actionText(definition.action))}</span>
        <span class="faint small"
          >${this.#where(one)}${runs.length === 0 ? nothing : `, with ${countText(runs.length, 'run')} of history`}</span
        >
      </div>
      ${
        notes.length === 0
          ? nothing
          : html`<ul class="notes">
              ${notes.map((note) => html`<li>${note}</li>`)}
            </ul>`
      }`;
  }

  #buttons(plan: ReturnType<typeof planOf>): TemplateResult {
    const { steps, leftOut } = plan;
    const count = steps.filter(({ kind }) => kind !== 'history').length;
    const isNothing = steps.length === 0;
    const offersNothing = this.offer.previewed.every(({ kind }) => kind === 'same' || kind === 'bad');
    const label = count === 0 ? 'Import the history' : `Import ${countText(count, 'automation')}`;
    return html`${
        leftOut.length === 0
          ? nothing
          : html`<p class="warn">
              ${leftOut.slice(0, 5).join(', ')}${leftOut.length > 5 ? ` and ${leftOut.length - 5} more` : ''}
              stay out too: what they run after does not come in.
            </p>`
      }
      ${
        isNothing && offersNothing && this.#of('same').length > 0
          ? html`<p role="status"><b>Nothing to do:</b> what can come in is here already.</p>`
          : isNothing
            ? nothing
            : html`<p class="quiet">What comes in is paused, and nothing runs before you turn it on.</p>`
      }
      <div class="buttons">
        ${
          isNothing
            ? nothing
            : html`<button
                type="button"
                class="btn primary"
                ?disabled=${this.busy}
                @click=${() => this.dispatchEvent(new CustomEvent('choose', { detail: plan }))}
              >
                ${this.busy ? 'Importing…' : label}
              </button>`
        }
        <button type="button" class="btn" @click=${() => this.dispatchEvent(new CustomEvent('cancel'))}>
          ${offersNothing && isNothing ? 'Close' : 'Do not import'}
        </button>
      </div>`;
  }
}

function row(name: string, here: string, there: string): TemplateResult {
  return html`<tr>
    <th scope="row">${name}</th>
    <td data-label="Yours:">${cut(here)}</td>
    <td data-label="In the file:">${cut(there)}</td>
  </tr>`;
}

function more(count: number): TemplateResult | typeof nothing {
  const left = count - SHOWN_MOST;
  return left <= 0 ? nothing : html`<li class="quiet">and ${left} more</li>`;
}

function cut(text: string): string {
  return text.length <= VALUE_MOST ? text : `${text.slice(0, VALUE_MOST)}… (${text.length} characters)`;
}

declare global {
  interface HTMLElementTagNameMap {
    'rota-import-preview': ImportPreview;
  }
}
