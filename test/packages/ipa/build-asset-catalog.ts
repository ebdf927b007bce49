/** Builds small asset catalogs: a BOM store with a key format, names and images in every supported encoding. */
import { deflateSync } from 'node:zlib';

export interface RenditionSpec {
  width: number;
  height: number;
  /** Values by attribute; 17 is the asset, 2 the part, 7 the appearance, 12 the scale. */
  key?: Record<number, number>;
  layout?: number;
  pixelFormat?: string;
  rowBytes?: number;
  link?: { left: number; bottom: number; key: Record<number, number> };
  payload?: Buffer;
}

export interface CatalogSpec {
  /** Asset by name. */
  facets?: Record<string, number>;
  renditions: RenditionSpec[];
  keyFormat?: number[];
  /** Splits the images into pages of this size, below a page of pages. */
  entriesOfPage?: number;
}

type Block = Buffer;

export function buildAssetCatalog(spec: CatalogSpec): Buffer {
  const keyFormat = spec.keyFormat ?? [7, 12, 17, 2];
  const blocks: Block[] = [Buffer.alloc(0)];
  const add = (bytes: Buffer) => blocks.push(bytes) - 1;
  const renditions = spec.renditions.map((rendition): [Buffer, Buffer] => [
    uint16s(...keyFormat.map((attribute) => rendition.key?.[attribute] ?? 0)),
    buildRendition(rendition),
  ]);
  const facets = Object.entries(spec.facets ?? {}).map(([name, identifier]): [Buffer, Buffer] => [
    Buffer.from(name),
    Buffer.concat([uint16s(0, 0, 1), uint16s(17, identifier)]),
  ]);
  const variables: [string, number][] = [
    ['KEYFORMAT', add(Buffer.concat([Buffer.from('tmfk'), uint32s(0, keyFormat.length, ...keyFormat)]))],
    ['FACETKEYS', addTree(facets, 1000, add)],
    ['RENDITIONS', addTree(renditions, spec.entriesOfPage ?? 1000, add)],
  ];
  return buildBomStore(blocks, variables);
}

export function buildBomStore(blocks: Buffer[], variables: [string, number][]): Buffer {
  const header = Buffer.alloc(512);
  const index = Buffer.alloc(4 + blocks.length * 8);
  index.writeUInt32BE(blocks.length, 0);
  let position = header.length;
  for (const [number, block] of blocks.entries()) {
    index.writeUInt32BE(position, 4 + number * 8);
    index.writeUInt32BE(block.length, 8 + number * 8);
    position += block.length;
  }
  const names = variables.map(([name, number]) =>
    Buffer.concat([bigEndian(number), Buffer.from([name.length]), Buffer.from(name)]),
  );
  header.write('BOMStore', 0, 'latin1');
  header.writeUInt32BE(1, 8);
  header.writeUInt32BE(position, 16);
  header.writeUInt32BE(index.length, 20);
  header.writeUInt32BE(position + index.length, 24);
  return Buffer.concat([header, ...blocks, index, bigEndian(variables.length), ...names]);
}

function addTree(entries: [Buffer, Buffer][], entriesOfPage: number, add: (bytes: Buffer) => number): number {
  const leaves: { entries: number[][]; block: Buffer }[] = [];
  for (let start = 0; start === 0 || start < entries.length; start += entriesOfPage) {
    const numbers = entries.slice(start, start + entriesOfPage).map(([key, value]) => [add(value), add(key)]);
    leaves.push({ entries: numbers, block: buildPage(true, numbers) });
  }
  const leafNumbers = leaves.map(({ block }) => add(block));
  for (const [index, { block }] of leaves.entries()) block.writeUInt32BE(leafNumbers[index + 1] ?? 0, 4);
  const [only = 0] = leafNumbers;
  const root =
    leaves.length === 1
      ? only
      : add(
          buildPage(
            false,
            leafNumbers.map((number) => [number, 0]),
          ),
        );
  return add(Buffer.concat([Buffer.from('tree'), bigEndian(1, root, 4096, entries.length), Buffer.alloc(1)]));
}

export function buildPage(isLeaf: boolean, entries: number[][]): Buffer {
  const head = Buffer.alloc(12);
  head.writeUInt16BE(isLeaf ? 1 : 0, 0);
  head.writeUInt16BE(entries.length, 2);
  return Buffer.concat([head, ...entries.map((entry) => bigEndian(...entry))]);
}

