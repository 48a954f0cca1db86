/** Both versions of an automation that was changed twice, part by part, with a choice for each. */
import { type TemplateResult, css, html } from 'lit';
import { live } from 'lit/directives/live.js';
import type { EpochMs } from '../../domain/index.ts';
import { type ConflictPath, type Difference, type Side, preferredSide } from '../pages/editor-conflict.ts';
import { partLabel, partText } from '../pages/editor-words.ts';
import './dialog.ts';

/** What the view shows and does. */
export interface ConflictOptions {
  readonly differences: readonly Difference[];
  readonly chosen: ReadonlyMap<ConflictPath, Side>;
  readonly now: EpochMs;
  readonly busy: boolean;
  readonly choose: (path: ConflictPath, side: Side) => void;
  readonly chooseAll: (side: Side) => void;
  /** Saves what is chosen. */
  readonly save: () => void;
  /** Goes back to the form as it was. */
  readonly close: () => void;
}

/** The side that a difference is taken from now. */
export function sideOf(difference: Difference, chosen: ReadonlyMap<ConflictPath, Side>): Side {
  return chosen.get(difference.path) ?? preferredSide(difference);
}

/** The dialog; the element that renders it opens it with `show()`. */
export function conflictView(options: ConflictOptions): TemplateResult {
  const { differences, busy } = options;
  return html`<rota-dialog
    class="conflict"
    heading="It was changed while you were editing"
    with-footer
    @close=${options.close}
  >
    <p class="quiet">
      Nothing of yours is lost and nothing is saved yet. Where only one side changed a part, that side is
      chosen.
    </p>
    <div class="both" role="group" aria-label="Take all parts from one side">
      <button
        type="button"
        class="btn"
        @click=${() => {
          options.chooseAll('mine');
        }}
      >
        Keep all of mine
      </button>
      <button
        type="button"
        class="btn"
        @click=${() => {
          options.chooseAll('theirs');
        }}
      >
        Take all of theirs
      </button>
    </div>
    <ul class="parts">
      ${differences.map((difference) => partRow(difference, options))}
    </ul>
    <button slot="footer" type="button" class="btn" @click=${options.close}>Back to editing</button>
    <button slot="footer" type="button" class="btn primary" ?disabled=${busy} @click=${options.save}>
      ${busy ? 'Saving…' : 'Save what is chosen'}
    </button>
  </rota-dialog>`;
}

function partRow(difference: Difference, options: ConflictOptions): TemplateResult {
  const { path, changedBy } = difference;
  const side = sideOf(difference, options.chosen);
  const choice = (one: Side, label: string, value: unknown): TemplateResult =>
    html`<label class=${one === side ? 'taken' : ''}
      ><input
        type="radio"
        name="part-${path}"
        .checked=${live(one === side)}
        @change=${() => {
          options.choose(path, one);
        }}
      /><span><b>${label}</b><span class="value">${partText(path, value, options.now)}</span></span></label
    >`;
  return html`<li>
    <fieldset>
      <legend>
        ${partLabel(path)}${changedBy === 'both' ? html` <span class="warn">both changed it</span>` : ''}
      </legend>
      ${choice('mine', 'Mine', difference.mine)} ${choice('theirs', 'Theirs', difference.theirs)}
    </fieldset>
  </li>`;
}

/** How it looks. */
export const conflictStyles = css`
  .conflict {
    --dialog-width: 760px;
  }

  .conflict .both {
    display: flex;
    flex-wrap: wrap;
    gap: var(--space-2);
    margin: var(--space-4) 0 var(--space-3);
  }

  .conflict .parts > li {
    border-top: 1px solid var(--rule);
    padding: var(--space-3) 0;
  }

  .conflict fieldset {
    display: grid;
    grid-template-columns: repeat(2, minmax(0, 1fr));
    gap: var(--space-2);
    margin: 0;
    padding: 0;
    border: 0;
  }

  .conflict legend {
    padding: 0 0 6px;
    font-size: var(--size-s);
    font-weight: 500;
  }

  .conflict legend .warn {
    font-weight: 400;
  }

  .conflict label {
    display: flex;
    gap: 10px;
    align-items: start;
    padding: 8px 10px;
    border: 1px solid var(--rule-strong);
    border-radius: var(--radius-s);
    font-size: var(--size-s);
    cursor: pointer;
  }

  .conflict label.taken {
    border-color: var(--act);
    box-shadow: inset 0 0 0 1px var(--act);
    background: var(--act-soft);
  }

  .conflict input {
    flex: none;
    margin: 3px 0 0;
    accent-color: var(--act);
  }

  .conflict label b {
    display: block;
    font-weight: 500;
    color: var(--ink-2);
  }

  .conflict .value {
    display: block;
    max-height: 9.5em;
    overflow: auto;
    overflow-wrap: anywhere;
    white-space: pre-wrap;
  }

  @media (max-width: 560px) {
    .conflict fieldset {
      grid-template-columns: minmax(0, 1fr);
    }
  }
`;
