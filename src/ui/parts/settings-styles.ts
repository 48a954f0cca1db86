import { css } from 'lit';

/** What the panels of the settings about data share: their text, and a line of it with what one can press beside it. */
export const panelStyles = css`
  :host {
    display: grid;
  }

  p {
    font-size: var(--size-s);
    text-wrap: pretty;
  }

  .line {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: var(--space-2) var(--space-3);
  }

  .line > p {
    flex: 1 1 260px;
  }
`;
