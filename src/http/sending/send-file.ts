/** Sends a file, or one range of it, as a response body. Reads one piece ahead, at the client’s speed. */
import type { FileHandle } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { createSendBuffers, largeBufferBytes, type SendBuffers } from './send-buffers.ts';

/** Positions of the first and last byte, both inclusive; the first byte is 0. */
export interface SentRange {
  first: number;
  last: number;
}

/**
 * Sends the bytes and ends the response; its headers must be set. Takes ownership of the file and closes it. Resolves when the
 * system has accepted all bytes or the client has disconnected. Rejects with a read error after closing the connection.
 */
export type SendFile = (response: ServerResponse, file: FileHandle, range: SentRange) => Promise<void>;

/** Slower clients get small pieces, which use little memory. */
const fastBytesPerMs = (4 * 1024 * 1024) / 1000;
const paceWindowMs = 250;

export function createSendFile(buffers: SendBuffers = createSendBuffers()): SendFile {
  return async (response, file, range) => {
    try {
      const sent = await sendChunks(response, createChunks(file, range, buffers), buffers);
      if (sent) response.end();
    } catch (error) {
      response.destroy();
      throw error;
    } finally {
      await file.close();
    }
  };
}

interface Piece {
  buffer: Buffer;
  length: number;
}

interface FileChunks {
  /** Returns the next piece in a buffer that the caller then owns; null at the end. Must not be called concurrently. */
  read(wantsLarge: boolean): Promise<Piece | null>;
}

function createChunks(file: FileHandle, { first, last }: SentRange, buffers: SendBuffers): FileChunks {
  let position = first;
  return {
    async read(wantsLarge) {
      const left = last + 1 - position;
      if (left <= 0) return null;
      const buffer = buffers.take(wantsLarge && left > smallEnough);
      try {
        const { bytesRead } = await file.read(buffer, 0, Math.min(left, buffer.length), position);
        if (bytesRead === 0) throw new Error(`the file ends ${left} bytes early`);
        position += bytesRead;
        return { buffer, length: bytesRead };
      } catch (error) {
        buffers.release(buffer);
        throw error;
      }
    },
  };
}

/** A remainder up to this size does not need a large buffer. */
const smallEnough = 64 * 1024;

/** Returns false if the client has disconnected. */
async function sendChunks(
  response: ServerResponse,
  pieces: FileChunks,
  buffers: SendBuffers,
): Promise<boolean> {
  const pace = createPace();
  let next: Promise<Piece | null> | null = pieces.read(true);
  try {
    for (;;) {
      const piece: Piece | null = await (next ?? pieces.read(pace.isFast()));
      next = null;
      if (piece === null) return true;
      // Only reads ahead with large buffers, because it would double the memory for slow clients.
      if (pace.isFast() && piece.buffer.length === largeBufferBytes) next = pieces.read(true);
      const bytes = piece.buffer.subarray(0, piece.length);
      if (!(await write(response, bytes))) {
        buffers.forget(piece.buffer);
        return false;
      }
      buffers.release(piece.buffer);
      pace.add(piece.length);
    }
  } finally {
    // The disk may still be writing into the buffer, and the file must not be closed during a read.
    const ahead = await next?.catch(() => null);
    if (ahead) buffers.release(ahead.buffer);
  }
}

/** Resolves to true when the system has accepted the bytes, so that their buffer can be reused, and to false if it never will. */
function write(response: ServerResponse, bytes: Uint8Array): Promise<boolean> {
  return new Promise((resolve) => {
    const onClose = () => resolve(false);
    response.once('close', onClose);
    response.write(bytes, (error) => {
      response.off('close', onClose);
      resolve(!error);
    });
  });
}

/** Measures the client’s speed over periods of time, because the system accepts some bytes at once for any client. */
function createPace(): { add(bytes: number): void; isFast(): boolean } {
  let fast = true;
  let bytesInWindow = 0;
  let windowBegan = performance.now();
  return {
    add(bytes) {
      bytesInWindow += bytes;
      const ms = performance.now() - windowBegan;
      if (ms < paceWindowMs) return;
      fast = bytesInWindow / ms >= fastBytesPerMs;
      bytesInWindow = 0;
      windowBegan = performance.now();
    },
    isFast: () => fast,
  };
}
