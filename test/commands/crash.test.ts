/** The process is killed in the midst of uploads, again and again: what was answered stays, what was not leaves nothing. */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readdir, readFile, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import pino from 'pino';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { isBlobKey } from '../../src/blobs/blob-key.ts';
import { createDiskBlobStore } from '../../src/blobs/disk-blob-store.ts';
import { readConfig } from '../../src/config.ts';
import { openDatabase } from '../../src/db/open-database.ts';
import { createService } from '../../src/service.ts';
import { buildApk } from '../support/build-apk.ts';
import { createInstallation, type Installation } from '../support/run-cli.ts';
import { dialects } from '../support/test-database.ts';

const kills = 20;
const uploadersAtOnce = 6;
/** A life ends at a random moment after one to three answers, so that it is as telling on a slow machine. */
const longestRestMs = 300;
const answerPatienceMs = 60_000;
const twoDaysMs = 2 * 24 * 60 * 60_000;
const adminKey = 'key-of-the-administrator-in-the-crash-test';

interface Acknowledged {
  packageName: string;
  revision: number;
  sha256: string;
  file: string;
  page: string;
}

describe.each(dialects)('kill -9 on %s', (dialect) => {
  let slipway: Installation;
  beforeEach(async () => {
    slipway = await createInstallation(dialect);
    slipway.environment.SLIPWAY_ADMIN_API_KEY = adminKey;
  });
  afterEach(() => slipway.remove());

  it(`loses nothing that was answered and keeps nothing half, ${kills} times`, {
    timeout: 300_000,
  }, async () => {
    const random = seededRandom(0x51195);
    const acknowledged: Acknowledged[] = [];
    let cutBodies = 0;
    for (let kill = 0; kill < kills; kill++) {
      const server = await slipway.serve();
      const uploads = Array.from({ length: uploadersAtOnce }, (_, index) =>
        uploadUntilCut(server.origin, `com.example.app${index % 3}`, acknowledged, random),
      );
      const ended = once(server.process, 'exit');
      const enough = acknowledged.length + 1 + Math.floor(random() * 3);
      const patience = { timeout: answerPatienceMs, interval: 2 };
      await vi.waitFor(() => expect(acknowledged.length).toBeGreaterThanOrEqual(enough), patience);
      setTimeout(() => server.process.kill('SIGKILL'), random() * longestRestMs);
      await ended;
      await Promise.all(uploads);
      cutBodies += (await filesIn(join(slipway.dataFolder, 'spool'))).length;
      // Other nodes may share what PostgreSQL's nodes write, so that there only a day makes litter.
      if (dialect === 'postgres') await letTimePass(slipway);
      await expectSound(slipway, acknowledged);
    }
    expect(acknowledged.length).toBeGreaterThanOrEqual(kills);
    expect(cutBodies).toBeGreaterThan(kills / 2);
    const last = await slipway.serve();
    for (const { file, sha256 } of acknowledged) {
      const { pathname, search } = new URL(file);
      const answer = await fetch(`${last.origin}${pathname}${search}`);
      expect(hashOf(Buffer.from(await answer.arrayBuffer()))).toBe(sha256);
    }
  });
});

/** One uploader after the other's answer, until the server is gone. */
async function uploadUntilCut(
  origin: string,
  packageName: string,
  acknowledged: Acknowledged[],
  random: () => number,
): Promise<void> {
  for (;;) {
    const apk = buildApk({
      packageName,
      versionCode: Math.floor(random() * 1e6),
      fillerBytes: Math.floor(random() * 400_000),
    });
    const form = new FormData();
    form.set('distribution_name', random() < 0.5 ? 'main' : `branch-${Math.floor(random() * 5)}`);
    form.set('file', new File([new Uint8Array(apk)], 'app.apk'));
    const headers = { authorization: `Bearer ${adminKey}` };
    try {
      const answer = await fetch(`${origin}/api/users/admin/apps`, { method: 'POST', headers, body: form });
      const body = (await answer.json()) as {
        error: boolean;
        results: { revision: number; file: string; distribution: { access_key: string } };
      };
      expect(body.error).toBe(false);
      const { revision, file, distribution } = body.results;
      acknowledged.push({ packageName, revision, file, sha256: hashOf(apk), page: distribution.access_key });
    } catch (error) {
      if (error instanceof TypeError || error instanceof SyntaxError) return;
      throw error;
    }
  }
}

/** Starts the service in this process, waits for its sweep, and compares rows, blobs and answers. */
async function expectSound(slipway: Installation, acknowledged: readonly Acknowledged[]): Promise<void> {
  const config = readConfig(slipway.environment);
  const service = await createService(config, { logger: pino({ level: 'silent' }) });
  await service.listen();
  await service.startupSweep();
  const store = createDiskBlobStore({ root: join(config.dataFolder, 'blobs') });
  const database = await openDatabase(config.database);
  try {
    expect(await filesIn(join(slipway.dataFolder, 'spool'))).toEqual([]);
    expect(await filesIn(join(slipway.dataFolder, 'blobs', '.incoming'))).toEqual([]);
    const builds = await database.queries
      .selectFrom('builds as b')
      .innerJoin('apps as a', 'a.id', 'b.app_id')
      .select([
        'b.id',
        'a.package_name',
        'a.last_revision',
        'b.revision',
        'b.sha256',
        'b.size_bytes',
        'b.package_blob',
      ])
      .orderBy('b.revision')
      .execute();
    const blobs: string[] = [];
    for await (const { key } of store.list('')) blobs.push(key);
    expect(blobs.sort()).toEqual(builds.map((build) => build.package_blob).sort());
    for (const { package_blob: key, sha256, size_bytes: size } of builds) {
      const bytes = await readFile(isBlobKey(key) ? store.localPath(key) : '');
      expect({ size: bytes.length, sha256: hashOf(bytes) }).toEqual({ size, sha256 });
    }
    for (const name of new Set(builds.map((build) => build.package_name))) {
      const own = builds.filter((build) => build.package_name === name);
      expect(own.map((build) => build.revision)).toEqual(own.map((_, index) => index + 1));
      expect(own.at(-1)?.last_revision).toBe(own.length);
    }
    const handedOut = await database.queries
      .selectFrom('distribution_updates as d')
      .innerJoin('distribution_pages as p', 'p.id', 'd.page_id')
      .select(['d.build_id', 'p.access_key'])
      .execute();
    // Every upload named a page: a build without its line in the page's history is half an upload.
    expect(handedOut.map((line) => line.build_id).sort()).toEqual(builds.map((build) => build.id).sort());
    for (const { packageName, revision, sha256, page } of acknowledged) {
      const build = builds.find((one) => one.package_name === packageName && one.revision === revision);
      expect(build?.sha256).toBe(sha256);
      expect(handedOut).toContainEqual({ build_id: build?.id, access_key: page });
    }
    if (database.dialect === 'sqlite') {
      const { rows } = await sql<object>`pragma integrity_check`.execute(database.queries);
      expect(rows).toEqual([{ integrity_check: 'ok' }]);
      expect((await sql<object>`pragma foreign_key_check`.execute(database.queries)).rows).toEqual([]);
    }
  } finally {
    await database.close();
    await service.close();
  }
}

async function letTimePass({ dataFolder }: Installation): Promise<void> {
  const then = new Date(Date.now() - twoDaysMs);
  for (const folder of ['spool', 'blobs']) {
    for (const file of await filesIn(join(dataFolder, folder)))
      await utimes(join(dataFolder, folder, file), then, then);
  }
}

async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
}

const hashOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

/** Mulberry32: the same moments in every run, as far as a machine allows it. */
function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
