/**
 * Keyboard shortcuts of one key, without Ctrl, Alt or Meta. They never act while something is typed or a menu or dialog
 * is open, and can be switched off as a whole, because speech input and slips of the hand press single keys too
 * (WCAG 2.1.4). An element that has some says so with a {@link Shortcuts}; the dialog behind `?` lists what is there.
 */
import type { ReactiveController, ReactiveControllerHost } from 'lit';

/** One key and what it does. */
export interface Shortcut {
  /** As in `KeyboardEvent.key`: `n`, `/`, `?`. */
  readonly key: string;
  /** What it does, for the list: `New automation`. */
  readonly label: string;
  readonly run: () => void;
}

/** What opens the command palette, as the keyboard of this machine calls it. It works while something is typed, too. */
export const CHORD =
  typeof navigator !== 'undefined' && /mac|iphone|ipad/i.test(navigator.userAgent) ? '⌘ K' : 'Ctrl K';

const KEY = 'rota:shortcuts';
const active: Shortcuts[] = [];

/** Whether shortcuts of one key are on. They are until someone switches them off. */
export function shortcutsOn(): boolean {
  try {
    return localStorage.getItem(KEY) !== 'off';
  } catch {
    return true;
  }
}

/** Switches shortcuts of one key on or off, in all tabs. */
export function switchShortcuts(on: boolean): void {
  try {
    if (on) localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, 'off');
  } catch {
    // Without storage they stay as they are.
  }
}

/** All shortcuts that work now, outermost element first. */
export function listShortcuts(): readonly Shortcut[] {
  return active.flatMap((shortcuts) => shortcuts.list());
}

/** Gives an element shortcuts for as long as it is connected. Of two with one key, the one added last acts. */
export class Shortcuts implements ReactiveController {
  readonly list: () => readonly Shortcut[];

  /** @param list asked at each key, so that it may depend on what is shown. */
  constructor(element: ReactiveControllerHost, list: () => readonly Shortcut[]) {
    this.list = list;
    element.addController(this);
  }

  hostConnected(): void {
    if (active.length === 0) addEventListener('keydown', press);
    active.push(this);
  }

  hostDisconnected(): void {
    active.splice(active.indexOf(this), 1);
    if (active.length === 0) removeEventListener('keydown', press);
  }
}

function press(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
  if (!shortcutsOn() || isTyping(event) || document.querySelector('dialog[open]') !== null) return;
  // Caps Lock does not change which key was meant; Shift does, except for signs that are typed with it.
  const pressed = event.shiftKey && /^[a-z]$/i.test(event.key) ? null : event.key.toLowerCase();
  const shortcut = listShortcuts().findLast(({ key }) => key === pressed);
  if (shortcut === undefined) return;
  event.preventDefault();
  shortcut.run();
}

/** Whether the key belongs to what has the focus: a field that is written in, a menu, a list box, a dialog. */
export function isTyping(event: KeyboardEvent): boolean {
  return event.composedPath().some((target) => {
    if (!(target instanceof HTMLElement)) return false;
    if (target.isContentEditable || target instanceof HTMLDialogElement) return true;
    if (target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement) return true;
    if (target instanceof HTMLInputElement)
      return !/^(button|checkbox|radio|reset|submit)$/.test(target.type);
    return /^(menu|listbox|combobox|dialog)$/.test(target.getAttribute('role') ?? '');
  });
}
