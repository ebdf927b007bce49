/**
 * The memory through which one body passes: blocks that the main thread fills, and that the file and the hash thread
 * read in place. Bounded, so a sender faster than disk or hash waits.
 */

/** Large enough that writing costs few system calls and gets large pages of page cache, small enough to hash in 1 ms. */
export const blockBytes = 512 * 1024;
export const blocksInRing = 16;

export interface BlockRing {
  readonly memory: SharedArrayBuffer;
  /** The block most lately let go, or null when all are held. It is held once. */
  take(): number | null;
  /** Resolves when `take` will give a block. One waiter at a time. */
  whenFree(): Promise<void>;
  /** Sets how many must let the block go before it is free again. */
  hold(block: number, holders: number): void;
  letGo(block: number): void;
  /** Copies all of `bytes` into the block, from `offset` on; they must fit. */
  copyInto(block: number, offset: number, bytes: Uint8Array): void;
  /** The first `length` bytes of the block. */
  view(block: number, length: number): Uint8Array;
  /** True when no block is held. */
  isIdle(): boolean;
}

/**
 * The memory is touched, and so counts, only as far as blocks pile up: the last block let go is the next one given.
 * `memory` must be as long as `blocksInRing` blocks.
 */
export function createBlockRing(memory = pageAlignedMemory(blockBytes * blocksInRing)): BlockRing {
  const holders = new Uint8Array(blocksInRing);
  const free = Array.from(holders, (_, block) => blocksInRing - 1 - block);
  const all = Buffer.from(memory);
  let wake: (() => void) | null = null;

  return {
    memory,
    take() {
      const block = free.pop() ?? null;
      if (block !== null) holders[block] = 1;
      return block;
    },
    async whenFree() {
      if (free.length > 0) return;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    },
    hold(block, count) {
      holders[block] = count;
    },
    letGo(block) {
      const left = (holders[block] ?? 0) - 1;
      holders[block] = left;
      if (left > 0) return;
      free.push(block);
      wake?.();
      wake = null;
    },
    copyInto(block, offset, bytes) {
      const start = block * blockBytes + offset;
      // A plain memcpy, where TypedArray.set goes word by word in shared memory and takes three times as long.
      all.fill(bytes, start, start + bytes.length);
    },
    view: (block, length) => new Uint8Array(memory, block * blockBytes, length),
    isIdle: () => free.length === blocksInRing,
  };
}

/** WebAssembly counts memory in pages of this size. */
const wasmPageBytes = 64 * 1024;

/**
 * Memory that a disk can read directly, as writing with O_DIRECT wants. A SharedArrayBuffer lies anywhere, that of a
 * WebAssembly memory begins a page. Without WebAssembly, or address space for it, the blocks still do for cached writes.
 */
function pageAlignedMemory(sizeBytes: number): SharedArrayBuffer {
  const pages = sizeBytes / wasmPageBytes;
  try {
    const { buffer } = new WebAssembly.Memory({ initial: pages, maximum: pages, shared: true });
    if (buffer instanceof SharedArrayBuffer) return buffer;
  } catch {}
  return new SharedArrayBuffer(sizeBytes);
}
