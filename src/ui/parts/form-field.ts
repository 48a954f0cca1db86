/**
 * Fields of a form: a label, a control, a hint and a problem, tied together for screen readers. They render into the
 * root of the element that uses them, so that `aria-describedby` finds its texts; that is also why text is typed into
 * native controls, whose roots are not closed off, while switches and boxes are Web Awesome's.
 */
import '@awesome.me/webawesome/dist/components/checkbox/checkbox.js';
import '../icons/library.ts';
import { type CSSResultGroup, css, html, nothing, type TemplateResult } from 'lit';
import { live } from 'lit/directives/live.js';
import { repeat } from 'lit/directives/repeat.js';
import { icon } from '../icons/icon.ts';
import { fieldStyles } from './styles.ts';

/** What all fields have. */
export interface FieldText {
  /** Unique in the root that it is rendered into. */
  readonly id: string;
  readonly label: string;
  readonly hint?: string | TemplateResult | undefined;
  /** What is wrong with the value, as a sentence. */
  readonly problem?: string | null | undefined;
}

/** What a field adds into which values can be inserted. */
interface Insertable {
  /** Offers them, when the button in the field is pressed. The field stands right before that button. */
  readonly insert?: ((event: Event) => void) | undefined;
}

/** The ids that describe the control of a field, for `aria-describedby`. */
function describedBy({ id, hint, problem }: FieldText): string | typeof nothing {
  const ids = [
    ...(problem == null ? [] : [`${id}-problem`]),
    ...(hint === undefined || hint === '' ? [] : [`${id}-hint`]),
  ];
  return ids.length === 0 ? nothing : ids.join(' ');
}

function invalid({ problem }: FieldText): 'true' | typeof nothing {
  return problem == null ? nothing : 'true';
}

function under({ id, hint, problem }: FieldText): TemplateResult {
  return html`${
    problem == null
      ? nothing
      : html`<p class="problem" id="${id}-problem">
          ${icon('triangle-exclamation', 14)}<span>${problem}</span>
        </p>`
  }
  ${hint === undefined || hint === '' ? nothing : html`<p class="hint" id="${id}-hint">${hint}</p>`}`;
}

/** What a text field adds. */
export interface TextFieldOptions extends FieldText, Insertable {
  readonly value: string;
  readonly onInput: (value: string) => void;
  readonly type?: 'text' | 'url' | 'time' | 'date' | 'datetime-local' | 'number' | 'password';
  /** Of a password that is known already; else it counts as a new one. */
  readonly autocomplete?: 'current-password';
  readonly placeholder?: string;
  readonly inputmode?: 'decimal' | 'numeric' | 'url' | 'text';
  readonly mono?: boolean;
  /** `narrow` for a number, `time` for a time of day, `medium` for a date; else as wide as there is room. */
  readonly width?: 'narrow' | 'time' | 'medium' | 'wide';
  /** The id of a `<datalist>` in the same root. */
  readonly list?: string;
  readonly step?: number;
  readonly required?: boolean;
  /** The label is there for screen readers only. */
  readonly labelHidden?: boolean;
  /** A button that acts on what is typed, beside it. */
  readonly button?: TemplateResult;
}

/** A field of one line. */
export function textField(options: TextFieldOptions): TemplateResult {
  const { button } = options;
  return html`<div class="form-field ${options.width ?? 'wide'}">
    <label for=${options.id} class=${options.labelHidden === true ? 'sr-only' : ''}>${options.label}</label>
    ${
      button === undefined
        ? withInsert(options, textControl(options))
        : html`<div class="with-button">${textControl(options)} ${button}</div>`
    }
    ${under(options)}
  </div>`;
}

/** `control`, and in its corner the button that offers values. */
function withInsert({ label, insert }: FieldText & Insertable, control: TemplateResult): TemplateResult {
  if (insert === undefined) return control;
  return html`<div class="with-insert">
    ${control}<button
      type="button"
      class="insert"
      aria-haspopup="menu"
      aria-label="Insert a value into ${label}"
      title="Insert a value"
      @click=${insert}
    >
      {&thinsp;}
    </button>
  </div>`;
}

