/**
 * Lends executors to the host of this tab, which asks for one by a hint: a worker, when something is to be computed that would
 * keep others waiting in the host, or this tab itself, to ask the model that its browser has. Of all tabs one takes the request,
 * under a lock that it holds for as long as the executor lives.
 */
import { type HostId, executorLock } from '../domain/index.ts';
import {
  EXECUTOR_END,
  type ExecutorKind,
  type ExecutorOffer,
  type Hint,
  type LendResult,
} from '../rpc/index.ts';
import type { Remote } from './remote.ts';

/** An executor that does nothing yet. */
export interface StartedExecutor {
  readonly port: MessagePort;
  /** Resolves when its script could not be loaded, or threw. */
  readonly broken: Promise<void>;
  readonly end: () => void;
}

/** What lending touches of the platform. */
export interface LendingPlatform {
  /** Holds the lock for as long as `body` takes, if it is free now. */
  tryWith(lock: string, body: () => Promise<void>): Promise<void>;
  /** Whether this tab can lend it now. */
  mayLend(what: ExecutorKind): boolean;
  start(what: ExecutorKind): StartedExecutor;
  channel(): MessageChannel;
}

type Asked = Extract<Hint, { topic: 'executor' }>;

/** Lends what the host asks for, for the life of the page. */
export function lendExecutors(
  remote: Pick<Remote, 'call' | 'connection' | 'onHint' | 'subscribe'>,
  platform: LendingPlatform,
): void {
  const servedBy = (hostId: HostId): boolean =>
    remote.connection.kind === 'ready' && remote.connection.host.id === hostId;

  const lend = async ({ hostId, id, what }: Asked): Promise<void> => {
    let undo: () => void = () => undefined;
    // The host is done with it, or there is no such host any more.
    const over = new Promise<void>((resolve) => {
      undo = remote.subscribe(() => {
        if (!servedBy(hostId)) resolve();
      });
    });
    const executor = platform.start(what);
    const { port1, port2 } = platform.channel();
    const ended = new Promise<void>((resolve) => {
      port1.onmessage = ({ data }: MessageEvent<unknown>) => {
        if (data === EXECUTOR_END) resolve();
      };
    });
    try {
      const offer: ExecutorOffer<MessagePort> = { id, port: executor.port, tab: port2 };
      const { kind } = (await remote.call('lendExecutor', [offer])) as LendResult;
      if (kind === 'taken') await Promise.race([over, ended, executor.broken]);
    } catch {
      // The host has gone, or does not answer: it has no use for it.
    } finally {
      undo();
      executor.end();
      port1.close();
    }
  };

  remote.onHint((hint) => {
    if (hint.topic !== 'executor' || !servedBy(hint.hostId) || !platform.mayLend(hint.what)) return;
    // Where locks are refused there is nothing to lend under.
    platform.tryWith(executorLock(hint.id), () => lend(hint)).catch(() => undefined);
  });
}
