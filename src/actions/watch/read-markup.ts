/**
 * Markup into a tree, with bounds: what nests too deeply is refused, because the parser looks through all open elements
 * at each end tag. Nothing is fetched or run; entities that a document defines for itself are not even read, so none can
 * grow (billion laughs).
 */
import { type Document, Element, isTag, type ParentNode } from 'domhandler';
import { DomHandler, Parser } from 'htmlparser2';
import { LimitReached } from '../limit-reached.ts';

/** How deep elements may be inside each other at all. Documents that people write stay below fifty. */
const DEPTH_MOST = 1_000;
/** From here on children become siblings, as browsers do it (Blink: 512), so that walks may recurse. */
const DEPTH_KEPT = 500;

/** Reads `text` as HTML or XML. Never fails on bad markup; throws {@link LimitReached} on what nests too deeply. */
export function readMarkup(text: string, kind: 'html' | 'xml'): Document {
  const xmlMode = kind === 'xml';
  const handler = new ShallowHandler(undefined, { xmlMode });
  new Parser(handler, { xmlMode }).end(text);
  return handler.root;
}

class ShallowHandler extends DomHandler {
  override onopentag(name: string, attribs: Record<string, string>): void {
    const depth = this.tagStack.length;
    if (depth > DEPTH_MOST) {
      throw new LimitReached({
        class: 'limit',
        code: 'nests-too-deep',
        message: `The document nests deeper than ${DEPTH_MOST} elements, so it is not read.`,
      });
    }
    if (depth < DEPTH_KEPT) {
      super.onopentag(name, attribs);
      return;
    }
    const element = new Element(name, attribs);
    const lowest = this.tagStack[DEPTH_KEPT - 1];
    if (lowest !== undefined) this.tagStack.push(lowest);
    this.addNode(element);
    if (lowest !== undefined) this.tagStack.pop();
    this.tagStack.push(element);
  }
}

/** The elements directly below `parent`. */
export function elementsOf(parent: ParentNode): readonly Element[] {
  return parent.children.filter((child) => isTag(child));
}
