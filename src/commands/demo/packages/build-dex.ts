/** Builds the tables of a DEX file that Slipway reads, without checksums and real instructions, so that no device runs it. */

export interface DexClass {
  name: string;
  /** Instructions of two bytes. */
  units: number;
  /** Instead of zeros, which compress to nothing. */
  instructions?: Buffer;
  sharesCode?: boolean;
}

/** A DEX file with one method of `units` instructions per class. Classes that share code refer to that of the first. */
export function buildDex(classes: readonly DexClass[]): Buffer {
  const header = Buffer.alloc(0x70);
  header.write('dex\n035\0', 'latin1');
  header.writeUInt32LE(0x12345678, 40);
  const count = classes.length;
  const stringsAt = 0x70;
  const typesAt = stringsAt + count * 4;
  const methodsAt = typesAt + count * 4;
  const classesAt = methodsAt + count * 8;
  let end = classesAt + count * 32;
  const strings = Buffer.alloc(count * 4);
  const types = Buffer.alloc(count * 4);
  const defs = Buffer.alloc(count * 32);
  const data: Buffer[] = [];
  const add = (bytes: Buffer) => {
    const at = end;
    data.push(bytes);
    end += bytes.length;
    return at;
  };
  let firstCode = 0;
  for (const [index, { name, units, instructions, sharesCode }] of classes.entries()) {
    const descriptor = `L${name.replaceAll('.', '/')};`;
    strings.writeUInt32LE(
      add(Buffer.from(`${String.fromCharCode(descriptor.length)}${descriptor}\0`)),
      index * 4,
    );
    types.writeUInt32LE(index, index * 4);
    const code = Buffer.alloc(16 + units * 2);
    code.writeUInt32LE(units, 12);
    instructions?.copy(code, 16);
    const codeAt = sharesCode ? firstCode : add(code);
    firstCode ||= codeAt;
    defs.writeUInt32LE(index, index * 32);
    // No fields, one direct method, no virtual ones; its index, flags and the position of its code.
    defs.writeUInt32LE(add(Buffer.from([0, 0, 1, 0, 0, 1, ...leb128(codeAt)])), index * 32 + 24);
  }
  for (const [at, size, start] of [
    [56, count, stringsAt],
    [64, count, typesAt],
    [80, 0, 0],
    [88, count, methodsAt],
    [96, count, classesAt],
  ] as const) {
    header.writeUInt32LE(size, at);
    header.writeUInt32LE(start, at + 4);
  }
  return Buffer.concat([header, strings, types, Buffer.alloc(count * 8), defs, ...data]);
}

function leb128(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...leb128(value >>> 7)];
}
