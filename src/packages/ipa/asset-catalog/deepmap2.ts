/**
 * Apple's "deepmap2", the usual image format of asset catalogs for iOS 12 and later. Not documented by Apple; based on the public
 * reconstructions in car-parser (skytoup) and ipsw (`pkg/car/deepmap2`). Little-endian.
 *
 *     wrapper  version 1, pixel format, length (64 bits), then one image, or tiles
 *     tile     "KCBC", column, row, rows of pixels or 0, bytes of the tile with these 20, then its image, wrapped or not
 */
import { decodeDeepmapImage } from './deepmap2-image.ts';

const wrapperBytes = 16;
const tileHeaderBytes = 20;
export const maxTiles = 1024;

/** Returns premultiplied RGBA. Throws `Error` if malformed, or for unsupported 16-bit samples. */
export function decodeDeepmap2(piece: Buffer, width: number, height: number): Buffer {
  const bytes = piece.subarray(wrapperBytes);
  if (bytes.toString('latin1', 0, 4) === 'KCBC') return decodeTiles(bytes, width, height);
  return decodeDeepmapImage(bytes, width, height);
}

interface Tile {
  column: number;
  row: number;
  width: number;
  height: number;
  image: Buffer;
}

/** Tiles of a row have equal heights, tiles of a column equal widths. */
function decodeTiles(bytes: Buffer, width: number, height: number): Buffer {
  const tiles = readTiles(bytes);
  const covered = tiles.reduce((sum, tile) => sum + tile.width * tile.height, 0);
  if (covered !== width * height) throw new Error('the tiles do not cover their image');
  const data = Buffer.alloc(width * height * 4);
  for (const tile of tiles) {
    const left = sumOf(tiles, (other) => other.row === tile.row && other.column < tile.column, 'width');
    const top = sumOf(tiles, (other) => other.column === tile.column && other.row < tile.row, 'height');
    if (left + tile.width > width || top + tile.height > height)
      throw new Error('a tile is outside its image');
    const pixels = decodeDeepmapImage(tile.image, tile.width, tile.height);
    for (let y = 0; y < tile.height; y++) {
      pixels.copy(data, ((top + y) * width + left) * 4, y * tile.width * 4, (y + 1) * tile.width * 4);
    }
  }
  return data;
}

function sumOf(tiles: Tile[], isCounted: (tile: Tile) => boolean, side: 'width' | 'height'): number {
  return tiles.filter(isCounted).reduce((sum, tile) => sum + tile[side], 0);
}

function readTiles(bytes: Buffer): Tile[] {
  const tiles: Tile[] = [];
  for (let position = 0; position < bytes.length; ) {
    const end = position + bytes.readUInt32LE(position + 16);
    const isSound = bytes.toString('latin1', position, position + 4) === 'KCBC' && end <= bytes.length;
    if (!isSound || end <= position + tileHeaderBytes || tiles.length === maxTiles)
      throw new Error('a tile is malformed');
    const content = bytes.subarray(position + tileHeaderBytes, end);
    const isWrapped = content.toString('latin1', wrapperBytes, wrapperBytes + 4) === 'dmp2';
    const image = isWrapped ? content.subarray(wrapperBytes) : content;
    tiles.push({
      column: bytes.readUInt32LE(position + 4),
      row: bytes.readUInt32LE(position + 8),
      width: image.readUInt16LE(8),
      height: bytes.readUInt32LE(position + 12) || image.readUInt16LE(10),
      image,
    });
    position = end;
  }
  return tiles;
}
