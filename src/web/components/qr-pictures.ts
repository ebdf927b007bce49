/** Renders a QR code as a PNG or SVG, for clients that display an image of an address. */
import { crc32, deflateSync } from 'node:zlib';
import { encode } from 'uqr';

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const quietZone = 4;

/** `side`: width and height in pixels; the image has at least one pixel per module. */
export function qrPng(address: string, side: number): Buffer {
  const code = encode(address, { ecc: 'M', border: quietZone });
  const pixels = Math.max(side, code.size);
  const scale = Math.floor(pixels / code.size);
  const margin = Math.floor((pixels - code.size * scale) / 2);
  const isDark = (x: number, y: number) => code.data[y]?.[x] === true;
  // One bit per pixel, 1 is white; each row begins with its filter type, none (PNG, sections 7.2 and 9.2).
  const rowBytes = 1 + Math.ceil(pixels / 8);
  const rows = Buffer.alloc(rowBytes * pixels, 0xff);
  for (let y = 0; y < pixels; y += 1) {
    rows[y * rowBytes] = 0;
    for (let x = 0; x < pixels; x += 1) {
      if (!isDark(Math.floor((x - margin) / scale), Math.floor((y - margin) / scale))) continue;
      const at = y * rowBytes + 1 + (x >> 3);
      rows[at] = (rows[at] ?? 0) & ~(0x80 >> (x & 7));
    }
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(pixels, 0);
  header.writeUInt32BE(pixels, 4);
  // One bit per pixel, grayscale; default compression, filter and interlace.
  header[8] = 1;
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** Dark on white in every theme, as required by scanners. `side`: its width and height unless the page that shows it sets others. */
export function qrSvg(address: string, side = 180): string {
  const { size, path } = qrPath(address);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size} ${size}" width="${side}" height="${side}" shape-rendering="crispEdges"><rect width="${size}" height="${size}" fill="#fff"/><path d="${path}"/></svg>\n`;
}

/** One path for all dark modules. Adjacent modules in a row share a rectangle, which keeps the code below 4 KiB. */
export function qrPath(address: string): { size: number; path: string } {
  const { data, size } = encode(address, { ecc: 'M', border: quietZone });
  let path = '';
  for (const [y, row] of data.entries()) {
    let x = 0;
    while (x < row.length) {
      const start = x;
      while (row[x]) x += 1;
      if (x > start) path += `M${start} ${y}h${x - start}v1h${start - x}z`;
      else x += 1;
    }
  }
  return { size, path };
}

/** PNG, section 5.3: length, type, data, CRC of type and data. */
function chunk(type: string, data: Buffer): Buffer {
  const framed = Buffer.alloc(data.length + 12);
  framed.writeUInt32BE(data.length, 0);
  framed.write(type, 4, 'latin1');
  data.copy(framed, 8);
  framed.writeUInt32BE(crc32(framed.subarray(4, data.length + 8)), data.length + 8);
  return framed;
}
