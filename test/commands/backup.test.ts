/** `slipway backup` and `restore`, while a server is running and when their process is killed midway. */
import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { link, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { parseBlobKey } from '../../src/blobs/blob-key.ts';
import { createDiskBlobStore } from '../../src/blobs/disk-blob-store.ts';
import { openDatabase } from '../../src/db/open-database.ts';
import { referencedBlobs } from '../../src/operations/backup/referenced-blobs.ts';
import { buildApk } from '../support/build-apk.ts';
import { createTestQueries } from '../support/every-query.ts';
import {
  builtProgram,
  createInstallation,
  type Installation,
  jsonLines,
  type RunningServer,
} from '../support/run-cli.ts';
import { runsEverything } from '../support/runs-everything.ts';

const uploadsAtOnce = 16;
const kills = 6;
const adminKey = 'key-of-the-administrator-in-the-backup-test';
const patience = { timeout: 60_000, interval: 2 };

interface Uploaded {
  package_name: string;
  revision: number;
  file: string;
  icon: string;
}

describe('backup and restore', () => {
  let slipway: Installation;
  let backup: string;
  beforeEach(async () => {
    slipway = await createInstallation('sqlite');
    slipway.environment.SLIPWAY_ADMIN_API_KEY = adminKey;
    backup = join(slipway.folder, 'backups', 'tonight');
  });
  afterEach(() => slipway.remove());

  /** Settings of the installation into which the backup is restored. */
  const elsewhere = () => ({ SLIPWAY_DATA_DIR: join(slipway.folder, 'restored') });
  const restore = (folder = backup) =>
    slipway.runJson(['restore', folder, '--verify'], { environment: elsewhere() });

  it('restores every row and every byte, and links issued before the backup still work', async () => {
    const server = await slipway.serveInProcess();
    const given: Uploaded[] = [];
    for (const name of ['one', 'two', 'two']) given.push(await upload(server.origin, `com.example.${name}`));
    // Background work after the uploads would change rows after the copy.
    const jobs = async () => (await allRows(join(slipway.dataFolder, 'slipway.sqlite'))).outbox;
    await vi.waitFor(async () => expect(await jobs()).toEqual([]), { timeout: 60_000, interval: 100 });
    const [made] = await slipway.runJson(['backup', backup]);
    expect(made).toMatchObject({ folder: backup, copied: 0 });
    await server.stop();
    const rows = await allRows(join(slipway.dataFolder, 'slipway.sqlite'));
    const blobs = await allBlobs(join(slipway.dataFolder, 'blobs'));
    expect(Object.values(rows).flat().length).toBeGreaterThan(10);
    expect(made?.blobs).toBe(Object.keys(blobs).length);
    const [back] = await restore();
    expect(back).toMatchObject({ files: Object.keys(blobs).length, verified: 3 });
    const { SLIPWAY_DATA_DIR: dataFolder } = elsewhere();
    expect(await allRows(join(dataFolder, 'slipway.sqlite'))).toEqual(rows);
    expect(await allBlobs(join(dataFolder, 'blobs'))).toEqual(blobs);
    const again = await slipway.serveInProcess({ environment: elsewhere() });
    for (const { file, icon } of given) {
      for (const address of [file, icon]) {
        const { pathname, search } = new URL(address);
        expect((await fetch(`${again.origin}${pathname}${search}`)).status).toBe(200);
      }
    }
    const next = await upload(again.origin, 'com.example.two');
    expect(next.revision).toBe(3);
  });

  it.runIf(runsEverything)(
    `creates a complete backup while ${uploadsAtOnce} uploads run`,
    { timeout: 240_000 },
    async () => {
      const server = await slipway.serveInProcess();
      const acknowledged: Uploaded[] = [];
      let expired = true;
      const uploaders = Array.from({ length: uploadsAtOnce }, async (_, index) => {
        while (expired) acknowledged.push(await upload(server.origin, `com.example.app${index % 8}`));
      });
      await vi.waitFor(() => expect(acknowledged.length).toBeGreaterThan(10), patience);
      const before = [...acknowledged];
      await slipway.runJson(['backup', backup]);
      expired = false;
      await Promise.all(uploaders);
      await server.stop();
      const [back] = await restore();
      const { SLIPWAY_DATA_DIR: dataFolder } = elsewhere();
      const builds = await allBuilds(join(dataFolder, 'slipway.sqlite'));
      expect(back?.verified).toBe(builds.length);
      for (const { package_name, revision } of before) {
        expect(builds).toContainEqual(expect.objectContaining({ package_name, revision }));
      }
      await expectNamed(dataFolder);
      const again = await slipway.serveInProcess({ environment: elsewhere() });
      for (const { file } of before) {
        const { pathname, search } = new URL(file);
        expect((await fetch(`${again.origin}${pathname}${search}`)).status).toBe(200);
      }
    },
  );

  it.runIf(runsEverything)(
    'never leaves a partial backup that looks complete, no matter when the process is killed',
    {
      timeout: 240_000,
    },
    async () => {
      const server = await slipway.serveInProcess();
      for (let round = 0; round < 4; round++) {
        await Promise.all(
          Array.from({ length: 16 }, (_, index) => upload(server.origin, `com.example.app${index}`)),
        );
      }
      const folder = join(slipway.folder, 'backups');
      const isUnfinished = (name: string) => name.endsWith('.unfinished');
      const names = (): Promise<string[]> => readdir(folder).catch(() => []);
      let [cut, whole] = [0, 0];
      for (let kill = 0; kill < kills; kill++) {
        const before = (await names()).filter(isUnfinished).length;
        const child = startBackup(slipway, join(folder, `kill-${kill}`));
        const ended = once(child, 'exit');
        const begun = async () => {
          const now = await names();
          expect(now.filter(isUnfinished).length > before || now.includes(`kill-${kill}`)).toBe(true);
        };
        await vi.waitFor(begun, patience);
        setTimeout(() => child.kill('SIGKILL'), kill * 7);
        await ended;
        if ((await names()).includes(`kill-${kill}`)) whole += 1;
        else cut += 1;
      }
      await server.stop();
      expect(cut).toBeGreaterThan(0);
      expect(cut + whole).toBe(kills);
      for (const name of await names()) {
        const environment = { SLIPWAY_DATA_DIR: join(slipway.folder, `from-${name}`) };
        const result = await slipway.run(['restore', join(folder, name), '--verify'], { environment });
        // After writing its manifest, a backup lacks only its final name.
        if (isUnfinished(name) && !existsSync(join(folder, name, 'backup.json'))) {
          expect(result).toMatchObject({
            code: 1,
            stderr: expect.stringContaining('is not a complete backup'),
          });
        } else expect(result).toMatchObject({ code: 0, stderr: '' });
      }
    },
  );

  it('requires the secret when it came from a setting', async () => {
    const secret = { SLIPWAY_SECRET: 's'.repeat(40) };
    Object.assign(slipway.environment, secret);
    await slipway.runJson(['migrate']);
    await slipway.runJson(['backup', backup]);
    expect(existsSync(join(backup, 'secret'))).toBe(false);
    const environment = { ...elsewhere(), SLIPWAY_SECRET: '' };
    expect(await slipway.run(['restore', backup], { environment })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('SLIPWAY_SECRET'),
    });
    await restore();
  });
});

