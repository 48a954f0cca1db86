/**
 * Light, dark, or as the system says. Applied when this module runs, which is before the first paint of the app: it is
 * among the first imports of `main.ts`. The choice is of this browser, not of the data, and reaches other tabs at once.
 */

export const THEMES = ['auto', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

const KEY = 'rota:theme';

/** The theme that the person chose; `auto` when none was, or storage is not to be had. */
export function chosenTheme(): Theme {
  try {
    const stored = localStorage.getItem(KEY);
    return THEMES.find((theme) => theme === stored) ?? 'auto';
  } catch {
    return 'auto';
  }
}

/** Shows `theme` in this and all other tabs, and remembers it. */
export function chooseTheme(theme: Theme): void {
  try {
    if (theme === 'auto') localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, theme);
  } catch {
    // It still holds for this tab.
  }
  apply(theme);
}

function apply(theme: Theme): void {
  const root = document.documentElement;
  if (theme === 'auto') delete root.dataset['theme'];
  else root.dataset['theme'] = theme;
  // The browser's own frame takes its colour from here, and follows the system by itself only in `auto`.
  for (const meta of document.querySelectorAll<HTMLMetaElement>('meta[name="theme-color"]')) {
    const own = meta.dataset['own'] ?? meta.media;
    meta.dataset['own'] = own;
    meta.media = theme === 'auto' ? own : own.includes(theme) ? 'all' : 'not all';
  }
}

apply(chosenTheme());
addEventListener('storage', (event) => {
  if (event.key === KEY || event.key === null) apply(chosenTheme());
});
