/**
 * Reusable buffers for sending files. A stream would allocate memory for each chunk, and collecting it takes a third of the time
 * of a fast download. These buffers are reused, and limit the memory of many downloads.
 */

/** The smallest measured size that makes downloads as fast as copying by the system. */
export const largeBufferBytes = 512 * 1024;
/** The size for slow clients. */
export const smallBufferBytes = 32 * 1024;

const maxLargeBuffers = 32;
const maxSpareSmallBuffers = 64;

export interface SendBuffers {
  /** Returns a large buffer if requested and available, otherwise a small one. */
  take(wantsLarge: boolean): Buffer;
  release(buffer: Buffer): void;
  /** Drops a buffer that the system may still be reading, instead of returning it to the pool. */
  forget(buffer: Buffer): void;
  /** Buffers in use. */
  heldBytes(): number;
}

export interface SendBuffersOptions {
  maxLargeBuffers?: number;
  /** How long no buffer must be in use before unused buffers are freed. */
  idleMs?: number;
}

export function createSendBuffers(options: SendBuffersOptions = {}): SendBuffers {
  const maxLarge = options.maxLargeBuffers ?? maxLargeBuffers;
  const idleMs = options.idleMs ?? 10_000;
  const held = new Set<Buffer>();
  const spare = { large: [] as Buffer[], small: [] as Buffer[] };
  let largeHeld = 0;
  let timer: NodeJS.Timeout | undefined;

  const release = (buffer: Buffer): boolean => {
    if (!held.delete(buffer)) return false;
    if (buffer.length === largeBufferBytes) largeHeld -= 1;
    if (held.size === 0) {
      timer = setTimeout(() => {
        spare.large = [];
        spare.small = [];
      }, idleMs);
      timer.unref();
    }
    return true;
  };
  return {
    take(wantsLarge) {
      clearTimeout(timer);
      const large = wantsLarge && largeHeld < maxLarge;
      const buffer = large
        ? (spare.large.pop() ?? Buffer.allocUnsafeSlow(largeBufferBytes))
        : (spare.small.pop() ?? Buffer.allocUnsafeSlow(smallBufferBytes));
      if (large) largeHeld += 1;
      held.add(buffer);
      return buffer;
    },
    release(buffer) {
      if (!release(buffer)) return;
      if (buffer.length === largeBufferBytes) spare.large.push(buffer);
      else if (spare.small.length < maxSpareSmallBuffers) spare.small.push(buffer);
    },
    forget(buffer) {
      release(buffer);
    },
    heldBytes: () => {
      let total = 0;
      for (const buffer of held) total += buffer.length;
      return total;
    },
  };
}
