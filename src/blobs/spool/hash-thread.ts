/**
 * Computes MD5 in a separate thread. MD5 reaches about 700 MiB/s on one core, which would halve what the main thread can receive;
 * SHA-256 is over twice as fast and stays there. One thread serves every body: it reads the bytes just written from the page
 * cache, which costs less than transferring them.
 */
import { Worker } from 'node:worker_threads';
import { endThread, maxEndMs } from '../stop-worker.ts';

export type ToHashWorker =
  | { kind: 'open'; lane: number; fd: number }
  | { kind: 'written'; lane: number; toBytes: number }
  | { kind: 'close'; lane: number };

export interface FromHashWorker {
  lane: number;
  md5: string;
  /** The file could not be read. */
  error: unknown;
}

export interface HashLane {
  /** Hashes the file up to `toBytes`, from where the last call ended. */
  written(toBytes: number): void;
  /** Returns the MD5 of everything written, in lowercase hexadecimal. The thread has then stopped reading the file. */
  close(): Promise<string>;
}

export interface HashThread {
  /** Starts the thread if it is not running. `fd` must stay open until `close` settles; it rejects if the thread has died. */
  openLane(fd: number): HashLane;
  /** Ends the thread after its queued work. The next lane starts a new thread. Open lanes fail. */
  end(): Promise<void>;
}

interface RunningThread {
  worker: Worker;
  lanes: Map<number, PromiseWithResolvers<string>>;
}

/** Heap limits in MiB: the thread needs a few small objects, and one buffer outside its heap. */
const workerLimits = { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 2, stackSizeMb: 1 };

export function createHashThread(limits: { maxEndMs: number } = { maxEndMs }): HashThread {
  let running: RunningThread | null = null;
  let nextLane = 1;

  return {
    openLane(fd) {
      running ??= startWorker((dead) => {
        if (running === dead) running = null;
      });
      return openLane(running, nextLane++, fd);
    },
    async end() {
      const thread = running;
      running = null;
      if (thread) await endThread(thread.worker, limits.maxEndMs);
    },
  };
}

/** `onDead` is called once, before the lanes are rejected. */
function startWorker(onDead: (thread: RunningThread) => void): RunningThread {
  const file = `../spool/hash-worker.${import.meta.url.endsWith('.ts') ? 'ts' : 'js'}`;
  const worker = new Worker(new URL(file, import.meta.url), { resourceLimits: workerLimits, execArgv: [] });
  const thread: RunningThread = { worker, lanes: new Map() };
  let cause: unknown;
  worker.on('message', ({ lane, md5, error }: FromHashWorker) => {
    const closed = thread.lanes.get(lane);
    if (error === undefined) closed?.resolve(md5);
    else closed?.reject(error);
  });
  worker.on('error', (error) => {
    cause = error;
  });
  worker.on('exit', () => {
    onDead(thread);
    for (const closed of thread.lanes.values()) closed.reject(new Error('the hash thread ended', { cause }));
  });
  return thread;
}

function openLane({ worker, lanes }: RunningThread, lane: number, fd: number): HashLane {
  const closed = Promise.withResolvers<string>();
  // The thread may die while no caller is waiting for the digest.
  closed.promise.catch(() => {});
  lanes.set(lane, closed);
  // The thread keeps the process alive only while it has work to do.
  worker.ref();
  const post = (message: ToHashWorker) => worker.postMessage(message);
  post({ kind: 'open', lane, fd });
  return {
    written: (toBytes) => post({ kind: 'written', lane, toBytes }),
    async close() {
      post({ kind: 'close', lane });
      try {
        return await closed.promise;
      } finally {
        lanes.delete(lane);
        if (lanes.size === 0) worker.unref();
      }
    },
  };
}