export function buildRendition(spec: RenditionSpec): Buffer {
  const payload = spec.payload ?? Buffer.alloc(0);
  const properties = Buffer.concat([
    ...(spec.rowBytes === undefined ? [] : [property(1007, uint32s(spec.rowBytes))]),
    ...(spec.link ? [property(1010, buildLink(spec, spec.link))] : []),
  ]);
  const header = Buffer.alloc(184);
  header.write('ISTC', 0, 'latin1');
  header.writeUInt32LE(spec.width, 12);
  header.writeUInt32LE(spec.height, 16);
  header.set(Buffer.from(spec.pixelFormat ?? 'ARGB').reverse(), 24);
  header.writeUInt16LE(spec.layout ?? (spec.link ? 1003 : 12), 36);
  header.write('icon.png', 40, 'latin1');
  header.writeUInt32LE(properties.length, 168);
  header.writeUInt32LE(1, 172);
  header.writeUInt32LE(payload.length, 180);
  return Buffer.concat([header, properties, payload]);
}

function buildLink(spec: RenditionSpec, link: NonNullable<RenditionSpec['link']>): Buffer {
  const key = Buffer.concat([
    ...Object.entries(link.key).map(([name, value]) => uint16s(Number(name), value)),
    uint16s(0, 0),
  ]);
  const place = uint32s(0, link.left, link.bottom, spec.width, spec.height);
  return Buffer.concat([Buffer.from('KLNI'), place, uint16s(12), uint32s(key.length), key]);
}

function property(number: number, bytes: Buffer): Buffer {
  return Buffer.concat([uint32s(number, bytes.length), bytes]);
}

export interface PieceSpec {
  rows: number;
  bytes: Buffer;
}

/** A bitmap, in one piece or in several. */
export function bitmap(encoding: number, pieces: PieceSpec[] | Buffer, opaque = false): Buffer {
  const flags = (Array.isArray(pieces) ? 1 : 0) | (opaque ? 2 : 0);
  if (!Array.isArray(pieces)) {
    return Buffer.concat([Buffer.from('MLEC'), uint32s(flags, encoding, pieces.length), pieces]);
  }
  const chunks = pieces.map(({ rows, bytes }) =>
    Buffer.concat([Buffer.from('KCBC'), uint32s(0, 0, rows, bytes.length), bytes]),
  );
  return Buffer.concat([Buffer.from('MLEC'), uint32s(flags, encoding, pieces.length), ...chunks]);
}

export function rawFile(bytes: Buffer): Buffer {
  return Buffer.concat([Buffer.from('DWAR'), uint32s(0, bytes.length), bytes]);
}

/** Encodes pixel rows as runs. */
export function encodeRuns(rows: Buffer[], pixelBytes: number): Buffer {
  const encoded = rows.map((row) => {
    const packets: Buffer[] = [];
    for (let start = 0; start < row.length; ) {
      let end = start + pixelBytes;
      const pixel = row.subarray(start, end);
      while (end < row.length && row.subarray(end, end + pixelBytes).equals(pixel)) end += pixelBytes;
      const count = (end - start) / pixelBytes;
      packets.push(uint32s(count === 1 ? 1 : 0x80000000 + count), pixel);
      start = end;
    }
    return Buffer.concat(packets);
  });
  let position = 12 + rows.length * 4;
  const table = encoded.map((row) => {
    const start = position;
    position += row.length;
    return start;
  });
  const width = (rows[0]?.length ?? 0) / pixelBytes;
  return Buffer.concat([uint32s(4, width, rows.length, ...table), ...encoded]);
}

export function zip(bytes: Buffer): Buffer {
  return deflateSync(bytes);
}

/** LZVN with only literals. */
export function encodeLzvn(bytes: Buffer): Buffer {
  const parts: Buffer[] = [];
  for (let start = 0; start < bytes.length; start += 271) {
    const literals = bytes.subarray(start, start + 271);
    const isLong = literals.length >= 16;
    parts.push(Buffer.from(isLong ? [0xe0, literals.length - 16] : [0xe0 | literals.length]), literals);
  }
  return Buffer.concat([...parts, Buffer.from([6, 0, 0, 0, 0, 0, 0, 0])]);
}

export function lzfseRaw(bytes: Buffer): Buffer {
  return Buffer.concat([Buffer.from('bvx-'), uint32s(bytes.length), bytes, Buffer.from('bvx$')]);
}

export function lzfseLzvn(bytes: Buffer): Buffer {
  const payload = encodeLzvn(bytes);
  return Buffer.concat([
    Buffer.from('bvxn'),
    uint32s(bytes.length, payload.length),
    payload,
    Buffer.from('bvx$'),
  ]);
}

export function uint32s(...values: number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4);
  for (const [index, value] of values.entries()) bytes.writeUInt32LE(value, index * 4);
  return bytes;
}

export function uint16s(...values: number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 2);
  for (const [index, value] of values.entries()) bytes.writeUInt16LE(value, index * 2);
  return bytes;
}

function bigEndian(...values: number[]): Buffer {
  return uint32s(...values).swap32();
}
