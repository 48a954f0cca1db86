import { html, render } from 'lit';
import './dialog.ts';
import { buttonStyles } from './styles.ts';

/** A question that stands before something that cannot be undone. What can be undone is done, with a toast. */
export interface Question {
  readonly heading: string;
  /** What will happen, in a sentence. */
  readonly text: string;
  /** Names what is done: `Delete and stop the run`. */
  readonly confirm: string;
  /** Names what stays: `Keep it`. */
  readonly cancel?: string;
}

/** Asks, and resolves to whether the person confirmed; closing it in any other way is a no. */
export function askToConfirm(question: Question): Promise<boolean> {
  const place = document.createElement('div');
  const root = place.attachShadow({ mode: 'open' });
  root.adoptedStyleSheets = buttonStyles.flatMap((style) => style.styleSheet ?? []);
  document.body.append(place);
  return new Promise((resolve) => {
    let answer = false;
    const settle = (yes: boolean): void => {
      answer = yes;
      root.querySelector('rota-dialog')?.hide();
    };
    const closed = (): void => {
      place.remove();
      resolve(answer);
    };
    render(
      html`<rota-dialog heading=${question.heading} with-footer @close=${closed}>
        <p>${question.text}</p>
        <button slot="footer" class="btn" autofocus @click=${() => settle(false)}>
          ${question.cancel ?? 'Cancel'}
        </button>
        <button slot="footer" class="btn danger primary" @click=${() => settle(true)}>
          ${question.confirm}
        </button>
      </rota-dialog>`,
      root,
    );
    void root.querySelector('rota-dialog')?.show();
  });
}
