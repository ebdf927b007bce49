/** Reads ranges of a stream in ascending order and in constant memory; skipped bytes are discarded. */
import type { Readable } from 'node:stream';

export interface SequentialBytes {
  /** Returns `length` bytes at `position`. Rejects with `Error` before the current position or past the end. */
  read(position: number, length: number): Promise<Buffer>;
  /** Like `read`, but returns fewer bytes at the end of the stream. */
  readUpTo(position: number, length: number): Promise<Buffer>;
  /** Passes every byte of the range to `consume`, piece by piece. */
  pipe(position: number, length: number, consume: (piece: Buffer) => void): Promise<void>;
  /** Stops the stream. Must always be called once. */
  close(): void;
}

export function readSequentially(stream: Readable): SequentialBytes {
  const chunks: AsyncIterator<unknown> = stream[Symbol.asyncIterator]();
  let chunk: Buffer = Buffer.alloc(0);
  let chunkPosition = 0;
  let readTo = 0;

  async function advance(): Promise<boolean> {
    const next = await chunks.next();
    if (next.done) return false;
    chunkPosition += chunk.length;
    chunk = Buffer.isBuffer(next.value) ? next.value : Buffer.alloc(0);
    return true;
  }

  /** Resolves to the number of bytes. */
  async function consumeRange(
    position: number,
    length: number,
    consume: (piece: Buffer) => void,
  ): Promise<number> {
    if (position < readTo) throw new Error('its parts are out of order');
    const end = position + length;
    let reached = position;
    while (reached < end) {
      if (reached >= chunkPosition + chunk.length) {
        if (!(await advance())) break;
        continue;
      }
      const piece = chunk.subarray(reached - chunkPosition, end - chunkPosition);
      consume(piece);
      reached += piece.length;
    }
    readTo = reached;
    return reached - position;
  }

  async function pipe(position: number, length: number, consume: (piece: Buffer) => void): Promise<void> {
    const found = await consumeRange(position, length, consume);
    if (found < length) throw new Error('it ends too early');
  }

  async function readUpTo(position: number, length: number): Promise<Buffer> {
    const pieces: Buffer[] = [];
    await consumeRange(position, length, (piece) => pieces.push(piece));
    return Buffer.concat(pieces);
  }

  return {
    pipe,
    readUpTo,
    async read(position, length) {
      const bytes = await readUpTo(position, length);
      if (bytes.length < length) throw new Error('it ends too early');
      return bytes;
    },
    close() {
      stream.destroy();
    },
  };
}
