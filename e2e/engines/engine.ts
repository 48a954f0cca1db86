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
  /** A new tab that has not loaded anything yet. */
  newPage(): Promise<EnginePage>;
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
  /**
   * Runs `work` in the page. Nothing of the test's scope is there but `argument`; it and what is answered cross as JSON
   * does.
   */
  evaluate<Argument, Result>(
    work: (argument: Argument) => Result | Promise<Result>,
    argument: Argument,
  ): Promise<Result>;
}
