/** Pictures that a pointer can press. A keyboard has the same as links in the table beside each of them. */
import { css } from 'lit';

/** The drawing of a screen's part that `event` of a pointer is on, as its part hears it; `null` beside it. */
export function drawingUnder(event: MouseEvent): SVGSVGElement | null {
  return event.composedPath().find((target) => target instanceof SVGSVGElement) ?? null;
}

/** The table beside a drawing: `<details>` with a `<summary>`, and the table in what scrolls, `.table`. */
export const tableStyles = css`
  details {
    padding: var(--space-4) var(--gutter) 0;
    font-size: var(--size-s);
  }

  summary {
    width: fit-content;
    color: var(--ink-2);
    cursor: pointer;
  }

  .table {
    overflow-x: auto;
    margin-top: var(--space-3);
  }

  table {
    border-collapse: collapse;
  }

  th,
  td {
    padding: 6px var(--space-5) 6px 0;
    border-bottom: 1px solid var(--rule);
    text-align: start;
  }

  thead th {
    color: var(--ink-3);
    font-size: var(--size-xs);
    font-weight: 500;
  }

  tbody th {
    font-weight: 500;
  }
`;
