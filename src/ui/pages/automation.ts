import { LitElement, css, html, nothing, type TemplateResult } from 'lit';
import { customElement, property, query } from 'lit/decorators.js';
import { repeat } from 'lit/directives/repeat.js';
import { type AutomationId, nearServersOf, zoneOf } from '../../domain/index.ts';
import type { AutomationView, PreviewInstant, Run } from '../../rpc/index.ts';
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
import '../parts/menu.ts';
import type { Menu, MenuItem } from '../parts/menu.ts';
import '../parts/network-access.ts';
import { nextRuns, nextRunsStyles } from '../parts/next-runs.ts';
import { pageHeader } from '../parts/page-header.ts';
import { empty, failed, placeholderStyles, skeleton } from '../parts/placeholder.ts';
import '../parts/run-bar.ts';
import { statusMark, statusStyles } from '../parts/status-mark.ts';
import { shared } from '../parts/styles.ts';
import { switchControl, switchStyles } from '../parts/switch.ts';
import '../parts/time.ts';
import { durationTime } from '../parts/time.ts';
import type { RemoteHost } from '../remote-host.ts';
import { href, nameScreen, navigate } from '../router.ts';
import { Shortcuts } from '../shortcuts.ts';
import { ownZone } from '../text/dates.ts';
import { countText } from '../text/counts.ts';
import { latenessText } from '../text/durations.ts';
import { helpLabel, helpOf } from '../text/help.ts';
import { pausedText, untilText } from '../text/pauses.ts';
import { scheduleSentence } from '../text/schedule.ts';
import { causeText, resultText, statusOf, tallyText, waitingText } from '../text/status.ts';
import { Watched } from '../watched.ts';
import { nextRunsOf } from './automation-next.ts';
import { definitionWords } from './editor-words.ts';

const RUNS_SHOWN = 12;

interface Shown {
  readonly automation: AutomationView;
  readonly next: readonly PreviewInstant[];
  readonly runs: readonly Run[];
  readonly moreRuns: boolean;
}

/** One automation: how it stands, when it runs next, how its last runs went, and what it is. */
@customElement('rota-automation-page')
export class AutomationPage extends LitElement {
  static override styles = [
    shared,
    placeholderStyles,
    statusStyles,
    switchStyles,
    nextRunsStyles,
    css`
      :host {
        container: page / inline-size;
      }

      .sentence {
        display: flex;
        flex-wrap: wrap;
        align-items: center;
        gap: 4px var(--space-3);
        margin-top: var(--space-2);
        color: var(--ink-2);
      }

      .sentence .tag {
        color: var(--ink-3);
        font-size: var(--size-s);
        text-decoration: none;
      }

      .sentence .tag:hover {
        text-decoration: underline;
      }

      .state {
        display: flex;
        align-items: center;
        gap: 10px;
        margin-inline-end: var(--space-2);
        font-size: var(--size-s);
        font-weight: 500;
      }

      .why {
        display: flex;
        flex-wrap: wrap;
        align-items: center;
        justify-content: space-between;
        gap: var(--space-2) var(--space-4);
        margin: 0 var(--gutter) var(--space-4);
        padding: 10px 14px;
        border: 1px solid var(--rule);
        border-inline-start: 3px solid var(--bad);
        border-radius: var(--radius-m);
        background: var(--sunk);
        font-size: var(--size-s);
      }

      .waits {
        display: block;
        margin: 0 var(--gutter) var(--space-4);
      }

      .why p {
        flex: 1 1 300px;
        text-wrap: pretty;
      }

      .figures {
        display: grid;
        grid-template-columns: repeat(auto-fit, minmax(min(240px, 42vw), 1fr));
        margin: 0 var(--gutter);
        border-block: 1px solid var(--rule);
      }

      .figures > div {
        padding: var(--space-4) var(--space-3) var(--space-4) 0;
      }

      .figures dt {
        margin-bottom: 4px;
      }

      .figures dd {
        font-size: var(--size-l);
        font-weight: var(--weight-strong);
        letter-spacing: -0.01em;
      }

      .figures .sub {
        margin-top: 2px;
        color: var(--ink-2);
        font-size: var(--size-s);
        font-weight: var(--weight);
        letter-spacing: 0;
      }

      .figures [data-soon] {
        color: var(--now);
      }

      .figures .status {
        font-size: inherit;
      }

      .grid {
        display: grid;
        grid-template-columns: minmax(0, 1fr) minmax(280px, 340px);
        gap: 0 var(--space-7);
        padding: 0 var(--gutter);
      }

      section {
        padding-top: var(--space-6);
      }

      .title-line {
        display: flex;
        align-items: end;
        justify-content: space-between;
        gap: var(--space-4);
        padding-bottom: 10px;
        border-bottom: 1px solid var(--rule-strong);
      }

      .title-line a {
        font-size: var(--size-s);
      }

      .run {
        position: relative;
        display: grid;
        grid-template-columns: 148px minmax(0, 1fr) auto;
        gap: 2px var(--space-4);
        align-items: center;
        min-height: 40px;
        padding: 6px 0;
        border-bottom: 1px solid var(--rule);
        font-size: var(--size-s);
      }

      .run:hover {
        background: var(--hover);
      }

      .run a {
        display: flex;
        color: inherit;
        text-decoration: none;
      }

      .run a::after {
        content: '';
        position: absolute;
        inset: 0;
      }

      .run .at {
        color: var(--ink-2);
        text-align: end;
        white-space: nowrap;
      }

      .facts {
        display: grid;
        grid-template-columns: auto minmax(0, 1fr);
        font-size: var(--size-s);
      }

      .facts > div {
        display: contents;
      }

      .facts dt,
      .facts dd {
        padding: 7px 0;
        border-bottom: 1px solid var(--rule);
      }

      .facts dt {
        padding-inline-end: var(--space-4);
        color: var(--ink-2);
      }

      .facts dd {
        overflow-wrap: anywhere;
        white-space: pre-wrap;
      }

      @container page (max-width: 900px) {
        .grid {
          grid-template-columns: minmax(0, 1fr);
        }
      }

      @container page (max-width: 540px) {
        .run {
          grid-template-columns: minmax(0, 1fr) auto;
        }

        .run .what {
          grid-area: 2 / 1 / 3 / -1;
        }
      }
    `,
  ];

