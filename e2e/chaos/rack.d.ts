import { type Page } from '@playwright/test';
/** One tab of Rota. */
export declare class ChaosTab {
  readonly page: Page;
  readonly path: string;
  frozen: boolean;
  /** How many calls are under way in it. */
  busy: number;
  gone: boolean;
  constructor(page: Page, path: string);
  /** Calls the console API. Rejects when the tab dies or nothing is answered in `most` ms. */
  call(name: string, argument: object | undefined, most: number): Promise<unknown>;
}
export declare class Rack {
  #private;
  readonly tabs: ChaosTab[];
  constructor(origin: string, profile: string);
  /** The tabs that can be asked something. */
  get awake(): readonly ChaosTab[];
  launch(): Promise<void>;
  quit(): Promise<void>;
  /** Opens a tab at `path`, where a build is served, and waits until its engine answers. */
  openTab(path: string): Promise<ChaosTab>;
  closeTab(tab: ChaosTab): Promise<void>;
  /** Forgets the tabs that have died. */
  sweep(): void;
  /** Stops a tab's tasks, as a browser does to tabs long hidden, or lets them go on. */
  setFrozen(tab: ChaosTab, frozen: boolean): Promise<void>;
  /** A page of Rota's origin without Rota in it, to look at locks and storage from. */
  watcher(): Promise<Page>;
  /** The renderer processes with a SharedWorker in them: there live the hosts. */
  hostProcesses(): Promise<
    readonly {
      readonly pid: number;
      readonly hosts: number;
    }[]
  >;
  /** The tabs whose page is in the process `pid`. Each page puts a mark into a trace, which says where it came from. */
  tabsIn(pid: number): Promise<readonly ChaosTab[]>;
  /** Crashes a tab's page, and with it all that is in its process. Resolves when the process is gone. */
  crash(tab: ChaosTab, pid: number): Promise<void>;
  /** Kills the whole browser with SIGKILL, and every process of it with that. Resolves when it is gone. */
  kill(): Promise<void>;
}
/** SIGKILL, which no process hears of before it is gone. One that has gone already is as well. */
export declare function killNow(pid: number): void;
