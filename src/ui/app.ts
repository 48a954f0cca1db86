import { LitElement, css, html, nothing, type TemplateResult } from 'lit';
import { customElement, property, query, state } from 'lit/decorators.js';
import { keyed } from 'lit/directives/keyed.js';
import { Arrivals } from './arrival.ts';
import { showBadge } from './badge.ts';
import { icon, type IconName } from './icons/icon.ts';
import './pages/automations.ts';
import './pages/not-found.ts';
import { announce } from './parts/announcer.ts';
import { placeholderStyles, skeleton, unloaded } from './parts/placeholder.ts';
import { RunAnnouncer } from './parts/run-announcer.ts';
import type { Palette } from './parts/palette.ts';
import type { ShortcutList } from './parts/shortcut-list.ts';
import { shared } from './parts/styles.ts';
import './parts/toast.ts';
import './parts/truth-strip.ts';
import type { RemoteHost, Unsubscribe } from './remote-host.ts';
import { href, isOtherScreen, navigate, onRoute, parseRoute, type Route, type RouteKind } from './router.ts';
import { CHORD, Shortcuts } from './shortcuts.ts';
import { Watched } from './watched.ts';

/** The screens that are fetched when they are first opened. */
const LOADERS: Partial<Record<RouteKind, () => Promise<unknown>>> = {
  new: () => import('./pages/editor.ts'),
  edit: () => import('./pages/editor.ts'),
  automation: () => import('./pages/automation.ts'),
  run: () => import('./pages/run.ts'),
  runs: () => import('./pages/runs.ts'),
  timeline: () => import('./pages/timeline.ts'),
  notifications: () => import('./pages/notifications.ts'),
  engine: () => import('./pages/engine.ts'),
  settings: () => import('./pages/settings.ts'),
};

const NAV: readonly {
  readonly label: string;
  readonly icon: IconName;
  readonly href: string;
  readonly kinds: readonly RouteKind[];
}[] = [
  {
    label: 'Automations',
    icon: 'list',
    href: href.automations(),
    kinds: ['automations', 'automation', 'edit', 'new'],
  },
  { label: 'Runs', icon: 'runs', href: href.runs(), kinds: ['runs', 'run'] },
  { label: 'Timeline', icon: 'timeline', href: href.timeline(), kinds: ['timeline'] },
  { label: 'Engine', icon: 'engine', href: href.engine(), kinds: ['engine'] },
  { label: 'Settings', icon: 'gear', href: href.settings(), kinds: ['settings'] },
];

const TITLES: Readonly<Record<RouteKind, string>> = {
  automations: 'Automations',
  new: 'New automation',
  automation: 'Automation',
  edit: 'Edit',
  runs: 'Runs',
  run: 'Run',
  timeline: 'Timeline',
  notifications: 'Notifications',
  engine: 'Engine',
  settings: 'Settings',
  'not-found': 'Nothing here',
};

/**
 * The shell: navigation, the truth strip, and one screen. It owns what belongs to no screen: the title of the document,
 * the focus after going somewhere, where the last screen was scrolled to, and the keys that work everywhere.
 */
