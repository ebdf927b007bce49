/** Archives with wrong statements about their entries. */
import { deflateRawSync } from 'node:zlib';
import type { ZipEntrySpec, ZipOptions } from '../test/support/build-zip.ts';
import { interesting, mutateBytes } from './mutate-bytes.ts';
import type { RandomSource } from './random.ts';

export function misstateEntry(entries: readonly ZipEntrySpec[], random: RandomSource): ZipEntrySpec[] {
  const chosen = random.below(entries.length);
  const size = () => random.pick(interesting);
  const twisted = entries.map((entry, index) => {
    if (index !== chosen) return entry;
    const changes: (() => Partial<ZipEntrySpec>)[] = [
      () => ({ flags: random.below(0x10000) }),
      () => ({ method: random.pick([0, 8, 9, 12, 99]) }),
      () => ({ crc32: size() }),
      () => ({ uncompressedBytes: size() }),
      () => ({ compressedBytes: size() }),
      () => ({ localHeaderPosition: size() }),
      () => ({ zip64: true, dataDescriptor: random.chance(0.5) }),
      () => ({ extra: random.bytes(random.below(40)) }),
      () => ({ local: { extra: random.bytes(random.below(40)), method: random.pick([0, 8]) } }),
      () => ({ name: mutateBytes(Buffer.from(entry.name), random) }),
      () => ({ packed: mutateBytes(deflateRawSync(Buffer.from(entry.content ?? '')), random), method: 8 }),
      () => ({ packed: deflateRawSync(Buffer.alloc(1 << (10 + random.below(16)))), method: 8 }),
    ];
    return { ...entry, ...random.pick(changes)() };
  });
  return random.chance(0.2) ? [...twisted, random.pick(entries)] : twisted;
}

export function misstateArchive(random: RandomSource): ZipOptions {
  const size = () => random.pick(interesting);
  return random.pick<() => ZipOptions>([
    () => ({ zip64: true }),
    () => ({ zip64: true, entryCount: size() }),
    () => ({ zip64: random.chance(0.5), directoryBytes: size() }),
    () => ({ zip64: random.chance(0.5), directoryPosition: size() }),
    () => ({ prefix: random.bytes(random.below(40)) }),
    () => ({ suffix: random.bytes(random.below(40)) }),
    () => ({ betweenDirectoryAndEnd: random.bytes(random.below(40)) }),
    () => ({ beforeDirectory: random.bytes(random.below(400)) }),
    () => ({ comment: random.bytes(random.below(400)) }),
    () => ({ entryCount: random.below(10), disk: random.below(2) }),
  ])();
}
