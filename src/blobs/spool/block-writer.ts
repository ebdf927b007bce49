/** Writes blocks to a file, in order, at the speed of the disk. */
import type { FileHandle } from 'node:fs/promises';

/** Maximum number of blocks written together after they have queued up while the disk was busy. */
const maxBlocksPerWrite = 8;

/** Number of bytes after which a sync starts in the background, so that the last fsync is short. */
const defaultCheckpointBytes = 32 * 1024 * 1024;

export interface BlockWriterDeps {
  /** Handle of an empty file, opened for writing. */
  handle: FileHandle;
  /** Called when the block was written or never will be, so it can be reused. */
  onWritten(block: Buffer, fileBytes: number): void;
  /** Called on the first disk error, when no caller is waiting. */
  onFailure(error: unknown): void;
  /** Called every `checkpointBytes`, in the background; a rejection fails the file. */
  onCheckpoint(): Promise<void>;
  /** Called after a checkpoint with how much of the file is durable; a rejection fails the file. */
  onDurable?(fileBytes: number): Promise<void>;
  checkpointBytes?: number;
}

export interface BlockWriter {
  /** Appends the first `length` bytes of the block. */
  append(block: Buffer, length: number): void;
  /** Resolves when no write is in progress, successful or not. */
  settle(): Promise<void>;
  /** Resolves when everything appended is in the file. Rejects on the first error. */
  flush(): Promise<void>;
}

export function createBlockWriter(deps: BlockWriterDeps): BlockWriter {
  const { handle, onWritten, onFailure, checkpointBytes = defaultCheckpointBytes } = deps;
  const queue: { block: Buffer; length: number }[] = [];
  let writes: Promise<void> | null = null;
  let checkpoint: Promise<void> | null = null;
  let fileBytes = 0;
  let checkpointAt = checkpointBytes;
  let failure: { error: unknown } | null = null;

  const fail = (error: unknown): void => {
    if (failure !== null) return;
    failure = { error };
    onFailure(error);
  };
  const startCheckpoint = (): void => {
    if (checkpoint !== null) return;
    checkpointAt = fileBytes + checkpointBytes;
    const durableBytes = fileBytes;
    checkpoint = Promise.all([handle.datasync(), deps.onCheckpoint()])
      .then(() => deps.onDurable?.(durableBytes))
      .catch(fail)
      .finally(() => {
        checkpoint = null;
        if (fileBytes >= checkpointAt && failure === null) startCheckpoint();
      });
  };
  const run = async (): Promise<void> => {
    for (
      let batch = queue.splice(0, maxBlocksPerWrite);
      batch.length > 0;
      batch = queue.splice(0, maxBlocksPerWrite)
    ) {
      try {
        let rest = failure === null ? batch.map(({ block, length }) => block.subarray(0, length)) : [];
        // When a disk fills up, it accepts part of a write and returns ENOSPC only for the next one.
        while (rest.length > 0) {
          const { bytesWritten } = await handle.writev(rest, fileBytes);
          fileBytes += bytesWritten;
          rest = withoutFirst(rest, bytesWritten);
        }
      } catch (error) {
        fail(error);
      }
      for (const { block } of batch) onWritten(block, fileBytes);
      if (fileBytes >= checkpointAt && failure === null) startCheckpoint();
    }
    writes = null;
  };
  const settle = async (): Promise<void> => {
    await writes;
    while (checkpoint !== null) await checkpoint;
  };

  return {
    append(block, length) {
      queue.push({ block, length });
      writes ??= run();
    },
    settle,
    async flush() {
      await settle();
      if (failure !== null) throw failure.error;
    },
  };
}

function withoutFirst(pieces: Buffer[], byteCount: number): Buffer[] {
  let skip = byteCount;
  return pieces.flatMap((piece) => {
    const rest = piece.subarray(skip);
    skip -= piece.length - rest.length;
    return rest.length > 0 ? [rest] : [];
  });
}
