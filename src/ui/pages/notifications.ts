import { LitElement, type TemplateResult, css, html, nothing } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import { repeat } from 'lit/directives/repeat.js';
import type { NotificationView } from '../../rpc/index.ts';
import { icon } from '../icons/icon.ts';
import { announce } from '../parts/announcer.ts';
import { pageHeader } from '../parts/page-header.ts';
import { empty, failed, placeholderStyles, skeleton } from '../parts/placeholder.ts';
import { statusShape, statusStyles } from '../parts/status-mark.ts';
import { shared } from '../parts/styles.ts';
import '../parts/time.ts';
import { showToast } from '../parts/toast.ts';
import type { RemoteHost } from '../remote-host.ts';
import { href } from '../router.ts';
import { countText } from '../text/counts.ts';
import { errorSentence } from '../text/errors.ts';
import { notificationStateText } from '../text/notifications.ts';
import type { StatusKind } from '../text/status.ts';
import { Watched, problemOf } from '../watched.ts';

/** Rows on the screen; the store keeps not many more. */
const SHOWN_MOST = 300;

const SHAPES: Readonly<Record<NotificationView['about'], StatusKind | null>> = {
  failed: 'failed',
  paused: 'paused',
  asks: 'may-have-happened',
  recovered: 'succeeded',
  changed: null,
  done: null,
  said: null,
};

/** What Rota has told, and what it held back and why, newest first. */
@customElement('rota-notifications-page')
export class NotificationsPage extends LitElement {
  static override styles = [
    shared,
    placeholderStyles,
    statusStyles,
    css`
      .sentence {
        margin-top: var(--space-2);
        color: var(--ink-2);
      }

      ol {
        margin: 0;
        padding: 0;
        border-top: 1px solid var(--rule);
        list-style: none;
      }

      .row {
        display: grid;
        grid-template-columns: 8px 18px minmax(0, 1fr) auto;
        gap: 2px var(--space-3);
        padding: var(--space-3) var(--gutter);
        border-bottom: 1px solid var(--rule);
        color: var(--ink);
        text-decoration: none;
      }

      .row:hover {
        background: color-mix(in oklab, var(--ink) 4%, transparent);
      }

      .dot {
        width: 8px;
        height: 8px;
        margin-top: 7px;
        border-radius: 50%;
      }

      .unread .dot {
        background: var(--act);
      }

      .unread .title {
        font-weight: var(--weight-strong);
      }

      .mark {
        margin-top: 3px;
        color: var(--ink-3);
      }

      .title,
      .body {
        overflow-wrap: anywhere;
      }

      .body {
        grid-column: 3;
        max-width: 76ch;
        color: var(--ink-2);
        font-size: var(--size-s);
        text-wrap: pretty;
        white-space: pre-line;
      }

      .state {
        grid-column: 3;
        color: var(--ink-3);
        font-size: var(--size-xs);
      }

      .when {
        color: var(--ink-2);
        font-size: var(--size-s);
        white-space: nowrap;
      }

      @media (max-width: 760px) {
        .row {
          grid-template-columns: 8px 18px minmax(0, 1fr);
        }

        .when {
          grid-column: 3;
          grid-row: 4;
          font-size: var(--size-xs);
        }
      }

      @media (forced-colors: active) {
        .unread .dot {
          background: CanvasText;
        }
      }
    `,
  ];

  @property({ attribute: false }) host!: RemoteHost;
  @state() private busy = false;

  readonly #list = new Watched(this, {
    read: () => this.host.listNotifications({ limit: SHOWN_MOST }),
    topics: ['notifications'],
  });

  protected override render(): TemplateResult {
    const { state } = this.#list;
    const unread = this.#list.value?.unread ?? 0;
    return html`${pageHeader({
      title: 'Notifications',
      below: html`<p class="sentence">
        ${
          state.kind !== 'ready'
            ? nothing
            : unread === 0
              ? 'All are read.'
              : `${countText(unread, 'notification')} not read.`
        }
        What is told is chosen in each automation, under <i>Tell me</i>. Quiet hours are in the
        <a href=${href.settings()}>settings</a>.
      </p>`,
      actions:
        unread === 0
          ? nothing
          : html`<button type="button" class="btn" ?disabled=${this.busy} @click=${this.#readAll}>
              ${icon('check')} Mark all as read
            </button>`,
    })}
    ${this.#body()}`;
  }

  #body(): TemplateResult {
    const { state } = this.#list;
    switch (state.kind) {
      case 'loading':
        return skeleton(6);
      case 'failed':
        return failed(state.problem, () => void this.#list.refresh());
      case 'ready':
        return state.value.items.length === 0
          ? empty(
              'Nothing to tell so far.',
              'When an automation fails, works again or has something to say, it is listed here, also where the browser shows nothing.',
            )
          : html`<ol aria-label="Notifications">
              ${repeat(
                state.value.items,
                ({ id }) => id,
                (one) => html`<li>${this.#row(one)}</li>`,
              )}
            </ol>`;
    }
  }

  #row(one: NotificationView): TemplateResult {
    const shape = SHAPES[one.about];
    return html`<a
      class="row ${one.read ? '' : 'unread'}"
      href=${href.run(one.runId)}
      @click=${() => void this.#read([one.id])}
    >
      <span class="dot">${one.read ? nothing : html`<span class="sr-only">Not read:</span>`}</span>
      <span class="mark">${shape === null ? icon('bell', 14) : statusShape(shape)}</span>
      <span class="title">${one.title}</span>
      <span class="when"><rota-time .at=${one.at} form="relative"></rota-time></span>
      ${one.body === '' ? nothing : html`<span class="body">${one.body}</span>`}
      <span class="state">${notificationStateText(one, mayShow())}</span>
    </a>`;
  }

  readonly #readAll = async (): Promise<void> => {
    this.busy = true;
    try {
      // Those that are on the screen: what comes meanwhile nobody has read.
      await this.#read((this.#list.value?.items ?? []).filter(({ read }) => !read).map(({ id }) => id));
      announce('All notifications are read.');
      this.renderRoot.querySelector<HTMLElement>('h1')?.focus();
    } finally {
      this.busy = false;
    }
  };

  async #read(ids: readonly string[]): Promise<void> {
    try {
      await this.host.readNotifications({ ids });
      await this.#list.refresh();
    } catch (error) {
      showToast({ text: `Not marked as read. ${errorSentence(problemOf(error).code)}`, tone: 'bad' });
    }
  }
}

function mayShow(): boolean {
  return 'Notification' in globalThis && Notification.permission === 'granted';
}

declare global {
  interface HTMLElementTagNameMap {
    'rota-notifications-page': NotificationsPage;
  }
}
