/** A reader of a part of packages, and how the content for it is made. */
import { readFileSync } from 'node:fs';
import { openZip } from '../src/packages/zip/open-zip.ts';
import { fileInMemory } from '../test/support/build-zip.ts';
import { sharedFixturePath, sharedFixturesPresent } from '../test/support/shared-fixtures.ts';
import type { RandomSource } from './random.ts';

export interface Part {
  name: string;
  /** Returns mutated content. */
  make: (random: RandomSource) => Buffer;
  read: (bytes: Buffer) => unknown;
  /** Mutations of one batch. */
  batch: number;
}

/** Larger content is left out, so that each mutation is fast. */
const maxSeedBytes = 200_000;
const [smallBatch, largeBatch] = [500, 50] as const;

export interface PartSpec {
  name: string;
  seeds: readonly Buffer[];
  mutate: (seed: Buffer, random: RandomSource) => Buffer;
  read: Part['read'];
  batch?: number;
}

export function partOf({ name, seeds, mutate, read, batch }: PartSpec): Part {
  const isLarge = seeds.some(({ length }) => length > maxSeedBytes);
  const make = (random: RandomSource) => mutate(random.pick(seeds), random);
  return { name, make, read, batch: batch ?? (isLarge ? largeBatch : smallBatch) };
}

/** Small files with such a name from real packages; none without the shared fixtures. */
export async function realEntries(name: RegExp): Promise<Buffer[]> {
  if (!sharedFixturesPresent) return [];
  const found: Buffer[] = [];
  const files = [
    'apk/ContactManager.apk',
    'apk/sample.apk',
    'aab/real/google__bundletool__1b551bd9.aab',
    'aab/real/asavan__mastermind__91dc0b84.aab',
    'aab/real/HaruoNakachi__CordovaSample__260f1aa2.aab',
  ];
  for (const file of files) {
    const archive = await openZip(fileInMemory(readFileSync(sharedFixturePath(file))));
    for (const entry of archive.entries) {
      if (name.test(entry.name) && entry.uncompressedBytes <= maxSeedBytes && found.length < 6)
        found.push(Buffer.from(await archive.read(entry, maxSeedBytes)));
    }
  }
  return found;
}
