import { createHashThread, type HashThread } from './hash-thread.ts';

/** Large enough that writing costs few system calls and gets large pages of page cache, small enough to hash in 1 ms. */
export const blockBytes = 512 * 1024;
/** What one body may fill before the disk has taken any of it; a sender faster than the disk then waits. */
export const blocksPerBody = 16;

/** As many blocks as so many bodies at once fill are used again; more are left to the collector. */
const bodiesWithKeptBlocks = 4;

/** What bodies share: the hash thread and memory. Given up when no body has come for a while. */
export interface SpoolEngine {
  readonly thread: HashThread;
  /** A body begins; it must `leave`. */
  enter(): void;
  /** The block given back last: its memory is warm, and as little of it as possible is touched. */
  takeBlock(): Buffer;
  giveBack(block: Buffer): void;
  leave(): void;
  end(): Promise<void>;
}

export function createSpoolEngine(idleMs: number): SpoolEngine {
  const thread = createHashThread();
  let blocks: Buffer[] = [];
  let bodies = 0;
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
    leave() {
      bodies -= 1;
      if (bodies > 0) return;
      timer = setTimeout(() => void end(), idleMs);
      timer.unref();
    },
    end,
  };
}
