import { noChange } from 'lit';
import { Directive, directive } from 'lit/directive.js';

/** Passes `true` on and keeps `false` to itself, so that what a person has opened is not closed under their hands. */
class NeverClosing extends Directive {
  render(open: boolean): boolean | typeof noChange {
    return open ? true : noChange;
  }
}

/** For the `open` of a `<details>`: opens it when there is a reason to, and leaves closing to the person. */
export const neverClosing = directive(NeverClosing);
