/** Names in a Mach-O file, read while their bytes pass by: imports, local symbols and selectors. */
import { LimitExceeded } from '../gaps.ts';

export interface Range {
  position: number;
  bytes: number;
}

/** Which entries of the symbol table are of interest. */
export interface SymbolLayout {
  is64Bit: boolean;
  isLittleEndian: boolean;
  local: { first: number; count: number };
  imported: { first: number; count: number };
}

/** Longer than every name that is looked for; of longer names only the length counts. */
const readableNameBytes = 255;

type Pipe = (range: Range, consume: (piece: Buffer) => void) => Promise<void>;

/** dyld_chained_fixups_header: version, starts, imports, symbols, count, format of imports and of symbols (0: plain names). */
export async function readFixupImports(
  pipe: Pipe,
  range: Range,
  found: (name: string) => void,
): Promise<void> {
  const names = splitNames(found);
  let header: Buffer = Buffer.alloc(0);
  let position = 0;
  let namesPosition = -1;
  await pipe(range, (piece) => {
    if (namesPosition < 0) {
      header = Buffer.concat([header, piece]);
      if (header.length < 28) return;
      namesPosition = header.readUInt32LE(24) === 0 ? header.readUInt32LE(12) : Number.POSITIVE_INFINITY;
      names.push(header.subarray(Math.min(namesPosition, header.length)));
      position = header.length;
      return;
    }
    names.push(piece.subarray(Math.min(Math.max(0, namesPosition - position), piece.length)));
    position += piece.length;
  });
  names.end();
}

/** Splits text that ends with a zero byte, of which each arrives in any number of pieces. Only short texts are of interest. */
export function splitNames(found: (name: string) => void) {
  let open: Buffer = Buffer.alloc(0);
  return {
    push(piece: Buffer) {
      let start = 0;
      for (let end = piece.indexOf(0); end !== -1; end = piece.indexOf(0, start)) {
        if (open.length + end - start <= readableNameBytes)
          found(Buffer.concat([open, piece.subarray(start, end)]).toString('latin1'));
        open = Buffer.alloc(0);
        start = end + 1;
      }
      open = Buffer.concat([open, piece.subarray(start, start + readableNameBytes + 1)]).subarray(
        0,
        readableNameBytes + 1,
      );
    },
    end() {
      if (open.length > 0) found(open.toString('latin1'));
    },
  };
}

/**
 * Returns the position of each name in the string table, in ascending order and without repetitions: doubled, and plus 1 for imports.
 * Numbers in one array, because there can be millions. nlist: position of the name in the string table, type, section, description,
 * value.
 */
export async function readNameOffsets(pipe: Pipe, range: Range, layout: SymbolLayout): Promise<Float64Array> {
  const entryBytes = layout.is64Bit ? 16 : 12;
  const { local, imported } = layout;
  const offsets = new Float64Array(local.count + imported.count);
  let found = 0;
  let index = 0;
  let open: Buffer = Buffer.alloc(0);
  await pipe(range, (piece) => {
    const bytes = open.length === 0 ? piece : Buffer.concat([open, piece]);
    let at = 0;
    for (; at + entryBytes <= bytes.length; at += entryBytes, index++) {
      const isImported = index >= imported.first && index < imported.first + imported.count;
      if (!isImported && (index < local.first || index >= local.first + local.count)) continue;
      const offset = layout.isLittleEndian ? bytes.readUInt32LE(at) : bytes.readUInt32BE(at);
      if (offset !== 0) offsets[found++] = offset * 2 + (isImported ? 1 : 0);
    }
    open = Buffer.from(bytes.subarray(at));
  });
  return offsets.subarray(0, found).sort();
}

/** Reports the name at each offset, in ascending order, while the string table passes by. A name may be the end of another one. */
export function readNamesAt(
  offsets: Float64Array,
  maxOpenBytes: number,
  found: (name: string, length: number, isImported: boolean) => void,
) {
  let next = 0;
  let position = 0;
  let kept: Buffer = Buffer.alloc(0);
  const offsetOf = (at: number) => Math.floor((offsets[at] ?? Number.POSITIVE_INFINITY) / 2);
  return {
    push(piece: Buffer) {
      const bytes = kept.length === 0 ? piece : Buffer.concat([kept, piece]);
      let end = -1;
      let offset = offsetOf(next);
      for (; offset - position < bytes.length; offset = offsetOf(next)) {
        const start = offset - position;
        if (end < start) end = bytes.indexOf(0, start);
        if (end === -1) break;
        const length = end - start;
        const isImported = (offsets[next] ?? 0) % 2 === 1;
        const isReadable = isImported && length <= readableNameBytes;
        if (offsets[next] !== offsets[next - 1])
          found(isReadable ? bytes.toString('latin1', start, end) : '', length, isImported);
        next += 1;
      }
      const keepFrom = Math.min(offset - position, bytes.length);
      if (bytes.length - keepFrom > maxOpenBytes) throw new LimitExceeded('too_large');
      kept = Buffer.from(bytes.subarray(keepFrom));
      position += keepFrom;
    },
  };
}
