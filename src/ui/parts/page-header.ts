import { html, nothing, type TemplateResult } from 'lit';
import { icon } from '../icons/icon.ts';

/** What stands at the top of a screen. */
export interface PageHeader {
  readonly title: string | TemplateResult;
  /** The screen above this one, for the way back. */
  readonly up?: { readonly label: string; readonly href: string };
  /** A sentence or marks under the title. */
  readonly below?: TemplateResult | typeof nothing;
  /** What can be done here, the main thing last. */
  readonly actions?: TemplateResult | typeof nothing;
}

/**
 * The head of a screen, styled by `shared`. Its h1 can take focus: the app moves there on navigation. Every screen
 * renders exactly one, in its loading and failed states too.
 */
export function pageHeader(head: PageHeader): TemplateResult {
  return html`<header class="page-head">
    <div class="titles">
      ${
        head.up === undefined
          ? nothing
          : html`<a class="crumb" href=${head.up.href}>${icon('chevron-left', 14)}${head.up.label}</a>`
      }
      <h1 tabindex="-1">${head.title}</h1>
      ${head.below ?? nothing}
    </div>
    ${
      head.actions === undefined || head.actions === nothing
        ? nothing
        : html`<div class="actions">${head.actions}</div>`
    }
  </header>`;
}
