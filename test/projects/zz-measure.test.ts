import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { openTestData } from '../support/open-test-data.ts';
import { addApp, addUser, sampleBuild } from '../support/sample-rows.ts';
import { dialects } from '../support/test-database.ts';

it.each(dialects)('measure %s', async (dialect) => {
  const { database, data, close } = await openTestData(dialect);
  const db = database.queries;
  const ada = await addUser(data, 'ada');
  const big = await addUser(data, 'big');
  const others = await Promise.all(Array.from({ length: 20 }, (_, at) => addUser(data, `o${at}`)));
  const template = sampleBuild('x', 1);
  const info = 'i'.repeat(3000);
  const fill = async (ownerId: string, apps: number, builds: number, name: string) => {
    for (let at = 0; at < apps; at++) {
      const { appId } = await addApp(data, ownerId, { packageName: `com.${name}.app${at}`, now: at + 1 });
      const n = builds - 1;
      if (n < 1) continue;
      const values = sql`select ${`${appId}-`} || i, ${appId}, i + 1, 'Sample app ', '1', '1', ${info}, 1000000 + i, 'm', 's', ${`b/${appId}-`} || i, 500, 'none', '', '[]', 'x', 1, 0`;
      const columns = sql`(id, app_id, revision, name, version_name, version_code, info, size_bytes, md5, sha256, package_blob, simulator_bytes, icon_state, message, upload_warnings, uploaded_by, created_at, protected)`;
      if (dialect === 'sqlite')
        await sql`with recursive c(i) as (select 1 union all select i + 1 from c where i < ${n}) insert into builds ${columns} ${values} from c`.execute(db);
      else await sql`insert into builds ${columns} ${values} from generate_series(1, ${sql.lit(n)}) as c(i)`.execute(db);
    }
  };
  void template;
  await fill(ada.id, 10, 1000, 'ada');
  await fill(big.id, 1000, 1, 'big');
  const scale = Number(process.env.SCALE ?? 4500);
  for (const [at, other] of others.entries()) await fill(other.id, 1, scale, `o${at}`);
  await fill(others[0]!.id, 1, scale * 2, 'huge');
  if (dialect === 'postgres') await sql`vacuum analyze`.execute(db);
  const time = async (name: string, work: () => Promise<unknown>) => {
    const times: number[] = [];
    for (let i = 0; i < 15; i++) {
      const t = performance.now();
      await work();
      times.push(performance.now() - t);
    }
    times.sort((a, b) => a - b);
    console.log(dialect, name, 'median', times[7]!.toFixed(2), 'max', times[14]!.toFixed(2));
  };
  const count = await sql<{ n: number }>`select count(*) as n from builds`.execute(db);
  console.log(dialect, 'builds', count.rows[0]!.n);
  await time('usage 10,000 builds', () => data.quotas.usageOf(ada.id));
  await time('usage 1000 apps', () => data.quotas.usageOf(big.id));
  await time(`usage ${scale * 3} builds`, () => data.quotas.usageOf(others[0]!.id));
  await time('home 1000 apps', () => data.apps.listApps([big.id], 0, 51, big.id));
  await time('home 1000 apps search', () => data.apps.listApps([big.id], 0, 51, big.id, ['app99']));
  await time('home 1000 apps search none', () => data.apps.listApps([big.id], 0, 51, big.id, ['zzz']));
  await time('home 10 apps of 1000 builds search none', () => data.apps.listApps([ada.id], 0, 51, ada.id, ['zzz']));
  for (let i = 0; i < 200; i++)
    await data.transaction(async (inside) => {
      for (let j = 0; j < 100; j++)
        await inside.audit.record({ at: i * 100 + j, actor: 'command-line', action: j === 5 ? 'rare.one' : 'build.uploaded', ownerId: j % 2 ? ada.id : big.id, subject: 's' });
    });
  await time('audit owner', () => data.audit.page({ ownerId: ada.id }, { most: 51 }));
  await time('audit owner, action absent', () => data.audit.page({ ownerId: ada.id, action: 'nothing' }, { most: 51 }));
  await time('audit all, action', () => data.audit.page({ ownerId: null, action: 'rare.one' }, { most: 51 }));
  expect(1).toBe(1);
  await close();
}, 600_000);
