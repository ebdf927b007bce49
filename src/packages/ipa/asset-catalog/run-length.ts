/**
 * Runs of equal pixels in asset catalogs, based on ipsw's `pkg/car`: format, width, height, then the position of each row; a row is
 * packets of a control word and pixels, the word's high byte 0x00 (that many pixels follow) or 0x80 (one pixel, that many times).
 */

const headerBytes = 12;

/** Returns rows of `rowBytes`. Throws `Error` when the data is malformed or exceeds `maxBytes`. */
export function decodeRuns(bytes: Buffer, rowBytes: number, pixelBytes: number, maxBytes: number): Buffer {
  const width = bytes.readUInt32LE(4);
  const height = bytes.readUInt32LE(8);
  if (width * pixelBytes > rowBytes || height * rowBytes > maxBytes)
    throw new Error('the size of the runs differs from their image');
  const rows = Buffer.alloc(height * rowBytes);
  for (let y = 0; y < height; y++) {
    const start = bytes.readUInt32LE(headerBytes + y * 4);
    decodeRow(bytes, start, rows.subarray(y * rowBytes, y * rowBytes + width * pixelBytes), pixelBytes);
  }
  return rows;
}

function decodeRow(bytes: Buffer, start: number, row: Buffer, pixelBytes: number): void {
  let position = start;
  let done = 0;
  while (done < row.length) {
    const control = bytes.readUInt32LE(position);
    const length = (control & 0xffffff) * pixelBytes;
    const isRepeat = control >>> 24 === 0x80;
    const stored = isRepeat ? pixelBytes : length;
    position += 4;
    if (length === 0 || done + length > row.length || position + stored > bytes.length)
      throw new Error('a run is malformed');
    if (isRepeat) row.fill(bytes.subarray(position, position + stored), done, done + length);
    else bytes.copy(row, done, position, position + stored);
    position += stored;
    done += length;
  }
}
