/**
 * Ends worker threads safely. `terminate()` interrupts native code (such as image decoding or loading an addon),
 * which can crash the whole process; a thread that closes its port exits by itself.
 */
import type { Worker } from 'node:worker_threads';

/** The message that makes a thread close its port when it is done. */
export const closeMessage = 'end of work';

/** How long a thread may continue its work after it was asked to end. */
export const maxEndMs = 5000;

/** Asks the thread to end, and terminates it after `maxMs`. Resolves once it has exited. */
export async function endThread(worker: Worker, maxMs: number): Promise<void> {
  // Node sets the id to -1 when a thread has exited.
  if (worker.threadId === -1) return;
  const exited = Promise.withResolvers<void>();
  worker.once('exit', () => exited.resolve());
  // Errors are reported to the callers that wait for its work.
  worker.on('error', () => {});
  const limit = setTimeout(() => void worker.terminate(), maxMs);
  worker.ref();
  worker.postMessage(closeMessage);
  await exited.promise;
  clearTimeout(limit);
}
