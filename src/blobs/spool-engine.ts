import { createHashThread, type HashThread } from './hash-thread.ts';

/** Large enough that writing costs few system calls and gets large pages of page cache, small enough to hash in 1 ms. */
export const blockBytes = 512 * 1024;
/** What one body may fill before the disk has taken any of it; a sender faster than the disk then waits. */
export const blocksPerBody = 16;

/** As many blocks as so many bodies at once fill are used again; more are left to the collector. */
const bodiesWithKeptBlocks = 4;

/**
 * Received chunks are garbage once they are copied, and V8 does not count what they hold: it lets hundreds of MiB of them lie.
 * After so many bytes young objects are collected, in 1 to 2 ms, where the process was started with `--expose-gc`: an upload
 * then takes a third less processor time, and 80 MiB less memory.
 */
const collectEveryBytes = 4 * 1024 * 1024;

/** What bodies share: the hash thread and memory. Given up when no body has come for a while. */
export interface SpoolEngine {
  readonly thread: HashThread;
  /** A body begins; it must `leave`. */
  enter(): void;
  /** The block given back last: its memory is warm, and as little of it as possible is touched. */
  takeBlock(): Buffer;
  giveBack(block: Buffer): void;
  /** So many bytes were copied into blocks. */
  copied(bytes: number): void;
  leave(): void;
  end(): Promise<void>;
}

export function createSpoolEngine(idleMs: number): SpoolEngine {
  const thread = createHashThread();
  let blocks: Buffer[] = [];
  let bodies = 0;
  let sinceCollected = 0;
  let timer: NodeJS.Timeout | undefined;

  const end = async (): Promise<void> => {
    clearTimeout(timer);
    blocks = [];
    await thread.end();
  };
  return {
    thread,
    enter() {
      clearTimeout(timer);
      bodies += 1;
    },
    takeBlock: () => blocks.pop() ?? Buffer.allocUnsafeSlow(blockBytes),
    giveBack(block) {
      if (blocks.length < bodiesWithKeptBlocks * blocksPerBody) blocks.push(block);
    },
    copied(bytes) {
      sinceCollected += bytes;
      if (sinceCollected < collectEveryBytes) return;
      sinceCollected = 0;
      void globalThis.gc?.({ type: 'minor' });
    },
    leave() {
      bodies -= 1;
      if (bodies > 0) return;
      timer = setTimeout(() => void end(), idleMs);
      timer.unref();
    },
    end,
  };
}
