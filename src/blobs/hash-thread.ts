/**
 * MD5 off the main thread. It tops out at some 860 MB/s on one core, which would halve what the main thread can
 * receive; SHA-256 is over twice as fast and stays there. One thread serves every body; the bytes are not copied to it.
 */
import { Worker } from 'node:worker_threads';
import { endThread, maxEndMs } from '../packages/end-thread.ts';

export type ToHashWorker =
  | { kind: 'open'; lane: number; memory: SharedArrayBuffer }
  | { kind: 'block'; lane: number; offset: number; length: number }
  | { kind: 'finish' | 'drop'; lane: number };

export type FromHashWorker =
  | { kind: 'hashed'; lane: number; offset: number }
  | { kind: 'closed'; lane: number; md5: string };

export interface HashLane {
  /** Hashes `length` bytes at `offset` of the memory, after all that were added before. */
  add(offset: number, length: number): void;
  /** The MD5 of everything added, lower-case hexadecimal. Nothing may be added after. */
  digest(): Promise<string>;
  /** Resolves when the thread no longer reads the memory. */
  drop(): Promise<void>;
}

export interface HashThread {
  /**
   * Starts the thread when it does not run. `onHashed` is told each offset once it has been read; `onFailure` once, when
   * the thread died, after which `digest` rejects.
   */
  openLane(memory: SharedArrayBuffer, listener: LaneListener): HashLane;
  /** Ends the thread after what it was given; the next lane starts another. Open lanes fail. */
  end(): Promise<void>;
}

export interface LaneListener {
  onHashed(offset: number): void;
  onFailure(error: Error): void;
}

interface OpenLane {
  listener: LaneListener;
  closed: PromiseWithResolvers<string>;
}

interface RunningThread {
  worker: Worker;
  lanes: Map<number, OpenLane>;
}

/** Heap caps in MiB: the thread holds a few small objects and no bytes. */
const workerLimits = { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 2, stackSizeMb: 1 };

export function createHashThread(limits: { maxEndMs: number } = { maxEndMs }): HashThread {
  let running: RunningThread | null = null;
  let nextLane = 1;

  const start = (): RunningThread => {
    const thread = startWorker((dead) => {
      if (running === dead) running = null;
    });
    running = thread;
    return thread;
  };

  return {
    openLane(memory, listener) {
      const lane = nextLane++;
      return openLane(running ?? start(), lane, memory, listener);
    },
    async end() {
      const thread = running;
      running = null;
      if (thread) await endThread(thread.worker, limits.maxEndMs);
    },
  };
}

/** `onDead` is called once, before the lanes are told. */
function startWorker(onDead: (thread: RunningThread) => void): RunningThread {
  const file = import.meta.url.endsWith('.ts') ? './hash-worker.ts' : './hash-worker.js';
  const worker = new Worker(new URL(file, import.meta.url), { resourceLimits: workerLimits, execArgv: [] });
  const thread: RunningThread = { worker, lanes: new Map() };
  let cause: unknown;
  worker.on('message', (message: FromHashWorker) => {
    const lane = thread.lanes.get(message.lane);
    if (message.kind === 'hashed') lane?.listener.onHashed(message.offset);
    else lane?.closed.resolve(message.md5);
  });
  worker.on('error', (error) => {
    cause = error;
  });
  worker.on('exit', () => {
    onDead(thread);
    const failure = new Error('the hash thread ended', { cause });
    for (const { closed, listener } of thread.lanes.values()) {
      closed.reject(failure);
      listener.onFailure(failure);
    }
  });
  return thread;
}

function openLane(
  thread: RunningThread,
  lane: number,
  memory: SharedArrayBuffer,
  listener: LaneListener,
): HashLane {
  const { worker, lanes } = thread;
  const closed = Promise.withResolvers<string>();
  // A lane may fail when nobody waits for its digest yet; onFailure tells that.
  closed.promise.catch(() => {});
  lanes.set(lane, { listener, closed });
  // Only while there is work may the thread keep the process alive.
  worker.ref();
  const post = (message: ToHashWorker) => worker.postMessage(message);
  const end = async (kind: 'finish' | 'drop'): Promise<string> => {
    post({ kind, lane });
    try {
      return await closed.promise;
    } finally {
      lanes.delete(lane);
      if (lanes.size === 0) worker.unref();
    }
  };
  let ending: Promise<string> | null = null;
  post({ kind: 'open', lane, memory });
  return {
    add: (offset, length) => post({ kind: 'block', lane, offset, length }),
    digest: () => {
      ending ??= end('finish');
      return ending;
    },
    drop: async () => {
      ending ??= end('drop');
      await ending.catch(() => {});
    },
  };
}
