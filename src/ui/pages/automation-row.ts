import { LitElement, css, html, nothing, type TemplateResult } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import { live } from 'lit/directives/live.js';
import { zoneOf } from '../../domain/index.ts';
import type { AutomationView } from '../../rpc/index.ts';
import {
  exportAutomations,
  exportToCalendar,
  giveHelp,
  pauseUntil,
  remove,
  runNow,
  setEnabled,
  stopRuns,
} from '../commands.ts';
import { icon } from '../icons/icon.ts';
import type { MenuItem } from '../parts/menu.ts';
import '../parts/run-bar.ts';
import { statusMark, statusStyles } from '../parts/status-mark.ts';
import { shared } from '../parts/styles.ts';
import { switchControl, switchStyles } from '../parts/switch.ts';
import '../parts/time.ts';
import type { RemoteHost } from '../remote-host.ts';
import { href } from '../router.ts';
import { ownZone, shortDateTime } from '../text/dates.ts';
import { latenessText } from '../text/durations.ts';
import { helpLabel, helpOf } from '../text/help.ts';
import { pausedText, untilText } from '../text/pauses.ts';
import { scheduleText } from '../text/schedule.ts';
import { resultText, statusOf, waitingText } from '../text/status.ts';

/** Asks the list to open its menu at a button of a row. */
export class MenuRequest extends Event {
  static readonly type = 'rota-menu-request';
  /** @param click the event of the button, whose `currentTarget` is where the menu opens. */
  constructor(
    readonly click: Event,
    readonly label: string,
    readonly items: readonly MenuItem[],
  ) {
    super(MenuRequest.type, { bubbles: true, composed: true });
  }
}

/** Says that a row's automation was deleted by the person at this row. */
export class RowRemoved extends Event {
  static readonly type = 'rota-row-removed';
  constructor() {
    super(RowRemoved.type, { bubbles: true, composed: true });
  }
}

/** Says that a person selects this row, or lets go of it; `range`: all from the one before to it. */
export class RowPicked extends Event {
  static readonly type = 'rota-row-picked';
  constructor(readonly range: boolean) {
    super(RowPicked.type, { bubbles: true, composed: true });
  }
}

/** The columns of the list; its head uses the same, so that both keep one line. */
export const columns = css`
  .columns {
    display: grid;
    grid-template-columns: 32px minmax(180px, 1.4fr) minmax(124px, 0.6fr) 238px minmax(150px, 1.3fr) 104px;
    column-gap: 20px;
    align-items: center;
    padding-inline: var(--gutter);
  }

  @container list (max-width: 1020px) {
    .columns {
      grid-template-columns: 32px minmax(0, 1.5fr) minmax(118px, 1fr) 104px;
      padding-inline-start: max(var(--gutter), 40px);
    }
  }

  @container list (max-width: 540px) {
    .columns {
      grid-template-columns: 32px minmax(0, 1fr) auto;
      column-gap: 12px;
      padding-inline-start: var(--gutter);
    }
  }
`;

/** The box at the edge of a row by which it is selected; that of all rows stands in the same line. */
export const pickStyles = css`
  .pick {
    position: absolute;
    inset-block: 0;
    inset-inline-start: 0;
    width: max(24px, var(--gutter));
  }

  .pick label {
    display: grid;
    place-items: center;
    width: 100%;
    height: 100%;
    cursor: pointer;
    user-select: none;
    -webkit-tap-highlight-color: transparent;
  }

  .pick input {
    width: 16px;
    height: 16px;
    margin: 0;
    accent-color: var(--act);
    cursor: pointer;
  }

  @container list (max-width: 1020px) {
    .pick {
      width: 40px;
    }
  }

  @container list (max-width: 540px) {
    .pick {
      width: 48px;
    }
  }

  @media (pointer: coarse) {
    .pick input {
      width: 20px;
      height: 20px;
    }
  }
`;

