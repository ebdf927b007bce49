import type { RandomSource } from './random.ts';

const maxMutations = 6;
const maxInsertedBytes = 64;
/** Lengths, counts and offsets at which readers tend to fail. */
export const interesting = [
  0, 1, 2, 3, 4, 7, 8, 0x10, 0x1c, 0x7f, 0x80, 0xff, 0x100, 0x7fff, 0x8000, 0xffff, 0x10000, 0x7fffffff,
  0x80000000, 0xfffffff0, 0xffffffff,
];

/** @param atEnd mutates the end, which contains directories and signing blocks */
export function mutateBytes(bytes: Buffer, random: RandomSource, atEnd = false): Buffer {
  let mutated: Buffer = Buffer.from(bytes);
  for (let count = 1 + random.below(maxMutations); count > 0 && mutated.length > 0; count--) {
    const window = atEnd ? Math.min(mutated.length, 4096) : mutated.length;
    mutated = mutateAt(mutated, mutated.length - window + random.below(window), random);
  }
  return mutated;
}

function mutateAt(bytes: Buffer, at: number, random: RandomSource): Buffer {
  const room = bytes.length - at;
  switch (random.below(8)) {
    case 0:
      bytes.writeUInt8((bytes[at] ?? 0) ^ (1 << random.below(8)), at);
      return bytes;
    case 1:
      if (room >= 2) bytes.writeUInt16LE(random.pick(interesting) & 0xffff, at);
      return bytes;
    case 2:
    case 3: {
      const aligned = at - (at % 4);
      if (bytes.length - aligned >= 4) bytes.writeUInt32LE(random.pick(interesting), aligned);
      return bytes;
    }
    case 4:
      if (room >= 4) bytes.writeUInt32LE(random.chance(0.5) ? random.below(bytes.length) : bytes.length, at);
      return bytes;
    case 5:
      return Buffer.concat([
        bytes.subarray(0, at),
        random.bytes(random.below(maxInsertedBytes)),
        bytes.subarray(at),
      ]);
    case 6:
      return random.chance(0.2)
        ? Buffer.from(bytes.subarray(0, at))
        : Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + random.below(maxInsertedBytes))]);
    default: {
      const from = random.below(bytes.length);
      bytes.copy(bytes, at, from, from + random.below(maxInsertedBytes));
      return bytes;
    }
  }
}
