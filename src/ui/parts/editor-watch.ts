/** The fields of a watch in the editor. */
import { type TemplateResult, html, nothing } from 'lit';
import type { ActionField } from '../pages/editor-action-fields.ts';
import type { WatchFields } from '../pages/editor-watch-form.ts';
import { WATCHED, WATCH_HELP } from '../text/help-actions.ts';
import { headerRows } from './editor-http.ts';
import './network-access.ts';
import type { ActionView } from './editor-view.ts';
import { areaField, checkField, choiceField, textField } from './form-field.ts';

/** Where to look, at what, what is noise, and what to be told of. */
export function watchFields(view: ActionView): TemplateResult {
  const { form, set } = view;
  return html`${textField({
      id: view.id('url'),
      label: 'URL',
      value: form.url,
      inputmode: 'url',
      mono: true,
      required: true,
      placeholder: PLACEHOLDERS[form.watch.part],
      hint: WATCH_HELP.url,
      problem: view.problem('url'),
      insert: view.insert,
      onInput: (url) => {
        set({ url });
      },
    })}
    <rota-network-access .address=${form.url}></rota-network-access>
    ${choiceField({
      id: view.id('watch-part'),
      label: 'Watches',
      value: form.watch.part,
      options: (['page', 'json', 'feed', 'text'] as const).map((value) => ({ value, label: WATCHED[value] })),
      onChange: (part) => {
        change(view, { part });
      },
    })}
    ${partFields(view)} ${noiseFields(view)} ${notifyFields(view)}
    ${
      form.headers.length > 0 || view.problem('headers') !== null
        ? headerRows(view)
        : html`<details class="values">
            <summary>Headers</summary>
            ${headerRows(view)}
          </details>`
    }`;
}

const PLACEHOLDERS: Readonly<Record<WatchFields['part'], string>> = {
  page: 'https://example.com/prices',
  json: 'https://api.example.com/releases',
  feed: 'https://example.com/feed.xml',
  text: 'https://example.com/CHANGELOG.md',
};

function change({ form, set }: ActionView, part: Partial<WatchFields>): void {
  set({ watch: { ...form.watch, ...part } });
}

function partFields(view: ActionView): TemplateResult | typeof nothing {
  const { watch } = view.form;
  switch (watch.part) {
    case 'page':
      return html`${line(view, 'watchSelect', 'select', {
        label: WATCH_HELP.select.label,
        placeholder: '#price, main h2',
        required: true,
        hint: WATCH_HELP.select.does,
      })}
      ${line(view, 'watchAttribute', 'attribute', {
        label: WATCH_HELP.attribute.label,
        placeholder: 'href',
        hint: WATCH_HELP.attribute.does,
      })}
      ${list(view, 'watchWithout', 'without', {
        label: WATCH_HELP.without.label,
        hint: WATCH_HELP.without.does,
      })}`;
    case 'json':
      return line(view, 'watchPath', 'path', {
        label: WATCH_HELP.path.label,
        placeholder: '$.items[*].name',
        required: true,
        hint: WATCH_HELP.path.does,
      });
    case 'feed':
      return html`<p class="hint">${WATCH_HELP.feed}</p>`;
    case 'text':
      return html`<p class="hint">${WATCH_HELP.text}</p>`;
  }
}

function noiseFields(view: ActionView): TemplateResult {
  const { watch } = view.form;
  const isFeed = watch.part === 'feed';
  const where = isFeed ? 'items' : 'lines';
  const used = [watch.erase, watch.keep, watch.drop].some((text) => text.trim() !== '');
  const chosen =
    watch.numbers || watch.space || watch.unique || watch.sort || watch.minimumLines.trim() !== '1';
  const wrong = NOISE.some((field) => view.problem(field) !== null);
  return html`<details class="values" ?open=${used || chosen || wrong}>
    <summary>What does not count as a change</summary>
    <p class="hint">
      Patterns, one a line: a text that is found in any case, or a regular expression between slashes, such as
      <code>/d+ (views|likes)/i</code>.
    </p>
    ${
      isFeed
        ? nothing
        : list(view, 'watchErase', 'erase', {
            label: WATCH_HELP.erase.label,
            hint: WATCH_HELP.erase.does,
          })
    }
    ${list(view, 'watchKeep', 'keep', {
      label: `Only ${where} with`,
      hint: `When there are any, all other ${where} are left out${isFeed ? ', by their titles' : ''}.`,
    })}
    ${list(view, 'watchDrop', 'drop', { label: `No ${where} with` })}
    ${
      isFeed
        ? nothing
        : html`<fieldset class="form-field">
            <legend>Ignore</legend>
            ${tick(view, 'numbers', 'Numbers', 'Each counts as the same number.')}
            ${tick(view, 'space', 'White space', 'Also empty lines.')}
            ${tick(view, 'unique', 'Repeated lines')} ${tick(view, 'sort', 'The order of lines')}
          </fieldset>`
    }
    ${textField({
      id: view.id('watchMinimum'),
      label: isFeed ? 'Items that must be new' : 'Lines that must differ',
      value: watch.minimumLines,
      width: 'narrow',
      inputmode: 'numeric',
      hint: WATCH_HELP.minimum,
      problem: view.problem('watchMinimum'),
      onInput: (minimumLines) => {
        change(view, { minimumLines });
      },
    })}
  </details>`;
}

const NOISE: readonly ActionField[] = ['watchErase', 'watchKeep', 'watchDrop', 'watchMinimum'];

function notifyFields(view: ActionView): TemplateResult {
  const { watch } = view.form;
  return html`<fieldset class="form-field">
      <legend>Notify</legend>
      ${tick(view, 'notifyChange', 'When it changes')}
      ${
        watch.part === 'page' || watch.part === 'json'
          ? tick(view, 'notifyGone', 'When nothing matches any more, and when something does again')
          : nothing
      }
    </fieldset>
    ${textField({
      id: view.id('watchQuiet'),
      label: WATCH_HELP.unchanged.label,
      value: watch.unchangedDays,
      width: 'narrow',
      inputmode: 'numeric',
      placeholder: 'never',
      hint: WATCH_HELP.unchanged.does,
      problem: view.problem('watchQuiet'),
      onInput: (unchangedDays) => {
        change(view, { unchangedDays });
      },
    })}`;
}

type TextKey = 'select' | 'path' | 'without' | 'attribute' | 'erase' | 'keep' | 'drop';

interface Wording {
  readonly label: string;
  readonly hint?: string;
  readonly placeholder?: string;
  readonly required?: boolean;
}

function line(view: ActionView, field: ActionField, key: TextKey, wording: Wording): TemplateResult {
  return textField({
    ...wording,
    id: view.id(field),
    value: view.form.watch[key],
    mono: true,
    problem: view.problem(field),
    onInput: (value) => {
      change(view, { [key]: value });
    },
  });
}

function list(view: ActionView, field: ActionField, key: TextKey, wording: Wording): TemplateResult {
  return areaField({
    ...wording,
    id: view.id(field),
    value: view.form.watch[key],
    rows: 2,
    mono: true,
    problem: view.problem(field),
    onInput: (value) => {
      change(view, { [key]: value });
    },
  });
}

type TickKey = 'numbers' | 'space' | 'unique' | 'sort' | 'notifyChange' | 'notifyGone';

function tick(view: ActionView, key: TickKey, label: string, hint?: string): TemplateResult {
  return checkField({
    id: view.id(`watch-${key}`),
    label,
    ...(hint === undefined ? {} : { hint }),
    checked: view.form.watch[key],
    onChange: (checked) => {
      change(view, { [key]: checked });
    },
  });
}