/**
 * One automation in the list: is it on, what and when, when next, how the last runs went, how the last one went, and
 * what can be done. Two lines on a wide screen; on a narrow one it folds and hides nothing.
 */
@customElement('rota-automation-row')
export class AutomationRow extends LitElement {
  static override styles = [
    shared,
    statusStyles,
    switchStyles,
    columns,
    pickStyles,
    css`
      :host {
        position: relative;
        border-bottom: 1px solid var(--rule);
      }

      :host(:hover),
      :host(:focus-within) {
        background: var(--hover);
      }

      :host([data-selected]) {
        background: var(--act-soft);
      }

      /* It is there for those who look for it, and for whoever cannot see: always. */
      :host(:not([data-picking], :hover, :focus-within)) .pick input {
        opacity: 0;
      }

      /* On a touch screen the whole row is the box while rows are selected; what else can be pressed lies above. */
      @media (hover: none) {
        :host(:not([data-picking])) .pick {
          display: none;
        }

        :host([data-picking]) .pick label::after {
          content: '';
          position: absolute;
          inset-block: 0;
          inset-inline-start: 0;
          width: 100cqi;
        }
      }

      @container list (max-width: 540px) {
        :host(:not([data-picking])) .pick {
          display: none;
        }

        /* The box stands where the switch was: nothing moves, and nothing is pressed by mistake. */
        :host([data-picking]) .on {
          visibility: hidden;
        }

        .pick label {
          align-items: start;
          padding-top: 20px;
        }
      }

      /* What happens now has an edge of its own. */
      :host([data-running]) {
        box-shadow: inset 3px 0 0 var(--now);
      }

      .row {
        min-height: var(--row);
        padding-block: 9px;
        line-height: 1.35;
      }

      .name {
        display: block;
        color: var(--ink);
        font-weight: var(--weight-strong);
        letter-spacing: -0.005em;
        text-decoration: none;
      }

      /* The whole row opens it; what else can be pressed lies above. */
      .name::after {
        content: '';
        position: absolute;
        inset: 0;
      }

      .name:hover {
        text-decoration: underline;
        text-decoration-thickness: 1px;
      }

      .name:focus-visible {
        outline: none;
      }

      /* What sticks to the top covers nothing that has the focus. */
      .name,
      .pick input,
      .switch,
      .btn {
        scroll-margin-block: calc(var(--strip, 52px) + 56px) 72px;
      }

      :host(:has(.name:focus-visible)) {
        outline: var(--focus);
        outline-offset: -2px;
      }

      .switch,
      .btn,
      .tag,
      rota-run-bar,
      .result a {
        position: relative;
        z-index: 1;
      }

      .pick {
        z-index: 1;
      }

      .on {
        display: flex;
      }

      .off .name,
      .off .when {
        color: var(--ink-2);
      }

      .sub {
        display: flex;
        min-width: 0;
        color: var(--ink-2);
        font-size: var(--size-s);
      }

      .zone {
        color: var(--ink-3);
      }

      .sub > .clip {
        flex: 0 1 auto;
      }

      /* What goes first when room is short, whole tags at a time. */
      .tags {
        display: flex;
        flex: 1 1 0;
        flex-wrap: wrap;
        column-gap: 8px;
        min-width: 0;
        height: 1lh;
        overflow: hidden;
      }

      /* So that even the first tag can go to the line that is not seen. */
      .tags::before {
        content: '';
        height: 1lh;
      }

      .tag {
        color: var(--ink-3);
        text-decoration: none;
        white-space: nowrap;
      }

      .tag::before {
        content: '#';
      }

      .tag:hover {
        color: var(--ink);
        text-decoration: underline;
      }

      .when {
        font-weight: var(--weight-strong);
      }

      .when [data-soon] {
        color: var(--now);
      }

      .when.soft {
        font-weight: var(--weight);
        color: var(--ink-2);
      }

      .result {
        min-width: 0;
      }

      .result .sub {
        display: block;
      }

      .asks {
        position: relative;
        z-index: 1;
        padding: 2px 0;
        color: var(--act);
        font-weight: 500;
        text-decoration: underline;
        text-underline-offset: 3px;
      }

      @media (pointer: coarse) {
        .asks {
          min-height: 40px;
        }
      }

      .actions {
        display: flex;
        justify-content: end;
        gap: 2px;
        margin-right: -8px;
      }

      .actions .btn:not(:hover, :focus-visible) {
        color: var(--ink-3);
      }

      .stop:not(:hover) {
        color: var(--now) !important;
      }

      @container list (max-width: 1020px) {
        .row {
          row-gap: 6px;
          padding-block: 12px;
        }

        .bar {
          grid-column: 2;
        }

        .result {
          grid-column: 3 / -1;
        }

        .actions {
          grid-area: 1 / 4;
        }
      }

      @container list (max-width: 540px) {
        .row {
          row-gap: 5px;
          padding-block: 11px 7px;
        }

        .next .sub {
          justify-content: end;
        }

        .name,
        .result .sub {
          display: -webkit-box;
          -webkit-box-orient: vertical;
          -webkit-line-clamp: 2;
          white-space: normal;
        }

        .on {
          align-self: start;
          margin-top: 3px;
        }

        .next {
          align-self: start;
          text-align: end;
        }

        .bar {
          grid-column: 2 / -1;
        }

        .result {
          grid-column: 2;
        }

        .actions {
          grid-area: auto / 3;
          align-self: end;
        }
      }
    `,
  ];

