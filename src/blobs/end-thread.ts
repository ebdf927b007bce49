/**
 * How a thread ends. `terminate()` tears it down wherever it is, and with native code under way (a picture being drawn,
 * an addon being loaded) that can take the whole process along; a thread that closes its port has nothing left to run.
 */
import type { Worker } from 'node:worker_threads';

/** What a thread is told so that it closes its port when it is done. */
export const endOfWork = 'end of work';

/** What a thread is at may take so long, once it was asked to end. */
export const maxEndMs = 5000;

/** Asks the thread to end, and terminates it when it has not within `maxMs`. Resolves once it is gone. */
export async function endThread(worker: Worker, maxMs: number): Promise<void> {
  // Node gives this id to a thread that has exited.
  if (worker.threadId === -1) return;
  const exited = Promise.withResolvers<void>();
  worker.once('exit', () => exited.resolve());
  // Why it dies instead is told to those that wait for its work.
  worker.on('error', () => {});
  const limit = setTimeout(() => void worker.terminate(), maxMs);
  worker.ref();
  worker.postMessage(endOfWork);
  await exited.promise;
  clearTimeout(limit);
}
