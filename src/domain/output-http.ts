import type { DurationMs, EpochMs } from './time.ts';

/** How much of a response is kept. What is longer is cut there and says so. */
export const BODY_KEPT_MOST_BYTES = 1_048_576;

/** A request as it was sent, after its templates were filled in. */
export interface SentRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** It only asked whether something answers; absent: it wanted to read the answer. */
  readonly mode?: 'no-cors';
}

/** What a server answered. Header names are lower-case; browsers show only those that CORS exposes. */
export interface ReceivedResponse {
  readonly status: number;
  readonly statusText: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly contentType: string;
  /** The body as text; `null` when it is not text. */
  readonly text: string | null;
  /** Bytes received, of which {@link BODY_KEPT_MOST_BYTES} at most are kept. */
  readonly bytes: number;
  readonly truncated: boolean;
}

/** When a request left, and how long its answer took. */
export interface RequestTiming {
  readonly sentAt: EpochMs;
  /** From sending to the response's headers. */
  readonly headersMs?: DurationMs;
  /** From sending to the end of the body, or to the failure. */
  readonly totalMs: DurationMs;
}
