import { finished, type Readable } from 'node:stream';

/**
 * Passes every chunk of the stream to `consume`, and pauses the stream while a promise that it returned is pending.
 * Resolves after the last chunk is consumed; rejects when the stream fails or closes early, when `consume` throws or
 * rejects, and when the signal aborts, with its reason. On a rejection the stream is left paused and undestroyed, so
 * that its owner may drain it; its later errors are ignored.
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
        if (!(chunk instanceof Uint8Array))
          throw new TypeError('the stream contains a chunk that is not bytes');
        // If someone else resumes the paused stream, chunks must stay in order.
        const taken = pending === null ? take(chunk) : pending.then(() => take(chunk));
        if (taken !== undefined) wait(taken);
      } catch (error) {
        fail(error);
      }
    };

    if (signal.aborted) return fail(signal.reason);
    signal.addEventListener('abort', onAbort);
    // The error listener stays on purpose.
    finished(stream, { writable: false }, (error) => {
      ended = true;
      if (error) fail(error);
      else if (pending === null) settle();
    });
    stream.on('data', onData);
    stream.resume();
  });
}
