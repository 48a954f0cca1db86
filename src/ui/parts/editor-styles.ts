import { css } from 'lit';

/** How the editor is laid out: parts on the left, what they mean on the right; on a phone the meaning follows *When*. */
export const editorStyles = css`
  .page-head .actions {
    align-items: center;
    gap: 2px 8px;
  }

  .state {
    font-size: var(--size-s);
    color: var(--ink-2);
  }

  .note {
    display: flex;
    flex-wrap: wrap;
    align-items: start;
    gap: 4px 8px;
    max-width: 76ch;
    margin-top: var(--space-2);
    font-size: var(--size-s);
    color: var(--ink-2);
  }

  .note > span {
    flex: 1 1 200px;
    min-width: 0;
  }

  .note svg {
    flex: none;
    margin-top: 0.15em;
  }

  .note.warn {
    color: var(--warn);
  }

  .link {
    color: var(--act);
    font-size: inherit;
    text-decoration: underline;
    text-decoration-thickness: 1px;
    text-underline-offset: 0.18em;
    min-height: 24px;
  }

  .link:hover {
    color: var(--act-hover);
  }

  .summary {
    margin: 0 var(--gutter) var(--space-4);
    padding: var(--space-3) var(--space-4);
    border-inline-start: 3px solid var(--bad);
    background: var(--bad-soft);
    font-size: var(--size-s);
  }

  .summary h2 {
    margin-bottom: 6px;
    font-size: var(--size-m);
  }

  .summary li {
    padding: 2px 0;
    overflow-wrap: anywhere;
  }

  .parts-grid {
    display: grid;
    grid-template-columns: minmax(0, 1fr) 344px;
    column-gap: var(--space-6);
    padding: 0 var(--gutter);
  }

  .part {
    grid-column: 1;
    display: grid;
    grid-template-columns: 152px minmax(0, 1fr);
    gap: var(--space-4) var(--space-5);
    padding: var(--space-5) 0 var(--space-6);
    border-top: 1px solid var(--rule);
  }

  .part-head p {
    margin-top: 6px;
    color: var(--ink-2);
    font-size: var(--size-s);
    text-wrap: pretty;
  }

  .fields {
    display: grid;
    gap: var(--space-4);
    max-width: 660px;
    min-width: 0;
    margin: 0;
    padding: 0;
    border: 0;
  }

  .request {
    display: grid;
    grid-template-columns: 112px minmax(0, 1fr);
    gap: var(--space-2);
  }

  .headers {
    gap: var(--space-2);
  }

  .headers:focus {
    outline: none;
  }

  .header-row {
    display: grid;
    grid-template-columns: minmax(0, 2fr) minmax(0, 3fr) var(--target);
    gap: var(--space-2);
    align-items: start;
  }

  .header-row .btn {
    margin-top: 2px;
  }

  .tools-inside {
    display: grid;
    gap: var(--space-3);
    min-width: 0;
    padding-top: var(--space-2);
  }

  .tool-server {
    display: grid;
    gap: var(--space-3);
    min-width: 0;
    padding: var(--space-3) 0 var(--space-4);
    border-bottom: 1px solid var(--rule);
  }

  .server-row {
    display: grid;
    grid-template-columns: minmax(0, 1fr) var(--target);
    gap: var(--space-2);
    align-items: start;
  }

  .server-row > .btn {
    margin-top: 26px;
  }

  .check-row {
    display: grid;
    grid-template-columns: minmax(0, 5fr) minmax(7.5rem, 3fr) minmax(0, 3fr) auto;
    gap: var(--space-2);
    align-items: start;
  }

  .check-row:has(> :nth-child(5)) {
    grid-template-columns: minmax(0, 5fr) minmax(7.5rem, 3fr) minmax(0, 2fr) minmax(0, 2fr) auto;
  }

  .check-row .btn {
    margin-top: 2px;
  }

  .row-of-fields {
    display: flex;
    flex-wrap: wrap;
    gap: var(--space-4);
  }

  .quick {
    display: flex;
    gap: var(--space-4);
    margin-top: 6px;
    font-size: var(--size-s);
  }

  .presets {
    display: flex;
    flex-wrap: wrap;
    gap: 6px;
    margin-top: var(--space-2);
  }

  .presets .btn {
    min-height: 28px;
    padding: 0 10px;
    border-radius: 99px;
    font-weight: 400;
  }

  .presets .btn[aria-pressed='true'] {
    border-color: var(--act);
    color: var(--act);
    background: var(--act-soft);
  }

  .values,
  .more > summary,
  .prompt-limits > summary,
  .prompt-tools > summary {
    font-size: var(--size-s);
  }

  .values summary,
  .more > summary,
  .prompt-limits > summary,
  .prompt-tools > summary {
    width: fit-content;
    min-height: 24px;
    color: var(--act);
    cursor: pointer;
  }

  .more > .fields {
    margin-top: var(--space-4);
  }

  .values ul {
    display: grid;
    gap: 6px;
    margin-top: var(--space-2);
  }

  .values li {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 2px 10px;
  }

  .values .btn {
    min-height: 26px;
    padding: 0 8px;
    font: var(--size-xs) / 1 var(--font-mono);
    max-width: 100%;
    overflow: hidden;
  }

  .when-aside {
    grid-column: 2;
    grid-row: 1 / span 6;
    align-self: start;
    position: sticky;
    top: 52px;
    max-height: calc(100dvh - 52px - 57px);
    overflow: auto;
    padding: var(--space-5) 0 var(--space-5) var(--space-5);
    border-inline-start: 1px solid var(--rule);
  }

  .sentence {
    font-size: var(--size-l);
    line-height: 1.32;
    letter-spacing: -0.012em;
    text-wrap: pretty;
    overflow-wrap: anywhere;
  }

  .sentence .zone {
    white-space: nowrap;
  }

  .first {
    margin-top: var(--space-2);
    font-size: var(--size-s);
    color: var(--ink-2);
  }

  .first b {
    color: var(--ink);
    font-weight: var(--weight-strong);
  }

  .first + .small {
    margin-top: 4px;
  }

  .when-aside .label {
    margin: var(--space-4) 0 2px;
  }

  .when-aside .stale {
    opacity: 0.55;
    transition: opacity var(--calm) 200ms;
  }

  .save-bar {
    position: sticky;
    bottom: 0;
    z-index: 1;
    display: flex;
    align-items: center;
    gap: var(--space-2);
    padding: 12px var(--gutter);
    border-top: 1px solid var(--rule);
    background: var(--paper);
  }

  .save-bar p {
    flex: 1;
    min-width: 0;
  }

  @media (max-width: 1080px) {
    .parts-grid {
      grid-template-columns: minmax(0, 1fr);
    }

    .when-aside {
      grid-column: 1;
      grid-row: auto;
      position: static;
      max-height: none;
      margin-bottom: var(--space-5);
      padding: var(--space-4) 0 0 176px;
      border: 0;
    }
  }

  @media (max-width: 560px) {
    .request {
      grid-template-columns: minmax(0, 1fr);
      gap: var(--space-4);
    }

    .request > .form-field:first-child {
      width: 132px;
    }

    .header-row {
      grid-template-columns: minmax(0, 1fr) var(--target);
      padding-bottom: var(--space-2);
    }

    .header-row > :nth-child(2) {
      grid-row: 2;
    }

    .check-row,
    .check-row:has(> :nth-child(5)) {
      grid-template-columns: minmax(0, 1fr) minmax(0, 1fr) var(--target);
      padding-bottom: var(--space-3);
    }

    .check-row > :first-child {
      grid-column: 1 / 3;
    }

    .check-row > :last-child {
      grid-area: 1 / 3;
    }

    .check-row > span:nth-child(3) {
      display: none;
    }

    .check-row:has(> :nth-child(5)) > :nth-child(2) {
      grid-column: 1 / 3;
    }

    .check-row:has(> :nth-child(5)) > :nth-child(3) {
      grid-column: 1;
    }
  }

  @media (max-width: 760px) {
    .part {
      grid-template-columns: minmax(0, 1fr);
      padding: var(--space-4) 0 var(--space-5);
    }

    .part-head p {
      margin-top: 2px;
    }

    .when-aside {
      padding: var(--space-4);
      margin-inline: calc(-1 * var(--gutter));
      background: var(--sunk);
    }

    .save-bar {
      bottom: calc(56px + env(safe-area-inset-bottom));
      flex-wrap: wrap;
      padding-block: 6px 8px;
    }

    .save-bar p {
      flex: 1 0 100%;
    }

    .save-bar .btn {
      flex: 1;
    }

    .save-bar kbd {
      display: none;
    }
  }
`;
