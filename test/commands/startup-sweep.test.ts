import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { packageKey } from '../../src/blobs/blob-key.ts';
import { createDiskBlobStore } from '../../src/blobs/disk-blob-store.ts';
import { readConfig } from '../../src/config.ts';
import { openDatabase } from '../../src/db/open-database.ts';
import { createService } from '../../src/service.ts';
import { createTestQueries } from '../support/every-query.ts';
import { addApp, addUser } from '../support/sample-rows.ts';
import { createTestDatabase, dialects, type TestDatabase } from '../support/test-database.ts';

const hourMs = 60 * 60_000;

describe('cleanup after an earlier process', () => {
  let folder: string;
  let database: TestDatabase;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'slipway-sweep-'));
    database = await createTestDatabase('sqlite');
  });
  afterEach(async () => {
    await database.remove();
    await rm(folder, { recursive: true, force: true });
  });

  const config = () => ({
    ...readConfig({ SLIPWAY_DATA_DIR: folder, SLIPWAY_PORT: '0' }),
    database: database.config,
  });
  const start = async () => {
    const lines: Record<string, unknown>[] = [];
    const logger = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) });
    const service = await createService(config(), { logger });
    return { service, lines };
  };
  const store = () => createDiskBlobStore({ root: join(folder, 'blobs') });
  const age = async (path: string, hours: number) => {
    const then = new Date(Date.now() - hours * hourMs);
    await utimes(path, then, then);
  };
  const putFile = async (path: string, hours: number) => {
    await mkdir(join(path, '..'), { recursive: true });
    await writeFile(path, 'litter');
    await age(path, hours);
  };
  const putBlob = async (name: string, hours: number) => {
    await store().putBytes(packageKey(name), Buffer.from('blob'));
    await age(store().localPath(packageKey(name)), hours);
  };
  const blobs = async () => {
    const keys: string[] = [];
    for await (const { key } of store().list('')) keys.push(key);
    return keys.sort();
  };

  it.each(dialects)(
    'runs after the start on %s: blobs are removed immediately with one process, after a day with several',
    async (dialect) => {
      if (dialect === 'postgres') {
        await database.remove();
        database = await createTestDatabase(dialect);
      }
      const opened = await openDatabase(database.config);
      const data = createTestQueries(opened);
      const user = await addUser(data, 'ada');
      const { builds } = await addApp(data, user.id);
      const now = Date.now();
      const session = (tokenHash: string, expiresAt: number) => ({
        userId: user.id,
        tokenHash,
        userAgent: '',
        authenticatedAt: null,
        address: '',
        createdAt: 1,
        expiresAt,
      });
      await data.sessions.insertSession(session('expired', now - 1));
      await data.sessions.insertSession(session('good', now + hourMs));
      const result = { sha256: '', buildId: builds[0]?.id ?? '', pageId: null };
      const claim = (key: string) => ({ credential: 'key:one', key });
      await data.idempotency.take(user.id, claim('old'), result, now - 25 * hourMs);
      await data.idempotency.take(user.id, claim('fresh'), result, now);
      await putBlob(builds[0]?.id ?? '', 100);
      await putBlob('old-litter', 25);
      await putBlob('young-litter', 1);
      const names = { old: `${'0'.repeat(32)}`, young: `${'1'.repeat(32)}` };
      await putFile(join(folder, 'spool', `${names.old}.part`), 25);
      await putFile(join(folder, 'spool', `${names.young}.part`), 1);
      await putFile(join(folder, 'blobs', '.incoming', names.old), 25);
      await putFile(join(folder, 'blobs', '.incoming', names.young), 1);

      const { service, lines } = await start();
      await service.listen();
      await service.startupSweep();

      const stays = dialect === 'postgres';
      const named = `packages/${builds[0]?.id}`;
      expect(await blobs()).toEqual([named, ...(stays ? ['packages/young-litter'] : [])].sort());
      expect(await readdir(join(folder, 'spool'))).toEqual([]);
      expect(await readdir(join(folder, 'blobs', '.incoming'))).toEqual(stays ? [names.young] : []);
      expect(await data.sessions.findSession('expired', 0)).toBeNull();
      expect(await data.sessions.findSession('good', 0)).not.toBeNull();
      expect(await data.idempotency.find(user.id, claim('old'), 0)).toBeNull();
      expect(await data.idempotency.find(user.id, claim('fresh'), now)).not.toBeNull();
      const count = stays ? 1 : 2;
      expect(lines).toContainEqual(expect.objectContaining({ bodies: 2, blobs: count, leftovers: count }));
      await service.close();
      await opened.close();
    },
  );

  it('logs nothing when there is nothing to remove', async () => {
    const { service, lines } = await start();
    await service.listen();
    await service.startupSweep();
    await service.close();
    expect(lines.filter((line) => 'bodies' in line)).toEqual([]);
  });

  it('does not outlive the service: closing waits for running work', async () => {
    const old = Array.from({ length: 400 }, (_, index) => `litter-${index}`);
    for (const name of old) await putFile(store().localPath(packageKey(name)), 48);
    const { service, lines } = await start();
    await service.listen();
    await service.close();
    const left = await blobs();
    await service.startupSweep();
    expect(await blobs()).toEqual(left);
    expect(lines.filter((line) => Number(line.level) >= 50)).toEqual([]);
  });

  it('does not run in a service that never listened', async () => {
    await putBlob('old-litter', 48);
    const { service } = await start();
    await service.startupSweep();
    await service.close();
    expect(await blobs()).toEqual(['packages/old-litter']);
  });

  it('logs a failure while the service keeps running', async () => {
    const blobStore = store();
    const failing = {
      ...blobStore,
      // biome-ignore lint/correctness/useYield: it fails before its first blob
      async *list() {
        throw new Error('the store is away');
      },
    };
    const lines: string[] = [];
    const logger = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) });
    const service = await createService(config(), { logger, blobs: failing });
    const { port } = await service.listen();
    await service.startupSweep();
    expect((await fetch(`http://127.0.0.1:${port}/healthz`)).status).toBe(200);
    expect(lines.join('')).toMatch(/the startup sweep failed/);
    await service.close();
  });
});
