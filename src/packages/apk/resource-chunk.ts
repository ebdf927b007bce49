import { say } from '../messages/package-messages.ts';
import { UnreadablePackage } from '../package-info.ts';

/** A chunk of a binary XML file or a resource table. All positions are offsets in `bytes`. */
export interface ResourceChunk {
  bytes: Buffer;
  type: number;
  /** Positions where the chunk starts, where its header ends, and where it ends. */
  start: number;
  bodyStart: number;
  end: number;
}

const chunkHeaderBytes = 8;

/**
 * Reads the header of the chunk at `start`: type (2 bytes), header size (2), size (4).
 * @param limit where the enclosing chunk ends
 * @param minHeaderBytes bytes of the header that the caller reads without checks
 * @throws UnreadablePackage if the chunk is truncated or its sizes are invalid
 * @see `validate_chunk` in Android's ResourceTypes.cpp
 */
export function readChunk(
  bytes: Buffer,
  start: number,
  limit: number,
  minHeaderBytes: number = chunkHeaderBytes,
): ResourceChunk {
  if (start + chunkHeaderBytes > limit) throw damaged();
  const type = bytes.readUInt16LE(start);
  const headerBytes = bytes.readUInt16LE(start + 2);
  const size = bytes.readUInt32LE(start + 4);
  if (headerBytes < minHeaderBytes || headerBytes > size || size > limit - start) throw damaged();
  return { bytes, type, start, bodyStart: start + headerBytes, end: start + size };
}

/** Yields the consecutive chunks in `[start, limit)`. */
export function* readChunks(bytes: Buffer, start: number, limit: number): Generator<ResourceChunk> {
  for (let position = start; position + chunkHeaderBytes <= limit; ) {
    const chunk = readChunk(bytes, position, limit);
    yield chunk;
    position = chunk.end;
  }
}

export const damaged = () => new UnreadablePackage(say('compiled-resources-damaged'));
