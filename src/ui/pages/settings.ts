import { LitElement, type TemplateResult, css, html, nothing } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import { MAX_CONCURRENT_DEFAULT } from '../../domain/index.ts';
import type { Status, Version } from '../../rpc/index.ts';
import { exportAutomations } from '../commands.ts';
import { icon } from '../icons/icon.ts';
import { announce } from '../parts/announcer.ts';
import { askToConfirm } from '../parts/confirm.ts';
import { checkField, choiceField, formStyles, textField } from '../parts/form-field.ts';
import { pageHeader } from '../parts/page-header.ts';
import { placeholderStyles } from '../parts/placeholder.ts';
import '../parts/settings-backup.ts';
import '../parts/settings-import-panel.ts';
import '../parts/settings-keep.ts';
import '../parts/settings-network.ts';
import '../parts/settings-integrity.ts';
import '../parts/settings-quiet.ts';
import '../parts/settings-secrets.ts';
import '../parts/settings-storage.ts';
import { shared } from '../parts/styles.ts';
import '../parts/time.ts';
import { showToast } from '../parts/toast.ts';
import type { RemoteHost } from '../remote-host.ts';
import { shortcutsOn, switchShortcuts } from '../shortcuts.ts';
import { countText } from '../text/counts.ts';
import { isoDateTime, namedDateTime } from '../text/dates.ts';
import { errorSentence } from '../text/errors.ts';
import { THEMES, type Theme, chooseTheme, chosenTheme } from '../theme.ts';
import { type WakeUps, readWakeUps } from '../wake-ups.ts';
import { Watched, problemOf } from '../watched.ts';

const THEME_NAMES: Readonly<Record<Theme, string>> = { auto: 'As the system', light: 'Light', dark: 'Dark' };

/** Everything that is set for all automations together, and what there is to know of the engine and its storage. */
@customElement('rota-settings-page')
export class SettingsPage extends LitElement {
  static override styles = [
    shared,
    placeholderStyles,
    formStyles,
    css`
      .part {
        display: grid;
        grid-template-columns: 152px minmax(0, 1fr);
        gap: var(--space-3) var(--space-5);
        margin: 0 var(--gutter);
        padding: var(--space-5) 0 var(--space-6);
        border-top: 1px solid var(--rule);
      }

      .content {
        display: grid;
        gap: var(--space-4);
        max-width: 660px;
        min-width: 0;
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

      p {
        font-size: var(--size-s);
        text-wrap: pretty;
      }

      p b {
        font-size: var(--size-m);
        font-weight: var(--weight-strong);
      }

      h3 {
        font-size: var(--size-s);
        font-weight: 500;
      }

      .group {
        display: grid;
        gap: var(--space-2);
      }

      .facts > div {
        display: grid;
        grid-template-columns: 116px minmax(0, 1fr);
        gap: var(--space-3);
        padding: 6px 0;
        border-bottom: 1px solid var(--rule);
        font-size: var(--size-s);
      }

      .facts dt {
        color: var(--ink-3);
      }

      .facts dd {
        overflow-wrap: anywhere;
      }

      .aside-rows > li {
        padding: 7px 0;
        border-bottom: 1px solid var(--rule);
        font-size: var(--size-s);
        overflow-wrap: anywhere;
      }

      @media (max-width: 760px) {
        .part {
          grid-template-columns: minmax(0, 1fr);
          padding: var(--space-4) 0 var(--space-5);
        }
      }
    `,
  ];

  @property({ attribute: false }) host!: RemoteHost;
  /** The name of a secret that is to be added; `null`: the person came for something else. */
  @property({ attribute: false }) secret: string | null = null;
  @state() private wakeUps: WakeUps = 'unknown';
  @state() private permission: NotificationPermission | null = notificationPermission();
  @state() private theme: Theme = chosenTheme();
  @state() private shortcuts = shortcutsOn();
  /** What is typed and not saved; `null` shows what is stored. */
  @state() private maxConcurrent: string | null = null;
  @state() private maxConcurrentProblem: string | null = null;
  #stopPermission: (() => void) | null = null;

