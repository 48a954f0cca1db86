/** The keyboard, as a person uses it who cannot point. */
import { type Locator, type Page, expect } from '@playwright/test';

/** What has the focus, in whatever shadow root: its accessible name as the browser computes it is checked by role. */
async function focusedId(page: Page): Promise<string> {
  return page.evaluate(() => {
    let element = document.activeElement;
    while (element?.shadowRoot?.activeElement != null) element = element.shadowRoot.activeElement;
    const root = element?.getRootNode();
    const own = element?.id ?? '';
    return own !== '' || !(root instanceof ShadowRoot) ? own : root.host.id;
  });
}

/** Goes on with Tab until `field` has the focus, as a person does who cannot point. */
export async function tabTo(page: Page, field: Locator): Promise<void> {
  for (let press = 0; press < 80; press++) {
    if (await field.evaluate((element) => element.matches(':focus, :focus-within'))) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`Tab does not come to ${field.toString()}; it is at #${await focusedId(page)}.`);
}

/** Chooses in a group of radio buttons, which is one stop, with the arrow keys: those to the left for less than 0 presses. */
export async function choose(page: Page | Locator, from: string, to: string, presses: number): Promise<void> {
  const radio = (name: string) => page.getByRole('radio', { name, exact: true });
  const { keyboard } = 'keyboard' in page ? page : page.page();
  await tabTo('keyboard' in page ? page : page.page(), radio(from));
  const key = presses < 0 ? 'ArrowLeft' : 'ArrowRight';
  for (let press = 0; press < Math.abs(presses); press++) await keyboard.press(key);
  await expect(radio(to)).toBeChecked();
}

/** Types in a field of text, in place of what is there. */
export async function type(page: Page, name: string, text: string): Promise<void> {
  await tabTo(page, page.getByRole('textbox', { name, exact: true }));
  await page.keyboard.press('Control+a');
  await page.keyboard.type(text);
}
