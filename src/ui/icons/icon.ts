import { svg, html, type TemplateResult } from 'lit';
import spriteUrl from './icons.svg?no-inline';

/** The icons of icons.svg that Rota's own parts use; the others there are those that Web Awesome's components ask for. */
export type IconName =
  | 'arrow-right'
  | 'bell'
  | 'check'
  | 'check-square'
  | 'chevron-down'
  | 'chevron-left'
  | 'chevron-right'
  | 'circle-info'
  | 'clock'
  | 'copy'
  | 'download'
  | 'ellipsis'
  | 'engine'
  | 'gear'
  | 'keyboard'
  | 'list'
  | 'magnifying-glass'
  | 'pause'
  | 'pencil'
  | 'play'
  | 'plus'
  | 'refresh'
  | 'rota'
  | 'runs'
  | 'stop'
  | 'tag'
  | 'timeline'
  | 'trash'
  | 'triangle-exclamation'
  | 'undo'
  | 'upload'
  | 'xmark';

/** The address of an icon in the sprite; also what Web Awesome's icons are drawn from. */
export function iconUrl(name: string): string {
  return `${spriteUrl}#${name}`;
}

/** An icon in the colour of the text around it, hidden from screen readers: the word is always beside it. */
export function icon(name: IconName, size = 16): TemplateResult {
  return html`<svg class="icon" width=${size} height=${size} aria-hidden="true" focusable="false">
    ${svg`<use href=${iconUrl(name)}></use>`}
  </svg>`;
}
