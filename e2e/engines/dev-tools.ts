/** Chromium's developer tools (https://chromedevtools.github.io/devtools-protocol), as far as tests make pages suffer with them. */
import type { BrowserContext, CDPSession, Page } from '@playwright/test';
import { within } from '../within.ts';
import type { DevTools, EnginePage } from './engine.ts';
import { PlaywrightPage } from './playwright-page.ts';

/** How long a page may take to answer, and a trace to begin or end. Who has died in the meantime never does. */
const ANSWER_MOST_MS = 5_000;
const TRACE_MOST_MS = 15_000;

export class ChromiumDevTools implements DevTools {
  readonly #context: BrowserContext;

  constructor(context: BrowserContext) {
    this.#context = context;
  }

  /** Each page puts a mark into a trace, which says where it came from. */
  async pagesIn(pid: number, pages: readonly EnginePage[]): Promise<readonly EnginePage[]> {
    const browser = this.#context.browser();
    if (browser === null) throw new Error('The browser cannot be reached.');
    const session = await within(ANSWER_MOST_MS, browser.newBrowserCDPSession());
    const marks = new Map(pages.map((page, index) => [`rota-test-${index}`, page]));
    const found = new Set<EnginePage>();
    session.on('Tracing.dataCollected', ({ value }: { value: object[] }) => {
      for (const event of value) {
        const page = marks.get(Reflect.get(event, 'name') as string);
        if (page !== undefined && Reflect.get(event, 'pid') === pid) found.add(page);
      }
    });
    const complete = new Promise((resolve) => session.once('Tracing.tracingComplete', resolve));
    try {
      const traceConfig = { includedCategories: ['blink.user_timing'] };
      await within(
        TRACE_MOST_MS,
        session.send('Tracing.start', { transferMode: 'ReportEvents', traceConfig }),
      );
      const put = (name: string): void => {
        performance.mark(name);
        performance.clearMarks(name);
      };
      await Promise.allSettled(
        [...marks].map(([name, page]) => within(ANSWER_MOST_MS, page.evaluate(put, name))),
      );
    } finally {
      // Whatever happened: while one trace is open there can be no other.
      await within(
        TRACE_MOST_MS,
        session.send('Tracing.end').then(() => complete),
      ).catch(() => undefined);
      await detach(session);
    }
    return [...found];
  }

  async crash(page: EnginePage): Promise<void> {
    const session = await this.#sessionOf(page);
    // It never answers: whoever would is gone.
    session.send('Page.crash').catch(() => undefined);
  }

  async setFrozen(page: EnginePage, isFrozen: boolean): Promise<void> {
    const session = await this.#sessionOf(page);
    const state = isFrozen ? 'frozen' : 'active';
    await within(ANSWER_MOST_MS, session.send('Page.setWebLifecycleState', { state }));
    await detach(session);
  }

  async fillQuota(page: EnginePage): Promise<() => Promise<void>> {
    const { origin } = new URL(pageOf(page).url());
    const session = await this.#sessionOf(page);
    const quota = { origin, quotaSize: 1 };
    await within(ANSWER_MOST_MS, session.send('Storage.overrideQuotaForOrigin', quota));
    // The quota is what it was once the session is gone, with its page or before.
    return () => detach(session);
  }

  #sessionOf(page: EnginePage): Promise<CDPSession> {
    return within(ANSWER_MOST_MS, this.#context.newCDPSession(pageOf(page)));
  }
}

/** Ends a session, as far as there is anybody left to end it with. */
async function detach(session: CDPSession): Promise<void> {
  await within(ANSWER_MOST_MS, session.detach()).catch(() => undefined);
}

function pageOf(page: EnginePage): Page {
  if (page instanceof PlaywrightPage) return page.page;
  throw new TypeError('It is no page of Chromium.');
}