  @property({ attribute: false }) host!: RemoteHost;
  @property({ attribute: false }) automationId!: AutomationId;
  @query('rota-menu') private readonly menu!: Menu;

  readonly #shown = new Watched(this, {
    read: async (id: AutomationId): Promise<Shown | null> => {
      const [automation, runs] = await Promise.all([
        this.host.getAutomation(id),
        this.host.listRuns({ automationId: id, limit: RUNS_SHOWN }),
      ]);
      if (automation === null) return null;
      nameScreen(automation.name);
      return {
        automation,
        next: await nextRunsOf((request) => this.host.preview(request), automation),
        runs: runs.items,
        moreRuns: runs.next !== undefined,
      };
    },
    // That one waits, and for what, is told as news of the hosts.
    topics: ['automations', 'runs', 'settings', 'hosts'],
    args: (): [AutomationId] => [this.automationId],
  });

  constructor() {
    super();
    new Shortcuts(this, () => {
      const automation = this.#shown.value?.automation;
      if (automation === undefined) return [];
      return [
        { key: 'r', label: 'Run now', run: () => void runNow(this.host, automation) },
        {
          key: 'p',
          label: automation.enabled ? 'Pause' : 'Resume',
          run: () => void setEnabled(this.host, automation, !automation.enabled),
        },
        { key: 'e', label: 'Edit', run: () => navigate(href.edit(automation.id)) },
      ];
    });
  }

  protected override render(): TemplateResult {
    const up = { label: 'Automations', href: href.automations() };
    const { state } = this.#shown;
    switch (state.kind) {
      case 'loading':
        return html`${pageHeader({ title: 'Automation', up })} ${skeleton(6, 'Loading the automation')}`;
      case 'failed':
        return html`${pageHeader({ title: 'Automation', up })}
        ${failed(state.problem, () => void this.#shown.refresh())}`;
      case 'ready':
        return state.value === null
          ? html`${pageHeader({ title: 'No such automation', up })}
            ${empty(
              'It was deleted, or the address was cut short.',
              'What it did is still in the history.',
              html`<a class="btn" href=${href.runs({ automation: this.automationId })}>Its runs</a>`,
            )}`
          : this.#page(state.value);
    }
  }

  #page({ automation, next, runs, moreRuns }: Shown): TemplateResult {
    const { name, schedule, tags, enabled, readOnly } = automation;
    const now = Date.now();
    return html`${pageHeader({
        title: name,
        up: { label: 'Automations', href: href.automations() },
        below: html`<p class="sentence">
          <span>${scheduleSentence(schedule, now)}</span>
          ${tags.map((tag) => html`<a class="tag" href=${href.automations({ tag })}>#${tag}</a>`)}
        </p>`,
        actions: html`<span class="state">
            ${switchControl({
              on: enabled,
              label: `${enabled ? 'Pause' : 'Resume'} ${name}`,
              disabled: readOnly !== undefined,
              change: () => void setEnabled(this.host, automation, !enabled),
            })}
            <span aria-hidden="true">${enabled ? 'On' : 'Paused'}</span>
          </span>
          ${
            automation.active.length > 0
              ? html`<button class="btn" @click=${() => void stopRuns(this.host, automation)}>
                  ${icon('stop')} Stop
                </button>`
              : nothing
          }
          <button
            class="btn bare icon"
            aria-label="More for ${name}"
            title="More"
            aria-haspopup="menu"
            aria-expanded="false"
            @click=${(event: Event) => this.#openMenu(event, automation)}
          >
            ${icon('ellipsis')}
          </button>
          <a class="btn" href=${href.edit(automation.id)}>${icon('pencil')} Edit</a>
          <button
            class="btn primary"
            ?disabled=${readOnly !== undefined}
            @click=${() => void runNow(this.host, automation)}
          >
            ${icon('play')} Run now
          </button>`,
      })}
      ${this.#pausedItself(automation)} ${this.#waitsForNetwork(automation)} ${this.#asks(automation)}
      ${this.#figures(automation)}
      <div class="grid">
        <section aria-labelledby="runs">
          <div class="title-line">
            <h2 id="runs">Last runs</h2>
            ${
              moreRuns || runs.length > 0
                ? html`<a href=${href.runs({ automation: automation.id })}>All its runs</a>`
                : nothing
            }
          </div>
          ${
            runs.length === 0
              ? html`<p class="run quiet">It has not run yet.</p>`
              : html`<ol>
                  ${repeat(
                    runs,
                    (run) => run.id,
                    (run) => runRow(run),
                  )}
                </ol>`
          }
        </section>
        <div>
          ${this.#nextRuns(automation, next)}
          <section aria-labelledby="definition">
            <div class="title-line"><h2 id="definition">What it is</h2></div>
            <dl class="facts">
              ${definitionWords(automation, now).map(
                ({ label, text }) =>
                  html`<div>
                    <dt>${label}</dt>
                    <dd>${text}</dd>
                  </div>`,
              )}
            </dl>
          </section>
        </div>
      </div>
      <rota-menu></rota-menu>`;
  }

  /** The way to what it waits for, where only a press in a window leads there. */
  #waitsForNetwork({ waitingFor, action }: AutomationView): TemplateResult | typeof nothing {
    if (waitingFor !== 'local-network' && waitingFor !== 'loopback-network') return nothing;
    const [server] = nearServersOf(action);
    return server === undefined
      ? nothing
      : html`<rota-network-access class="waits" .address=${server.origin}></rota-network-access>`;
  }

  /** Who paused it, when and why, and how to undo it, when that was not a person. */
  #pausedItself(automation: AutomationView): TemplateResult | typeof nothing {
    const { pausedBecause: why } = automation;
    if (automation.enabled || why === undefined) return nothing;
    const when = html`<rota-time .at=${why.at} form="named"></rota-time>`;
    return html`<section class="why" aria-label="Why it is paused">
      <p>
        ${
          why.kind === 'failures'
            ? html`It paused itself ${when}, after ${countText(why.count, 'failure')} in a row. See
                <a href=${href.run(why.runId)}>the last one</a>, mend it, and resume it: it counts anew.`
            : html`It paused itself ${when}, because this browser cannot compute its schedule: ${why.message}`
        }
      </p>
      ${
        why.kind === 'failures'
          ? html`<button class="btn" @click=${() => void setEnabled(this.host, automation, true)}>
              Resume
            </button>`
          : html`<a class="btn" href=${href.edit(automation.id)}>Edit its schedule</a>`
      }
    </section>`;
  }

  /** What a run of it waits for that a person can give. */
  #asks(automation: AutomationView): TemplateResult | typeof nothing {
    const help = helpOf(automation);
    const { waitingFor, waitingForSecret: secret } = automation;
    if (help === null || waitingFor === undefined) return nothing;
    return html`<section class="why" aria-label="What it waits for">
      <p>${waitingText(waitingFor, secret)}. It is due, and runs as soon as that is there.</p>
      <button
        class="btn"
        @click=${() => {
          giveHelp(this.host, help);
        }}
      >
        ${helpLabel(help)}
      </button>
    </section>`;
  }

  #figures(automation: AutomationView): TemplateResult {
    const { recent, active, failuresInARow } = automation;
    const tally = tallyText(recent, active.length);
    return html`<dl class="figures">
      <div>
        <dt class="label">Next</dt>
        <dd>${this.#next(automation)}</dd>
      </div>
      <div>
        <dt class="label">Last result</dt>
        <dd>${this.#last(automation)}</dd>
      </div>
      <div>
        <dt class="label">Last 30 runs</dt>
        <dd>
          <rota-run-bar .runs=${recent} .active=${active}></rota-run-bar>
          <div class="sub" aria-hidden="true">
            ${tally === '' ? 'none yet' : tally}${failuresInARow > 1 ? `, ${failuresInARow} failures in a row` : ''}
          </div>
        </dd>
      </div>
    </dl>`;
  }

  #next(automation: AutomationView): TemplateResult | string {
    const { enabled, nextDueAt, schedule, waitingFor, waitingForSecret, heldUntil } = automation;
    const now = Date.now();
    if (!enabled)
      return html`Paused
        <div class="sub">${pausedText(automation, now)}</div>`;
    if (heldUntil !== undefined)
      return html`Paused with all
        <div class="sub">${untilText(heldUntil, now)}</div>`;
    if (nextDueAt === null) {
      if (schedule.kind === 'after') return 'After another';
      return schedule.kind === 'manual' ? 'When you run it' : 'Never again';
    }
    return html`<rota-time .at=${nextDueAt} form="due"></rota-time>
      <div class="sub">
        ${
          waitingFor === undefined
            ? html`<span class="mono"><rota-time .at=${nextDueAt} form="named"></rota-time></span>`
            : html`<span class="warn">${waitingText(waitingFor, waitingForSecret)}</span>`
        }
      </div>`;
  }

  #last({ active, recent }: AutomationView): TemplateResult {
    const [run] = active;
    if (run !== undefined) {
      return html`<a class="plain" href=${href.run(run.runId)}>${statusMark('running')}</a>
        <div class="sub">for <rota-time .at=${run.startedAt} form="elapsed"></rota-time></div>`;
    }
    const last = recent.at(-1);
    if (last === undefined) return statusMark('not-run');
    const what = resultText(last);
    return html`<a class="plain" href=${href.run(last.id)}>${statusMark(statusOf(last))}</a>
      <div class="sub">
        <rota-time .at=${last.at} form="relative"></rota-time>${what === '' ? nothing : html` · ${what}`}
      </div>`;
  }

  #nextRuns(automation: AutomationView, next: readonly PreviewInstant[]): TemplateResult | typeof nothing {
    if (next.length === 0) return nothing;
    const { schedule } = automation;
    const zone = zoneOf(schedule) ?? ownZone();
    return html`<section aria-labelledby="next">
      <div class="title-line">
        <h2 id="next">Next runs</h2>
        <span class="label">${zone}</span>
      </div>
      ${nextRuns(next, { zone, ownZone: ownZone(), now: Date.now() })}
    </section>`;
  }

  #openMenu(event: Event, automation: AutomationView): void {
    const { id, name } = automation;
    const items: readonly MenuItem[] = [
      {
        label: 'Pause until…',
        icon: 'pause',
        act: { run: () => void pauseUntil(this.host, automation) },
      },
      { label: 'Duplicate', icon: 'copy', act: { href: href.new({ copy: id }) } },
      {
        label: 'Export',
        icon: 'download',
        act: { run: () => void exportAutomations(this.host, [id], name) },
      },
      {
        label: 'For your calendar',
        icon: 'clock',
        act: { run: () => void exportToCalendar(this.host, automation) },
      },
      {
        label: 'Delete',
        icon: 'trash',
        tone: 'bad',
        apart: true,
        act: { run: () => void this.#remove(automation) },
      },
    ];
    void this.menu.toggle(event, `More for ${name}`, items);
  }

  async #remove(automation: AutomationView): Promise<void> {
    if (await remove(this.host, automation)) navigate(href.automations());
  }
}

