/** Native libraries of a few hundred bytes. */

/** A library with one loaded segment, which needs `libc.so`, and a table of 24 bytes of symbols with 8 bytes of names. */
export function buildElf(
  spec: { bits?: 32 | 64; isBig?: boolean; alignment?: number; needs?: number } = {},
): Buffer {
  const { bits = 64, isBig = false, alignment = 16384, needs = 1 } = spec;
  const is64 = bits === 64;
  const parts: Buffer[] = [];
  const field = (size: number, value: number) => {
    const bytes = Buffer.alloc(size);
    if (size === 8) isBig ? bytes.writeBigUInt64BE(BigInt(value)) : bytes.writeBigUInt64LE(BigInt(value));
    else if (isBig) bytes.writeUIntBE(value, 0, size);
    else bytes.writeUIntLE(value, 0, size);
    return bytes;
  };
  const word = (value: number) => field(is64 ? 8 : 4, value);
  const int = (value: number) => field(4, value);
  const headBytes = is64 ? 64 : 52;
  const segmentBytes = is64 ? 56 : 32;
  const sectionBytes = is64 ? 64 : 40;
  const names = Buffer.from('\0libc.so\0');
  const sectionNames = Buffer.from('\0.symtab\0.debug_info\0');
  const pairs = [...Array(needs * 2).fill(1), 5, headBytes + segmentBytes * 2, 0, 0].map(word);
  const namesAt = headBytes + segmentBytes * 2;
  const dynamicAt = namesAt + names.length;
  const dynamicBytes = Buffer.concat(pairs).length;
  const sectionNamesAt = dynamicAt + dynamicBytes;
  const sectionsAt = sectionNamesAt + sectionNames.length;
  const segment = (type: number, offset: number, size: number, align: number) =>
    Buffer.concat(
      is64
        ? [int(type), int(4), word(offset), word(offset), word(0), word(size), word(size), word(align)]
        : [int(type), word(offset), word(offset), word(0), word(size), word(size), int(4), word(align)],
    );
  const section = (name: number, type: number, offset: number, size: number, link: number) =>
    Buffer.concat([
      int(name),
      int(type),
      word(0),
      word(0),
      word(offset),
      word(size),
      int(link),
      int(0),
      word(1),
      word(0),
    ]);
  parts.push(
    Buffer.from([0x7f, 0x45, 0x4c, 0x46, is64 ? 2 : 1, isBig ? 2 : 1, 1, ...Buffer.alloc(9)]),
    field(2, 3),
    field(2, isBig ? 8 : 183),
    int(1),
    word(0),
    word(headBytes),
    word(sectionsAt),
    int(0),
    ...[headBytes, segmentBytes, 2, sectionBytes, 5, 1].map((value) => field(2, value)),
    segment(1, 0, sectionNamesAt, alignment),
    segment(2, dynamicAt, dynamicBytes, 8),
    names,
    ...pairs,
    sectionNames,
    section(0, 0, 0, 0, 0),
    section(0, 3, sectionNamesAt, sectionNames.length, 0),
    section(1, 2, 0, 24, 3),
    section(0, 3, 0, 8, 0),
    section(9, 1, 0, 100, 0),
  );
  return Buffer.concat(parts);
}
