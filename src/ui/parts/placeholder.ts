/** What a screen shows when it has nothing to show: it is loading, it failed, or there is nothing. */
import { css, html, nothing, type TemplateResult } from 'lit';
import { errorText, isMendedByReload } from '../text/errors.ts';
import type { ReadProblem } from '../watched.ts';
import { icon } from '../icons/icon.ts';

/** `rows` grey rows in the rhythm of the list that is on its way. They appear only after a moment, so that nothing flickers. */
export function skeleton(rows: number, label = 'Loading'): TemplateResult {
  return html`<div class="skeleton" role="status" aria-busy="true">
    <span class="sr-only">${label}</span>
    ${Array.from({ length: rows }, () => html`<div class="bone" aria-hidden="true"><i></i><i></i></div>`)}
  </div>`;
}

/** That reading failed, and the one thing that helps, as a button. */
export function failed(problem: ReadProblem, retry: () => void): TemplateResult {
  const { what, help } = errorText(problem.code);
  return html`<div class="empty" role="alert">
    <p class="what">${icon('triangle-exclamation', 18)} ${what}</p>
    <p class="quiet">${help}</p>
    <p>${isMendedByReload(problem.code) ? reloadButton() : retryButton(retry)}</p>
    ${
      problem.message === ''
        ? nothing
        : html`<details>
            <summary>What the engine said</summary>
            <code>${problem.code}: ${problem.message}</code>
          </details>`
    }
  </div>`;
}

/** That the code of a screen could not be fetched, which a reload mends as soon as it can be mended. */
export function unloaded(): TemplateResult {
  return html`<div class="empty" role="alert">
    <p class="what">${icon('triangle-exclamation', 18)} This screen could not be loaded.</p>
    <p class="quiet">
      The network may be down, or a newer version has taken the place of this one. Your automations go on.
    </p>
    <p>${reloadButton()}</p>
  </div>`;
}

function retryButton(retry: () => void): TemplateResult {
  return html`<button class="btn primary" @click=${retry}>${icon('refresh')} Try again</button>`;
}

function reloadButton(): TemplateResult {
  return html`<button class="btn primary" @click=${() => location.reload()}>
    ${icon('refresh')} Reload this tab
  </button>`;
}

/** That there is nothing, said so that a person knows whether that is good, and what to do. */
export function empty(what: string, more: TemplateResult | string, actions?: TemplateResult): TemplateResult {
  return html`<div class="empty">
    <p class="what">${what}</p>
    <p class="quiet">${more}</p>
    ${actions === undefined ? nothing : html`<p class="actions">${actions}</p>`}
  </div>`;
}

/** Beside `shared` for what uses the states above. */
export const placeholderStyles = css`
  .skeleton {
    animation: appear 0s 180ms both;
  }

  @keyframes appear {
    from {
      visibility: hidden;
    }
  }

  .bone {
    display: grid;
    align-content: center;
    gap: 9px;
    height: var(--row);
    padding: 0 var(--gutter);
    border-bottom: 1px solid var(--rule);
  }

  .bone i {
    width: min(260px, 52%);
    height: 11px;
    border-radius: 3px;
    background: var(--rule);
    animation: wait 1.4s ease-in-out infinite alternate;
  }

  .bone i:last-child {
    width: min(180px, 34%);
    height: 8px;
  }

  @keyframes wait {
    to {
      opacity: 0.45;
    }
  }

  .empty {
    display: grid;
    justify-items: start;
    gap: var(--space-2);
    padding: var(--space-7) var(--gutter);
    max-width: calc(62ch + 2 * var(--gutter));
  }

  .empty .what {
    display: flex;
    align-items: center;
    gap: 8px;
    font-size: var(--size-l);
    font-weight: var(--weight-strong);
    letter-spacing: -0.01em;
    text-wrap: balance;
  }

  .empty[role='alert'] .what .icon {
    color: var(--bad);
    flex: none;
  }

  .empty .btn,
  .empty .actions {
    margin-top: var(--space-2);
  }

  .empty details {
    margin-top: var(--space-3);
    color: var(--ink-2);
    font-size: var(--size-s);
    overflow-wrap: anywhere;
  }

  .empty summary {
    cursor: pointer;
  }

  @media (prefers-reduced-motion: reduce) {
    .bone i {
      animation: none;
    }
  }
`;
