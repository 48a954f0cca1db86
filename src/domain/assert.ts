/** Thrown when Rota itself is wrong. A host that meets one stops claiming and says so; it is never an expected outcome. */
export class AssertionError extends Error {
  override readonly name = 'AssertionError';
}

/** Throws {@link AssertionError} with `message` unless `condition` holds. For what only a bug can make false. */
export function assert(condition: boolean, message: string): asserts condition {
  if (!condition) throw new AssertionError(message);
}

/** Closes a `switch` over a union: it does not compile while a member is unhandled. */
export function assertNever(value: never): never {
  throw new AssertionError(`unhandled case: ${JSON.stringify(value)}`);
}
