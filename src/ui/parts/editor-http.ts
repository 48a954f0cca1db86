/** The fields of a request in the editor. */
import { type TemplateResult, html, nothing } from 'lit';
import { HTTP_METHODS } from '../../domain/index.ts';
import { type HeaderRow, takesBody } from '../pages/editor-http-form.ts';
import { expectFields, withinField } from './editor-expect.ts';
import './network-access.ts';
import { showToast } from './toast.ts';
import { listText } from '../text/counts.ts';
import { HTTP_HELP, neverRepeated } from '../text/help-actions.ts';
import { isCurl, readCurl } from '../text/read-curl.ts';
import { addButton, groupProblem, removeButton } from './editor-rows.ts';
import type { ActionView } from './editor-view.ts';
import { areaField, checkField, selectField, textField } from './form-field.ts';

/** Method, address, headers, body, what is expected, and whether it may be sent again. */
export function httpFields(view: ActionView): TemplateResult {
  const { form, set } = view;
  return html`<div class="request" @paste=${(event: ClipboardEvent) => pasteCurl(event, view)}>
      ${selectField({
        id: view.id('method'),
        label: 'Method',
        value: form.reachability ? 'GET' : form.method,
        // A reachability check is a GET; another method is chosen once it is switched off.
        options: (form.reachability ? (['GET'] as const) : HTTP_METHODS).map((method) => ({
          value: method,
          label: method,
        })),
        onChange: (method) => {
          set({ method });
        },
      })}
      ${textField({
        id: view.id('url'),
        label: 'URL',
        value: form.url,
        inputmode: 'url',
        mono: true,
        required: true,
        placeholder: 'https://api.example.com/health',
        hint: HTTP_HELP.url,
        problem: view.problem('url'),
        insert: view.insert,
        onInput: (url) => {
          set({ url });
        },
      })}
    </div>
    <rota-network-access .address=${form.url}></rota-network-access>
    ${form.reachability ? reachabilityFields(view) : answerFields(view)}`;
}

/** Only whether something answers: nothing can be sent along, and of the answer nothing but its time can be checked. */
function reachabilityFields(view: ActionView): TemplateResult {
  return html`${reachabilitySwitch(view)} ${withinField(view)}`;
}

function reachabilitySwitch({ form, set, id }: ActionView): TemplateResult {
  return checkField({
    id: id('reachability'),
    label: HTTP_HELP.reachability.label,
    hint: HTTP_HELP.reachability.does,
    checked: form.reachability,
    onChange: (reachability) => {
      set({ reachability });
    },
  });
}

function answerFields(view: ActionView): TemplateResult {
  const { form, set } = view;
  return html`${headerRows(view)}
  ${
    takesBody(form.method)
      ? areaField({
          id: view.id('body'),
          label: 'Body',
          value: form.body,
          rows: 4,
          mono: true,
          hint: bodyHint(view),
          problem: view.problem('body'),
          insert: view.insert,
          onInput: (body) => {
            set({ body });
          },
        })
      : nothing
  }
  ${expectFields(view)} ${form.method === 'GET' ? reachabilitySwitch(view) : nothing}
  ${form.method === 'GET' || form.method === 'HEAD' ? nothing : repeatFields(view)}`;
}

/** A curl command that is pasted becomes the request; headers and body that were there are replaced. */
function pasteCurl(event: ClipboardEvent, { set }: ActionView): void {
  const text = event.clipboardData?.getData('text') ?? '';
  if (!isCurl(text)) return;
  event.preventDefault();
  const read = readCurl(text);
  if (read.kind === 'refused') {
    showToast({ text: `Not taken. ${read.reason}`, tone: 'bad' });
    return;
  }
  const { method, url, headers, body, leftOut } = read.request;
  set({ method, url, headers, body, reachability: false });
  const taken = [
    method,
    'the address',
    ...headers.map(({ name }) => name),
    ...(body === '' ? [] : ['the body']),
  ];
  const left = leftOut.length === 0 ? '' : ` Left out: ${listText(leftOut)}.`;
  showToast({ text: `Taken from curl: ${listText(taken)}.${left}` });
}

/** A JSON body without a type is what most first requests to an API fail with. */
function bodyHint({ form }: ActionView): string | undefined {
  const typed = form.headers.some(({ name }) => name.trim().toLowerCase() === 'content-type');
  if (typed || !/^\s*[[{]/.test(form.body)) return undefined;
  return HTTP_HELP.json;
}

function repeatFields({ form, set, id }: ActionView): TemplateResult {
  return html`<fieldset class="form-field">
    <legend>If it has to be sent again</legend>
    <p class="hint">
      ${form.idempotencyKey || form.repeatable ? HTTP_HELP.repeats : neverRepeated(form.method)}
    </p>
    ${checkField({
      id: id('idempotency'),
      label: HTTP_HELP.idempotencyKey.label,
      hint: HTTP_HELP.idempotencyKey.does,
      checked: form.idempotencyKey,
      onChange: (idempotencyKey) => {
        set({ idempotencyKey });
      },
    })}
    ${checkField({
      id: id('repeatable'),
      label: HTTP_HELP.repeatable.label,
      hint: HTTP_HELP.repeatable.does,
      checked: form.repeatable,
      onChange: (repeatable) => {
        set({ repeatable });
      },
    })}
  </fieldset>`;
}

/** The headers of a request, one a row. */
export function headerRows(view: ActionView): TemplateResult {
  const { form, set } = view;
  return headerList({
    id: view.id('headers'),
    rows: form.headers,
    problemAt: (index) => view.problem(`headers.${index}`),
    below: groupProblem(view.id('headers'), view.problem('headers')),
    insert: view.insert,
    onChange: (headers) => {
      set({ headers });
    },
  });
}

/** What a list of headers is made of; `id` is unique in the root that it is rendered into. */
interface HeaderListOptions {
  readonly id: string;
  readonly rows: readonly HeaderRow[];
  readonly problemAt?: (index: number) => string | null;
  /** What stands below the rows. */
  readonly below?: TemplateResult | typeof nothing;
  /** Offers what can be inserted into a value. */
  readonly insert?: (event: Event) => void;
  readonly onChange: (rows: readonly HeaderRow[]) => void;
}

/** Headers that are typed, one a row. */
export function headerList({
  id,
  rows,
  problemAt,
  below,
  insert,
  onChange,
}: HeaderListOptions): TemplateResult {
  const change = (index: number, part: Partial<HeaderRow>): void => {
    onChange(rows.map((row, at) => (at === index ? { ...row, ...part } : row)));
  };
  return html`<fieldset class="form-field headers" id=${id} tabindex="-1">
    <legend>Headers</legend>
    ${rows.map((row, index) => {
      const number = index + 1;
      return html`<div class="header-row">
        ${textField({
          id: `${id}-${index}`,
          label: `Name of header ${number}`,
          labelHidden: true,
          value: row.name,
          mono: true,
          placeholder: 'Accept',
          problem: problemAt?.(index),
          onInput: (name) => {
            change(index, { name });
          },
        })}
        ${textField({
          id: `${id}-${index}-value`,
          label: `Value of header ${number}`,
          labelHidden: true,
          value: row.value,
          mono: true,
          placeholder: 'application/json',
          insert,
          onInput: (value) => {
            change(index, { value });
          },
        })}
        ${removeButton(`header ${row.name.trim() === '' ? number : row.name}`, () => {
          onChange(rows.filter((_row, at) => at !== index));
        })}
      </div>`;
    })}
    ${below ?? nothing}
    ${addButton('Add a header', () => {
      onChange([...rows, { name: '', value: '' }]);
    })}
  </fieldset>`;
}
