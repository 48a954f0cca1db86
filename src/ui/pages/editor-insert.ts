/** The menu of values in the editor: offered at a field, and inserted where its caret is. */
import type { AutomationId } from '../../domain/index.ts';
import type { RunDetail } from '../../rpc/index.ts';
import type { Menu } from '../parts/menu.ts';
import type { RemoteHost } from '../remote-host.ts';
import type { EditorForm } from './editor-form.ts';
import { type InsertableFrom, insertable } from './editor-insertable.ts';

/** How many of the last runs are looked at for what a step brought back. */
const RUNS_READ = 3;

interface Access {
  readonly form: () => EditorForm;
  readonly automationId: () => AutomationId | null;
  readonly host: () => RemoteHost;
  readonly menu: () => Menu | null;
}

type Control = HTMLInputElement | HTMLTextAreaElement;

/** Offers what can be inserted, with what it was in the last run. */
export class InsertMenu {
  readonly #access: Access;

  constructor(access: Access) {
    this.#access = access;
  }

  /** For the field before the button that `event` comes from, of the step at `place`; `null` for an action alone. */
  readonly offer = (event: Event, place: number | null): void => {
    const button = event.currentTarget;
    if (!(button instanceof HTMLElement)) return;
    const control = button.previousElementSibling;
    if (!(control instanceof HTMLInputElement || control instanceof HTMLTextAreaElement)) return;
    void this.#show(event, button, control, place);
  };

  async #show(event: Event, button: HTMLElement, control: Control, place: number | null): Promise<void> {
    const { form, menu } = this.#access;
    const { steps, name, actionKind } = form();
    const kind = place === null ? actionKind : steps[place - 1]?.action.actionKind;
    const [runs, secrets] = await Promise.all([
      this.#runs(),
      // A reminder stays here, and no secret may be seen in it.
      kind === 'remind' || kind === 'script' ? [] : this.#secrets(),
    ]);
    const offered = insertable({
      name,
      before: place === null ? [] : steps.slice(0, place - 1),
      runs,
      secrets,
      into: kind === 'script' ? 'script' : 'template',
    });
    await menu()?.toggleAt(
      button,
      event,
      'Values to insert',
      offered.map(({ text, ...item }) => ({ ...item, act: { run: () => insert(control, text) } })),
    );
  }

  /** Without them the menu has no values, but all names. */
  async #runs(): Promise<readonly RunDetail[]> {
    const id = this.#access.automationId();
    if (id === null) return [];
    const host = this.#access.host();
    try {
      const { items } = await host.listRuns({ automationId: id, status: ENDED, limit: RUNS_READ });
      const found = await Promise.all(items.map((run) => host.getRun(run.id)));
      return found.filter((run) => run !== null);
    } catch {
      return [];
    }
  }

  async #secrets(): Promise<InsertableFrom['secrets']> {
    try {
      return (await this.#access.host().listSecrets()).items;
    } catch {
      return [];
    }
  }
}

const ENDED = ['succeeded', 'failed', 'timed-out', 'cancelled'] as const;

/** Puts `text` in place of what is selected in `control`, as if it were typed. */
function insert(control: Control, text: string): void {
  const start = control.selectionStart ?? control.value.length;
  control.focus();
  control.setRangeText(inAddress(control, start, text), start, control.selectionEnd ?? start, 'end');
  control.dispatchEvent(new InputEvent('input', { bubbles: true }));
}

/** Within an address, what may hold spaces or signs is encoded; one that is all of it stands for itself. */
function inAddress({ inputMode, value }: Control, at: number, text: string): string {
  const isWithin = inputMode === 'url' && value.slice(0, at).trim() !== '';
  return isWithin && /^\{\{ (?!secrets\.)/.test(text) ? text.replace(/ \}\}$/, ' | url_encode }}') : text;
}