@customElement('rota-app')
export class App extends LitElement {
  static override styles = [
    shared,
    placeholderStyles,
    css`
      :host {
        display: grid;
        grid-template: auto 1fr / 208px minmax(0, 1fr);
        grid-template-areas: 'nav strip' 'nav main';
        min-height: 100dvh;
        font-size: var(--size-m);
      }

      .skip {
        position: fixed;
        z-index: 3;
        inset: 8px auto auto 8px;
        transform: translateY(-64px);
      }

      .skip:focus {
        transform: none;
      }

      nav {
        grid-area: nav;
        position: sticky;
        top: 0;
        display: flex;
        flex-direction: column;
        gap: 1px;
        height: 100dvh;
        padding: 14px 12px;
        background: var(--sunk);
        border-inline-end: 1px solid var(--rule);
      }

      .brand {
        display: flex;
        align-items: center;
        gap: 9px;
        padding: 6px 10px 20px;
        color: var(--ink);
        font-size: var(--size-l);
        font-weight: var(--weight-head);
        letter-spacing: -0.02em;
        text-decoration: none;
      }

      .tab {
        display: flex;
        align-items: center;
        gap: 8px;
        min-height: 34px;
        padding-block: 0;
        padding-inline: 10px 6px;
        border-radius: var(--radius-s);
        color: var(--ink-2);
        font-size: var(--size-m);
        text-decoration: none;
      }

      .tab:hover {
        color: var(--ink);
        background: color-mix(in oklab, var(--ink) 5%, transparent);
      }

      .tab[aria-current] {
        color: var(--ink);
        font-weight: var(--weight-strong);
        background: var(--sheet);
        box-shadow: inset 0 0 0 1px var(--rule);
      }

      .tab .icon {
        flex: none;
        color: var(--ink-3);
      }

      .tab[aria-current] .icon {
        color: var(--ink);
      }

      .tab b {
        margin-inline-start: auto;
        color: var(--bad);
        font-size: var(--size-xs);
        font-weight: var(--weight-strong);
      }

      .foot {
        margin-top: auto;
        padding: 8px 10px 2px;
        color: var(--ink-3);
        font-size: var(--size-xs);
        line-height: 1.45;
      }

      .foot .btn {
        margin-block-end: 8px;
        margin-inline-start: -8px;
        padding: 0 8px;
        font-size: var(--size-xs);
      }

      .strip {
        grid-area: strip;
        position: sticky;
        z-index: 2;
        top: 0;
        display: flex;
        align-items: center;
        justify-content: space-between;
        gap: var(--space-2) var(--space-5);
        min-height: 52px;
        padding: 6px var(--gutter);
        border-bottom: 1px solid var(--rule);
        background: var(--paper);
      }

      .find {
        flex: none;
        margin-inline: auto -12px;
        border-color: transparent;
        background: none;
        color: var(--ink-2);
      }

      .strip:has(rota-toasts[data-shown]) .find > :not(.icon) {
        display: none;
      }

      .bell {
        position: relative;
        display: grid;
        flex: none;
        place-items: center;
        width: 36px;
        height: 36px;
        margin-inline: calc(-1 * var(--space-2)) -8px;
        border-radius: var(--radius-s);
        color: var(--ink-2);
        text-decoration: none;
      }

      .bell:hover,
      .bell[aria-current] {
        color: var(--ink);
        background: color-mix(in oklab, var(--ink) 5%, transparent);
      }

      .bell b {
        position: absolute;
        top: 1px;
        inset-inline-end: 0;
        min-width: 16px;
        padding: 0 4px;
        border-radius: 8px;
        background: var(--bad);
        color: var(--paper);
        font-size: 0.6875rem;
        font-weight: var(--weight-strong);
        line-height: 16px;
        text-align: center;
      }

      rota-unavailable-page {
        grid-area: 1 / 1 / -1 / -1;
      }

      main {
        grid-area: main;
        /* What lies over a part of a screen never lies over the shell. */
        isolation: isolate;
        min-width: 0;
        padding-bottom: var(--space-8);
      }

      @media (max-width: 760px) {
        :host {
          grid-template: auto 1fr / minmax(0, 1fr);
          grid-template-areas: 'strip' 'main';
        }

        main {
          padding-bottom: calc(56px + env(safe-area-inset-bottom) + var(--space-6));
        }

        nav {
          position: fixed;
          z-index: 2;
          inset: auto 0 0;
          flex-direction: row;
          height: auto;
          padding: 0 max(8px, env(safe-area-inset-right)) env(safe-area-inset-bottom)
            max(8px, env(safe-area-inset-left));
          border: 0;
          border-top: 1px solid var(--rule);
        }

        .brand,
        .foot {
          display: none;
        }

        .tab {
          position: relative;
          flex: 1;
          flex-direction: column;
          justify-content: center;
          gap: 3px;
          min-height: 56px;
          padding: 0;
          border-radius: 0;
          font-size: 0.6875rem;
          line-height: 1;
        }

        .tab:hover {
          background: none;
        }

        .tab[aria-current] {
          background: none;
          box-shadow: inset 0 2px 0 var(--ink);
        }

        .tab b {
          position: absolute;
          top: 8px;
          inset-inline-start: calc(50% + 13px);
        }

        .find {
          width: 40px;
          padding: 0;
        }

        .find > :not(.icon) {
          position: absolute;
          clip-path: inset(50%);
        }

        /* One place for what is and for what was just done: on a narrow screen they take turns. */
        .strip:has(rota-toasts[data-shown]) rota-truth-strip {
          display: none;
        }

        .strip rota-toasts {
          flex: 1;
        }
      }

      @media (forced-colors: active) {
        .tab[aria-current] {
          outline: 1px solid;
          outline-offset: -1px;
        }

        .bell b {
          border: 1px solid;
        }
      }

      @media print {
        nav,
        .strip {
          display: none;
        }
      }
    `,
  ];

