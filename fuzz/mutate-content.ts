/** Changes content below the checksums and compression of a file. */
import { deflateRawSync, deflateSync, inflateRawSync, inflateSync } from 'node:zlib';
import { isPng, type PngChunk, readPngChunks, writePng } from '../src/packages/ipa/png-chunks.ts';
import { mutateBytes } from './mutate-bytes.ts';
import type { RandomSource } from './random.ts';

const maxInflatedBytes = 1024 * 1024;
const maxNesting = 20_000;

export function mutateContent(content: Buffer, random: RandomSource): Buffer {
  if (isPng(content) && random.chance(0.7)) return mutatePng(content, random);
  if (isText(content) && random.chance(0.7)) return mutateText(content, random);
  // The content of signatures and profiles is in the last part; the first is small.
  return mutateBytes(content, random, random.chance(0.2));
}

/** Changes a chunk, or the lines of pixels, and writes valid checksums. */
export function mutatePng(png: Buffer, random: RandomSource): Buffer {
  let chunks: PngChunk[];
  try {
    chunks = readPngChunks(png);
  } catch {
    return mutateBytes(png, random);
  }
  const chosen = random.below(Math.max(1, chunks.length));
  const changed = chunks.flatMap((chunk, index) => {
    if (index !== chosen) return [chunk];
    switch (random.below(6)) {
      case 0:
        return random.chance(0.5) ? [] : [chunk, chunk];
      case 1:
        return [
          { type: random.pick(['IDAT', 'PLTE', 'tRNS', 'CgBI', 'IHDR', 'iCCP', 'gAMA']), data: chunk.data },
        ];
      default:
        return [{ type: chunk.type, data: mutateChunk(chunk, random) }];
    }
  });
  return writePng(changed);
}

function mutateChunk({ type, data }: PngChunk, random: RandomSource): Buffer {
  const lines = type === 'IDAT' ? inflated(data) : null;
  if (lines === null || random.chance(0.3)) return mutateBytes(data, random);
  const changed = mutateBytes(lines.bytes, random);
  return lines.raw ? deflateRawSync(changed) : deflateSync(changed);
}

function inflated(data: Buffer): { bytes: Buffer; raw: boolean } | null {
  for (const raw of [false, true]) {
    try {
      const inflate = raw ? inflateRawSync : inflateSync;
      return { bytes: inflate(data, { maxOutputLength: maxInflatedBytes }), raw };
    } catch {}
  }
  return null;
}

/** Property lists, strings files, JAR manifests. */
function isText(content: Buffer): boolean {
  const start = content.subarray(0, 200);
  return start.length > 0 && !start.includes(0) && start.every((byte) => byte >= 9);
}

/** Repeats, drops, swaps and nests pieces of text, and inserts unusual numbers and characters. */
export function mutateText(content: Buffer, random: RandomSource): Buffer {
  const pieces = content.toString('latin1').split(/(?<=[>;,{}()=\n])/);
  const at = random.below(pieces.length);
  const piece = pieces[at] ?? '';
  const nesting = 1 + random.below(random.chance(0.1) ? maxNesting : 40);
  const changes: (() => string[])[] = [
    () => [],
    () => [piece, piece],
    () => [random.pick(pieces), piece],
    () => [random.pick(pieces)],
    () => [
      random.pick(['<array>', '<dict><key>a</key>', '(', '{ a = ', '<!--', '&amp;', '"']).repeat(nesting),
      piece,
    ],
    () => [
      piece.replace(/\d+/g, () => random.pick(['-1', '0', '1e400', '99999999999999999999', '0x', '1.'])),
    ],
    () => [
      piece.replace(/\w/g, () =>
        random.pick(['&#x10ffff;', '&#xd800;', '\\U', '\\0', 'Ü', '\xff', '\\', ' ']),
      ),
    ],
    () => [mutateBytes(Buffer.from(piece, 'latin1'), random).toString('latin1')],
    () => [
      random.pick([
        `<![CDATA[${piece}]]>`,
        `<data>${piece}</data>`,
        `<integer>${piece}</integer>`,
        `<date>${piece}</date>`,
      ]),
    ],
  ];
  pieces.splice(at, 1, ...random.pick(changes)());
  return Buffer.from(pieces.join(''), 'latin1');
}
