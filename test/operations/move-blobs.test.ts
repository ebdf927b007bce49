/** Moving files from one store to another: complete or reported, and resumable after every interruption. */
import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type BlobKey, iconKey, packageKey, parseBlobKey, simulatorKey } from '../../src/blobs/blob-key.ts';
import { type BlobStore, BlobStoreFull } from '../../src/blobs/blob-store.ts';
import { createDiskBlobStore } from '../../src/blobs/disk-blob-store.ts';
import { createMemoryBlobStore } from '../../src/blobs/memory-blob-store.ts';
import { createSpool } from '../../src/blobs/spool/spool.ts';
import { newHexKey } from '../../src/core/identifier.ts';
import type { StoredBuild } from '../../src/operations/backup/backup-queries.ts';
import { type MoveBlobsDeps, type MoveResult, moveBlobs } from '../../src/operations/backup/move-blobs.ts';
import { openTestData, type TestData } from '../support/open-test-data.ts';
import { runsEverything } from '../support/runs-everything.ts';
import { addUser, sampleBuild } from '../support/sample-rows.ts';

const builds = 20;
/** Each build has a package and an icon, every fourth a simulator build, too. */
const blobs = builds * 2 + builds / 4;

/** A store without files on disk is only in the full run. */
const kinds = (['disk', 'memory'] as const).filter((kind) => runsEverything || kind === 'disk');