function runRow(run: Run): TemplateResult {
  const what = resultText({
    status: run.status === 'running' ? 'succeeded' : run.status,
    ...(run.summary === undefined ? {} : { summary: run.summary }),
    ...(run.reason === undefined ? {} : { reason: run.reason }),
    ...(run.covers === undefined ? {} : { count: run.covers.count }),
  });
  const late = run.latenessMs === null ? null : latenessText(run.latenessMs);
  const took = run.startedAt !== null && run.settledAt !== null ? run.settledAt - run.startedAt : null;
  const more = [run.cause === 'schedule' ? '' : causeText(run.cause), late ?? ''].filter(
    (part) => part !== '',
  );
  return html`<li class="run">
    <a href=${href.run(run.id)}>${statusMark(statusOf(run))}</a>
    <span class="what clip quiet"
      >${
        run.status === 'running' && run.startedAt !== null
          ? html`for <rota-time .at=${run.startedAt} form="elapsed"></rota-time>`
          : what
      }${more.length === 0 ? nothing : ` · ${more.join(', ')}`}${took === null ? nothing : html` · ${durationTime(took)}`}</span
    >
    <span class="at mono"><rota-time .at=${run.scheduledFor} form="named"></rota-time></span>
  </li>`;
}

declare global {
  interface HTMLElementTagNameMap {
    'rota-automation-page': AutomationPage;
  }
}