  readonly #settings = new Watched(this, { read: () => this.host.getSettings(), topics: ['settings'] });
  readonly #engine = new Watched(this, {
    read: async (): Promise<readonly [Version, Status]> =>
      Promise.all([this.host.version(), this.host.status()]),
    topics: ['hosts', 'runs'],
  });
  readonly #quarantine = new Watched(this, {
    read: async () => (await this.host.listQuarantine()).items,
    topics: ['automations', 'hosts'],
  });

  override connectedCallback(): void {
    super.connectedCallback();
    void this.#readWakeUps();
    void this.#watchPermission();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#stopPermission?.();
    this.#stopPermission = null;
  }

  async #readWakeUps(): Promise<void> {
    this.wakeUps = await readWakeUps();
  }

  /** The permission can be changed beside the address at any time. */
  async #watchPermission(): Promise<void> {
    try {
      const status = await navigator.permissions.query({ name: 'notifications' });
      const changed = (): void => {
        this.permission = notificationPermission();
      };
      status.addEventListener('change', changed);
      this.#stopPermission = () => {
        status.removeEventListener('change', changed);
      };
    } catch {
      // Not every browser tells; what was read at the start stands.
    }
  }

  protected override render(): TemplateResult {
    return html`${pageHeader({ title: 'Settings' })} ${part('Running', this.#running())}
    ${part('Local network', html`<rota-settings-network .host=${this.host}></rota-settings-network>`)}
    ${part('Notifications', html`${this.#notifications()}<rota-quiet-hours .host=${this.host}></rota-quiet-hours>`)}
    ${part('Secrets', html`<rota-secrets-panel .host=${this.host} .wanted=${this.secret}></rota-secrets-panel>`)}
    ${part('Data', this.#data())} ${part('Storage', this.#storage())}
    ${part('Appearance', this.#appearance())} ${part('Keyboard', this.#keyboard())}
    ${part('About', this.#about())}`;
  }

  // Running

  #running(): TemplateResult {
    const { state } = this.#settings;
    const stored = state.kind === 'ready' ? String(state.value.maxConcurrent) : '';
    return html`${textField({
        id: 'max-concurrent',
        label: 'Runs at the same time, at most',
        width: 'narrow',
        inputmode: 'numeric',
        value: this.maxConcurrent ?? stored,
        hint: `In all tabs together. What is due beyond that waits for a place, and says so. The default is ${MAX_CONCURRENT_DEFAULT}.`,
        problem:
          this.maxConcurrentProblem ?? (state.kind === 'failed' ? errorSentence(state.problem.code) : null),
        onInput: (value) => {
          this.maxConcurrent = value;
          this.maxConcurrentProblem = null;
        },
      })}
      ${
        this.maxConcurrent === null || this.maxConcurrent === stored
          ? nothing
          : html`<div class="line">
              <button type="button" class="btn primary" @click=${this.#saveMaxConcurrent}>Save</button>
              <button
                type="button"
                class="btn"
                @click=${() => {
                  this.maxConcurrent = null;
                  this.maxConcurrentProblem = null;
                }}
              >
                Keep ${stored}
              </button>
            </div>`
      }
      <p>
        Nothing runs while the browser is closed.
        ${
          this.wakeUps === 'on'
            ? 'This one wakes Rota all the same, about twice a day at most, to do what is due; what must be on time needs an open tab.'
            : nothing
        }
      </p>`;
  }

  readonly #saveMaxConcurrent = async (): Promise<void> => {
    const text = (this.maxConcurrent ?? '').trim();
    if (!/^\d{1,6}$/.test(text)) {
      this.#refuse('Enter a whole number.');
      return;
    }
    try {
      const result = await this.host.saveSettings({ settings: { maxConcurrent: Number(text) } });
      if (result.kind === 'invalid') {
        this.#refuse(result.problems.map(({ message }) => message).join(' '));
        return;
      }
      await this.#settings.refresh();
      this.maxConcurrent = null;
      showToast({
        text: `Saved. At most ${countText(result.settings.maxConcurrent, 'run')} at the same time.`,
      });
    } catch (error) {
      showToast({ text: `Not saved. ${errorSentence(problemOf(error).code)}`, tone: 'bad' });
    }
  };

  #refuse(message: string): void {
    this.maxConcurrentProblem = message;
    announce(`Not saved. ${message}`);
    this.renderRoot.querySelector<HTMLElement>('#max-concurrent')?.focus();
  }

  // Notifications

  #notifications(): TemplateResult {
    switch (this.permission) {
      case 'granted':
        return html`<p>
          <b>Allowed.</b><br /><span class="quiet"
            >Each is shown once, however many tabs are open, and also by a tab that nobody looks at.</span
          >
        </p>`;
      case 'default':
        return html`<div class="line">
          <p>
            <b>Not asked yet.</b><br /><span class="quiet"
              >Reminders need it. What else there is to tell is in the list of notifications until then.</span
            >
          </p>
          <button type="button" class="btn" @click=${this.#askNotifications}>Allow notifications</button>
        </div>`;
      case 'denied':
        return html`<p>
          <b class="warn">Blocked for this site.</b><br /><span class="quiet"
            >A site may not ask again once it was refused. Open the site’s settings from the icon before the
            address, set Notifications to Allow, and come back: this page notices. Until then reminders
            wait.</span
          >
        </p>`;
      case null:
        return html`<p>
          <b>This browser shows none here.</b><br /><span class="quiet"
            >On an iPhone or iPad, add Rota to the home screen and open it from there.</span
          >
        </p>`;
    }
  }

  readonly #askNotifications = async (): Promise<void> => {
    this.permission = await Notification.requestPermission();
    announce(this.permission === 'granted' ? 'Notifications are allowed.' : 'Notifications are not allowed.');
  };

  // Data

  #data(): TemplateResult {
    return html`<div class="group">
        <h3>Export</h3>
        <div class="line">
          <p class="quiet">
            All automations as one readable file, without history and secrets. What you typed into a header or
            a prompt yourself is in it as it is.
          </p>
          <button type="button" class="btn" @click=${this.#export}>${icon('download', 14)}Export all</button>
        </div>
      </div>
      <div class="group">
        <h3>Import</h3>
        <rota-import-panel .host=${this.host}></rota-import-panel>
      </div>
      <div class="group">
        <h3>Backups</h3>
        <rota-backup-panel .host=${this.host} @restore=${this.#restore}></rota-backup-panel>
      </div>
      ${this.#setAside()}`;
  }

  readonly #restore = (): void => {
    this.renderRoot.querySelector('rota-import-panel')?.choose();
  };

  #storage(): TemplateResult {
    return html`<rota-storage-panel .host=${this.host}></rota-storage-panel>
      <div class="group">
        <h3>How long history is kept</h3>
        <rota-keep-panel .host=${this.host}></rota-keep-panel>
      </div>
      <div class="group">
        <h3>Integrity</h3>
        <rota-integrity-panel .host=${this.host}></rota-integrity-panel>
      </div>`;
  }

  readonly #export = (): void => {
    void exportAutomations(this.host, 'all', `rota-${isoDateTime(Date.now()).slice(0, 10)}`);
  };

  #setAside(): TemplateResult | typeof nothing {
    const rows = this.#quarantine.value ?? [];
    if (rows.length === 0) return nothing;
    const now = Date.now();
    return html`<div class="group">
      <h3>Set aside</h3>
      <p class="quiet">
        ${countText(rows.length, 'row')} could not be read and ${rows.length === 1 ? 'was' : 'were'} put aside
        as ${rows.length === 1 ? 'it was' : 'they were'}. Everything else works on.
      </p>
      <ul class="aside-rows">
        ${rows.map(
          ({ store, key, at, problems }) =>
            html`<li>
              <code>${store} / ${key}</code> <span class="quiet">${namedDateTime(at, now)}</span>
              ${problems.map(({ path, message }) => html`<div class="quiet"><code>${path}</code> ${message}</div>`)}
            </li>`,
        )}
      </ul>
    </div>`;
  }

  // Appearance and keyboard

  #appearance(): TemplateResult {
    return choiceField({
      id: 'theme',
      label: 'Colours',
      value: this.theme,
      options: THEMES.map((value) => ({ value, label: THEME_NAMES[value] })),
      hint: 'In this browser.',
      onChange: (theme) => {
        this.theme = theme;
        chooseTheme(theme);
      },
    });
  }

  #keyboard(): TemplateResult {
    return checkField({
      id: 'shortcuts',
      label: 'Shortcuts of one key',
      hint: 'N for a new automation, J and K in lists, ? for all of them. Turn them off if you speak to your computer or press keys by accident.',
      checked: this.shortcuts,
      onChange: (on) => {
        this.shortcuts = on;
        switchShortcuts(on);
      },
    });
  }

  // About

  #about(): TemplateResult {
    const { state } = this.#engine;
    return html`${
        state.kind === 'ready'
          ? engineFacts(...state.value)
          : html`<p class="quiet">
              ${state.kind === 'loading' ? 'Looking…' : errorSentence(state.problem.code)}
            </p>`
      }
      <div class="line">
        <p class="quiet">
          A restart ends the engine and starts another. What runs gets a moment to end, then counts as
          interrupted.
        </p>
        <button type="button" class="btn" @click=${this.#restart}>
          ${icon('refresh', 14)}Restart the engine
        </button>
      </div>
      <p class="quiet">
        In the browser’s console <code>rota</code> is everything that these screens use: try
        <code>await rota.status()</code>.
      </p>
      <p class="quiet">
        Rota is free software under the MIT licence, and contains
        <a href="./third-party-notices.txt" target="_blank">work of others under theirs</a>.
      </p>`;
  }

  readonly #restart = async (): Promise<void> => {
    try {
      const { active } = await this.host.status();
      if (active.length > 0) {
        const yes = await askToConfirm({
          heading: 'Restart while something runs?',
          text: `${countText(active.length, 'run')} would be interrupted if not done within moments.`,
          confirm: 'Restart',
          cancel: 'Let it run',
        });
        if (!yes) return;
      }
      await this.host.restartEngine();
      showToast({ text: 'The engine restarts.' });
    } catch (error) {
      showToast({ text: errorSentence(problemOf(error).code), tone: 'bad' });
    }
  };
}

