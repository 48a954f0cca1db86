import { LitElement, type PropertyValues, type TemplateResult, css, html, nothing } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import type { Failure, ModelEndpointInput, ModelList } from '../../domain/index.ts';
import { icon } from '../icons/icon.ts';
import { askForLocalNetwork } from '../local-network.ts';
import type { RemoteHost } from '../remote-host.ts';
import { countText } from '../text/counts.ts';
import { durationText } from '../text/durations.ts';
import { errorSentence } from '../text/errors.ts';
import { problemOf } from '../watched.ts';
import { formStyles } from './form-field.ts';
import { shared } from './styles.ts';

/** What came of the test. */
type Tested =
  | { readonly kind: 'not-yet' }
  | { readonly kind: 'asking' }
  | Extract<ModelList, { readonly kind: 'models' }>
  | { readonly kind: 'failed'; readonly failure: Pick<Failure, 'message' | 'advice'> };

/** A model was chosen from the list. */
export type ModelChosen = CustomEvent<{ readonly model: string }>;

/**
 * Asks an endpoint for its models by a press, as a run would ask it, and offers them: `<rota-model-test .host=${host}
 * .endpoint=${endpoint} @rota-model=${(event: ModelChosen) => …}>`. What goes wrong is said with what to do about it.
 */
@customElement('rota-model-test')
export class ModelTest extends LitElement {
  static override styles = [
    shared,
    formStyles,
    css`
      .row {
        display: flex;
        flex-wrap: wrap;
        align-items: center;
        gap: var(--space-2) var(--space-3);
      }

      [role='status'] {
        max-width: 72ch;
        font-size: var(--size-s);
        color: var(--ink-2);
        overflow-wrap: anywhere;
      }

      .bad {
        color: var(--bad);
      }

      .select {
        max-width: 100%;
      }
    `,
  ];

  @property({ attribute: false }) host!: RemoteHost;
  @property({ attribute: false }) endpoint!: ModelEndpointInput;
  /** The model that is chosen now. */
  @property({ attribute: false }) model = '';
  @state() private tested: Tested = { kind: 'not-yet' };
  #about = '';

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (!changed.has('endpoint')) return;
    const about = JSON.stringify(this.endpoint);
    // What was found out about another endpoint says nothing of this one.
    if (about !== this.#about) this.tested = { kind: 'not-yet' };
    this.#about = about;
  }

  readonly #test = async (): Promise<void> => {
    if (this.tested.kind === 'asking') return;
    this.tested = { kind: 'asking' };
    const about = this.#about;
    const tested = await this.#ask();
    if (about === this.#about) this.tested = tested;
  };

  async #ask(): Promise<Tested> {
    try {
      await askForLocalNetwork(this.endpoint.baseUrl);
      const answer = await this.host.listModels(this.endpoint);
      if (answer.kind !== 'invalid') return answer;
      return {
        kind: 'failed',
        failure: { message: answer.problems.map(({ message }) => message).join(' ') },
      };
    } catch (error) {
      return { kind: 'failed', failure: { message: errorSentence(problemOf(error).code) } };
    }
  }

  readonly #choose = (event: Event): void => {
    const model = (event.target as HTMLSelectElement).value;
    if (model !== '')
      this.dispatchEvent(new CustomEvent('rota-model', { detail: { model } }) satisfies ModelChosen);
  };

  protected override render(): TemplateResult {
    const { tested } = this;
    return html`<div class="row">
      <button type="button" class="btn" ?disabled=${tested.kind === 'asking'} @click=${this.#test}>
        Test and list models
      </button>
      ${tested.kind === 'models' && tested.models.length > 0 ? this.#list(tested.models) : nothing}
      <p role="status">${this.#said()}</p>
    </div>`;
  }

  #list(models: readonly string[]): TemplateResult {
    return html`<span class="select">
      <select class="field" aria-label="Models of this endpoint" @change=${this.#choose}>
        <option value="" ?selected=${!models.includes(this.model)}>Choose a model</option>
        ${models.map((name) => html`<option value=${name} ?selected=${name === this.model}>${name}</option>`)}
      </select>
      ${icon('chevron-down', 12)}
    </span>`;
  }

  #said(): TemplateResult | string {
    const { tested } = this;
    switch (tested.kind) {
      case 'not-yet':
        return '';
      case 'asking':
        return 'Asking…';
      case 'models':
        return tested.models.length === 0
          ? 'It answers, and has no models yet.'
          : `It answers: ${countText(tested.models.length, 'model')}, in ${durationText(tested.tookMs)}.`;
      case 'failed':
        return html`<span class="bad">${tested.failure.message}</span> ${tested.failure.advice ?? ''}`;
    }
  }
}

declare global {
  interface HTMLElementTagNameMap {
    'rota-model-test': ModelTest;
  }
}
