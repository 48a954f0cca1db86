import type { Failure } from '../domain/index.ts';

/** What to tell a person whose device has no network; `afterwards` says what else is to be said. */
export function offlineFailure(target: URL, afterwards = ''): Failure {
  return {
    class: 'network',
    code: 'offline',
    message: `This device is offline, so ${target.host} could not be reached.${afterwards}`,
  };
}
