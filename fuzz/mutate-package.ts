import { buildZip, type ZipEntrySpec } from '../test/support/build-zip.ts';
import { misstateArchive, misstateEntry } from './misstate-zip.ts';
import { mutateBytes } from './mutate-bytes.ts';
import { mutateContent } from './mutate-content.ts';
import { mutateMessage } from './mutate-message.ts';
import type { RandomSource } from './random.ts';

/** A package to start from. */
export interface Seed {
  name: string;
  /** Empty for packages that consist only of bytes. */
  entries: readonly ZipEntrySpec[];
  /** The complete bytes, which may contain more than the entries, such as a signing block. */
  bytes: Buffer;
  /** Re-signs a package with changed entries. */
  finish?: (entries: readonly ZipEntrySpec[], random: RandomSource) => Buffer;
  /** Builds a different package at each call. */
  grow?: (random: RandomSource) => Buffer;
  /** A file covered by a signature. */
  seals?: (entryName: string) => boolean;
  /** A signature covers all bytes before this position. */
  sealedBytes?: number;
}

export interface MutatedPackage {
  bytes: Buffer;
  /** Whether signed content was changed. */
  mustNotVerify: boolean;
}

/** Mutates a seed: its bytes, the content of entries, or the archive's statements about an entry. */
export function mutateSeed(seed: Seed, random: RandomSource): MutatedPackage {
  if (seed.grow) return unsealed(seed.grow(random));
  if (seed.sealedBytes !== undefined && random.chance(0.4))
    return breakSeal(seed.bytes, seed.sealedBytes, random);
  const kind = random.below(10);
  if (kind < 2 || seed.entries.length === 0)
    return unsealed(mutateBytes(seed.bytes, random, random.chance(0.5)));
  if (kind >= 8) {
    const archive = random.chance(0.5) ? misstateArchive(random) : {};
    return unsealed(buildZip(misstateEntry(seed.entries, random), archive));
  }
  const entries = mutateEntries(seed.entries, random);
  if (seed.finish && random.chance(0.6)) return unsealed(seed.finish(entries, random));
  const broken = entries.some(
    ({ content }, index) =>
      seed.seals?.(String(entries[index]?.name)) &&
      !Buffer.from(content ?? '').equals(Buffer.from(seed.entries[index]?.content ?? '')),
  );
  return { bytes: buildZip(entries), mustNotVerify: broken };
}

function unsealed(bytes: Buffer): MutatedPackage {
  return { bytes, mustNotVerify: false };
}

function breakSeal(bytes: Buffer, sealedBytes: number, random: RandomSource): MutatedPackage {
  const broken = Buffer.from(bytes);
  const at = random.below(sealedBytes);
  broken.writeUInt8((broken[at] ?? 0) ^ (1 << random.below(8)), at);
  return { bytes: broken, mustNotVerify: true };
}

/** Protocol buffers of app bundles. */
const isMessage = (name: string) => /\.pb$|\/manifest\/AndroidManifest\.xml$|^base\/res\/.*\.xml$/.test(name);

function mutateEntries(entries: readonly ZipEntrySpec[], random: RandomSource): ZipEntrySpec[] {
  const chosen = random.below(entries.length);
  return entries.map((entry, index) => {
    if (index !== chosen && !random.chance(0.1)) return entry;
    const content = Buffer.from(entry.content ?? '');
    const mutate = isMessage(String(entry.name)) && random.chance(0.8) ? mutateMessage : mutateContent;
    return { ...entry, content: mutate(content, random) };
  });
}
