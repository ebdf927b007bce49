/** Rows and blobs: neither without the other, with the bytes that were sent. */
import { createHash } from 'node:crypto';
import { parseBlobKey } from '../src/blobs/blob-key.ts';
import type { BlobStore } from '../src/blobs/blob-store.ts';
import type { CheckOptions } from './check-invariants.ts';
import type { Stored } from './stored-rows.ts';

type Named = { key: string; of: string; sizeBytes: number | null; sha256: string | null };

export async function blobFaults(
  store: BlobStore,
  { builds }: Stored,
  blobs: ReadonlyMap<string, number>,
  { swept, compared }: CheckOptions,
): Promise<string[]> {
  const named = builds.flatMap(namedBy);
  const faults: string[] = [];
  for (const { key, of, sizeBytes, sha256 } of named) {
    const size = blobs.get(key);
    if (size === undefined) faults.push(`${of} references ${key}, which is missing`);
    else if (sizeBytes !== null && size !== sizeBytes)
      faults.push(`${key} has ${size} bytes instead of ${sizeBytes}`);
    else if (sha256 !== null && !compared.has(key)) {
      if ((await digestOf(store, key)) === sha256) compared.add(key);
      else faults.push(`the bytes of ${key} of ${of} differ from its row`);
    }
  }
  if (!swept) return faults;
  const keys = new Set(named.map(({ key }) => key));
  for (const key of blobs.keys()) if (!keys.has(key)) faults.push(`no row references ${key}`);
  return faults;
}

function namedBy(build: Stored['builds'][number]): Named[] {
  const of = `revision ${build.revision} of ${build.package_name}`;
  const { package_blob, simulator_blob, icon_blob, apk_blob } = build;
  return [
    { key: package_blob, of, sizeBytes: build.size_bytes, sha256: build.sha256 },
    ...(simulator_blob ? [{ key: simulator_blob, of, sizeBytes: build.simulator_bytes, sha256: null }] : []),
    ...(apk_blob ? [{ key: apk_blob, of, sizeBytes: build.apk_bytes, sha256: build.apk_sha256 }] : []),
    ...(icon_blob ? [{ key: icon_blob, of, sizeBytes: null, sha256: null }] : []),
  ];
}

async function digestOf(store: BlobStore, key: string): Promise<string | null> {
  const opened = await store.open(parseBlobKey(key));
  if (!opened) return null;
  const hash = createHash('sha256');
  for await (const chunk of opened.stream) hash.update(chunk);
  return hash.digest('hex');
}
