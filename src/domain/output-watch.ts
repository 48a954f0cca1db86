import type { RunId } from './ids.ts';
import type { ReceivedResponse, RequestTiming, SentRequest } from './output-http.ts';
import type { EpochMs } from './time.ts';

/** How much of what is watched is kept and compared, in characters. */
export const SNAPSHOT_MOST = 200_000;
/** How many earlier snapshots one remembers. */
export const EARLIER_MOST = 30;

/** What is watched as it was found, after the filters: the lines that are compared. */
export interface Snapshot {
  readonly text: string;
  /** Whether there was more than {@link SNAPSHOT_MOST}, or the answer itself was cut. */
  readonly cut: boolean;
}

/** Where a snapshot is kept: the output of that run. `at`: when it was found like this first. */
export interface SnapshotPlace {
  readonly runId: RunId;
  readonly at: EpochMs;
}

/** How many lines came and went. Both are 0 when the same lines stand in another order. */
export interface LineChange {
  readonly added: number;
  readonly removed: number;
}

/** An item of a feed. */
export interface FeedItem {
  readonly title: string;
  /** Absolute where it could be made so; foreign, so it may be of any scheme. Empty when there is none. */
  readonly link: string;
}

/** What a watch found, compared with the last snapshot, which is of the run that `before` names. */
export type WatchFinding =
  /** There is nothing to compare with: the first run, or the first since what is watched was edited. */
  | { readonly kind: 'first'; readonly snapshot: Snapshot }
  | {
      readonly kind: 'changed';
      readonly snapshot: Snapshot;
      readonly before: SnapshotPlace;
      readonly change: LineChange;
    }
  /** A feed has items that it never had; `items` are the first of them. */
  | {
      readonly kind: 'new-items';
      readonly snapshot: Snapshot;
      readonly before: SnapshotPlace;
      readonly count: number;
      readonly items: readonly FeedItem[];
    }
  /** `below`: it differs, but by less than asked for, so the earlier snapshot stays the one to compare with. */
  | {
      readonly kind: 'same';
      readonly before: SnapshotPlace;
      readonly below?: LineChange;
      /** Only where later steps can use it; else it is that of `before`. */
      readonly snapshot?: Snapshot;
    }
  /** Nothing matches any more. */
  | { readonly kind: 'gone'; readonly before: SnapshotPlace; readonly since: EpochMs }
  /** Something matches again; `change` is against what was there before it was gone. */
  | {
      readonly kind: 'back';
      readonly snapshot: Snapshot;
      readonly before: SnapshotPlace;
      readonly change: LineChange | null;
    };

/** What a watch brought back. */
export interface WatchOutput {
  readonly kind: 'watch';
  readonly request: SentRequest;
  /** `text` is there only when nothing could be made of it, and then its beginning. */
  readonly response?: Omit<ReceivedResponse, 'text'> & { readonly text?: string };
  readonly timing: RequestTiming;
  /** Absent when the run failed. */
  readonly finding?: WatchFinding;
  /** The snapshots before this run, newest first, {@link EARLIER_MOST} at most. */
  readonly earlier: readonly SnapshotPlace[];
}
