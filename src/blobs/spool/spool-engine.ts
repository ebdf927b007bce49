import { createHashThread, type HashThread } from './hash-thread.ts';

/** Large enough for few system calls and large page-cache pages, small enough to hash in 1 ms. */
export const blockBytes = 512 * 1024;
/** Limits the memory of a body before the disk has accepted any of it; then the sender waits. */
export const blocksPerBody = 16;

/** Blocks for this many concurrent bodies are kept for reuse; others are left to the garbage collector. */
const maxPooledBodies = 4;

/** The hash thread and memory shared by all bodies. Both are released after a time without bodies. */
export interface SpoolEngine {
  readonly thread: HashThread;
  /** Must be called when a body begins; `leave` when it ends. */
  enter(): void;
  /** Returns the most recently used block, whose memory is still cached, so that as few blocks as possible are touched. */
  takeBlock(): Buffer;
  release(block: Buffer): void;
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
    release(block) {
      if (blocks.length < maxPooledBodies * blocksPerBody) blocks.push(block);
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