describe('a backup of a running server', () => {
  let slipway: Installation;
  let server: RunningServer;
  beforeAll(async () => {
    slipway = await createInstallation('sqlite');
    slipway.environment.SLIPWAY_ADMIN_API_KEY = adminKey;
    server = await slipway.serveInProcess();
  });
  afterAll(() => slipway.remove());

  const backupAt = (name: string) => join(slipway.folder, 'backups', name);

  it('restores a damaged file that doctor finds while the server runs', async () => {
    const backup = backupAt('intact');
    const { file } = await upload(server.origin, 'com.example.damaged');
    await slipway.runJson(['backup', backup]);
    const list = await readFile(join(backup, 'blobs.sha256'), 'utf8');
    const [, name = ''] = (list.split('\n').find((line) => line.includes('packages/')) ?? '').split('  ');
    const stored = join(slipway.dataFolder, name);
    await rm(stored);
    await writeFile(stored, 'something else');
    expect((await fetch(file)).status).toBe(503);
    const filesCheck = async (args: string[]) => {
      const { code, stdout, stderr } = await slipway.run(['doctor', '--json', ...args]);
      return { code, found: jsonLines(stdout).find(({ id }) => id === 'files'), stderr };
    };
    expect((await filesCheck([])).found).toMatchObject({ state: 'ok' });
    const looked = await filesCheck(['--files', '--rate', '500MiB']);
    expect(looked.code).toBe(1);
    expect(looked.found).toMatchObject({ state: 'problem', found: 'Files of one build are damaged.' });
    expect(looked.stderr).toMatch(
      /^packages\/\S+ \(build \S+\): wrong-size\n\d files checked, 1 damaged\.\n$/,
    );
    // It has the size of the row, so that a backup does not refuse it.
    await rm(stored);
    await writeFile(stored, Buffer.alloc((await stat(join(backup, name))).size));
    const later = await slipway.run(['backup', backupAt('damaged'), '--json']);
    expect([later.code, later.stderr]).toEqual([
      0,
      expect.stringMatching(/^Builds with damaged files, which are in the backup as they are: 1\. /),
    ]);
    expect(jsonLines(later.stdout)).toMatchObject([{ damaged_builds: 1 }]);
    await rm(stored);
    await link(join(backup, name), stored);
    expect((await fetch(file)).status).toBe(503);
    expect((await filesCheck(['--files'])).found).toMatchObject({ state: 'ok' });
    expect((await fetch(file)).status).toBe(200);
  });

  it('verifies files by their hashes and names every changed file', async () => {
    const backup = backupAt('verified');
    await upload(server.origin, 'com.example.two');
    const [made] = await slipway.runJson(['backup', backup]);
    const [verified] = await slipway.runJson(['backup', backup, '--verify']);
    expect(verified).toEqual({ folder: backup, made_at: expect.any(String), files: made?.blobs });
    const list = await readFile(join(backup, 'blobs.sha256'), 'utf8');
    expect(list.trimEnd().split('\n')).toHaveLength(Number(made?.blobs));
    const [, name = ''] = (list.split('\n')[0] ?? '').split('  ');
    const bytes = await readFile(join(backup, name));
    // A new file: the one in the backup is a hard link to the server's.
    await rm(join(backup, name));
    await writeFile(join(backup, name), Buffer.concat([bytes.subarray(0, -1), Buffer.from([0xff])]));
    const damaged = await slipway.run(['backup', backup, '--verify']);
    expect(damaged.code).toBe(1);
    expect(damaged.stderr).toBe(
      `slipway: the backup is damaged:\n  ${name} has changed since it was written\n`,
    );
    await writeFile(join(backup, 'blobs.sha256'), '');
    expect((await slipway.run(['backup', backup, '--verify'])).stderr).toMatch(
      /blobs\.sha256 has changed since it was written/,
    );
    expect((await slipway.run(['backup', join(backup, 'blobs'), '--verify'])).stderr).toMatch(
      /is not a complete backup/,
    );
  });

  it('explains the error and changes nothing', async () => {
    const backup = backupAt('tonight');
    const before = await readdir(join(slipway.folder, 'backups'));
    const elsewhere = () => ({ SLIPWAY_DATA_DIR: join(slipway.folder, 'restored') });
    expect(await slipway.run(['backup', backup], { environment: elsewhere() })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('no Slipway database at'),
    });
    const runs = async (args: string[], environment?: Record<string, string>) =>
      slipway.run(args, environment ? { environment } : {});
    await slipway.runJson(['backup', backup]);
    expect(await runs(['backup', backup])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('already exists'),
    });
    expect(await runs(['restore', backup])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('is not empty'),
    });
    expect(await runs(['restore', join(slipway.folder, 'nothing')], elsewhere())).toMatchObject({ code: 1 });
    expect(existsSync(elsewhere().SLIPWAY_DATA_DIR)).toBe(false);
    expect(await runs(['backup', backupAt('other'), '--dump', 'none'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('--dump is for PostgreSQL'),
    });
    expect(await runs(['backup', backup, '--verify', '--dump', 'none'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('cannot be combined with --dump'),
    });
    const s3 = { SLIPWAY_BLOB_URL: 's3://my-bucket?region=eu-central-1' };
    expect(await runs(['restore', backup], { ...elsewhere(), ...s3 })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('a backup is restored to disk'),
    });
    const advice = await runs(['backup', join(slipway.folder, 'other')], s3);
    expect(advice).toMatchObject({ code: 1, stderr: expect.stringContaining('put-bucket-versioning') });
    expect(advice.stderr).toContain('--bucket my-bucket');
    expect(advice.stderr).toContain('.backup slipway.sqlite');
    expect((await readdir(join(slipway.folder, 'backups'))).sort()).toEqual([...before, 'tonight'].sort());
    expect((await fetch(`${server.origin}/readyz`)).status).toBe(200);
  });
});

