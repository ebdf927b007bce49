import { readFileSync, statSync } from 'node:fs';
import { openZip } from '../src/packages/zip/open-zip.ts';
import { bundleFixtures, pathOfBundle } from '../test/packages/bundle/bundle-fixtures.ts';
import { buildZip, fileInMemory, type ZipEntrySpec } from '../test/support/build-zip.ts';
import { sharedFixturePath, sharedFixtures } from '../test/support/shared-fixtures.ts';
import { builtSeeds } from './built-seeds.ts';
import { growingSeeds } from './grown-packages.ts';
import type { Seed } from './mutate-package.ts';

/** Larger files are removed from large packages, so that each mutation is fast. */
const maxWholeBytes = 200_000;
const maxEntryBytes = 150_000;
const maxReducedBytes = 600_000;
/** Files with facts are kept up to this size. */
const neededFile =
  /(^|\/)(AndroidManifest\.xml|resources\.arsc|Info\.plist|Assets\.car|embedded\.mobileprovision)$/;
const maxNeededBytes = 3_000_000;

/** Packages built in code, and real ones if the shared fixtures are present. */
export async function collectSeeds(): Promise<Seed[]> {
  const real: Seed[] = [];
  for (const { path } of sharedFixtures()) {
    if (/\.(apk|ipa|zip|aab)$/.test(path))
      real.push(await seedOf(path, readFileSync(sharedFixturePath(path))));
  }
  for (const fixture of bundleFixtures()) {
    const path = pathOfBundle(fixture);
    if (statSync(path).size <= maxWholeBytes) real.push(await seedOf(fixture.file, readFileSync(path)));
  }
  // Generated packages cover more and are faster: as many of them as of the others.
  const made = [...builtSeeds(), ...growingSeeds()];
  const copies = Math.max(1, Math.round(real.length / made.length));
  return [...Array.from({ length: copies }, () => made).flat(), ...real];
}

async function seedOf(name: string, bytes: Buffer): Promise<Seed> {
  const entries = await entriesOf(bytes);
  return { name, entries, bytes: bytes.length > maxWholeBytes ? buildZip(entries) : bytes };
}

async function entriesOf(bytes: Buffer): Promise<ZipEntrySpec[]> {
  try {
    const archive = await openZip(fileInMemory(bytes));
    const entries: ZipEntrySpec[] = [];
    let left = maxReducedBytes;
    for (const entry of archive.entries) {
      const needed = neededFile.test(entry.name) && entry.uncompressedBytes <= maxNeededBytes;
      if (!needed && (entry.uncompressedBytes > maxEntryBytes || entry.uncompressedBytes > left)) continue;
      const content = await archive.read(entry, maxNeededBytes);
      if (!needed) left -= content.length;
      entries.push({ name: entry.name, content, method: entry.method });
    }
    return entries;
  } catch {
    return [];
  }
}
