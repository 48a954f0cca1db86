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

/** A question of more than yes and no. */
export interface Choice<Answer> extends Omit<Question, 'confirm'> {
  /** What may be done, each by its name; the last one is what harms. */
  readonly answers: readonly { readonly answer: Answer; readonly label: string }[];
}

/** Asks, and resolves to whether the person confirmed; closing it in any other way is a no. */
export async function askToConfirm({ confirm, ...question }: Question): Promise<boolean> {
  return (await askToChoose({ ...question, answers: [{ answer: true, label: confirm }] })) ?? false;
}

/** Asks, and resolves to what the person chose; to `null` when it was closed in any other way. */
export function askToChoose<Answer>(question: Choice<Answer>): Promise<Answer | null> {
  const place = document.createElement('div');
  const root = place.attachShadow({ mode: 'open' });
  root.adoptedStyleSheets = buttonStyles.flatMap((style) => style.styleSheet ?? []);
  document.body.append(place);
  return new Promise((resolve) => {
    let chosen: Answer | null = null;
    const settle = (answer: Answer | null): void => {
      chosen = answer;
      root.querySelector('rota-dialog')?.hide();
    };
    const closed = (): void => {
      place.remove();
      resolve(chosen);
    };
    render(
      html`<rota-dialog heading=${question.heading} with-footer @close=${closed}>
        <p>${question.text}</p>
        <button slot="footer" class="btn" autofocus @click=${() => settle(null)}>
          ${question.cancel ?? 'Cancel'}
        </button>
        ${question.answers.map(
          ({ answer, label }, index) =>
            html`<button
              slot="footer"
              class=${index === question.answers.length - 1 ? 'btn danger primary' : 'btn'}
              @click=${() => settle(answer)}
            >
              ${label}
            </button>`,
        )}
      </rota-dialog>`,
      root,
    );
    void root.querySelector('rota-dialog')?.show();
  });
}
