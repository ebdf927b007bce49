import { type BlockRing, createBlockRing } from './block-ring.ts';
import { createHashThread, type HashThread } from './hash-thread.ts';

/** What bodies share: the hash thread, and rings for one body each. Given up when no body has come for a while. */
export interface SpoolEngine {
  readonly thread: HashThread;
  borrowRing(): BlockRing;
  giveBack(ring: BlockRing): void;
  end(): Promise<void>;
}

/** Rings are used again rather than left to the collector, which does not see how much memory a shared buffer holds. */
export function createSpoolEngine(idleMs: number): SpoolEngine {
  const thread = createHashThread();
  let rings: BlockRing[] = [];
  let borrowed = 0;
  let timer: NodeJS.Timeout | undefined;

  const end = async (): Promise<void> => {
    clearTimeout(timer);
    rings = [];
    await thread.end();
  };
  return {
    thread,
    borrowRing() {
      clearTimeout(timer);
      borrowed += 1;
      return rings.pop() ?? createBlockRing();
    },
    giveBack(ring) {
      borrowed -= 1;
      // A ring of which a block is still held, because the thread died with it, would never be whole again.
      if (ring.isIdle()) rings.push(ring);
      if (borrowed > 0) return;
      timer = setTimeout(() => void end(), idleMs);
      timer.unref();
    },
    end,
  };
}
