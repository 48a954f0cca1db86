/**
 * A SharedWorker with nothing of Rota in it. It marks the process of the page that started it, which is then found by its
 * thread; and asked for timers, it says how late each of them fired, which is as well as anything can do by timers here.
 */

/** When the timers are to fire, epoch ms. */
export interface TimerOrder {
  readonly instants: readonly number[];
}

function lateness(instants: readonly number[]): Promise<readonly number[]> {
  return Promise.all(
    instants.map(
      (at) =>
        new Promise<number>((resolve) => {
          setTimeout(() => resolve(Date.now() - at), at - Date.now());
        }),
    ),
  );
}

globalThis.addEventListener('connect', (event) => {
  const [port] = (event as MessageEvent).ports;
  if (port === undefined) return;
  port.onmessage = ({ data }: MessageEvent<TimerOrder>) => {
    void lateness(data.instants).then((late) => port.postMessage(late));
  };
  port.postMessage('here');
});
