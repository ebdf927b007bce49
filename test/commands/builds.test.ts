/** `slipway build …` on a database that a server may be using. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { maxBuildsPerRequest, undoMs } from '../../src/apps/deletion/build-deletion.ts';
import type { Database } from '../../src/db/database.ts';
import { openDatabase } from '../../src/db/open-database.ts';
import { createTestQueries, type TestQueries } from '../support/every-query.ts';
import { runInProcess } from '../support/run-cli.ts';
import { addApp, addPage, addProject } from '../support/sample-rows.ts';
import { createTestDatabase } from '../support/test-database.ts';

interface Installation {
  data: TestQueries;
  database: Database;
  run(...args: string[]): Promise<{ code: number | null; output: string; errors: string }>;
  json(...args: string[]): Promise<Record<string, unknown>[]>;
}

const name = 'com.example.sample';

describe('slipway build', () => {
  const withInstallation = async (work: (installation: Installation) => Promise<void>) => {
    const where = await createTestDatabase('sqlite');
    const folder = await mkdtemp(join(tmpdir(), 'slipway-builds-'));
    const database = await openDatabase(where.config);
    const run = (...args: string[]) => runIn(folder, where.url, args);
    try {
      await work({
        data: createTestQueries(database),
        database,
        run,
        json: async (...args) => {
          const { output } = await run(...args, '--json');
          return output
            .split('\n')
            .filter((line) => line !== '')
            .map((line) => JSON.parse(line));
        },
      });
    } finally {
      await database.close();
      await where.remove();
      await rm(folder, { recursive: true, force: true });
    }
  };
  const revisionsOf = async ({ data }: Installation, appId: string) =>
    (await data.builds.listBuilds(appId, { limit: 500 })).map(({ revision }) => revision).reverse();

  it('rotates an app secret, prints the new one and writes an audit entry', async () => {
    await withInstallation(async ({ data, run, json }) => {
      const ferry = await addProject(data, 'ferry');
      const { appId } = await addApp(data, ferry.id, {});
      const before = await data.apps.findAppById(appId);
      const startedAt = Date.now();
      const [rotated] = await json('app', 'rotate-secret', 'ferry', name);
      const app = await data.apps.findAppById(appId);
      expect(rotated).toEqual({
        owner: 'ferry',
        platform: 'android',
        package_name: name,
        secret: app?.secret,
      });
      expect(app?.secret).toMatch(/^[0-9a-f]{40}$/);
      expect(app?.secret).not.toBe(before?.secret);
      const { code, output } = await run('app', 'rotate-secret', 'ferry', name);
      expect(code).toBe(0);
      expect(output).toContain((await data.apps.findAppById(appId))?.secret);
      const entries = await data.audit.list(ferry.id, 9);
      expect(entries.map(({ action }) => action)).toEqual(['app.secret-rotated', 'app.secret-rotated']);
      for (const { at } of entries) expect(at >= startedAt && at <= Date.now()).toBe(true);
      expect((await run('app', 'rotate-secret', 'ferry', 'com.example.none')).code).toBe(1);
    });
  });

  it('lists builds page by page, with the reason each one is kept', async () => {
    await withInstallation(async (slipway) => {
      const { data, run, json } = slipway;
      const ferry = await addProject(data, 'ferry');
      const { appId, builds } = await addApp(data, ferry.id, { count: 150 });
      await data.builds.setProtected(builds[148]?.id ?? '', true);
      await addPage(data, appId, builds[149]?.id ?? '', { accessKey: 'k'.repeat(40) });
      const newest = await json('build', 'list', 'ferry', name);
      expect(newest.map(({ revision }) => revision)).toEqual(
        Array.from({ length: 20 }, (_, index) => 150 - index),
      );
      expect(newest.slice(0, 3)).toMatchObject([
        { revision: 150, protected: false, pages: ['main'], deleted_at: null, restorable_until: null },
        { revision: 149, protected: true, pages: [] },
        { version_name: '1.2', version_code: '7', uploaded_by: 'sample', file_size: builds[147]?.sizeBytes },
      ]);
      expect(await json('build', 'list', 'ferry', name, '--limit', '120')).toHaveLength(120);
      expect(await json('build', 'list', 'ferry', name, '--limit', '900')).toHaveLength(150);
      const { output } = await run('build', 'list', 'ferry', name, '--limit', '2');
      expect(output).toMatch(
        /^#150 {2}1\.2 \(7\) {2}.* by sample {2}.*on the page “main”\n#149 .* {2}protected\n$/,
      );
      expect(await json('build', 'list', 'ferry', name, '--deleted')).toEqual([]);
    });
  });

  it('deletes builds and restores them within a day, like the pages', async () => {
    await withInstallation(async (slipway) => {
      const { data, database, run, json } = slipway;
      const ferry = await addProject(data, 'ferry');
      const { appId } = await addApp(data, ferry.id, { count: 6 });
      expect(await json('build', 'delete', 'ferry', name, '2-3', '5')).toEqual([
        { deleted: [2, 3, 5], kept: [], others: [] },
      ]);
      expect(await revisionsOf(slipway, appId)).toEqual([1, 4, 6]);
      const deleted = await json('build', 'list', 'ferry', name, '--deleted');
      expect(deleted.map(({ revision }) => revision)).toEqual([5, 3, 2]);
      expect(deleted[0]).toMatchObject({ deleted_by: 'the command line' });
      const { deleted_at: at, restorable_until: until } = deleted[0] ?? {};
      expect(Date.parse(String(until)) - Date.parse(String(at))).toBe(undoMs);
      const jobs = await database.queries
        .selectFrom('outbox')
        .select(['kind', 'payload'])
        .where('kind', '=', 'dispatch-event')
        .execute();
      expect(jobs.map(({ payload }) => JSON.parse(payload).event)).toEqual([
        { type: 'build.deleted', appId, revisions: [2, 3, 5], by: 'the command line' },
      ]);

      expect(await json('build', 'restore', 'ferry', name, '3', '2')).toEqual([{ restored: [2, 3] }]);
      expect(await revisionsOf(slipway, appId)).toEqual([1, 2, 3, 4, 6]);
      const late = Date.now() - undoMs - 1;
      await database.queries
        .updateTable('builds')
        .set({ deleted_at: late })
        .where('revision', '=', 5)
        .execute();
      expect(await run('build', 'restore', 'ferry', name, '5')).toMatchObject({
        code: 1,
        errors: 'slipway: cannot restore the build: it was permanently deleted\n',
      });
      expect(await json('build', 'list', 'ferry', name, '--deleted')).toEqual([]);
      const said = await run('build', 'delete', 'ferry', name, '1');
      expect(said.output).toBe(
        `Deleted build 1 of ${name}. You can restore them for one day with: slipway build restore\n`,
      );
      expect((await run('build', 'restore', 'ferry', name, '1')).output).toBe(
        `Restored build 1 of ${name}.\n`,
      );
      const rows = (await data.audit.list(ferry.id, 50)).map(
        ({ action, actorName }) => `${action} ${actorName}`,
      );
      expect(rows.filter((row) => row === 'build.deleted command-line')).toHaveLength(4);
      expect(rows.filter((row) => row === 'build.restored command-line')).toHaveLength(3);
    });
  });

  it('deletes nothing when one build must be kept, and names the reason and the builds that could be deleted', async () => {
    await withInstallation(async (slipway) => {
      const { data, run } = slipway;
      const ferry = await addProject(data, 'ferry');
      const { appId, builds } = await addApp(data, ferry.id, { count: 5 });
      await data.builds.setProtected(builds[1]?.id ?? '', true);
      await addPage(data, appId, builds[3]?.id ?? '', { accessKey: 'k'.repeat(40) });
      expect(await run('build', 'delete', 'ferry', name, '1-5')).toEqual({
        code: 1,
        output: '',
        errors:
          'slipway: nothing was deleted: build 2 is protected; build 4 is on the page “main”; without them builds 1, 3, 5 can be deleted\n',
      });
      const refused = await run('build', 'delete', 'ferry', name, '4', '1', '--json');
      expect([refused.code, JSON.parse(refused.output)]).toEqual([
        1,
        { deleted: [], kept: [{ revision: 4, protected: false, pages: ['main'] }], others: [1] },
      ]);
      expect(await revisionsOf(slipway, appId)).toEqual([1, 2, 3, 4, 5]);
    });
  });

  it('requires an app and a selection of builds', async () => {
    await withInstallation(async ({ data, run, json }) => {
      const ferry = await addProject(data, 'ferry');
      await addApp(data, ferry.id);
      await addApp(data, ferry.id, { platform: 'ios' });
      const refused = async (...args: string[]) => {
        const { code, output, errors } = await run('build', ...args);
        expect([code, output]).toEqual([code === 2 ? 2 : 1, '']);
        return errors;
      };
      expect(await refused('list', 'nobody', name)).toContain('there is no user or Project nobody');
      expect(await refused('list', 'ferry', 'com.none')).toContain('ferry has no app com.none');
      expect(await refused('list', 'ferry', name)).toContain('on both platforms: add --platform');
      expect(await json('build', 'list', 'ferry', name, '--platform', 'ios')).toHaveLength(1);
      for (const wrong of ['0', 'x', '3-1', '1,2', '-1']) {
        expect(await refused('delete', 'ferry', name, '--', wrong)).toContain(
          'a revision must be a number such as 7',
        );
      }
      const many = `1-${maxBuildsPerRequest + 1}`;
      expect(await refused('delete', 'ferry', name, many)).toContain(
        `at most ${maxBuildsPerRequest} builds at a time`,
      );
      expect(await refused('delete', 'ferry', name, '77', '--platform', 'ios')).toContain(
        'the build no longer exists',
      );
      expect(await refused('list', 'ferry', name, '--limit', '0')).toContain('a number from 1 to 999999');
    });
  });
});

async function runIn(folder: string, url: string, args: string[]) {
  const environment = { SLIPWAY_DATA_DIR: folder, SLIPWAY_DATABASE_URL: url };
  const { code, stdout, stderr } = await runInProcess(args, environment);
  return { code, output: stdout, errors: stderr };
}