describe.runIf(runsEverything)('backup on PostgreSQL', () => {
  let slipway: Installation;
  beforeEach(async () => {
    slipway = await createInstallation('postgres');
    slipway.environment.SLIPWAY_ADMIN_API_KEY = adminKey;
  });
  afterEach(() => slipway.remove());

  it('explains how to dump the database, and includes the files with the dump', async () => {
    const server = await slipway.serveInProcess();
    const given = await upload(server.origin, 'com.example.one');
    expect((await fetch(given.icon)).status).toBe(200);
    const folder = join(slipway.folder, 'backup');
    const advice = await slipway.run(['backup', folder]);
    expect(advice).toMatchObject({ code: 1, stdout: '' });
    expect(advice.stderr).toContain('pg_dump --format=custom');
    expect(advice.stderr).toContain('--dump slipway.dump');
    expect(existsSync(folder)).toBe(false);
    const dump = join(slipway.folder, 'slipway.dump');
    await writeFile(dump, 'what pg_dump wrote');
    const [made] = await slipway.runJson(['backup', folder, '--dump', dump]);
    await server.stop();
    expect(await readFile(join(folder, 'postgres.dump'), 'utf8')).toBe('what pg_dump wrote');
    const blobs = await allBlobs(join(slipway.dataFolder, 'blobs'));
    expect(made?.blobs).toBe(Object.keys(blobs).length);
    // The database exists, as after pg_restore.
    const dataFolder = join(slipway.folder, 'restored');
    await slipway.runJson(['restore', folder, '--verify'], { environment: { SLIPWAY_DATA_DIR: dataFolder } });
    expect(await allBlobs(join(dataFolder, 'blobs'))).toEqual(blobs);
    const again = await slipway.serveInProcess({ environment: { SLIPWAY_DATA_DIR: dataFolder } });
    const { pathname, search } = new URL(given.file);
    expect((await fetch(`${again.origin}${pathname}${search}`)).status).toBe(200);
  });
});

