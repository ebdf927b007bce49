/** Reading pieces of a stream in ascending order, in flat memory: what lies between them is thrown away as it comes. */
import type { Readable } from 'node:stream';

export interface SequentialBytes {
  /** The `length` bytes at `position`; rejects with Error behind what was read before, or past the end. */
  read(position: number, length: number): Promise<Buffer>;
  /** As `read`, but fewer bytes where the stream ends. */
  readUpTo(position: number, length: number): Promise<Buffer>;
  /** Feeds every byte of the range to `consume`, piece by piece. */
  pipe(position: number, length: number, consume: (piece: Buffer) => void): Promise<void>;
  /** Stops the stream; must be called once, whatever happened. */
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

  /** Resolves to how many bytes there were. */
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
