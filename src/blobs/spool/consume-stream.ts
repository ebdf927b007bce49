import { finished, type Readable } from 'node:stream';

/**
 * Passes every chunk of the stream to `consume`, and pauses the stream while a returned promise is pending. Resolves after the
 * last chunk is consumed. Rejects if the stream fails or closes early, if `consume` throws or rejects, and if the signal is
 * aborted (with its reason). A rejection leaves the stream paused and undestroyed, so that its owner can drain it; later errors
 * of the stream are ignored.
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
        // Keeps the order of chunks even if someone else resumes the paused stream.
        const taken = pending === null ? take(chunk) : pending.then(() => take(chunk));
        if (taken !== undefined) wait(taken);
      } catch (error) {
        fail(error);
      }
    };

    if (signal.aborted) return fail(signal.reason);
    signal.addEventListener('abort', onAbort);
    // The error listener is kept on purpose, to ignore later errors.
    finished(stream, { writable: false }, (error) => {
      ended = true;
      if (error) fail(error);
      else if (pending === null) settle();
    });
    stream.on('data', onData);
    stream.resume();
  });
}
