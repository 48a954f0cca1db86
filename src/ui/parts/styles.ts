/**
 * Styles that every screen's shadow root shares. Buttons and links are native elements with the classes below; Web
 * Awesome supplies the form fields, whose look comes from the tokens.
 *
 *     static override styles = [shared, css`…`];
 */
import { css, type CSSResult, type CSSResultGroup } from 'lit';

const reset = css`
  *,
  *::before,
  *::after {
    box-sizing: border-box;
  }

  :host {
    display: block;
  }

  :host([hidden]),
  [hidden] {
    display: none !important;
  }

  h1,
  h2,
  h3,
  p,
  ol,
  ul,
  dl,
  dd,
  figure {
    margin: 0;
    padding: 0;
  }

  ol,
  ul {
    list-style: none;
  }

  :focus-visible {
    outline: var(--focus);
    outline-offset: 2px;
    border-radius: var(--radius-s);
  }

  /* Headings take focus on arrival, so that a screen reader begins there; it is no control and shows no ring. */
  h1:focus {
    outline: none;
  }

  a {
    color: var(--act);
    text-decoration-thickness: 1px;
    text-underline-offset: 0.18em;
  }

  a:hover {
    color: var(--act-hover);
  }

  svg {
    display: block;
  }

  kbd {
    font: var(--size-xs) / 1.5 var(--font-mono);
    border: 1px solid var(--rule-strong);
    border-radius: 3px;
    padding: 0 5px;
    color: var(--ink-2);
  }

  code,
  pre {
    font-family: var(--font-mono);
    font-size: 0.92em;
  }
`;

const text = css`
  /* An address, a rule or a time reads in its own direction in whatever text it stands. */
  .mono {
    font-family: var(--font-mono);
    font-size: var(--size-s);
    letter-spacing: -0.01em;
    unicode-bidi: plaintext;
  }

  .small {
    font-size: var(--size-s);
  }

  .quiet {
    color: var(--ink-2);
  }

  .faint {
    color: var(--ink-3);
  }

  .strong {
    font-weight: var(--weight-strong);
  }

  .ok {
    color: var(--ok);
  }

  .bad {
    color: var(--bad);
  }

  .warn {
    color: var(--warn);
  }

  .now {
    color: var(--now);
  }

  .clip {
    min-width: 0;
    overflow: hidden;
    text-overflow: ellipsis;
    white-space: nowrap;
  }

  /* Heads of columns and of groups of facts. */
  .label {
    font-size: var(--size-xs);
    font-weight: 500;
    color: var(--ink-3);
    letter-spacing: 0.01em;
  }

  .sr-only {
    position: absolute;
    width: 1px;
    height: 1px;
    margin: -1px;
    padding: 0;
    border: 0;
    overflow: hidden;
    clip-path: inset(50%);
    white-space: nowrap;
  }
`;

const buttons = css`
  button {
    font: inherit;
    color: inherit;
    background: none;
    border: 0;
    padding: 0;
    margin: 0;
    cursor: pointer;
    -webkit-tap-highlight-color: transparent;
  }

  .btn {
    display: inline-flex;
    align-items: center;
    justify-content: center;
    gap: 7px;
    min-height: var(--target);
    padding: 0 12px;
    border: 1px solid var(--rule-strong);
    border-radius: var(--radius-s);
    background: var(--sheet);
    color: var(--ink);
    font: 500 var(--size-s) / 1 var(--font);
    text-decoration: none;
    white-space: nowrap;
    cursor: pointer;
  }

  .btn:hover {
    border-color: var(--edge);
    color: var(--ink);
  }

  .btn:active {
    background: var(--sunk);
  }

  .btn.primary {
    background: var(--act);
    border-color: var(--act);
    color: var(--act-ink);
  }

  .btn.primary:hover {
    background: var(--act-hover);
    border-color: var(--act-hover);
    color: var(--act-ink);
  }

  .btn.danger {
    color: var(--bad);
  }

  .btn.danger.primary {
    background: var(--bad);
    border-color: var(--bad);
    color: var(--paper);
  }

  /* A control among text: no frame until it is looked at. */
  .btn.bare {
    background: none;
    border-color: transparent;
    color: var(--ink-2);
  }

  .btn.bare:hover {
    background: var(--hover);
    color: var(--ink);
  }

  .btn.icon {
    width: var(--target);
    padding: 0;
  }

  .btn kbd {
    border-color: color-mix(in oklab, currentColor 40%, transparent);
    color: inherit;
    opacity: 0.85;
  }

  .btn:disabled,
  .btn[aria-disabled='true'] {
    opacity: 0.5;
    cursor: default;
  }

  @media (pointer: coarse) {
    .btn {
      min-height: 40px;
    }

    .btn.icon {
      width: 40px;
    }
  }

  @media (hover: none) {
    kbd {
      display: none;
    }
  }
`;

/** Native fields: text, dates, choices and filters. */
export const fieldStyles = css`
  .field {
    min-height: var(--target);
    padding: 0 10px;
    border: 1px solid var(--edge);
    border-radius: var(--radius-s);
    background: var(--sheet);
    color: var(--ink);
    font: var(--weight) var(--size-s) / 1.3 var(--font);
  }

  .field::placeholder {
    color: var(--ink-3);
    opacity: 1;
  }

  .field:focus-visible {
    outline: var(--focus);
    outline-offset: 0;
    border-color: var(--act);
  }

  /* Safari on phones zooms into a field whose text is smaller than this. */
  @media (pointer: coarse) {
    .field {
      min-height: 40px;
      font-size: 1rem;
    }
  }
`;

const page = css`
  .page-head {
    display: flex;
    flex-wrap: wrap;
    align-items: end;
    gap: var(--space-3) var(--space-4);
    padding: var(--space-6) var(--gutter) var(--space-4);
  }

  .page-head > .titles {
    flex: 1 1 auto;
    min-width: 0;
    max-width: 100%;
  }

  .page-head > .actions {
    display: flex;
    flex-wrap: wrap;
    gap: var(--space-2);
  }

  h1 {
    font-size: var(--size-xl);
    font-weight: var(--weight-head);
    line-height: 1.15;
    letter-spacing: -0.022em;
    overflow-wrap: anywhere;
    text-wrap: balance;
  }

  h2 {
    font-size: var(--size-m);
    font-weight: var(--weight-strong);
    line-height: var(--line-tight);
    letter-spacing: -0.005em;
  }

  .lead {
    max-width: 68ch;
    margin-top: var(--space-2);
    color: var(--ink-2);
    font-size: var(--size-m);
    text-wrap: pretty;
  }

  .crumb {
    display: inline-flex;
    align-items: center;
    gap: 4px;
    margin-bottom: var(--space-2);
    color: var(--ink-2);
    font-size: var(--size-s);
    text-decoration: none;
  }

  .crumb:hover {
    color: var(--ink);
    text-decoration: underline;
  }

  @media (max-width: 760px) {
    .page-head {
      padding-top: var(--space-5);
      padding-bottom: var(--space-3);
    }
  }
`;

/** The button above a list that says what is new and waits to be shown. */
export const newsStyles = css`
  /* No height of its own: what appears here moves nothing. */
  .news {
    position: sticky;
    z-index: 2;
    top: 60px;
    display: flex;
    justify-content: center;
    height: 0;
  }

  .news .btn {
    height: 32px;
    border-radius: 99px;
    box-shadow: var(--shadow);
  }
`;

/** All of it, for a screen. */
export const shared: CSSResultGroup = [reset, text, buttons, page];

/** What a button in a place of its own needs. */
export const buttonStyles: readonly CSSResult[] = [reset, buttons];
