/** Mach-O files of a few kilobytes. */

export interface MachOSpec {
  selectors?: string[];
  imports?: string[];
  encrypted?: boolean;
  debugBytes?: number;
  /** As in `LC_BUILD_VERSION`; 2 is iOS, the default. */
  platform?: number;
  /** Further sections of `__TEXT`. */
  sections?: Record<string, Buffer>;
  /** Names in the symbol table: the first is local, the others are imported. */
  symbols?: string[];
  signature?: Buffer;
}

const words = (...values: number[]) => {
  const bytes = Buffer.alloc(values.length * 4);
  for (const [index, value] of values.entries()) bytes.writeUInt32LE(value, index * 4);
  return bytes;
};

/** The symbol table begins at 2000. */
const sectionAt = (index: number) => (index === 0 ? 1000 : 3500 + 500 * index);

/** A file for devices with selectors and the names of imports. */
export function buildMachO(spec: MachOSpec = {}): Buffer {
  const selectors = Buffer.from(`${(spec.selectors ?? []).join('\0')}\0`);
  const names = Buffer.from(`\0${(spec.imports ?? []).join('\0')}\0`);
  const sections = Object.entries({ __objc_methname: selectors, ...spec.sections });
  const text = Buffer.alloc(72 + 80 * sections.length);
  text.writeUInt32LE(0x19, 0);
  text.writeUInt32LE(text.length, 4);
  text.write('__TEXT', 8);
  text.writeUInt32LE(sections.length, 64);
  for (const [index, [name, content]] of sections.entries()) {
    const at = 72 + 80 * index;
    text.write(name, at);
    text.write('__TEXT', at + 16);
    text.writeUInt32LE(content.length, at + 40);
    text.writeUInt32LE(sectionAt(index), at + 48);
  }
  const debug = Buffer.alloc(72);
  debug.writeUInt32LE(0x19, 0);
  debug.writeUInt32LE(debug.length, 4);
  debug.write('__DWARF', 8);
  debug.writeUInt32LE(spec.debugBytes ?? 0, 48);
  const fixups = Buffer.concat([words(0, 0, 28, 28, 1, 1, 0), names]);
  const { symbols = [], signature = Buffer.alloc(0) } = spec;
  const strings = Buffer.from(`\0${symbols.join('\0')}\0`);
  const entries = symbols.map((_, at) =>
    words(1 + symbols.slice(0, at).reduce((sum, { length }) => sum + length + 1, 0), 0, 0, 0),
  );
  const signatureAt = 5000 + fixups.length;
  const commands = [
    text,
    debug,
    words(0x32, 24, spec.platform ?? 2, 0x00110000, 0x001a0102, 0),
    words(0x80000034, 16, 5000, fixups.length),
    words(0x2c, 24, 0, 0, spec.encrypted ? 1 : 0, 0),
    Buffer.concat([words(0xc, 48, 24, 0, 0, 0), Buffer.from('@rpath/Kit.framework/Kit')]),
    ...(symbols.length === 0
      ? []
      : [
          words(0x2, 24, 2000, symbols.length, 3000, strings.length),
          words(0xb, 80, 0, 1, 1, 0, 1, symbols.length - 1, ...Array(12).fill(0)),
        ]),
    ...(signature.length === 0 ? [] : [words(0x1d, 16, signatureAt, signature.length)]),
  ];
  const all = Buffer.concat(commands);
  const file = Buffer.alloc(signatureAt + signature.length);
  words(0xfeedfacf, 0x0100000c, 0, 2, commands.length, all.length, 0, 0).copy(file);
  all.copy(file, 32);
  for (const [index, [, content]] of sections.entries()) content.copy(file, sectionAt(index));
  Buffer.concat(entries).copy(file, 2000);
  strings.copy(file, 3000);
  fixups.copy(file, 5000);
  signature.copy(file, signatureAt);
  return file;
}
