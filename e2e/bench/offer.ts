/** Adds `calls` to what scripts/bench can ask this page for, by name. Each takes one argument that can be cloned. */
export function offer(calls: Readonly<Record<string, (argument: never) => unknown>>): void {
  Object.assign(globalThis, {
    bench: { ...(Reflect.get(globalThis, 'bench') as object | undefined), ...calls },
  });
}
