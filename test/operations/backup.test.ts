/** The content of a backup, and builds that are deleted while it is created. */
import { appendFile, mkdir, mkdtemp, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { parseBlobKey } from '../../src/blobs/blob-key.ts';
import { createDiskBlobStore } from '../../src/blobs/disk-blob-store.ts';
import { checkSqlite, copySqlite } from '../../src/db/copy-sqlite.ts';
import { openDatabase } from '../../src/db/open-database.ts';
import { type BackupDeps, createBackup } from '../../src/operations/backup/backup.ts';
import { restoreBackup } from '../../src/operations/backup/restore.ts';
import { foreignFolder } from '../blobs/scratch.ts';
import { buildApk } from '../support/build-apk.ts';
import { createTestQueries } from '../support/every-query.ts';
import { send } from '../support/http-client.ts';
import { bearer, uploaded } from '../support/interface-client.ts';
import { multipart } from '../support/multipart-body.ts';
import { startTestService, type TestService } from '../support/test-service.ts';

const otherFileSystem = foreignFolder();

const openCopy = async (path: string) => {
  const database = await openDatabase({ kind: 'sqlite', path });
  return { data: createTestQueries(database), close: () => database.close() };
};

describe('backup', () => {
  let slipway: TestService;
  let scratch: string;
  let parts: BackupDeps;
  beforeAll(async () => {
    slipway = await startTestService();
    const { package_name: name } = await upload('com.example.one');
    const { contentType, body } = multipart([
      { name: 'file', content: Buffer.from('com.example.Tide -> a.a:'), fileName: 'mapping.txt' },
    ]);
    const symbols = await send(slipway.port, `/api/v1/apps/admin/android/${name}/builds/1/symbols`, {
      method: 'POST',
      headers: { ...bearer(slipway.adminKey), 'Content-Type': contentType },
      body,
    });
    expect(symbols.status).toBe(201);
    await slipway.service.outbox.idle();
  });
  afterAll(() => slipway.close());
  beforeEach(async () => {
    scratch = await mkdtemp(join(tmpdir(), 'slipway-backup-'));
    parts = partsOf(slipway);
  });
  afterEach(() => rm(scratch, { recursive: true, force: true }));

  const pathOf = ({ config }: TestService) => (config.database.kind === 'sqlite' ? config.database.path : '');
  const partsOf = (from: TestService): BackupDeps => {
    const { config } = from;
    return {
      folder: join(scratch, 'first'),
      dataFolder: config.dataFolder,
      blobsFolder: join(config.dataFolder, 'blobs'),
      database: { kind: 'sqlite', copyTo: (to) => copySqlite(pathOf(from), to), openCopy },
      secretInFile: true,
      version: '1.2.3',
      now: Date.now,
    };
  };
  const upload = (packageName: string, to = slipway) => uploaded(to, { file: buildApk({ packageName }) });
  const restored = (folder: string, verify = false, name = 'restored') => {
    const dataFolder = join(scratch, name);
    const path = join(dataFolder, 'slipway.sqlite');
    return restoreBackup({
      folder,
      dataFolder,
      blobsFolder: join(dataFolder, 'blobs'),
      database: {
        kind: 'sqlite',
        path,
        openCopy: (copy) => {
          checkSqlite(copy);
          return openCopy(copy);
        },
      },
      secretIsSetting: false,
      verify,
    });
  };
  const keysIn = async (root: string) => {
    const keys: string[] = [];
    for await (const { key } of createDiskBlobStore({ root }).list('')) keys.push(key);
    return keys.sort();
  };
  const firstKey = async (root: string) => parseBlobKey((await keysIn(root))[0] ?? '');

  it('stores files readable by their owner only, and a second backup only adds links', async () => {
    const first = await createBackup(parts);
    const second = await createBackup({ ...parts, folder: join(scratch, 'second') });
    expect(first.manifest.blobs.count).toBeGreaterThan(0);
    expect((await keysIn(join(first.folder, 'blobs'))).some((key) => key.startsWith('symbols/'))).toBe(true);
    expect(second).toMatchObject({ linked: first.manifest.blobs.count, copied: 0 });
    expect(second.manifest).toMatchObject({ format: 1, slipway: '1.2.3', secret: 'file' });
    const entries = await readdir(second.folder, { recursive: true, withFileTypes: true });
    expect(entries.length).toBeGreaterThan(4);
    for (const entry of entries) {
      const { mode } = await stat(join(entry.parentPath, entry.name));
      expect({ name: entry.name, mode: (mode & 0o777).toString(8) }).toEqual({
        name: entry.name,
        mode: entry.isDirectory() ? '700' : '600',
      });
    }
    expect((await readdir(second.folder)).sort()).toEqual([
      'backup.json',
      'blobs',
      'blobs.sha256',
      'secret',
      'slipway.sqlite',
    ]);
    const key = await firstKey(parts.blobsFolder);
    const inodes = [parts.blobsFolder, join(first.folder, 'blobs'), join(second.folder, 'blobs')].map(
      async (root) => (await stat(createDiskBlobStore({ root }).localPath(key))).ino,
    );
    expect(new Set(await Promise.all(inodes)).size).toBe(1);
  });

  it.skipIf(otherFileSystem === null)('copies files that it cannot link', async () => {
    const elsewhere = await mkdtemp(join(otherFileSystem ?? '', 'slipway-backup-'));
    try {
      const made = await createBackup({ ...parts, folder: join(elsewhere, 'backup') });
      expect(made).toMatchObject({ linked: 0, copied: made.manifest.blobs.count });
      expect(await restored(made.folder, true)).toMatchObject({ linked: 0, verified: 2 });
    } finally {
      await rm(elsewhere, { recursive: true, force: true });
    }
  });

  it('includes only the current builds after one was deleted permanently', async () => {
    const changing = await startTestService();
    await upload('com.example.goes', changing);
    await upload('com.example.stays', changing);
    await changing.service.outbox.idle();
    const gone = await firstBuild(changing);
    const own = partsOf(changing);
    let moments = 0;
    const copyTo = async (to: string) => {
      await copySqlite(pathOf(changing), to);
      moments += 1;
      if (moments === 1) await removeForGood(changing, gone);
    };
    const made = await createBackup({ ...own, database: { kind: 'sqlite', copyTo, openCopy } });
    expect(moments).toBe(2);
    const keys = await keysIn(join(made.folder, 'blobs'));
    expect(keys).not.toHaveLength(0);
    expect(keys).toEqual(await keysIn(own.blobsFolder));
    expect(await restored(made.folder, true)).toMatchObject({ verified: 1 });
    await changing.close();
  });

  it('leaves nothing and reports the missing file when the database references one', async () => {
    const key = await firstKey(parts.blobsFolder);
    const path = createDiskBlobStore({ root: parts.blobsFolder }).localPath(key);
    await rename(path, `${path}.away`);
    await expect(createBackup(parts)).rejects.toThrow(`${key} is missing`);
    expect(await readdir(scratch)).toEqual([]);
    await rename(`${path}.away`, path);
  });

  it('refuses an existing folder, and a folder among the stored files', async () => {
    await mkdir(parts.folder);
    await expect(createBackup(parts)).rejects.toThrow('already exists');
    for (const folder of [
      parts.blobsFolder,
      join(parts.blobsFolder, 'x'),
      join(parts.dataFolder, 'spool', 'x'),
    ]) {
      await expect(createBackup({ ...parts, folder })).rejects.toThrow(
        /inside a folder that Slipway|already exists/,
      );
    }
    expect(await readdir(parts.folder)).toEqual([]);
  });

  describe('restore', () => {
    let backup: string;
    beforeEach(async () => {
      backup = (await createBackup(parts)).folder;
    });

    const refused = async (reason: string | RegExp, verify = false) => {
      await expect(restored(backup, verify)).rejects.toThrow(reason);
      expect(await readdir(join(scratch, 'restored')).catch(() => [])).toEqual([]);
    };

    it('refuses a folder without a valid manifest', async () => {
      await writeFile(join(backup, 'backup.json'), '{"format":2}');
      await refused('cannot be read');
      await rm(join(backup, 'backup.json'));
      await refused('is not a complete backup');
    });

    it('refuses a database with a changed byte', async () => {
      await appendFile(join(backup, 'slipway.sqlite'), 'x');
      await refused('the backup is damaged');
    });

    it('refuses when a file is missing or shorter than its row says', async () => {
      const store = createDiskBlobStore({ root: join(backup, 'blobs') });
      const key = parseBlobKey(
        (await keysIn(join(backup, 'blobs'))).find((name) => name.startsWith('p')) ?? '',
      );
      await rm(store.localPath(key));
      await refused(`${key} is missing`);
      await writeFile(store.localPath(key), 'short');
      await refused(`${key} has 5 bytes instead of`);
    });

    it('detects changed bytes of the same length when asked to verify', async () => {
      const store = createDiskBlobStore({ root: join(backup, 'blobs') });
      const key = parseBlobKey(
        (await keysIn(join(backup, 'blobs'))).find((name) => name.startsWith('p')) ?? '',
      );
      const { size } = await stat(store.localPath(key));
      await rm(store.localPath(key));
      await writeFile(store.localPath(key), Buffer.alloc(size), { mode: 0o600 });
      await refused(`${key} differs from the upload`, true);
      expect(await restored(backup)).toMatchObject({ verified: 0 });
    });

    it('refuses an installation with data, and keeps that data', async () => {
      await mkdir(join(scratch, 'restored'));
      await writeFile(join(scratch, 'restored', 'mine'), 'x');
      await expect(restored(backup)).rejects.toThrow('is not empty');
      expect(await readdir(join(scratch, 'restored'))).toEqual(['mine']);
    });

    it('leaves the backup unchanged', async () => {
      const before = await listing(backup);
      await restored(backup, true);
      expect(await listing(backup)).toEqual(before);
    });
  });
});

async function firstBuild({ data }: TestService): Promise<string> {
  const [first] = await data.backup.listStored('', 1);
  return first?.id ?? '';
}

/** Deletes a build, and immediately runs the background part of the deletion. */
async function removeForGood({ data, blobs }: TestService, buildId: string): Promise<void> {
  const keys = await data.transaction(async (tx) => {
    await tx.buildDeletion.hideBuilds([buildId], 'admin', 1);
    return tx.buildDeletion.removeBuild(buildId, 1);
  });
  expect(keys).not.toHaveLength(0);
  for (const key of keys ?? []) await blobs.remove(parseBlobKey(key));
}

async function listing(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const lines = entries.map(async (entry) => {
    const path = join(entry.parentPath, entry.name);
    const { mode, size, mtimeMs } = await stat(path);
    return `${path} ${mode} ${size} ${mtimeMs}`;
  });
  return (await Promise.all(lines)).sort();
}