function part(title: string, content: TemplateResult): TemplateResult {
  const id = title.toLowerCase();
  return html`<section class="part" aria-labelledby=${id}>
    <h2 id=${id}>${title}</h2>
    <div class="content">${content}</div>
  </section>`;
}

const HOSTS: Readonly<Record<Status['kind'], string>> = {
  'shared-worker': 'one shared worker for all tabs',
  'tab-worker': 'a worker of this tab',
  'service-worker': 'the service worker',
};

function engineFacts(version: Version, status: Status): TemplateResult {
  const others = status.hosts.filter(({ self }) => !self);
  const row = (name: string, value: TemplateResult | string): TemplateResult =>
    html`<div>
      <dt>${name}</dt>
      <dd>${value}</dd>
    </div>`;
  return html`<dl class="facts">
    ${row('Build', html`<span class="mono">${version.build}</span>`)}
    ${row('Protocol', `${version.protocol}, data ${version.schema}`)} ${row('Engine', HOSTS[status.kind])}
    ${row('Running for', html`<rota-time .at=${status.startedAt} form="elapsed"></rota-time>`)}
    ${row('Tabs', String(status.tabs))}
    ${row('Now', status.active.length === 0 ? 'nothing runs' : countText(status.active.length, 'run'))}
    ${
      others.length === 0
        ? nothing
        : row('Beside it', others.map(({ kind, build }) => `${HOSTS[kind]}, build ${build}`).join('; '))
    }
    ${status.trouble === null ? nothing : row('Trouble', html`<span class="bad">${status.trouble}</span>`)}
    ${row('Engine id', html`<span class="mono">${status.hostId}</span>`)}
  </dl>`;
}

/** Whether the browser lets Rota notify; `null` where there is nothing to ask. */
function notificationPermission(): NotificationPermission | null {
  return 'Notification' in globalThis ? Notification.permission : null;
}

declare global {
  interface HTMLElementTagNameMap {
    'rota-settings-page': SettingsPage;
  }
}