async function upload(origin: string, packageName: string): Promise<Uploaded> {
  const form = new FormData();
  const apk = buildApk({ packageName, versionCode: Math.floor(Math.random() * 1e6), fillerBytes: 20_000 });
  form.set('file', new File([new Uint8Array(apk)], 'app.apk'));
  form.set('distribution_name', 'main');
  const headers = { authorization: `Bearer ${adminKey}` };
  const answer = await fetch(`${origin}/api/users/admin/apps`, { method: 'POST', headers, body: form });
  const [body] = jsonLines(await answer.text());
  expect(body).toMatchObject({ error: false });
  return body?.results as Uploaded;
}

function startBackup(slipway: Installation, folder: string): ChildProcess {
  const args = [builtProgram, 'backup', folder];
  return spawn(process.execPath, args, { cwd: slipway.folder, env: slipway.environment, stdio: 'ignore' });
}

/** Returns every row of every table in sorted order. */
async function allRows(path: string): Promise<Record<string, string[]>> {
  const database = await openDatabase({ kind: 'sqlite', path });
  try {
    const { rows: tables } = await sql<{ name: string }>`
      select name from sqlite_schema where type = 'table' order by name`.execute(database.queries);
    const all: Record<string, string[]> = {};
    for (const { name } of tables) {
      const { rows } = await sql`select * from ${sql.table(name)}`.execute(database.queries);
      all[name] = rows.map((row) => JSON.stringify(row)).sort();
    }
    return all;
  } finally {
    await database.close();
  }
}

async function allBuilds(path: string): Promise<{ package_name: string; revision: number }[]> {
  const database = await openDatabase({ kind: 'sqlite', path });
  try {
    return await database.queries
      .selectFrom('builds as b')
      .innerJoin('apps as a', 'a.id', 'b.app_id')
      .select(['a.package_name', 'b.revision'])
      .execute();
  } finally {
    await database.close();
  }
}

/** SHA-256 by key. */
async function allBlobs(root: string): Promise<Record<string, string>> {
  const store = createDiskBlobStore({ root });
  const all: Record<string, string> = {};
  for await (const { key } of store.list('')) {
    const bytes = await readFile(store.localPath(parseBlobKey(key)));
    all[key] = createHash('sha256').update(bytes).digest('hex');
  }
  return all;
}

/** Expects that rows reference exactly the existing blobs. */
async function expectNamed(dataFolder: string): Promise<void> {
  const database = await openDatabase({ kind: 'sqlite', path: join(dataFolder, 'slipway.sqlite') });
  try {
    const named: string[] = [];
    for await (const { key } of referencedBlobs(createTestQueries(database))) named.push(key);
    expect(Object.keys(await allBlobs(join(dataFolder, 'blobs'))).sort()).toEqual(named.sort());
  } finally {
    await database.close();
  }
}
