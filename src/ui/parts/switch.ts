import { css, html, type TemplateResult } from 'lit';

/** An on/off switch and what it is called. */
export interface SwitchOptions {
  readonly on: boolean;
  /** Its accessible name; nothing is written beside it. */
  readonly label: string;
  readonly disabled?: boolean;
  readonly change: () => void;
}

/**
 * A switch that is light enough for one a row. It shows what *is*: `change` asks for the other state, and it moves when
 * that is so.
 */
export function switchControl({ on, label, disabled = false, change }: SwitchOptions): TemplateResult {
  return html`<button
    class="switch"
    role="switch"
    aria-checked=${on}
    aria-label=${label}
    title=${label}
    ?disabled=${disabled}
    @click=${change}
  ></button>`;
}

/** Beside `shared` for what uses {@link switchControl}. */
export const switchStyles = css`
  .switch {
    position: relative;
    flex: none;
    width: 32px;
    height: 32px;
  }

  .switch::before {
    content: '';
    position: absolute;
    inset: 7px 0;
    border-radius: 9px;
    background: none;
    box-shadow: inset 0 0 0 1.5px var(--edge);
    transition: background var(--quick);
  }

  .switch::after {
    content: '';
    position: absolute;
    inset-inline-start: 4px;
    top: 11px;
    width: 10px;
    height: 10px;
    border-radius: 50%;
    background: var(--edge);
    transition:
      inset-inline-start var(--quick) var(--ease),
      background var(--quick);
  }

  .switch[aria-checked='true']::before {
    background: var(--ink);
    box-shadow: none;
  }

  .switch[aria-checked='true']::after {
    background: var(--paper);
    inset-inline-start: 18px;
  }

  .switch:hover::before {
    box-shadow: inset 0 0 0 1.5px var(--ink-2);
  }

  .switch:disabled {
    opacity: 0.5;
    cursor: default;
  }

  @media (forced-colors: active) {
    .switch::before {
      border: 1px solid ButtonText;
    }

    .switch[aria-checked='true']::before {
      background: Highlight;
    }

    .switch::after {
      background: ButtonText;
    }

    .switch[aria-checked='true']::after {
      background: HighlightText;
    }
  }
`;
