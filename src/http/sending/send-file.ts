/** Sends a file, or one range of it, as the body of an answer: read ahead by one piece, at the pace of the client. */
import type { FileHandle } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { createSendBuffers, largeBufferBytes, type SendBuffers } from './send-buffers.ts';

/** Both inclusive, the first byte is 0. */
export interface SentRange {
  first: number;
  last: number;
}

/**
 * Sends the bytes and ends the answer, whose head must be set. Takes the file over and closes it. Resolves when the
 * system has all bytes, or the client has gone; rejects with the disk's fault, having cut the connection.
 */
export type SendFile = (response: ServerResponse, file: FileHandle, range: SentRange) => Promise<void>;

/** A client that takes less is sent small pieces, so that it holds little memory however long it takes. */
const fastBytesPerMs = (4 * 1024 * 1024) / 1000;
const paceWindowMs = 250;

export function createSendFile(buffers: SendBuffers = createSendBuffers()): SendFile {
  return async (response, file, range) => {
    try {
      const sent = await sendPieces(response, createPieces(file, range, buffers), buffers);
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

interface Pieces {
  /** The next one, in a buffer that is the caller's; null at the end. Not to be asked while it is being answered. */
  read(wantsLarge: boolean): Promise<Piece | null>;
}

function createPieces(file: FileHandle, { first, last }: SentRange, buffers: SendBuffers): Pieces {
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

/** A rest of this size is not worth a large buffer. */
const smallEnough = 64 * 1024;

/** Answers false when the client has gone. */
async function sendPieces(response: ServerResponse, pieces: Pieces, buffers: SendBuffers): Promise<boolean> {
  const pace = createPace();
  let next: Promise<Piece | null> | null = pieces.read(true);
  try {
    for (;;) {
      const piece: Piece | null = await (next ?? pieces.read(pace.isFast()));
      next = null;
      if (piece === null) return true;
      // Not beside a small one: it would double what slow clients hold.
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
    // The disk may still be writing into it, and the file must not be closed under it.
    const ahead = await next?.catch(() => null);
    if (ahead) buffers.release(ahead.buffer);
  }
}

/** Resolves when the system has taken the bytes, so that their buffer is free; with false when it never will. */
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

/** How fast a client takes its bytes, by windows: the system takes some at once, whatever the client does. */
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