function textControl(options: TextFieldOptions): TemplateResult {
  return html`<input
    class="field ${options.mono === true ? 'mono' : ''}"
    id=${options.id}
    type=${options.type ?? 'text'}
    .value=${live(options.value)}
    placeholder=${options.placeholder ?? nothing}
    inputmode=${options.inputmode ?? nothing}
    list=${options.list ?? nothing}
    step=${options.step ?? nothing}
    autocomplete=${options.autocomplete ?? (options.type === 'password' ? 'new-password' : 'off')}
    autocapitalize="off"
    spellcheck=${options.mono === true || options.type !== undefined ? 'false' : nothing}
    aria-required=${options.required === true ? 'true' : nothing}
    aria-invalid=${invalid(options)}
    aria-describedby=${describedBy(options)}
    @input=${(event: InputEvent) => {
      options.onInput((event.target as HTMLInputElement).value);
    }}
  />`;
}

/** What a field of several lines adds. */
export interface AreaFieldOptions extends FieldText, Insertable {
  readonly value: string;
  readonly onInput: (value: string) => void;
  readonly rows?: number;
  readonly mono?: boolean;
  readonly placeholder?: string;
  readonly required?: boolean;
}

/** A field of several lines; it grows with its text where the browser can do that. */
export function areaField(options: AreaFieldOptions): TemplateResult {
  return html`<div class="form-field wide">
    <label for=${options.id}>${options.label}</label>
    ${withInsert(
      options,
      html`<textarea
        class="field ${options.mono === true ? 'mono' : ''}"
        id=${options.id}
        rows=${options.rows ?? 4}
        .value=${live(options.value)}
        placeholder=${options.placeholder ?? nothing}
        autocomplete="off"
        spellcheck=${options.mono === true ? 'false' : nothing}
        aria-required=${options.required === true ? 'true' : nothing}
        aria-invalid=${invalid(options)}
        aria-describedby=${describedBy(options)}
        @input=${(event: InputEvent) => {
          options.onInput((event.target as HTMLTextAreaElement).value);
        }}
      ></textarea>`,
    )}
    ${under(options)}
  </div>`;
}

/** One of several values, in a list that opens. */
export interface SelectFieldOptions<Value extends string> extends FieldText {
  readonly value: Value;
  readonly options: readonly { readonly value: Value; readonly label: string }[];
  readonly onChange: (value: Value) => void;
  readonly width?: 'narrow' | 'medium' | 'wide';
  readonly labelHidden?: boolean;
}

/** A field whose values are listed. */
export function selectField<Value extends string>(options: SelectFieldOptions<Value>): TemplateResult {
  return html`<div class="form-field ${options.width ?? 'wide'}">
    <label for=${options.id} class=${options.labelHidden === true ? 'sr-only' : ''}>${options.label}</label>
    <span class="select">
      <select
        class="field"
        id=${options.id}
        .value=${live(options.value)}
        aria-invalid=${invalid(options)}
        aria-describedby=${describedBy(options)}
        @change=${(event: Event) => {
          options.onChange((event.target as HTMLSelectElement).value as Value);
        }}
      >
        ${options.options.map(
          ({ value, label }) =>
            html`<option value=${value} ?selected=${value === options.value}>${label}</option>`,
        )}
      </select>
      ${icon('chevron-down', 14)}
    </span>
    ${under(options)}
  </div>`;
}

/** A number and its unit under one label. */
export interface AmountFieldOptions<Unit extends string> extends FieldText {
  readonly n: string;
  readonly unit: Unit;
  readonly units: readonly Unit[];
  readonly onChange: (amount: { readonly n: string; readonly unit: Unit }) => void;
}

/** A length of time as it is typed: `15` `minutes`. */
export function amountField<Unit extends string>(options: AmountFieldOptions<Unit>): TemplateResult {
  const { id, n, unit, units, onChange } = options;
  return html`<div class="form-field" role="group" aria-labelledby="${id}-label">
    <label id="${id}-label" for=${id}>${options.label}</label>
    <div class="together">
      ${textControl({
        ...options,
        value: n,
        inputmode: 'decimal',
        onInput: (value) => {
          onChange({ n: value, unit });
        },
      })}
      <span class="select">
        <select
          class="field"
          aria-label="${options.label}, unit"
          .value=${live(unit)}
          @change=${(event: Event) => {
            onChange({ n, unit: (event.target as HTMLSelectElement).value as Unit });
          }}
        >
          ${units.map((one) => html`<option value=${one} ?selected=${one === unit}>${one}</option>`)}
        </select>
        ${icon('chevron-down', 14)}
      </span>
    </div>
    ${under(options)}
  </div>`;
}

/** One of a few values, all in sight. */
export interface ChoiceFieldOptions<Value extends string> extends FieldText {
  readonly value: Value;
  readonly options: readonly { readonly value: Value; readonly label: string }[];
  readonly onChange: (value: Value) => void;
  readonly labelHidden?: boolean;
}

