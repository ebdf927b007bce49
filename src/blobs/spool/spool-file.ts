/** Receives one body into one file: writes, hashes and syncs it. */
import { createHash } from 'node:crypto';
import type { LocalFile } from '../blob-store.ts';
import { collectAfter } from '../collect-chunks.ts';
import { type BlockWriterDeps, createBlockWriter } from './block-writer.ts';
import type { HashLane } from './hash-thread.ts';
import { blockBytes, blocksPerBody, type SpoolEngine } from './spool-engine.ts';

export interface SpoolFileParts extends Omit<BlockWriterDeps, 'onWritten'> {
  engine: SpoolEngine;
  /** Bodies up to this size are hashed on the main thread instead of starting a thread. */
  inlineHashBytes: number;
  /** The announced size; only a hint. */
  expectedBytes: number | null;
}

export interface SpoolFileFacts {
  sizeBytes: number;
  md5: string;
  sha256: string;
}

export interface SpooledFile extends LocalFile, SpoolFileFacts {
  synced: true;
  /** Removes the file. May be called more than once. */
  dispose(): Promise<void>;
}

export interface SpoolFile {
  /** Copies the bytes. Returns a promise only if it must wait for the disk. */
  write(chunk: Uint8Array): Promise<void> | undefined;
  /** Makes everything written so far durable. More may follow. */
  sync(): Promise<void>;
  /** Writes the remaining bytes, hashes and fsyncs. Rejects on the first error. */
  finish(): Promise<SpoolFileFacts>;
  /** Resolves when neither the disk nor the hash thread uses the file anymore. */
  abandon(): Promise<void>;
}

/** `handle` must also be readable, because MD5 is computed from the file. */
export function createSpoolFile(deps: SpoolFileParts): SpoolFile {
  const { handle, engine, inlineHashBytes, expectedBytes } = deps;
  const sha256 = createHash('sha256');
  let block: Buffer | null = null;
  let filledBytes = 0;
  let blocksTaken = 0;
  let sizeBytes = 0;
  let lane: HashLane | null = null;
  let abandoned = false;
  let wake: (() => void) | null = null;

  const release = (used: Buffer): void => {
    engine.release(used);
    blocksTaken -= 1;
    wake?.();
    wake = null;
  };
  const disk = createBlockWriter({
    ...deps,
    onWritten(written, fileBytes) {
      release(written);
      if (Math.max(fileBytes, expectedBytes ?? 0) > inlineHashBytes)
        lane ??= engine.thread.openLane(handle.fd);
      lane?.written(fileBytes);
    },
  });

  function passOn(full: Buffer): void {
    disk.append(full, filledBytes);
    sha256.update(full.subarray(0, filledBytes));
    block = null;
    filledBytes = 0;
  }

  function takeBlock(): Buffer | null {
    if (blocksTaken === blocksPerBody) return null;
    blocksTaken += 1;
    return engine.takeBlock();
  }

  /** Copies as much as fits, and returns the number of bytes copied from the chunk. */
  function copy(chunk: Uint8Array, from: number): number {
    let done = from;
    while (done < chunk.length) {
      block ??= takeBlock();
      if (block === null) return done;
      const length = Math.min(chunk.length - done, blockBytes - filledBytes);
      block.set(chunk.subarray(done, done + length), filledBytes);
      done += length;
      filledBytes += length;
      if (filledBytes === blockBytes) passOn(block);
    }
    return done;
  }

  async function copyRest(chunk: Uint8Array, from: number): Promise<void> {
    let done = from;
    while (done < chunk.length) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
      if (abandoned) return;
      done = copy(chunk, done);
    }
  }

  async function hashInline(): Promise<string> {
    const md5 = createHash('md5');
    const piece = engine.takeBlock();
    for (let done = 0; done < sizeBytes; ) {
      const { bytesRead } = await handle.read(piece, 0, blockBytes, done);
      if (bytesRead === 0) throw new Error(`the file ends after ${done} bytes`);
      md5.update(piece.subarray(0, bytesRead));
      done += bytesRead;
    }
    engine.release(piece);
    return md5.digest('hex');
  }

  return {
    write(chunk) {
      sizeBytes += chunk.length;
      const done = copy(chunk, 0);
      collectAfter(chunk.length);
      return done === chunk.length ? undefined : copyRest(chunk, done);
    },
    async sync() {
      if (block !== null) passOn(block);
      await disk.flush();
      await handle.datasync();
    },
    async finish() {
      if (block !== null) passOn(block);
      await disk.flush();
      // fdatasync(2) includes the size, which is needed for reading. It omits the times, which may be lost.
      const [digest, durable] = await Promise.allSettled([lane?.close() ?? hashInline(), handle.datasync()]);
      lane = null;
      if (durable.status === 'rejected') throw durable.reason;
      if (digest.status === 'rejected') throw digest.reason;
      return { sizeBytes, md5: digest.value, sha256: sha256.digest('hex') };
    },
    async abandon() {
      abandoned = true;
      if (block !== null) release(block);
      block = null;
      await disk.settle();
      await lane?.close().catch(() => {});
    },
  };
}
