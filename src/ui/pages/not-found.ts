import { LitElement, html, type TemplateResult } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import { empty, placeholderStyles } from '../parts/placeholder.ts';
import { pageHeader } from '../parts/page-header.ts';
import { shared } from '../parts/styles.ts';
import { href } from '../router.ts';

/** Shown for an address that names no screen. */
@customElement('rota-not-found-page')
export class NotFoundPage extends LitElement {
  static override styles = [shared, placeholderStyles];

  @property() path = '';

  protected override render(): TemplateResult {
    return html`${pageHeader({ title: 'Nothing here' })}
    ${empty(
      'This address names no screen of Rota.',
      html`<code>#${this.path}</code> may be from another version, or cut short.`,
      html`<a class="btn primary" href=${href.automations()}>All automations</a>`,
    )}`;
  }
}