/** A row of choices of which one is taken: radio buttons, drawn as segments. */
export function choiceField<Value extends string>(options: ChoiceFieldOptions<Value>): TemplateResult {
  return html`<fieldset class="form-field choice" aria-describedby=${describedBy(options)}>
    <legend class=${options.labelHidden === true ? 'sr-only' : ''}>${options.label}</legend>
    <div class="segments">
      ${options.options.map(
        ({ value, label }) =>
          html`<label
            ><input
              type="radio"
              name=${options.id}
              id="${options.id}-${value}"
              value=${value}
              .checked=${live(value === options.value)}
              @change=${() => {
                options.onChange(value);
              }}
            /><span>${label}</span></label
          >`,
      )}
    </div>
    ${under(options)}
  </fieldset>`;
}

/** Several of a few values. */
export interface ManyFieldOptions<Value extends string | number> extends FieldText {
  readonly chosen: readonly Value[];
  /** `name` is what a screen reader says where `label` is short. */
  readonly options: readonly { readonly value: Value; readonly label: string; readonly name: string }[];
  readonly onToggle: (value: Value) => void;
}

/** A row of choices of which any number is taken: check boxes, drawn as segments. */
export function manyField<Value extends string | number>(options: ManyFieldOptions<Value>): TemplateResult {
  return html`<fieldset
    class="form-field choice"
    id=${options.id}
    tabindex="-1"
    aria-describedby=${describedBy(options)}
  >
    <legend>${options.label}</legend>
    <div class="segments many">
      ${repeat(
        options.options,
        ({ value }) => value,
        ({ value, label, name }) =>
          html`<label
            ><input
              type="checkbox"
              aria-label=${name}
              aria-invalid=${invalid(options)}
              .checked=${live(options.chosen.includes(value))}
              @change=${() => {
                options.onToggle(value);
              }}
            /><span>${label}</span></label
          >`,
      )}
    </div>
    ${under(options)}
  </fieldset>`;
}

/** A yes or a no. */
export interface CheckFieldOptions extends FieldText {
  readonly checked: boolean;
  readonly onChange: (checked: boolean) => void;
}

/** A box to tick, with its hint beside it. */
export function checkField({ id, label, hint, checked, onChange }: CheckFieldOptions): TemplateResult {
  return html`<wa-checkbox
    class="check"
    id=${id}
    size="s"
    .checked=${live(checked)}
    @change=${(event: Event) => {
      onChange((event.target as HTMLInputElement).checked);
    }}
    >${label}${hint === undefined ? nothing : html`<span slot="hint">${hint}</span>`}</wa-checkbox
  >`;
}

