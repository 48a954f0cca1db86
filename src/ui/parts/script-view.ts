/** What a script left behind, for the list of a run's steps. All of it came from the script and is shown as text. */
import { type TemplateResult, css, html, nothing } from 'lit';
import type { ScriptOutput } from '../../domain/index.ts';
import { countText } from '../text/counts.ts';
import { clockTimeMs } from '../text/dates.ts';
import { durationText } from '../text/durations.ts';
import './body-view.ts';

/** How many lines around the one at fault are shown. */
const AROUND = 2;

/** Its log, requests, value and error; `source` is what ran, to show the line at fault. */
export function scriptStep(output: ScriptOutput, source: string | null): TemplateResult {
  const { computedMs, log, requests, value, error } = output;
  return html`<p>
      <b>${error === undefined ? 'Ran' : 'Stopped'}</b>
      <span class="quiet small">${durationText(computedMs)} of computing</span>
    </p>
    ${
      log.length === 0
        ? nothing
        : html`<ol class="script-log" aria-label="Log">
            ${log.map(
              ({ at, text }) =>
                html`<li><span class="quiet">${clockTimeMs(at)}</span> <span>${text}</span></li>`,
            )}
          </ol>`
    }
    ${
      requests.length === 0
        ? nothing
        : html`<details>
            <summary>${countText(requests.length, 'request')}</summary>
            <ul class="script-log">
              ${requests.map(
                ({ method, url, status, totalMs }) =>
                  html`<li>
                    <span>${method} ${url}: ${status ?? 'no answer'}, ${durationText(totalMs)}</span>
                  </li>`,
              )}
            </ul>
          </details>`
    }
    ${error === undefined ? nothing : excerpt(error, source)}
    ${
      value === undefined
        ? nothing
        : html`<rota-body-view
            .text=${value}
            .contentType=${'application/json'}
            label="Returned value"
            name="returned"
          ></rota-body-view>`
    }`;
}

function excerpt(
  { name, message, line, column }: NonNullable<ScriptOutput['error']>,
  source: string | null,
): TemplateResult {
  const what = [name, message].filter((part) => part !== '').join(': ');
  const said = what === '' ? nothing : html`<p class="bad">${what}</p>`;
  if (line === undefined || source === null) return html`${said}`;
  const lines = source.split('\n');
  const from = Math.max(1, line - AROUND);
  const shown = lines.slice(from - 1, line + AROUND);
  return html`${said}
    <ol class="script-source" start=${from} aria-label="Source around line ${line}">
      ${shown.map((text, index) => {
        const isIt = from + index === line;
        return html`<li class=${isIt ? 'at-fault' : ''} aria-current=${isIt ? 'true' : nothing}>
          <code>${text === '' ? ' ' : text}</code>${
            isIt
              ? html`<span class="sr-only">
                  (stopped here${column === undefined ? '' : `, column ${column}`})</span
                >`
              : nothing
          }
        </li>`;
      })}
    </ol>`;
}

/** How they look. */
export const scriptStyles = css`
  .script-log,
  .script-source {
    max-height: 24em;
    margin: 0;
    padding: var(--space-2) var(--space-3);
    overflow: auto;
    border-inline-start: 2px solid var(--rule-strong);
    font: var(--size-s) / 1.5 var(--font-mono);
    overflow-wrap: anywhere;
  }

  .script-log > li > span,
  .script-source code {
    white-space: pre-wrap;
  }

  .script-log {
    list-style: none;
  }

  .script-source {
    padding-inline-start: 4ch;
  }

  .script-source .at-fault {
    color: var(--bad);
    font-weight: 600;
  }

  .script-source .at-fault::marker {
    content: '▸ ';
  }
`;
