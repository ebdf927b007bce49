/** Encodes images in Apple's deepmap2 format, based on the public reconstructions. */
import { encodeLzvn, lzfseRaw, uint16s, uint32s } from './build-asset-catalog.ts';

export interface DeepmapSpec {
  /** Premultiplied. */
  rgba: Buffer;
  width: number;
  /** 1 plain, 2 predicted, 3 compressed, 4 palette. */
  method: number;
  predictor?: number;
  rowsOfStream?: number;
  /** Rows of zeros after the last. */
  paddingRows?: number;
  alphaPlane?: boolean;
}

export function encodeDeepmap2(spec: DeepmapSpec): Buffer {
  const { rgba, width, method } = spec;
  const height = rgba.length / 4 / width;
  const head = Buffer.concat([Buffer.from('dmp2'), Buffer.from([method, 0, 0, 4]), uint16s(width, height)]);
  const image = Buffer.concat([head, encodeContent(spec, height)]);
  return Buffer.concat([uint32s(1, 4, image.length, 0), image]);
}

export function tile(column: number, row: number, content: Buffer): Buffer {
  return Buffer.concat([Buffer.from('KCBC'), uint32s(column, row, 0, 20 + content.length), content]);
}

function encodeContent(spec: DeepmapSpec, height: number): Buffer {
  const { rgba, width, method } = spec;
  const bgra = swapped(rgba);
  if (method === 1) return bgra;
  if (method === 3) return stream(lzfseRaw(bgra));
  if (method === 4) return encodePalette(bgra, spec.alphaPlane ?? false);
  const streams: Buffer[] = [];
  const rowsOfStream = spec.rowsOfStream ?? height;
  for (let row = 0; row < height; row += rowsOfStream) {
    const part = rgba.subarray(row * width * 4, (row + rowsOfStream) * width * 4);
    const padding =
      row + rowsOfStream >= height ? Buffer.alloc((spec.paddingRows ?? 0) * width * 4) : Buffer.alloc(0);
    streams.push(
      stream(encodeLzvn(encodePlanes(Buffer.concat([part, padding]), width, spec.predictor ?? 0))),
    );
  }
  return Buffer.concat(streams);
}

function stream(bytes: Buffer): Buffer {
  return Buffer.concat([uint32s(bytes.length), bytes]);
}

function swapped(rgba: Buffer): Buffer {
  const bgra = Buffer.from(rgba);
  for (let pixel = 0; pixel < rgba.length; pixel += 4)
    bgra.set([rgba[pixel + 2] ?? 0, rgba[pixel + 1] ?? 0, rgba[pixel] ?? 0], pixel);
  return bgra;
}

function encodePalette(bgra: Buffer, alphaPlane: boolean): Buffer {
  const colors: string[] = [];
  const indices: number[] = [];
  const alpha: number[] = [];
  for (let pixel = 0; pixel < bgra.length; pixel += 4) {
    const color = bgra.toString('hex', pixel, pixel + 4);
    const known = colors.indexOf(color);
    indices.push(known < 0 ? colors.push(color) - 1 : known);
    alpha.push(bgra[pixel + 3] ?? 0);
  }
  const planes = Buffer.from(alphaPlane ? [...alpha, ...indices] : indices);
  return Buffer.concat([
    uint16s(colors.length, alphaPlane ? 3 : 4),
    ...colors.map((color) => Buffer.from(color, 'hex')),
    stream(lzfseRaw(planes)),
  ]);
}

function encodePlanes(rgba: Buffer, width: number, predictor: number): Buffer {
  const height = rgba.length / 4 / width;
  const lines = Array.from({ length: height }, (_, y) =>
    transform(rgba.subarray(y * width * 4, (y + 1) * width * 4)),
  );
  const coded = lines.flatMap((line, y) =>
    line.map((value, index) => {
      const residual = value - predicted(predictor, line, lines[y - 1] ?? [], index);
      return (Math.abs(residual) << 1) | (residual < 0 ? 1 : 0);
    }),
  );
  return Buffer.concat([
    Buffer.from(Array.from({ length: width * height }, (_, pixel) => rgba[pixel * 4 + 3] ?? 0)),
    Buffer.alloc(height, predictor),
    Buffer.from(coded.map((value) => value >> 8)),
    Buffer.from(coded.map((value) => value & 0xff)),
  ]);
}

/** Converts to luma and two differences, the inverse of the decoder. */
function transform(rgba: Buffer): number[] {
  const values: number[] = [];
  for (let pixel = 0; pixel < rgba.length; pixel += 4) {
    const [first = 0, green = 0, third = 0] = rgba.subarray(pixel, pixel + 3);
    const orange = third - first;
    const base = first + Math.trunc(orange / 2);
    values.push(base + Math.trunc((green - base) / 2), orange, green - base);
  }
  return values;
}

function predicted(predictor: number, line: number[], above: number[], index: number): number {
  const isFirst = index < 3;
  const up = above[index] ?? 0;
  const left = isFirst ? 0 : (line[index - 3] ?? 0);
  if (predictor === 2) return left;
  if (predictor === 3) return up;
  if (predictor === 4) return isFirst ? up : Math.trunc((left + up + 1) / 2);
  if (predictor !== 1) return 0;
  const luma = index - (index % 3);
  const upLeft = above[luma - 3] ?? 0;
  const isLeftNearer =
    !isFirst && Math.abs((above[luma] ?? 0) - upLeft) <= Math.abs((line[luma - 3] ?? 0) - upLeft);
  return isLeftNearer ? left : up;
}