/** How the fields look; beside `shared` in the styles of the element that renders them. */
export const formStyles: CSSResultGroup = [
  fieldStyles,
  css`
    .form-field {
      display: grid;
      align-content: start;
      gap: 5px;
      min-width: 0;
      margin: 0;
      padding: 0;
      border: 0;
    }

    /* The control and not its hint, which may run on. */
    .form-field.narrow .field {
      width: 120px;
    }

    .form-field.time .field {
      width: 148px;
    }

    .form-field.medium .field {
      width: min(100%, 260px);
    }

    .form-field > label:not(.sr-only),
    .form-field > legend:not(.sr-only) {
      padding: 0;
      font-size: var(--size-s);
      font-weight: 500;
      line-height: var(--line);
    }

    /* A legend is no grid item: it keeps its distance itself. */
    .form-field > legend:not(.sr-only) {
      margin-bottom: 5px;
    }

    .form-field.wide .field,
    .form-field .together .field {
      width: 100%;
    }

    .form-field .field {
      min-height: 36px;
      font-size: var(--size-m);
    }

    .form-field textarea.field {
      padding: 8px 10px;
      line-height: var(--line);
      resize: vertical;
      field-sizing: content;
      min-height: 4.6em;
      max-height: 26em;
    }

    .form-field .field.mono {
      font-family: var(--font-mono);
      font-size: var(--size-s);
    }

    .with-button {
      display: flex;
      gap: var(--space-2);
    }

    .with-button .field {
      flex: 1;
      min-width: 0;
    }

    .with-button .btn {
      flex: none;
    }

    .with-insert {
      position: relative;
      display: grid;
    }

    .with-insert > .field {
      padding-inline-end: 38px;
    }

    .insert {
      position: absolute;
      inset-block-start: 4px;
      inset-inline-end: 4px;
      display: grid;
      place-items: center;
      width: 28px;
      height: 28px;
      border-radius: var(--radius-s);
      color: var(--ink-3);
      font: 500 var(--size-s) / 1 var(--font-mono);
    }

    .with-insert:focus-within .insert,
    .insert:hover,
    .insert[aria-expanded='true'] {
      color: var(--act);
    }

    .insert:hover {
      background: var(--hover);
    }

    .field[aria-invalid='true'] {
      border-color: var(--bad);
      box-shadow: inset 0 0 0 1px var(--bad);
    }

    .hint,
    .problem {
      font-size: var(--size-s);
      line-height: var(--line);
      overflow-wrap: anywhere;
      text-wrap: pretty;
    }

    .hint {
      max-width: 72ch;
      color: var(--ink-2);
    }

    .hint code {
      font-size: 0.96em;
    }

    .problem {
      display: flex;
      gap: 6px;
      color: var(--bad);
      font-weight: 500;
    }

    .problem svg {
      flex: none;
      margin-top: 0.2em;
    }

    .select {
      position: relative;
      display: block;
    }

    .select > select {
      appearance: none;
      width: 100%;
      padding-inline-end: 30px;
      cursor: pointer;
    }

    .select > svg {
      position: absolute;
      inset-block-start: 50%;
      inset-inline-end: 10px;
      translate: 0 -50%;
      color: var(--ink-2);
      pointer-events: none;
    }

    .together {
      display: grid;
      grid-template-columns: 84px 116px;
      gap: var(--space-2);
    }

    /* The lines between segments are the ground that shows through, so that they are right where segments wrap, too. */
    .segments {
      display: inline-flex;
      flex-wrap: wrap;
      gap: 1px;
      width: fit-content;
      max-width: 100%;
      border: 1px solid var(--edge);
      border-radius: var(--radius-s);
      background: var(--rule-strong);
      overflow: clip;
    }

    /* As wide as its words, until they take a second row: there nothing is left empty. */
    .segments > label {
      flex: 1 1 auto;
      cursor: pointer;
    }

    .segments > label > span {
      display: grid;
      place-items: center;
      height: 100%;
      min-height: 34px;
      padding: 5px 13px;
      background: var(--sheet);
      font-size: var(--size-s);
      line-height: 1.25;
      text-align: center;
    }

    .segments input {
      position: absolute;
      opacity: 0;
      pointer-events: none;
    }

    .segments > label:hover > span {
      background: var(--hover);
    }

    .segments input:checked + span,
    .segments > label:hover > input:checked + span {
      background: var(--ink);
      color: var(--paper);
      font-weight: var(--weight-strong);
    }

    .segments input:focus-visible + span {
      outline: var(--focus);
      outline-offset: -3px;
      border-radius: var(--radius-s);
    }

    .segments input:checked:focus-visible + span {
      outline-color: var(--paper);
    }

    .segments.many > label > span {
      min-width: 44px;
      padding-inline: 8px;
    }

    /* So many take two rows, which are alike. */
    @media (min-width: 561px) {
      .segments:not(.many):has(> label:nth-child(8)) {
        display: grid;
        grid-template-columns: repeat(4, 1fr);
        width: 100%;
      }
    }

    @media (max-width: 560px) {
      .segments {
        display: flex;
        width: 100%;
      }

      .segments > label > span {
        padding-inline: 9px;
      }

      .segments.many > label {
        flex: 1 1 0;
      }

      .segments.many > label > span {
        min-width: 0;
        padding-inline: 0;
      }
    }

    .segments:has([aria-invalid='true']) {
      border-color: var(--bad);
    }

    :disabled .segments > label,
    :disabled .select > select {
      cursor: default;
    }

    .form-field .field:disabled,
    :disabled .segments {
      background: var(--sunk);
      color: var(--ink-2);
      border-color: var(--rule-strong);
      opacity: 1;
    }

    .check {
      font-size: var(--size-s);
    }

    .check::part(hint) {
      max-width: 72ch;
      margin-top: 2px;
      font-size: var(--size-s);
    }

    .check::part(label) {
      line-height: var(--line);
    }

    @media (pointer: coarse) {
      .form-field .field {
        min-height: 42px;
        font-size: 1rem;
      }

      .form-field .field.mono {
        font-size: 1rem;
      }

      .segments > label > span {
        min-height: 40px;
      }
    }

    @media (forced-colors: active) {
      .segments input:checked + span {
        forced-color-adjust: none;
        background: Highlight;
        color: HighlightText;
      }
    }
  `,
];
