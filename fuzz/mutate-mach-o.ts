/** Changes load commands and the headers of slices, which lead to everything else in a Mach-O file. */
import { interesting, mutateBytes } from './mutate-bytes.ts';
import type { RandomSource } from './random.ts';

const maxChanges = 4;
const fatMagic = 0xcafebabe;
/** Commands that the readers know, and some that they do not. */
const commandTypes = [
  0x1, 0x2, 0xb, 0xc, 0x19, 0x1b, 0x1d, 0x20, 0x21, 0x24, 0x25, 0x2c, 0x32, 0x80000018, 0x80000034, 0x5,
];

export function mutateMachO(seed: Buffer, random: RandomSource): Buffer {
  if (random.chance(0.2)) return mutateBytes(seed, random);
  const bytes = Buffer.from(seed);
  const isFat = bytes.readUInt32BE(0) === fatMagic;
  if (isFat && random.chance(0.3)) {
    // Number of slices, and for each its type, position and size.
    for (let count = 1 + random.below(maxChanges); count > 0; count--)
      bytes.writeUInt32BE(number(bytes, random), 4 + 4 * random.below(11));
    return bytes;
  }
  const slice = isFat ? bytes.readUInt32BE(16) : 0;
  const commands = commandsAfter(bytes, slice);
  for (let count = 1 + random.below(maxChanges); count > 0; count--) {
    const [at, size] = commands.length === 0 ? [slice, 32] : random.pick(commands);
    const wordAt = at + 4 * random.below(Math.max(1, Math.floor(Math.min(size, 160) / 4)));
    switch (random.below(5)) {
      case 0:
        bytes.writeUInt32LE(random.pick(commandTypes), at);
        break;
      case 1:
        bytes.writeUInt32LE(
          random.pick([0, 1, 7, 8, 16, 24, 56, 72, size + 8, number(bytes, random)]),
          at + 4,
        );
        break;
      case 2: {
        const [from, length] = commands.length === 0 ? [slice, 32] : random.pick(commands);
        bytes.copy(bytes, at, from, from + Math.min(length, size));
        break;
      }
      default:
        bytes.writeUInt32LE(number(bytes, random), wordAt);
    }
  }
  if (random.chance(0.1)) bytes.writeUInt32LE(number(bytes, random), slice + 4 * random.below(8));
  return bytes;
}

const number = (bytes: Buffer, random: RandomSource) =>
  random.chance(0.5) ? random.pick(interesting) : random.below(bytes.length + 16);

/** Position and size of the header and of each load command. */
function commandsAfter(bytes: Buffer, slice: number): [at: number, size: number][] {
  const found: [number, number][] = [];
  let at = slice + 32;
  for (let left = bytes.readUInt32LE(slice + 16); left > 0 && at + 8 <= bytes.length; left--) {
    const size = bytes.readUInt32LE(at + 4);
    if (size < 8 || at + size > bytes.length) break;
    found.push([at, size]);
    at += size;
  }
  return found;
}
