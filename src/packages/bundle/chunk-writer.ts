/** Writes a chunk of a binary XML file or a resource table: type 2, header size 2, size 4, rest of the header, body. */
export function writeChunk(type: number, header: Buffer, body: Buffer): Buffer {
  const start = Buffer.alloc(8);
  start.writeUInt16LE(type, 0);
  start.writeUInt16LE(8 + header.length, 2);
  start.writeUInt32LE(8 + header.length + body.length, 4);
  return Buffer.concat([start, header, body]);
}
