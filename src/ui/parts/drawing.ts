/** Pictures that a pointer can press. A keyboard has the same as links in the table beside each of them. */

/** The drawing of a screen's part that `event` of a pointer is on, as its part hears it; `null` beside it. */
export function drawingUnder(event: MouseEvent): SVGSVGElement | null {
  return event.composedPath().find((target) => target instanceof SVGSVGElement) ?? null;
}
