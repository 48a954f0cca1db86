import type { Failure } from '../domain/index.ts';

/** Thrown through a library's code when a bound is reached, and caught by who called it. */
export class LimitReached extends Error {
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(failure.message);
    this.failure = failure;
  }
}
