/** A file that receives several bodies, one after another, and is hashed as it grows. */
import { createHash } from 'node:crypto';
import { open, truncate } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Readable } from 'node:stream';
import { syncFolder } from '../../core/durable-folders.ts';
import { isDiskFull } from '../../core/file-errors.ts';
import { consumeStream } from './consume-stream.ts';
import type { DiskSpace } from './disk-space.ts';
import type { SpoolEngine } from './spool-engine.ts';
import { SpoolFull, SpoolLimitExceeded } from './spool-errors.ts';
import { createSpoolFile, type SpooledFile } from './spool-file.ts';

/** A power loss costs at most this much of a body, in addition to what is not written yet. */
export const durableEveryBytes = 16 * 1024 * 1024;

/** The sender waits while more than this is not durable, for example because a store is slower than the sender. */
const maxPendingBytes = 3 * durableEveryBytes;

export interface AppendOptions {
  maxBytes: number;
  /** The announced size, whose space is reserved. */
  expectedBytes: number;
  signal?: AbortSignal;
  /** Called while the body arrives, with how much of the file is durable. A rejection ends the reception. */
  onDurable?(fileBytes: number): Promise<void>;
  onBytes?(count: number): void;
}

export interface GrowingFile {
  readonly path: string;
  /** Everything received. Durable when `append` settles, unless the file is broken. */
  readonly sizeBytes: number;
  /** The disk failed: the file can only be closed. */
  readonly isBroken: boolean;
  /**
   * Appends a body and returns its SHA-256. If the body ends early or is too long, rejects, and what has arrived is durable all
   * the same. Memory is limited as for every body of the spool.
   */
  append(body: Readable, options: AppendOptions): Promise<Buffer>;
  /** Returns the file with the digests of all bodies. It cannot grow further. */
  finish(): Promise<SpooledFile>;
  /** Closes the file. One with a given path remains, with `keptBytes` of it if given; a temporary one is removed. */
  close(keptBytes?: () => number): Promise<void>;
}

export async function openGrowingFile(deps: {
  path: string;
  dispose(): Promise<void>;
  engine: SpoolEngine;
  space: DiskSpace;
  inlineHashBytes: number;
  onClosed(): void;
}): Promise<GrowingFile> {
  const { path, engine, space } = deps;
  const handle = await open(path, 'wx+', 0o600);
  await syncFolder(dirname(path));
  engine.enter();
  let options: AppendOptions | null = null;
  let stop = new AbortController();
  let sizeBytes = 0;
  let durableBytes = 0;
  let wake: (() => void) | null = null;
  let isBroken = false;
  let isClosed = false;
  const file = createSpoolFile({
    engine,
    handle,
    inlineHashBytes: deps.inlineHashBytes,
    expectedBytes: null,
    checkpointBytes: durableEveryBytes,
    onCheckpoint: space.require,
    onDurable: async (fileBytes) => {
      await options?.onDurable?.(fileBytes);
      durableBytes = fileBytes;
      wake?.();
    },
    onFailure: (error) => {
      isBroken = true;
      stop.abort(error);
    },
  });
  const untilDurable = () =>
    new Promise<void>((resolve) => {
      wake = resolve;
    });
  const close = async (keptBytes?: () => number): Promise<void> => {
    if (isClosed) return;
    isClosed = true;
    await file.abandon();
    await handle.close();
    engine.leave();
    deps.onClosed();
    if (keptBytes !== undefined) await truncate(path, keptBytes());
    await deps.dispose();
  };
  return {
    path,
    get sizeBytes() {
      return sizeBytes;
    },
    get isBroken() {
      return isBroken;
    },
    async append(body, wanted) {
      body.on('error', () => {});
      const promise = await space.promise(wanted.expectedBytes);
      const hash = createHash('sha256');
      stop = new AbortController();
      options = wanted;
      const limitBytes = sizeBytes + wanted.maxBytes;
      let last: Promise<void> | undefined;
      const take = (chunk: Uint8Array) => {
        if (sizeBytes + chunk.length > limitBytes) throw new SpoolLimitExceeded(wanted.maxBytes);
        sizeBytes += chunk.length;
        promise.use(chunk.length);
        wanted.onBytes?.(chunk.length);
        hash.update(chunk);
        last = file.write(chunk);
        return wanted.onDurable && sizeBytes - durableBytes > maxPendingBytes ? untilDurable() : last;
      };
      const signal = wanted.signal ? AbortSignal.any([stop.signal, wanted.signal]) : stop.signal;
      try {
        const received = await consumeStream(body, take, signal).then(
          () => null,
          (error: unknown) => ({ error }),
        );
        if (!isBroken) await last;
        if (!isBroken) await file.sync().catch((error: unknown) => stop.abort(error));
        if (stop.signal.aborted) {
          isBroken = true;
          throw isDiskFull(stop.signal.reason) ? new SpoolFull(stop.signal.reason) : stop.signal.reason;
        }
        durableBytes = sizeBytes;
        if (received) throw received.error;
        return hash.digest();
      } finally {
        options = null;
        promise.end();
      }
    },
    async finish() {
      const facts = await file.finish();
      return { path, ...facts, synced: true, dispose: () => close() };
    },
    close,
  };
}
