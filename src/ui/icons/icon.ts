import { svg, html, type TemplateResult } from 'lit';
import spriteUrl from './icons.svg?no-inline';

/** The icons of icons.svg. */
export type IconName =
  | 'arrow-right'
  | 'check'
  | 'chevron-down'
  | 'chevron-left'
  | 'chevron-right'
  | 'circle-info'
  | 'circle-question'
  | 'circle-xmark'
  | 'clock'
  | 'copy'
  | 'download'
  | 'ellipsis'
  | 'external'
  | 'eye'
  | 'eye-slash'
  | 'gear'
  | 'keyboard'
  | 'list'
  | 'magnifying-glass'
  | 'minus'
  | 'moon'
  | 'pause'
  | 'pencil'
  | 'play'
  | 'plus'
  | 'refresh'
  | 'rota'
  | 'runs'
  | 'stop'
  | 'sun'
  | 'tag'
  | 'trash'
  | 'triangle-exclamation'
  | 'undo'
  | 'upload'
  | 'user'
  | 'xmark'
  | 'grip-vertical'
  | 'star';

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