  @property({ attribute: false }) host!: RemoteHost;
  @property({ attribute: false }) automation!: AutomationView;
  /** It is among those that are selected. */
  @property({ type: Boolean, reflect: true, attribute: 'data-selected' }) selected = false;
  /** Rows are being selected: its box is there without being looked for. */
  @property({ type: Boolean, reflect: true, attribute: 'data-picking' }) picking = false;
  /** The browser's zone, which times are set in: a change of it sets them anew. */
  @property({ attribute: false }) zone = '';

  override connectedCallback(): void {
    super.connectedCallback();
    this.setAttribute('role', 'row');
  }

  /** Whether Shift was held as the box was pressed: a press on a label makes a click of its own. */
  #isRange = false;

  readonly #press = (event: PointerEvent): void => {
    this.#isRange = event.shiftKey;
  };

  readonly #key = (): void => {
    this.#isRange = false;
  };

  readonly #pick = (event: Event): void => {
    event.stopPropagation();
    this.dispatchEvent(new RowPicked(this.#isRange));
    this.requestUpdate();
  };

  /** Puts the focus on the row, which is on its name. */
  override focus(options?: FocusOptions): void {
    this.renderRoot.querySelector<HTMLElement>('.name')?.focus(options);
  }

  /** Runs it now, as its button does. */
  run(): void {
    void runNow(this.host, this.automation);
  }

  /** Pauses or resumes it, as its switch does. */
  toggle(): void {
    void setEnabled(this.host, this.automation, !this.automation.enabled);
  }

  readonly #menu = (event: Event): void => {
    const { host, automation } = this;
    const { id, name, active, readOnly } = automation;
    const items: MenuItem[] = [
      { label: 'Edit', icon: 'pencil', act: { href: href.edit(id) } },
      {
        label: 'Pause until…',
        icon: 'pause',
        act: { run: () => void pauseUntil(host, automation) },
      },
      { label: 'Duplicate', icon: 'copy', act: { href: href.new({ copy: id }) } },
      { label: 'History', icon: 'runs', act: { href: href.runs({ automation: id }) } },
      {
        label: 'Export',
        icon: 'download',
        act: { run: () => void exportAutomations(host, [id], name) },
      },
      {
        label: 'For your calendar',
        icon: 'clock',
        act: { run: () => void exportToCalendar(host, this.automation) },
      },
      {
        label: 'Delete',
        icon: 'trash',
        tone: 'bad',
        apart: true,
        act: { run: () => void this.#remove() },
      },
    ];
    if (active.length > 0) {
      items.unshift({
        label: active.length === 1 ? 'Stop the run' : `Stop ${active.length} runs`,
        icon: 'stop',
        act: { run: () => void stopRuns(host, automation) },
      });
    }
    const allowed = readOnly === undefined ? items : items.filter(({ label }) => label === 'History');
    this.dispatchEvent(new MenuRequest(event, `More for ${name}`, allowed));
  };

  async #remove(): Promise<void> {
    if (await remove(this.host, this.automation)) this.dispatchEvent(new RowRemoved());
  }

  protected override willUpdate(): void {
    this.toggleAttribute('data-running', this.automation.active.length > 0);
  }

  protected override render(): TemplateResult {
    const { automation } = this;
    const { id, name, enabled, active, readOnly, recent } = automation;
    const running = active.length > 0;
    return html`<div class="row columns ${enabled ? '' : 'off'}" role="presentation">
      <div class="pick" role="cell">
        <label @pointerdown=${this.#press} @keydown=${this.#key}
          ><input
            type="checkbox"
            aria-label="Select ${name}"
            .checked=${live(this.selected)}
            @click=${this.#pick}
        /></label>
      </div>
      <div class="on" role="cell">
        ${switchControl({
          on: enabled,
          label: `${enabled ? 'Pause' : 'Resume'} ${name}`,
          disabled: readOnly !== undefined,
          change: () => this.toggle(),
        })}
      </div>
      <div class="what clip" role="cell">
        <a class="name clip" href=${href.automation(id)}>${name}</a>
        <div class="sub"><span class="clip">${this.#schedule()}</span>${this.#tags()}</div>
      </div>
      <div class="next" role="cell">${this.#next()}</div>
      <div class="bar" role="cell">
        <rota-run-bar .runs=${recent} .active=${active}></rota-run-bar>
      </div>
      <div class="result" role="cell">${this.#result()}</div>
      <div class="actions" role="cell">
        ${
          running
            ? html`<button
                class="btn bare icon stop"
                aria-label="Stop ${name}"
                title="Stop the run"
                @click=${() => void stopRuns(this.host, automation)}
              >
                ${icon('stop')}
              </button>`
            : nothing
        }
        <button
          class="btn bare icon"
          aria-label="Run ${name} now"
          title="Run now"
          ?disabled=${readOnly !== undefined}
          @click=${() => this.run()}
        >
          ${icon('play')}
        </button>
        <button
          class="btn bare icon"
          aria-label="More for ${name}"
          title="More"
          aria-haspopup="menu"
          aria-expanded="false"
          @click=${this.#menu}
        >
          ${icon('ellipsis')}
        </button>
      </div>
    </div>`;
  }

  #schedule(): TemplateResult {
    const { text, zone } = scheduleText(this.automation.schedule, Date.now());
    // The reader's own zone is what a time is read in anyway; any other is said, and all stand in the title.
    return html`<span title=${zone === null ? text : `${text}, ${zone}`}
      >${text}${zone === null || zone === ownZone() ? nothing : html`<span class="zone">, ${zone}</span>`}</span
    >`;
  }

  #tags(): TemplateResult | typeof nothing {
    const { tags } = this.automation;
    if (tags.length === 0) return nothing;
    return html`<span class="tags"
      >${tags.map(
        (tag) =>
          html`<a class="tag" href=${href.automations({ tag })} aria-label="Automations tagged ${tag}"
            >${tag}</a
          >`,
      )}</span
    >`;
  }

  #next(): TemplateResult {
    const { enabled, schedule, nextDueAt, waitingFor, heldUntil } = this.automation;
    const two = (
      when: TemplateResult | string,
      below: TemplateResult | string,
      soft = true,
    ): TemplateResult =>
      html`<div class="when ${soft ? 'soft' : ''}">${when}</div>
        <div class="sub mono">${below}</div>`;
    const paused = (what: string, why: string, tone: '' | 'bad'): TemplateResult =>
      html`<div class="when soft">${what}</div>
        <div class="sub ${tone}" title=${why}><span class="clip">${why}</span></div>`;
    if (!enabled) {
      const tone = this.automation.pausedBecause === undefined ? '' : 'bad';
      return paused('Paused', pausedText(this.automation, Date.now()), tone);
    }
    if (heldUntil !== undefined) return paused('Paused with all', untilText(heldUntil, Date.now()), '');
    if (nextDueAt === null) {
      if (schedule.kind === 'manual') return two('When you run it', '');
      if (schedule.kind === 'after') return two('After another', '');
      return two(
        'Never again',
        schedule.kind === 'once' || schedule.kind === 'date' ? 'it was for once' : '',
      );
    }
    const absolute = html`<rota-time .at=${nextDueAt} form="short"></rota-time>`;
    if (waitingFor !== undefined) return two(html`<span class="warn">Due</span>`, absolute, false);
    const theirs = zoneOf(schedule) === ownZone() ? null : zoneOf(schedule);
    const there = theirs === null ? '' : shortDateTime(nextDueAt, Date.now(), theirs);
    return two(
      html`<rota-time .at=${nextDueAt} form="due"></rota-time>`,
      html`${absolute}${
        theirs === null || there === shortDateTime(nextDueAt, Date.now())
          ? nothing
          : html`<span class="sr-only">, ${there} in ${theirs}</span>`
      }`,
      false,
    );
  }

  #result(): TemplateResult {
    const { active, recent, waitingFor, waitingForSecret, readOnly } = this.automation;
    const [run] = active;
    const last = recent.at(-1);
    if (readOnly !== undefined) {
      return html`${statusMark('waiting', 'Needs a newer Rota')}
        <div class="sub clip">reload this tab to change it</div>`;
    }
    if (run !== undefined) {
      return html`<a class="plain" href=${href.run(run.runId)}
          >${statusMark('running', active.length > 1 ? `${active.length} running` : undefined)}${this.#ofThis()}</a
        >
        <div class="sub clip">for <rota-time .at=${run.startedAt} form="elapsed"></rota-time></div>`;
    }
    if (waitingFor !== undefined) {
      const help = helpOf(this.automation);
      return html`${statusMark('waiting', waitingText(waitingFor, waitingForSecret))}
        <div class="sub clip">
          ${
            help !== null
              ? html`<button
                  class="asks"
                  aria-label="${helpLabel(help)} for ${this.automation.name}"
                  @click=${() => {
                    giveHelp(this.host, help);
                  }}
                >
                  ${helpLabel(help)}
                </button>`
              : last === undefined
                ? 'it starts as soon as it can'
                : html`last: ${resultText(last)}`
          }
        </div>`;
    }
    if (last === undefined) return statusMark('not-run');
    const what = resultText(last);
    const late = last.latenessMs === undefined ? null : latenessText(last.latenessMs);
    return html`<a class="plain" href=${href.run(last.id)}>${statusMark(statusOf(last))}${this.#ofThis()}</a>
      <div class="sub clip" title=${what}>
        <rota-time .at=${last.at} form="relative"></rota-time>${late === null ? nothing : `, ${late}`}${
          what === '' ? nothing : html` · ${what}`
        }
      </div>`;
  }

  /** A link that is read out of its row says what it is of. */
  #ofThis(): TemplateResult {
    return html`<span class="sr-only">, ${this.automation.name}</span>`;
  }
}

declare global {
  interface HTMLElementTagNameMap {
    'rota-automation-row': AutomationRow;
  }
}
