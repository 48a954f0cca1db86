/**
 * The host as a tab's screens see it: every call of {@link HostApi}, and the state of the connection that carries them.
 * `connect.ts` implements it over a worker; screens and tests know this interface alone.
 */
import type { HostRef } from '../domain/index.ts';
import type { Hint, HostApi, RemoteErrorCode } from '../rpc/index.ts';

/** Something of the platform that Rota cannot do without. */
export type MissingPart =
  | 'indexeddb'
  | 'locks'
  | 'shared-worker'
  | 'secure-context'
  | 'storage'
  /** An older build still has the database; it was asked to let go. */
  | 'storage-blocked'
  /** A newer build has changed the database, which this one cannot read any more. */
  | 'newer-storage';

/**
 * How this tab and a host stand. It starts as `connecting`; a lost host makes it `restarting` and then `ready` again
 * with another `host`; `unavailable` lasts until the missing part is there, which for most parts is never.
 */
export type Connection =
  | { readonly kind: 'connecting' }
  /** `newerBuild`: a newer version of Rota is open in this browser; this host takes nothing on any more. */
  | { readonly kind: 'ready'; readonly host: HostRef; readonly newerBuild: string | null }
  | { readonly kind: 'restarting' }
  /** `detail` is what the browser said, for a report; the screen says it in its own words first. */
  | { readonly kind: 'unavailable'; readonly missing: MissingPart; readonly detail: string };

/** Stops what it was returned for. Calling it again does nothing. */
export type Unsubscribe = () => void;

/**
 * Every call of the host, good for the whole life of the page. A call made while there is no host waits for one, up to
 * its deadline; rejections are a {@link RemoteFailure}.
 */
export interface RemoteHost extends HostApi {
  /** The state now. Replaced, never changed in place. */
  readonly connection: Connection;
  /** Calls `listener` after each change of {@link connection}, in order, and not for the state that is already there. */
  subscribe(listener: (connection: Connection) => void): Unsubscribe;
  /** Calls `listener` for each hint. Hints can be lost: read again on each `ready` too. */
  onHint(listener: (hint: Hint) => void): Unsubscribe;
}

/** What a call rejects with: an `Error` with the `code` of the contract. Foreign errors are shown as `internal`. */
export interface RemoteFailure extends Error {
  readonly code: RemoteErrorCode;
  readonly details?: unknown;
}
