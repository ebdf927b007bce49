/** One body on its way into one file: written, hashed and made durable in a single pass. */
import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { blockBytes } from './block-ring.ts';
import { type BlockWriterParts, createBlockWriter } from './block-writer.ts';
import type { HashLane, HashThread } from './hash-thread.ts';

export interface SpoolFileParts extends BlockWriterParts {
  thread: HashThread;
  /** Bodies up to this size are hashed on the main thread, so that small ones start no thread. */
  inlineHashBytes: number;
  /** What the sender says; a hint only. */
  expectedBytes: number | null;
}

export interface SpoolFileFacts {
  sizeBytes: number;
  md5: string;
  sha256: string;
}

export interface SpoolFile {
  /** Copies the bytes. Returns a promise only when it has to wait for the disk or the hash. */
  write(chunk: Uint8Array): Promise<void> | undefined;
  /** Writes what is left, hashes and fsyncs. Rejects on the first fault that happened. */
  finish(): Promise<SpoolFileFacts>;
  /** Resolves when neither the disk nor the hash thread touches file or ring any more. */
  abandon(): Promise<void>;
}

export function createSpoolFile(parts: SpoolFileParts): SpoolFile {
  const { ring } = parts;
  const sha256 = createHash('sha256');
  const md5 = createMd5(parts);
  const disk = createBlockWriter(parts);
  let block: number | null = null;
  let filledBytes = 0;
  let sizeBytes = 0;
  let abandoned = false;

  function passOn(full: number, length: number): void {
    const view = ring.view(full, length);
    ring.hold(full, 2);
    disk.append(full, length);
    sha256.update(view);
    md5.add(full, length);
  }

  /** Copies as much as fits; returns how many bytes of the chunk are done. */
  function copy(chunk: Uint8Array, from: number): number {
    let done = from;
    while (done < chunk.length) {
      block ??= ring.take();
      if (block === null) return done;
      const length = Math.min(chunk.length - done, blockBytes - filledBytes);
      ring.copyInto(block, filledBytes, chunk.subarray(done, done + length));
      done += length;
      filledBytes += length;
      if (filledBytes === blockBytes) {
        passOn(block, filledBytes);
        block = null;
        filledBytes = 0;
      }
    }
    return done;
  }

  async function copyRest(chunk: Uint8Array, from: number): Promise<void> {
    let done = from;
    while (done < chunk.length) {
      await ring.whenFree();
      if (abandoned) return;
      done = copy(chunk, done);
    }
  }

  return {
    write(chunk) {
      sizeBytes += chunk.length;
      const done = copy(chunk, 0);
      return done === chunk.length ? undefined : copyRest(chunk, done);
    },
    async finish() {
      if (block !== null) {
        passOn(block, filledBytes);
        block = null;
      }
      // Both are waited for even when one fails, because both read the ring.
      const [digest, durable] = await Promise.allSettled([md5.digest(), disk.sync()]);
      if (durable.status === 'rejected') throw durable.reason;
      if (digest.status === 'rejected') throw digest.reason;
      return { sizeBytes, md5: digest.value, sha256: sha256.digest('hex') };
    },
    async abandon() {
      abandoned = true;
      if (block !== null) ring.letGo(block);
      block = null;
      await Promise.all([md5.drop(), disk.settle()]);
    },
  };
}

interface Md5 {
  add(block: number, length: number): void;
  digest(): Promise<string>;
  drop(): Promise<void>;
}

/** Holds the first blocks back until it is known whether the body is worth a thread. */
function createMd5({ ring, thread, inlineHashBytes, expectedBytes, onFailure }: SpoolFileParts): Md5 {
  let lane: HashLane | null = null;
  let heldBytes = 0;
  let held: { block: number; length: number }[] = [];

  const openLane = () => {
    const onHashed = (offset: number) => ring.letGo(offset / blockBytes);
    const opened = thread.openLane(ring.memory, { onHashed, onFailure });
    for (const { block, length } of held) opened.add(block * blockBytes, length);
    held = [];
    return opened;
  };
  const worthAThread = () => Math.max(heldBytes, expectedBytes ?? 0) > inlineHashBytes;
  const hashHeld = async (): Promise<string> => {
    const hash = createHash('md5');
    for (const { block, length } of held) {
      hash.update(ring.view(block, length));
      ring.letGo(block);
      await setImmediate();
    }
    held = [];
    return hash.digest('hex');
  };

  return {
    add(block, length) {
      if (lane !== null) return lane.add(block * blockBytes, length);
      held.push({ block, length });
      heldBytes += length;
      if (worthAThread()) lane = openLane();
    },
    digest: () => lane?.digest() ?? hashHeld(),
    async drop() {
      for (const { block } of held) ring.letGo(block);
      held = [];
      await lane?.drop();
    },
  };
}
