/** There was no answer in time. */
export declare class TooLate extends Error {
  readonly name = 'TooLate';
}
/** `promise`, or {@link TooLate} after `ms`: a page that is frozen, or whose process was killed, may never answer. */
export declare function within<Value>(ms: number, promise: Promise<Value>): Promise<Value>;
export declare function sleep(ms: number): Promise<void>;
