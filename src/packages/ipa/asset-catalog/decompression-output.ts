/** A limited output buffer for decompression with literals and matches. */

export interface DecompressionOutput {
  readonly length: number;
  /** Throws `Error` past the end of `source` or above the limit. */
  copy(source: Buffer, position: number, count: number): void;
  /** Repeats the bytes at `distance`, which may overlap the output. Throws `Error` before the start or above the limit. */
  repeat(distance: number, count: number): void;
  take(): Buffer;
}

const firstBytes = 64 * 1024;

export function createOutput(maxBytes: number): DecompressionOutput {
  let buffer = Buffer.alloc(Math.min(maxBytes, firstBytes));
  let length = 0;

  function freeSpace(count: number): void {
    if (length + count > maxBytes) throw new Error(`it decompresses to more than ${maxBytes} bytes`);
    if (length + count <= buffer.length) return;
    const larger = Buffer.alloc(Math.min(maxBytes, Math.max(buffer.length * 2, length + count)));
    buffer.copy(larger, 0, 0, length);
    buffer = larger;
  }

  return {
    get length() {
      return length;
    },
    copy(source, position, count) {
      if (position + count > source.length) throw new Error('compressed data ends too early');
      freeSpace(count);
      source.copy(buffer, length, position, position + count);
      length += count;
    },
    repeat(distance, count) {
      if (distance < 1 || distance > length) throw new Error('compressed data has an invalid reference');
      freeSpace(count);
      if (distance >= count) buffer.copyWithin(length, length - distance, length - distance + count);
      else
        for (let index = 0; index < count; index++)
          buffer[length + index] = buffer[length + index - distance] ?? 0;
      length += count;
    },
    take: () => buffer.subarray(0, length),
  };
}
