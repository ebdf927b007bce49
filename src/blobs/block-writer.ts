/** Puts blocks of a ring into a file, in order, at the pace of the disk. */
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { type BlockRing, blockBytes } from './block-ring.ts';
import { errorCode } from './file-errors.ts';

/**
 * Past this position whole blocks go to the disk directly (O_DIRECT): a large body would push everything else out of
 * the page cache and cost more processor time for copying into it than for all else but its hash. What comes before,
 * and the last bytes of every file, stay cached: small files wholly, of large ones the zip's directory.
 */
export const directAfterBytes = 8 * blockBytes;

/** Blocks that pile up while the disk is busy go to it together, up to so many. */
const blocksAtOnce = 4;

/** After so many bytes the disk is told to finish what it has, beside the receiving, so that the last fsync is short. */
const defaultCheckpointBytes = 128 * 1024 * 1024;

/** What says that file system or memory cannot do direct writes. */
const notDirect = new Set(['EINVAL', 'ENOTSUP', 'EOPNOTSUPP']);

export interface BlockWriterParts {
  path: string;
  /** Of the empty file at `path`, for writing. */
  handle: FileHandle;
  ring: BlockRing;
  /** Called on the first fault of the disk, or of another part, when nobody is waiting for it. */
  onFailure(error: unknown): void;
  /** Called every `checkpointBytes`, beside the receiving; a rejection fails the file. */
  onCheckpoint(): Promise<void>;
  checkpointBytes?: number;
}

export interface BlockWriter {
  /** Lets the block go once it is written. Every block but the last must be full. */
  append(block: number, length: number): void;
  /** Everything appended is durable. Rejects on the first fault. */
  sync(): Promise<void>;
  /** Nothing is under way any more, whatever came of it, and what this writer opened is closed. */
  settle(): Promise<void>;
}

export function createBlockWriter(parts: BlockWriterParts): BlockWriter {
  const { handle, ring, onFailure, onCheckpoint, checkpointBytes = defaultCheckpointBytes } = parts;
  const file = createPositionedFile(parts.path, handle);
  const queue: { block: number; length: number }[] = [];
  let writes = Promise.resolve();
  let busy = false;
  let checkpoint: Promise<void> | null = null;
  let sinceCheckpoint = 0;
  let failure: { error: unknown } | null = null;

  const fail = (error: unknown): void => {
    if (failure !== null) return;
    failure = { error };
    onFailure(error);
  };
  const startCheckpoint = (): void => {
    sinceCheckpoint = 0;
    checkpoint ??= Promise.all([handle.datasync(), onCheckpoint()])
      .then(() => {}, fail)
      .finally(() => {
        checkpoint = null;
      });
  };
  const run = async (): Promise<void> => {
    for (let batch = queue.splice(0, blocksAtOnce); batch.length > 0; batch = queue.splice(0, blocksAtOnce)) {
      try {
        if (failure === null) await file.write(batch.map(({ block, length }) => ring.view(block, length)));
      } catch (error) {
        fail(error);
      }
      for (const { block, length } of batch) {
        sinceCheckpoint += length;
        ring.letGo(block);
      }
      if (sinceCheckpoint >= checkpointBytes) startCheckpoint();
    }
    busy = false;
  };
  const settle = async (): Promise<void> => {
    await writes;
    await checkpoint;
    await file.close();
  };

  return {
    append(block, length) {
      queue.push({ block, length });
      if (busy) return;
      busy = true;
      writes = run();
    },
    async sync() {
      await settle();
      if (failure !== null) throw failure.error;
      // fdatasync(2): the size counts as data, since reading needs it. The times, which it leaves out, may be lost.
      await handle.datasync();
    },
    settle,
  };
}

interface PositionedFile {
  /** Writes the pieces after all that was written before. */
  write(pieces: Uint8Array[]): Promise<void>;
  close(): Promise<void>;
}

function createPositionedFile(path: string, cached: FileHandle): PositionedFile {
  let position = 0;
  let direct: FileHandle | null = null;
  let mayBeDirect = constants.O_DIRECT !== undefined;

  /** Returns how many bytes of the pieces went to the disk directly: all, some or none. */
  async function writeDirect(pieces: Uint8Array[]): Promise<number> {
    const whole = pieces.every((piece) => piece.length === blockBytes);
    if (!mayBeDirect || !whole || position < directAfterBytes) return 0;
    try {
      direct ??= await open(path, constants.O_WRONLY | constants.O_DIRECT);
      return (await direct.writev(pieces, position)).bytesWritten;
    } catch (error) {
      if (!notDirect.has(errorCode(error) ?? '')) throw error;
      mayBeDirect = false;
      return 0;
    }
  }

  return {
    async write(pieces) {
      const written = await writeDirect(pieces);
      position += written;
      let rest = withoutFirst(pieces, written);
      // A disk that fills up takes a part first and says ENOSPC only to the next write.
      while (rest.length > 0) {
        const { bytesWritten } = await cached.writev(rest, position);
        position += bytesWritten;
        rest = withoutFirst(rest, bytesWritten);
      }
    },
    async close() {
      const opened = direct;
      direct = null;
      await opened?.close();
    },
  };
}

function withoutFirst(pieces: Uint8Array[], byteCount: number): Uint8Array[] {
  let skip = byteCount;
  return pieces.flatMap((piece) => {
    const rest = piece.subarray(skip);
    skip -= piece.length - rest.length;
    return rest.length > 0 ? [rest] : [];
  });
}
