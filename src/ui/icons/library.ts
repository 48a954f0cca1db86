/**
 * Gives Web Awesome's components Rota's own icons. Its default library loads from another origin and its system library
 * sets markup as text; a sprite does neither, so both pass the content security policy with Trusted Types.
 *
 * Imported for its effect by each module that uses a Web Awesome component.
 */
import { registerIconLibrary } from '@awesome.me/webawesome/dist/components/icon/library.js';
import { iconUrl } from './icon.ts';

for (const library of ['default', 'system']) {
  registerIconLibrary(library, { resolver: (name) => iconUrl(name), spriteSheet: true });
}