describe.each(kinds)('moving files from a %s store', (kind) => {
  let folder: string;
  let source: BlobStore;
  let target: BlobStore;
  let test: TestData;
  let app: { ownerId: string; platform: 'android'; packageName: string; secret: string };
  let rows: StoredBuild[];
  const bytes = new Map<BlobKey, Buffer>();

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'slipway-move-'));
    source = kind === 'disk' ? createDiskBlobStore({ root: join(folder, 'blobs') }) : createMemoryBlobStore();
    target = createMemoryBlobStore();
    test = await openTestData('sqlite');
    const { id: ownerId } = await addUser(test.data, 'ada');
    app = { ownerId, platform: 'android', packageName: 'com.example.sample', secret: newHexKey() };
    rows = [];
    bytes.clear();
    for (let number = 0; number < builds; number++)
      rows.push(await store(`build-${number}`, number % 4 === 0));
  });
  afterEach(async () => {
    await test.close();
    await rm(folder, { recursive: true, force: true });
  });

  async function store(id: string, withSimulator: boolean): Promise<StoredBuild> {
    const put = async (key: BlobKey) => {
      const content = randomBytes(1000 + bytes.size);
      bytes.set(key, content);
      await source.putBytes(key, content);
      return content;
    };
    const content = await put(packageKey(id));
    const simulator = withSimulator ? await put(simulatorKey(id)) : null;
    await put(iconKey(id, 'drawn'));
    const stored: StoredBuild = {
      id,
      sha256: createHash('sha256').update(content).digest('hex'),
      packageBlob: packageKey(id),
      packageBytes: content.length,
      simulatorBlob: simulator && simulatorKey(id),
      simulatorBytes: simulator?.length ?? null,
      simulatorSha256: null,
      apkBlob: null,
      apkBytes: null,
      apkSha256: null,
      isDamaged: false,
      iconBlob: iconKey(id, 'drawn'),
    };
    await addBuild(stored);
    return stored;
  }

  async function addBuild(stored: StoredBuild): Promise<void> {
    const { iconBlob, isDamaged: _, packageBytes: sizeBytes, ...build } = stored;
    const taken = await test.data.apps.takeNextRevision({ ...app, now: 1 });
    await test.data.builds.insertBuild(sampleBuild(taken.id, taken.lastRevision, { ...build, sizeBytes }));
    await change(stored.id, { icon_blob: iconBlob });
  }
  const change = (id: string, columns: { icon_blob?: string | null; size_bytes?: number; sha256?: string }) =>
    test.database.queries.updateTable('builds').set(columns).where('id', '=', id).execute();
  const forget = (ids: string[]) =>
    test.database.queries.deleteFrom('builds').where('id', 'in', ids).execute();

  async function move(changes: Partial<MoveBlobsDeps> = {}): Promise<MoveResult> {
    const spool = createSpool({ folder: join(folder, 'spool'), minimumFreeBytes: 0 });
    try {
      return await moveBlobs({
        data: test.data,
        source,
        target,
        spool,
        ahead: false,
        verify: false,
        ...changes,
      });
    } finally {
      await spool.close();
      expect(await readdir(join(folder, 'spool')).catch(() => [])).toEqual([]);
    }
  }

  async function stored(): Promise<Map<BlobKey, Buffer>> {
    const found = new Map<BlobKey, Buffer>();
    for await (const { key } of target.list('')) {
      const opened = await target.open(key);
      found.set(key, Buffer.concat((await opened?.stream.toArray()) ?? []));
    }
    return found;
  }

  it('copies only referenced files', async () => {
    await source.putBytes(packageKey('nobody-names-it'), Buffer.from('litter'));
    const told: number[] = [];
    const moved = await move({ verify: true, onBlob: ({ count }) => told.push(count) });
    const sizeBytes = [...bytes.values()].reduce((sum, { length }) => sum + length, 0);
    expect(moved).toEqual({ count: blobs, sizeBytes, copied: blobs, present: 0, verified: builds });
    expect(told).toEqual(Array.from({ length: blobs }, (_, index) => index + 1));
    expect(await stored()).toEqual(bytes);
    expect(await move()).toMatchObject({ count: blobs, copied: 0, present: blobs });
  });

  it('resumes after the target was full or unavailable', async () => {
    for (const [round, fault] of [new BlobStoreFull(), new Error('it went away')].entries()) {
      let left = 10;
      const put: BlobStore['put'] = async (key, file) => {
        left -= 1;
        if (left < 0) throw fault;
        await target.put(key, file);
      };
      await expect(move({ target: { ...target, put } })).rejects.toThrow(
        round === 0 ? 'the target: not enough disk space' : 'it went away',
      );
      expect((await stored()).size).toBe((round + 1) * 10);
    }
    expect(await move()).toMatchObject({ count: blobs, copied: blobs - 20, present: 20 });
    expect(await stored()).toEqual(bytes);
  });

  it('recognizes a file whose put lost its response', async () => {
    let lost = 0;
    const put: BlobStore['put'] = async (key, file) => {
      await target.put(key, file);
      lost += 1;
      if (lost === 3) await target.put(key, file);
    };
    expect(await move({ target: { ...target, put } })).toMatchObject({ count: blobs, present: 1 });
    expect(await stored()).toEqual(bytes);
  });

  it('fails and lists files that do not match their rows', async () => {
    const [missing, short, other] = rows;
    if (!missing || !short || !other) throw new Error('there are rows');
    await source.remove(parseBlobKey(missing.packageBlob));
    await change(short.id, { size_bytes: short.packageBytes + 1 });
    await change(other.id, { sha256: '0'.repeat(64) });
    const refusal = await move().catch((error: Error) => error.message);
    expect(refusal).toContain(`${missing.packageBlob} is missing`);
    expect(refusal).toContain(
      `${short.packageBlob} has ${short.packageBytes} bytes instead of ${short.packageBytes + 1}`,
    );
    expect(refusal).toContain(`${other.packageBlob} differs from the upload`);
    const there = await stored();
    for (const { packageBlob } of [missing, short, other]) {
      expect(there.has(parseBlobKey(packageBlob))).toBe(false);
    }
    // When it is repaired or deleted, the next run succeeds.
    await forget([missing.id, short.id, other.id]);
    await move();
  });

  it('verifies files that already exist in the target', async () => {
    await move();
    const [first, second] = rows;
    if (!first || !second) throw new Error('there are rows');
    const key = parseBlobKey(first.packageBlob);
    await target.remove(key);
    await target.putBytes(key, randomBytes(first.packageBytes - 1));
    await expect(move()).rejects.toThrow(
      `${key} has ${first.packageBytes - 1} bytes in the target instead of ${first.packageBytes}`,
    );
    await target.remove(key);
    await target.putBytes(key, randomBytes(first.packageBytes));
    await expect(move({ verify: true })).rejects.toThrow(`${key} differs in the target from the upload`);
  });

  it('refuses a target that another installation uses', async () => {
    await target.putBytes(packageKey('of-another'), Buffer.from('theirs'));
    await expect(move()).rejects.toMatchObject({
      kind: 'conflict',
      message: expect.stringContaining('the target contains other files (1)'),
    });
    expect((await stored()).size).toBe(1);
  });

  it('works while builds are added and removed, and finishes', async () => {
    const [gone] = rows;
    if (!gone) throw new Error('there are rows');
    await source.remove(parseBlobKey(gone.packageBlob));
    expect(await move({ ahead: true })).toMatchObject({ copied: blobs - 1 });
    await forget([gone.id]);
    await store('build-of-later', false);
    // Copied files of the deleted build remain unreferenced, for the sweep.
    const moved = await move();
    expect(moved).toMatchObject({ copied: 2, count: blobs - 1 });
    expect((await stored()).size).toBe(blobs + 1);
  });
});

it('moving files requires a writable target', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'slipway-move-'));
  await writeFile(join(folder, 'a-file'), '');
  const target = createDiskBlobStore({ root: join(folder, 'a-file', 'blobs') });
  const nothing = { source: createMemoryBlobStore(), ahead: false, verify: false };
  const parts = { ...nothing, target, data: {}, spool: {} } as unknown as MoveBlobsDeps;
  await expect(moveBlobs(parts)).rejects.toMatchObject({ code: 'ENOTDIR' });
  await rm(folder, { recursive: true, force: true });
});
