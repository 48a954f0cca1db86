import { LitElement, type TemplateResult, css, html, nothing } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import type { AutomationId, EpochMs, Gap } from '../../domain/index.ts';
import type { Run } from '../../rpc/index.ts';
import { type AwayPeriod, forgetAway, isAboutAway, look } from '../away.ts';
import { AwayRuns } from '../away-runs.ts';
import { answerRun, runNow } from '../commands.ts';
import type { RemoteHost } from '../remote-host.ts';
import { href } from '../router.ts';
import { type AwayKind, type AwayLine, awayLines, gapsText } from '../text/away.ts';
import { namedStretch } from '../text/dates.ts';
import { Watched } from '../watched.ts';
import { onTick } from './clock.ts';
import { shared } from './styles.ts';

/** What is claimed within this of the return was due before it. */
const CAUGHT_UP_MS = 60_000;
/** Most lines that are shown before the rest is a link. */
const LINES_MOST = 6;

interface Told {
  readonly lines: readonly AwayLine[];
  readonly gaps: readonly Gap[];
}

const MARK: Readonly<Record<AwayKind, string>> = {
  'may-have-happened': 'warn',
  failed: 'bad',
  missed: 'warn',
  late: 'quiet',
  skipped: 'quiet',
};

/** What happened while nobody looked, with one button for each decision; nothing when there is nothing to tell. */
@customElement('rota-while-away')
export class WhileAway extends LitElement {
  static override styles = [
    shared,
    css`
      section {
        margin: 0 var(--gutter) var(--space-4);
        border: 1px solid var(--rule);
        border-inline-start: 3px solid var(--warn);
        border-radius: var(--radius-m);
        background: var(--warn-soft);
        font-size: var(--size-s);
      }

      header {
        display: flex;
        flex-wrap: wrap;
        align-items: baseline;
        gap: var(--space-1) var(--space-3);
        padding: 10px 14px;
      }

      h2 {
        font-size: var(--size-m);
        font-weight: var(--weight-strong);
      }

      header p {
        flex: 1 1 260px;
        color: var(--ink-2);
      }

      li {
        display: flex;
        flex-wrap: wrap;
        align-items: center;
        gap: var(--space-2) var(--space-3);
        min-height: 44px;
        padding: 6px 14px;
        border-top: 1px solid var(--rule);
      }

      li p {
        flex: 1 1 300px;
        min-width: 0;
        overflow-wrap: anywhere;
      }

      .mark {
        flex: none;
        width: 9px;
        height: 9px;
        border-radius: 50%;
        box-shadow: inset 0 0 0 2px currentColor;
      }

      .mark.bad {
        border-radius: 1px;
        background: currentColor;
      }

      .acts {
        display: flex;
        gap: var(--space-2);
      }

      .btn {
        min-height: 30px;
      }
    `,
  ];

  @property({ attribute: false }) host!: RemoteHost;
  @state() private period: AwayPeriod | null = null;
  /** Automations whose missed runs were made up for by hand. */
  @state() private madeUp: ReadonlySet<AutomationId> = new Set();
  #stop: (() => void) | null = null;
  #runs: AwayRuns | null = null;
  /** What was read last; the same rows say the same. */
  #last: { readonly runs: readonly Run[]; readonly told: Told } | null = null;

  readonly #told = new Watched(this, {
    read: (since: EpochMs, back: EpochMs) => this.#read(since, back),
    topics: ['runs'],
    args: (): [EpochMs, EpochMs] => [this.period?.since ?? 0, this.period?.back ?? 0],
    keep: true,
  });

  override connectedCallback(): void {
    super.connectedCallback();
    this.#look();
    addEventListener('storage', this.#stored);
    this.#stop = onTick(this.#look);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    removeEventListener('storage', this.#stored);
    this.#stop?.();
  }

  readonly #look = (): void => {
    if (document.visibilityState === 'hidden') return;
    const period = readAway();
    if (period?.since === this.period?.since && period?.back === this.period?.back) return;
    this.period = period;
  };

  readonly #stored = (event: StorageEvent): void => {
    if (isAboutAway(event)) this.#look();
  };

  async #read(since: EpochMs, back: EpochMs): Promise<Told> {
    if (back === 0) return { lines: [], gaps: [] };
    const until = back + CAUGHT_UP_MS;
    const now = Date.now();
    this.#runs ??= new AwayRuns((query) => this.host.listRuns(query));
    const runs = await this.#runs.read(since, until, now);
    if (runs === this.#last?.runs) return this.#last.told;
    const { items: gaps } = await this.host.listGaps({ from: since, until });
    const told = { lines: awayLines(runs, now), gaps };
    this.#last = { runs, told };
    return told;
  }

  protected override render(): TemplateResult | typeof nothing {
    const { period } = this;
    const told = this.#told.value;
    const lines = (told?.lines ?? []).filter(
      ({ kind, automationId }) => kind !== 'missed' || !this.madeUp.has(automationId),
    );
    if (period === null || told === null || lines.length === 0) return nothing;
    const now = Date.now();
    const shown = lines.slice(0, lines.length > LINES_MOST ? LINES_MOST - 1 : LINES_MOST);
    const more = lines.length - shown.length;
    return html`<section aria-labelledby="away">
      <header>
        <h2 id="away">While you were away</h2>
        <p>From ${namedStretch(period.since, period.back, now)}. ${gapsText(told.gaps, now)}</p>
        <button class="btn" @click=${this.#forget}>Got it</button>
      </header>
      <ul>
        ${shown.map((line) => this.#line(line))}
        ${
          more === 0
            ? nothing
            : html`<li>
                <p><a href=${href.runs()}>${more} more in Runs</a></p>
              </li>`
        }
      </ul>
    </section>`;
  }

  #line(line: AwayLine): TemplateResult {
    const { kind, automationId, name, text } = line;
    return html`<li>
      <span class="mark ${MARK[kind]}" aria-hidden="true"></span>
      <p><a href=${href.automation(automationId)}>${name}</a> ${text}</p>
      <span class="acts">${this.#acts(line)}</span>
    </li>`;
  }

  /** One button for each decision; what needs none has a way to its run. */
  #acts({ kind, automationId: id, name, run }: AwayLine): TemplateResult {
    switch (kind) {
      case 'may-have-happened':
        return html`<button
            class="btn"
            aria-label="It did happen: ${name}"
            @click=${() => {
              void answerRun(this.host, run, 'happened');
            }}
          >
            It did happen
          </button>
          <button
            class="btn"
            aria-label="Run again: ${name}"
            @click=${() => {
              void answerRun(this.host, run, 'run-again');
            }}
          >
            Run again
          </button>`;
      case 'missed':
        return html`<button
          class="btn"
          aria-label="Run now: ${name}"
          @click=${() => {
            this.madeUp = new Set([...this.madeUp, id]);
            void runNow(this.host, { id, name, active: [] });
          }}
        >
          Run now
        </button>`;
      case 'failed':
      case 'late':
      case 'skipped':
        return html`<a class="btn" href=${href.run(run.id)} aria-label="Open the run of ${name}"
          >Open the run</a
        >`;
    }
  }

  readonly #forget = (): void => {
    forgetAway(localStorage);
    this.period = null;
    this.madeUp = new Set();
  };
}

/** `null` also where the browser keeps nothing for this site. */
function readAway(): AwayPeriod | null {
  try {
    return look(localStorage, Date.now());
  } catch {
    return null;
  }
}

declare global {
  interface HTMLElementTagNameMap {
    'rota-while-away': WhileAway;
  }
}
