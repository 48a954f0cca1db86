/** What the stories need of a browser engine, whoever drives it. */

export type EngineName = 'chromium' | 'firefox' | 'webkit';

/** One way to start and drive a browser. */
export interface Engine<Browser extends EngineBrowser = EngineBrowser> {
  readonly name: EngineName;
  /** Starts the browser. Rejects when there is none on this machine. */
  launch(start: Start): Promise<Browser>;
}

/** How a browser is started. */
export interface Start {
  /** The folder of its disk profile. */
  readonly profile: string;
  /** A script that runs in each page before any of its own. */
  readonly before: string;
  /** Is told what pages say on their consoles that no page of Rota should say. */
  readonly complain: (what: string) => void;
}

/** Not every engine tells anybody but the page itself what its policy forbids: the page says it on its console. */
export const TELL_VIOLATIONS = `addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI }) =>
  console.error('Content Security Policy: ' + effectiveDirective + ' forbids ' + blockedURI));`;

/** A browser that runs. */
export interface EngineBrowser {
  /** Its main process; every other process of it is below. */
  readonly pid: number;
  /** What its developer tools do for tests; `null` where they do not do all of it. */
  readonly devTools: DevTools | null;
  /** Whether its driver has stopped answering: nothing can be asked of it any more, and all that is left is {@link kill}. */
  readonly isStuck: boolean;
  /** Whether it takes a request back that a worker gives up, or leaves it with the server until it is answered. */
  readonly takesRequestsBack: boolean;
  /** Whether a page can still be asked after it has loaded itself anew, which is not by {@link EnginePage.reload}. */
  readonly followsReloads: boolean;
  /**
   * A new tab that has not loaded anything yet. With `hidden` it says that it is, as all but one tab of a window are: in some
   * engines every tab of a driven browser is shown.
   */
  newPage(look?: 'hidden'): Promise<EnginePage>;
  /** Ends it as a person does. */
  quit(): Promise<void>;
  /** Kills all its processes with SIGKILL: nothing is told first. Resolves when nothing of it is left. */
  kill(): Promise<void>;
}

/** One page in a tab. When its process or the browser is gone, a call rejects or, as engines have it, is never answered. */
export interface EnginePage {
  /** Loads `url` and resolves when it has been loaded. */
  goto(url: string): Promise<void>;
  reload(): Promise<void>;
  close(): Promise<void>;
  /** Has `tell` called when the page is closed, or its process or its browser has died, as far as the driver notices. */
  onGone(tell: () => void): void;
  /**
   * Runs `work` in the page. Nothing of the test's scope is there but `argument`; it and what is answered cross as JSON
   * does.
   */
  evaluate<Argument, Result>(
    work: (argument: Argument) => Result | Promise<Result>,
    argument: Argument,
  ): Promise<Result>;
}

/** What is done to pages with an engine's developer tools. Pages are those of the same browser. */
export interface DevTools {
  /** Those of `pages` that are in the process `pid`. */
  pagesIn(pid: number, pages: readonly EnginePage[]): Promise<readonly EnginePage[]>;
  /** Begins to crash a page, and with it all that is in its process. That it has crashed nobody is left to tell. */
  crash(page: EnginePage): Promise<void>;
  /** Stops a page's tasks, as a browser does to tabs long hidden, or lets them go on. */
  setFrozen(page: EnginePage, isFrozen: boolean): Promise<void>;
  /**
   * Leaves the page's origin no room to store anything more, until what this resolves with is called or the page is gone.
   * The engine may take a while to notice.
   */
  fillQuota(page: EnginePage): Promise<() => Promise<void>>;
}
