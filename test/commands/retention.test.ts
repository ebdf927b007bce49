/** `slipway retention` on a database that a server may be using. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openDatabase } from '../../src/db/open-database.ts';
import { createTestQueries, type TestQueries } from '../support/every-query.ts';
import { runInProcess } from '../support/run-cli.ts';
import { addApp, addProject } from '../support/sample-rows.ts';
import { createTestDatabase } from '../support/test-database.ts';

describe('slipway retention', () => {
  const withInstallation = async (
    work: (data: TestQueries, run: (...args: string[]) => Promise<string>) => Promise<void>,
  ) => {
    const where = await createTestDatabase('sqlite');
    const folder = await mkdtemp(join(tmpdir(), 'slipway-retention-'));
    const database = await openDatabase(where.config);
    try {
      await work(createTestQueries(database), (...args) => runIn(folder, where.url, args));
    } finally {
      await database.close();
      await where.remove();
      await rm(folder, { recursive: true, force: true });
    }
  };

  it('shows the builds that would be deleted and deletes nothing, then deletes exactly those', async () => {
    await withInstallation(async (data, run) => {
      const ferry = await addProject(data, 'ferry');
      const { appId } = await addApp(data, ferry.id, { count: 120 });
      await addApp(data, ferry.id, { packageName: 'com.example.kept', count: 3 });
      const none = 'Would delete 0 builds, 0 B. Nothing was deleted.\n';
      expect(await run('retention', '--dry-run')).toBe(none);
      await data.retention.setRule('owner', ferry.id, { newest: 5, days: null });
      await data.builds.setProtected((await data.builds.findBuildByRevision(appId, 7))?.id ?? '', true);

      const expired = [...Array.from({ length: 115 }, (_, index) => index + 1)].filter((one) => one !== 7);
      const line = 'ferry: com.example.sample (android): 114 builds, 530.9 GiB: 1–6, 8–115\n';
      const dry = await run('retention', '--dry-run');
      expect(dry).toBe(`${line}Would delete 114 builds, 530.9 GiB. Nothing was deleted.\n`);
      const object = {
        owner: 'ferry',
        platform: 'android',
        package_name: 'com.example.sample',
        rule: { newest: 5, days: null, from: 'owner' },
        builds: 114,
        bytes: 570_000_000_000,
        revisions: expired,
      };
      expect(JSON.parse(await run('retention', '--dry-run', '--json'))).toEqual(object);
      expect(await data.builds.listBuilds(appId, { limit: 200 })).toHaveLength(120);

      expect(JSON.parse(await run('retention', '--json'))).toEqual(object);
      const left = await data.builds.listBuilds(appId, { limit: 200 });
      expect(left.map(({ revision }) => revision)).toEqual([120, 119, 118, 117, 116, 7]);
      const rows = await data.audit.list(ferry.id, 9);
      expect(rows.map(({ action, actorName }) => [action, actorName])).toEqual(
        Array.from({ length: 2 }, () => ['retention.removed', 'system']),
      );
      expect(await run('retention')).toBe('Deleted 0 builds, 0 B.\n');
    });
  });
});

async function runIn(folder: string, url: string, args: string[]): Promise<string> {
  const environment = { SLIPWAY_DATA_DIR: folder, SLIPWAY_DATABASE_URL: url };
  const { code, stdout, stderr } = await runInProcess(args, environment);
  if (code !== 0) throw new Error(`exit code ${code}: ${stdout}${stderr}`);
  return stdout + stderr;
}
