import { finished, type Readable } from 'node:stream';

/**
 * Hands every chunk of the stream to `take`, and holds the stream back while a promise that `take` returned is pending.
 * Resolves after the last chunk was taken; rejects when the stream fails or closes early, when `take` throws or rejects,
 * and when the signal is aborted, with its reason. On a rejection the stream is left paused and undestroyed where it
 * was, so that its owner may drain it; later errors of it are no longer anyone's and are ignored.
 */
export function consumeStream(
  stream: Readable,
  take: (chunk: Uint8Array) => Promise<void> | undefined,
  signal: AbortSignal,
): Promise<void> {
  return new Promise((resolve, reject) => {
    let pending: Promise<void> | null = null;
    let ended = false;
    let settled = false;

    const settle = (error?: { reason: unknown }): void => {
      if (settled) return;
      settled = true;
      stream.off('data', onData);
      signal.removeEventListener('abort', onAbort);
      if (error === undefined) {
        resolve();
        return;
      }
      stream.pause();
      reject(error.reason);
    };
    const fail = (reason: unknown) => settle({ reason });
    const onAbort = () => fail(signal.reason);
    const wait = (taken: Promise<void>): void => {
      stream.pause();
      const waiting = taken.then(() => {
        if (pending !== waiting || settled) return;
        pending = null;
        if (ended) settle();
        else stream.resume();
      });
      pending = waiting;
      waiting.catch(fail);
    };
    const onData = (chunk: unknown): void => {
      try {
        if (!(chunk instanceof Uint8Array)) throw new TypeError('the stream gives something else than bytes');
        // Whoever resumes a stream that waits here must not get its chunks out of order.
        const taken = pending === null ? take(chunk) : pending.then(() => take(chunk));
        if (taken !== undefined) wait(taken);
      } catch (error) {
        fail(error);
      }
    };

    if (signal.aborted) return fail(signal.reason);
    signal.addEventListener('abort', onAbort);
    // Not cleaned up, on purpose: it goes on to listen for errors.
    finished(stream, { writable: false }, (error) => {
      ended = true;
      if (error) fail(error);
      else if (pending === null) settle();
    });
    stream.on('data', onData);
    stream.resume();
  });
}
