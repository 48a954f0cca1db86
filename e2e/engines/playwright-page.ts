/** A page that Playwright drives. */
import type { Page } from '@playwright/test';
import type { EnginePage } from './engine.ts';

/** A page of Playwright's as any engine's. */
export class PlaywrightPage implements EnginePage {
  constructor(readonly page: Page) {}

  async goto(url: string): Promise<void> {
    await this.page.goto(url);
  }

  async reload(): Promise<void> {
    await this.page.reload();
  }

  close(): Promise<void> {
    return this.page.close();
  }

  onGone(tell: () => void): void {
    this.page.on('close', tell);
    this.page.on('crash', () => {
      tell();
      void this.page.close().catch(() => undefined);
    });
  }

  evaluate<Argument, Result>(
    work: (argument: Argument) => Result | Promise<Result>,
    argument: Argument,
  ): Promise<Result> {
    // Playwright's own type looks into the argument for handles of things in the page; here there are none.
    return this.page.evaluate(work as (argument: unknown) => Result | Promise<Result>, argument);
  }
}
