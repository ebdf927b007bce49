/**
 * One image of an asset catalog, in CoreUI's format ("CSI"). Not documented by Apple; based on "Reverse engineering the .car file
 * format" (Timac, 2018) and the structures in ipsw's `pkg/car`. Numbers are little-endian, four-letter codes are reversed.
 *
 *     0 "ISTC"  4 version  8 flags  12 width  16 height  20 scale × 100  24 pixel format  28 color space  32 time  36 layout
 *     40 name (128 bytes)  168 bytes of the properties  172 1  176 0  180 bytes of the image  184 properties, then the image
 *
 * A property is its number, its length and its bytes: 1007 is the bytes of a row, 1010 a part of another image (packed).
 */

export interface Rendition {
  width: number;
  height: number;
  /** `ARGB`, `GA8 `, `JPEG` … */
  pixelFormat: string;
  layout: number;
  name: string;
  /** Bytes of a pixel row including padding; null if not stated. */
  rowBytes: number | null;
  link: RenditionLink | null;
  payload: Buffer;
}

/** "KLNI": flags, x, y, width, height, layout (16 bits), bytes of the key, then the key as pairs of attribute and value. */
interface RenditionLink {
  left: number;
  /** Measured from the bottom of the other image. */
  bottom: number;
  width: number;
  height: number;
  key: Map<number, number>;
}

const headerBytes = 184;
const rowBytesProperty = 1007;
const linkProperty = 1010;
const linkHeaderBytes = 30;

/** Throws `Error` if malformed. */
export function readRendition(bytes: Buffer): Rendition {
  if (bytes.length < headerBytes || bytes.toString('latin1', 0, 4) !== 'ISTC')
    throw new Error('a rendition is malformed');
  const propertiesEnd = headerBytes + bytes.readUInt32LE(168);
  const payloadEnd = propertiesEnd + bytes.readUInt32LE(180);
  if (payloadEnd > bytes.length) throw new Error('a rendition ends too early');
  const properties = readProperties(bytes.subarray(headerBytes, propertiesEnd));
  const rowBytes = properties.get(rowBytesProperty);
  const link = properties.get(linkProperty);
  return {
    width: bytes.readUInt32LE(12),
    height: bytes.readUInt32LE(16),
    pixelFormat: Buffer.from(bytes.subarray(24, 28)).reverse().toString('latin1'),
    layout: bytes.readUInt16LE(36),
    name: bytes.toString('utf8', 40, 168).split('\0', 1)[0] ?? '',
    rowBytes: rowBytes && rowBytes.length >= 4 ? rowBytes.readUInt32LE(0) : null,
    link: link ? readLink(link) : null,
    payload: bytes.subarray(propertiesEnd, payloadEnd),
  };
}

function readProperties(bytes: Buffer): Map<number, Buffer> {
  const properties = new Map<number, Buffer>();
  for (let position = 0; position + 8 <= bytes.length; ) {
    const end = position + 8 + bytes.readUInt32LE(position + 4);
    properties.set(bytes.readUInt32LE(position), bytes.subarray(position + 8, end));
    position = end;
  }
  return properties;
}

function readLink(bytes: Buffer): RenditionLink {
  if (bytes.length < linkHeaderBytes || bytes.toString('latin1', 0, 4) !== 'KLNI')
    throw new Error('a link is malformed');
  return {
    left: bytes.readUInt32LE(8),
    bottom: bytes.readUInt32LE(12),
    width: bytes.readUInt32LE(16),
    height: bytes.readUInt32LE(20),
    key: readAttributes(bytes.subarray(linkHeaderBytes)),
  };
}

/** Pairs of 16-bit values: attribute and value. Attribute 0 ends the list. */
export function readAttributes(bytes: Buffer): Map<number, number> {
  const attributes = new Map<number, number>();
  for (let position = 0; position + 4 <= bytes.length; position += 4) {
    const attribute = bytes.readUInt16LE(position);
    if (attribute === 0) break;
    attributes.set(attribute, bytes.readUInt16LE(position + 2));
  }
  return attributes;
}