  /** Set once by `main.ts`, before the first update. */
  @property({ attribute: false }) host!: RemoteHost;
  @state() private route: Route = parseRoute(location.hash);
  @state() private missing = false;
  @query('main') private readonly main!: HTMLElement | null;
  @query('.strip') private readonly strip!: HTMLElement | null;
  @query('rota-palette') private readonly palette!: Palette | null;
  @query('rota-shortcut-list') private readonly shortcutList!: ShortcutList | null;

  readonly #loaded = new Map<RouteKind, 'loading' | 'ready' | 'failed'>();
  readonly #counts = new Watched(this, {
    // The view that has least to say: only how many there are is wanted.
    read: async () => (await this.host.orderAutomations({ view: 'needs-you' })).counts,
    topics: ['automations', 'runs', 'hosts'],
  });
  readonly #notifications = new Watched(this, {
    read: () => this.host.listNotifications({ limit: 1 }),
    topics: ['notifications'],
  });
  readonly #arrivals = new Arrivals();
  /** How high the strip is, for what sticks to the top below it: it has two lines where one is too short. */
  readonly #stripSize = new ResizeObserver(([entry]) => {
    const height = entry?.borderBoxSize[0]?.blockSize;
    if (height !== undefined) document.documentElement.style.setProperty('--strip', `${height}px`);
  });
  #strip: HTMLElement | null = null;
  #stops: readonly Unsubscribe[] = [];
  /** The number that is on the icon; unknown before the first answer. */
  #badge: number | null = null;

  constructor() {
    super();
    this.addController(new RunAnnouncer(() => this.host));
    new Shortcuts(this, () => [
      { key: '?', label: 'This list', run: () => void this.#showShortcuts() },
      { key: 'n', label: 'New automation', run: () => navigate(href.new()) },
      { key: '1', label: 'Automations', run: () => navigate(href.automations()) },
      { key: '2', label: 'Runs', run: () => navigate(href.runs()) },
      { key: '3', label: 'Timeline', run: () => navigate(href.timeline()) },
      { key: '4', label: 'Engine', run: () => navigate(href.engine()) },
      { key: '5', label: 'Settings', run: () => navigate(href.settings()) },
      { key: '6', label: 'Notifications', run: () => navigate(href.notifications()) },
    ]);
  }

  /** It stands in the page before it has a host; where the platform lacks something, it is taken out without one. */
  protected override shouldUpdate(): boolean {
    return this.isConnected && (this.host as RemoteHost | undefined) !== undefined;
  }

  protected override willUpdate(): void {
    // Not on connection: the element stands in the page before its code, and gets its host only then.
    if (this.#stops.length > 0) return;
    addEventListener('keydown', this.#chord);
    this.#stops = [
      () => removeEventListener('keydown', this.#chord),
      onRoute((route) => void this.#arrive(route)),
      this.host.subscribe(() => this.#noticeMissing()),
    ];
    this.#noticeMissing();
    document.title = titleOf(this.route);
    void this.#resume(this.route);
  }

  async #resume(route: Route): Promise<void> {
    await this.#load(route.kind);
    await this.updateComplete;
    const screen = this.main?.firstElementChild;
    if (this.route === route && screen instanceof Element) this.#arrivals.resume(screen);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    for (const stop of this.#stops) stop();
    this.#stops = [];
    this.#arrivals.stop();
    this.#stripSize.disconnect();
    this.#strip = null;
  }

  #noticeMissing(): void {
    const missing = this.host.connection.kind === 'unavailable';
    if (missing) void import('./pages/unavailable.ts');
    else if (this.missing) document.title = titleOf(this.route);
    this.missing = missing;
  }

  async #arrive(route: Route): Promise<void> {
    const before = this.route;
    this.route = route;
    const isOtherStep = this.#arrivals.leave();
    if (!isOtherScreen(before, route)) {
      if (isOtherStep) await this.#turn(route);
      return;
    }
    document.title = titleOf(route);
    await this.#load(route.kind);
    const screen = await this.#shownScreen();
    // Someone may have gone on meanwhile.
    if (this.route === route && screen !== null) this.#arrivals.arrive(screen);
  }

  /** The screen stays, and shows what another step of the history does: another filter, mostly. */
  async #turn(route: Route): Promise<void> {
    const screen = await this.#shownScreen();
    if (this.route === route && screen !== null) this.#arrivals.turn(screen);
  }

  async #shownScreen(): Promise<Element | null> {
    await this.updateComplete;
    const screen = this.main?.firstElementChild ?? null;
    if (screen instanceof LitElement) await screen.updateComplete;
    return screen;
  }

  async #load(kind: RouteKind): Promise<void> {
    const loader = LOADERS[kind];
    if (loader === undefined || this.#loaded.get(kind) === 'ready') return;
    this.#loaded.set(kind, 'loading');
    try {
      await loader();
      this.#loaded.set(kind, 'ready');
    } catch {
      this.#loaded.set(kind, 'failed');
      announce('This screen could not be loaded.');
    }
    this.requestUpdate();
  }

  protected override updated(): void {
    this.#watchStrip();
    const count = this.#counts.value?.['needs-you'] ?? null;
    if (count === null || count === this.#badge) return;
    this.#badge = count;
    showBadge(count);
  }

  #watchStrip(): void {
    if (this.strip === this.#strip) return;
    this.#stripSize.disconnect();
    this.#strip = this.strip;
    if (this.strip !== null) this.#stripSize.observe(this.strip);
  }

  readonly #showShortcuts = async (): Promise<void> => {
    await import('./parts/shortcut-list.ts');
    await this.shortcutList?.updateComplete;
    this.shortcutList?.show();
  };

  readonly #showPalette = async (): Promise<void> => {
    await import('./parts/palette.ts');
    await this.palette?.toggle();
  };

  /** The one key that works with Ctrl or Cmd, and so also while something is typed. */
  readonly #chord = (event: KeyboardEvent): void => {
    const isChord = (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey;
    if (!isChord || event.key.toLowerCase() !== 'k' || event.defaultPrevented || this.missing) return;
    event.preventDefault();
    void this.#showPalette();
  };

  readonly #skip = (event: Event): void => {
    event.preventDefault();
    this.main?.firstElementChild?.shadowRoot?.querySelector('h1')?.focus();
  };

  protected override render(): TemplateResult {
    const { connection } = this.host;
    if (this.missing && connection.kind === 'unavailable') {
      return html`<rota-unavailable-page
        .missing=${connection.missing}
        .detail=${connection.detail}
      ></rota-unavailable-page>`;
    }
    return html`<nav aria-label="Rota">
        <a class="skip btn primary" href=${location.hash || '#/'} @click=${this.#skip}>Skip to the screen</a>
        <a class="brand" href=${href.automations()}>${icon('rota', 24)} Rota</a>
        ${NAV.map((entry) => this.#navEntry(entry))}
        <div class="foot">
          <button class="btn bare" @click=${this.#showShortcuts}>
            ${icon('keyboard')} Shortcuts <kbd>?</kbd>
          </button>
          <p>Runs while this browser is open.</p>
        </div>
      </nav>
      <div class="strip" role="region" aria-label="Engine">
        <rota-truth-strip .host=${this.host}></rota-truth-strip>
        <rota-toasts></rota-toasts>
        <button
          class="btn find"
          aria-label="Search or command"
          aria-keyshortcuts="Control+K Meta+K"
          @click=${this.#showPalette}
        >
          ${icon('magnifying-glass')}<span>Search or command</span> <kbd>${CHORD}</kbd>
        </button>
        ${this.#bell()}
      </div>
      <main>${this.#page()}</main>
      <rota-shortcut-list></rota-shortcut-list>
      <rota-palette .host=${this.host}></rota-palette>`;
  }

  #bell(): TemplateResult {
    const unread = this.#notifications.value?.unread ?? 0;
    return html`<a
      class="bell"
      href=${href.notifications()}
      aria-current=${this.route.kind === 'notifications' ? 'page' : nothing}
      title="Notifications"
      >${icon('bell', 18)}<span class="sr-only">Notifications${unread > 0 ? `, ${unread} not read` : ''}</span
      >${unread > 0 ? html`<b aria-hidden="true">${unread > 99 ? '99+' : unread}</b>` : nothing}</a
    >`;
  }

  #navEntry(entry: (typeof NAV)[number]): TemplateResult {
    const needs = entry.kinds.includes('automations') ? (this.#counts.value?.['needs-you'] ?? 0) : 0;
    return html`<a
      class="tab"
      href=${entry.href}
      aria-current=${entry.kinds.includes(this.route.kind) ? 'page' : nothing}
      >${icon(entry.icon, 18)}<span>${entry.label}</span>${
        needs > 0
          ? html`<b
              ><span aria-hidden="true">${needs > 99 ? '99+' : needs}</span
              ><span class="sr-only">${needs} need you</span></b
            >`
          : nothing
      }</a
    >`;
  }

  #page(): TemplateResult {
    const { route, host } = this;
    switch (this.#loaded.get(route.kind)) {
      case 'loading':
        return skeleton(6);
      case 'failed':
        return unloaded();
      case 'ready':
      case undefined:
    }
    switch (route.kind) {
      case 'automations':
        return html`<rota-automations-page .host=${host} .query=${route.query}></rota-automations-page>`;
      case 'new':
        return html`${keyed(
          `${route.starter ?? ''} ${route.copyOf ?? ''} ${route.offer ?? ''}`,
          html`<rota-editor-page
            .host=${host}
            .starter=${route.starter}
            .copyOf=${route.copyOf}
            .offer=${route.offer}
          ></rota-editor-page>`,
        )}`;
      case 'edit':
        return html`${keyed(
          route.id,
          html`<rota-editor-page .host=${host} .automationId=${route.id}></rota-editor-page>`,
        )}`;
      case 'run':
        return html`${keyed(route.id, html`<rota-run-page .host=${host} .runId=${route.id}></rota-run-page>`)}`;
      case 'automation':
        return html`<rota-automation-page .host=${host} .automationId=${route.id}></rota-automation-page>`;
      case 'runs':
        return html`<rota-runs-page .host=${host} .query=${route.query}></rota-runs-page>`;
      case 'timeline':
        return html`<rota-timeline-page .host=${host} .query=${route.query}></rota-timeline-page>`;
      case 'notifications':
        return html`<rota-notifications-page .host=${host}></rota-notifications-page>`;
      case 'engine':
        return html`<rota-engine-page .host=${host}></rota-engine-page>`;
      case 'settings':
        return html`<rota-settings-page .host=${host} .secret=${route.secret}></rota-settings-page>`;
      case 'not-found':
        return html`<rota-not-found-page .path=${route.path}></rota-not-found-page>`;
    }
  }
}

function titleOf(route: Route): string {
  return `${TITLES[route.kind]} · Rota`;
}

declare global {
  interface HTMLElementTagNameMap {
    'rota-app': App;
  }
}
