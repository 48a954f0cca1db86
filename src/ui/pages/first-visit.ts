import { LitElement, css, html, type TemplateResult } from 'lit';
import { customElement } from 'lit/decorators.js';
import { icon } from '../icons/icon.ts';
import { cellStyles, runCell } from '../parts/run-bar.ts';
import { statusShape, statusStyles } from '../parts/status-mark.ts';
import { shared } from '../parts/styles.ts';
import { href } from '../router.ts';
import { starters, templates } from '../starters.ts';
import { scheduleSentence } from '../text/schedule.ts';
import { KNOW, LEGEND } from '../text/legend.ts';
import { statusWord } from '../text/status.ts';

/**
 * What the first visit shows: what Rota is in a line, the one thing to know, three automations to begin with, and how
 * to read what will stand here afterwards.
 */
@customElement('rota-first-visit')
export class FirstVisit extends LitElement {
  static override styles = [
    shared,
    statusStyles,
    cellStyles,
    css`
      :host {
        max-width: 920px;
        padding: clamp(32px, 7vh, 88px) var(--gutter) var(--space-7);
      }

      h1 {
        max-width: 22ch;
        font-size: clamp(1.75rem, 1.2rem + 2.2vw, 2.75rem);
        line-height: 1.08;
        letter-spacing: -0.032em;
      }

      .know {
        max-width: 60ch;
        margin-top: var(--space-4);
        color: var(--ink-2);
        font-size: var(--size-l);
        line-height: 1.45;
        text-wrap: pretty;
      }

      .know strong {
        color: var(--ink);
        font-weight: var(--weight-strong);
      }

      h2 {
        margin-top: var(--space-7);
        padding-bottom: 10px;
        border-bottom: 2px solid var(--ink);
      }

      .starter {
        position: relative;
        display: grid;
        grid-template-columns: minmax(0, 1fr) auto;
        align-items: center;
        gap: 4px var(--space-5);
        padding: 14px 0;
        border-bottom: 1px solid var(--rule);
      }

      .starter:hover {
        border-color: var(--rule-strong);
      }

      .title {
        color: var(--ink);
        font-size: var(--size-l);
        font-weight: var(--weight-strong);
        letter-spacing: -0.01em;
        text-decoration: none;
      }

      .title::after {
        content: '';
        position: absolute;
        inset: 0;
      }

      .starter:hover .title {
        color: var(--act);
      }

      .why {
        margin-top: 2px;
        color: var(--ink-2);
        text-wrap: pretty;
      }

      .when {
        color: var(--ink-3);
        font-size: var(--size-s);
        text-align: end;
      }

      .go {
        display: inline-flex;
        align-items: center;
        gap: 6px;
        color: var(--act);
        font-size: var(--size-s);
        font-weight: 500;
      }

      .end {
        display: grid;
        justify-items: end;
        gap: 4px;
      }

      .more {
        margin-top: var(--space-4);
      }

      .templates {
        display: grid;
        grid-template-columns: repeat(auto-fit, minmax(220px, 1fr));
        gap: var(--space-3) var(--space-5);
        margin-top: var(--space-2);
        font-size: var(--size-s);
      }

      .templates a {
        display: inline-block;
        min-height: 24px;
        font-weight: var(--weight-strong);
      }

      .others {
        display: flex;
        flex-wrap: wrap;
        gap: var(--space-2);
        margin-top: var(--space-4);
      }

      dl {
        display: grid;
        grid-template-columns: repeat(auto-fit, minmax(140px, 1fr));
        gap: var(--space-4) var(--space-5);
        margin-top: var(--space-4);
        font-size: var(--size-s);
      }

      dt {
        display: flex;
        align-items: end;
        gap: 7px;
        font-weight: var(--weight-strong);
      }

      dt .shape {
        margin-bottom: 3px;
      }

      dd {
        margin-top: 2px;
        color: var(--ink-2);
      }

      @media (max-width: 600px) {
        .starter {
          grid-template-columns: minmax(0, 1fr);
        }

        .end {
          grid-template-columns: 1fr auto;
          justify-items: start;
          align-items: center;
        }

        .when {
          text-align: start;
        }
      }
    `,
  ];

  protected override render(): TemplateResult {
    const now = Date.now();
    return html`<h1 tabindex="-1">Your automations, on time and exactly once, in your own browser.</h1>
      <p class="know"><strong>${KNOW.first}</strong>${KNOW.rest}</p>
      <h2>Begin with one that works</h2>
      <ul>
        ${starters.map(
          ({ id, title, why, definition }) =>
            html`<li class="starter">
              <div>
                <a class="title" href=${href.new({ starter: id })}>${title}</a>
                <p class="why">${why}</p>
              </div>
              <div class="end">
                <span class="when">${scheduleSentence(definition.schedule, now)}</span>
                <span class="go" aria-hidden="true">Open as a draft ${icon('arrow-right', 14)}</span>
              </div>
            </li>`,
        )}
      </ul>
      <p class="why more">Or with one of these, which stays paused until you switch it on:</p>
      <ul class="templates">
        ${templates.map(
          ({ id, title, why }) =>
            html`<li>
              <a href=${href.new({ starter: id })}>${title}</a>
              <p class="why">${why}</p>
            </li>`,
        )}
      </ul>
      <div class="others">
        <a class="btn" href=${href.new()}>${icon('plus')} Begin with an empty one</a>
        <a class="btn bare" href=${href.settings()}>${icon('upload')} Import a file</a>
      </div>
      <h2>How to read what will stand here</h2>
      <dl>
        ${LEGEND.map(
          ({ kind, means }) =>
            html`<div>
              <dt>${runCell(kind)} ${statusShape(kind, 14)} ${statusWord(kind)}</dt>
              <dd>${means}</dd>
            </div>`,
        )}
      </dl>`;
  }
}
