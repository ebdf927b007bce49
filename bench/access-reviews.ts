/** The time and memory in which everyone with access to a large Workspace is exported as CSV, on both databases. */
import { join } from 'node:path';
import { type RawBuilder, sql } from 'kysely';
import { createData } from '../src/db/data.ts';
import { ownerQueries } from '../src/owners/owner-queries.ts';
import { launchPostgres } from '../test/support/launch-servers.ts';
import { atMost, type Result, round } from './measure.ts';
import { openBenchData } from './open-bench-data.ts';
import { signIn } from './open-rights.ts';
import { cpuSecondsOf, memoryOf, startSlipway } from './run-server.ts';
import { type Numbers, numbersOf } from './seed-numbers.ts';

const people = 5_000;
const projects = 10;
/** Memberships of every person. */
const projectsOfPerson = 5;
const groupsOfProject = 50;
const groupsOfPerson = 5;
const appsOfProject = 20;
const pagesOfApp = 3;
const limitSeconds = 2;
const limitMebibytes = 128;
const mebibyte = 1024 * 1024;
const settings = { SLIPWAY_PORT: '18751' };

export async function benchAccessReviews(folder: string): Promise<Result[]> {
  const postgres = await launchPostgres();
  try {
    return [
      ...(await measure('SQLite', { SLIPWAY_DATA_DIR: join(folder, 'reviews-sqlite') })),
      ...(await measure('PostgreSQL', {
        SLIPWAY_DATA_DIR: join(folder, 'reviews-postgres'),
        SLIPWAY_DATABASE_URL: postgres.facts,
      })),
    ];
  } finally {
    await postgres.stop();
  }
}

async function measure(name: string, place: Record<string, string>): Promise<Result[]> {
  const slipway = await startSlipway({ ...settings, ...place });
  const { database, ownerId } = await openBenchData(place);
  try {
    for (const statement of rowsOf(numbersOf(database.dialect), ownerId))
      await statement.execute(database.queries);
    if (database.dialect === 'postgres') await sql`analyze`.execute(database.queries);
    const owner = await ownerQueries(createData(database)).findOwner('person-0');
    if (owner?.kind !== 'user') throw new Error('there is no owner of the Workspace');
    const { headers } = await signIn(createData(database), owner);
    const read = async (path: string) => {
      const before = performance.now();
      const answer = await fetch(slipway.origin + path, { headers });
      if (!answer.ok) throw new Error(`${path} was answered ${answer.status}`);
      let bytes = 0;
      for await (const chunk of answer.body ?? []) bytes += chunk.length;
      return { bytes, seconds: (performance.now() - before) / 1000 };
    };
    await read('/enterprises/harbour/access');
    const before = memoryOf(slipway.pid).nowBytes;
    const cpu = cpuSecondsOf(slipway.pid);
    const first = await read('/enterprises/harbour/access.csv');
    const again = await read('/enterprises/harbour/access.csv');
    const spent = round((cpuSecondsOf(slipway.pid) - cpu) / 2);
    const grown = (memoryOf(slipway.pid).peakBytes - before) / mebibyte;
    const what = `${name}: access of ${people} people as CSV`;
    return [
      atMost(
        what,
        Math.min(first.seconds, again.seconds),
        limitSeconds,
        ' s',
        `${round(first.bytes / mebibyte)} MiB, ${spent} s of processor time`,
      ),
      atMost(`${what}, memory`, grown, limitMebibytes, ' MiB'),
    ];
  } finally {
    await database.close();
    await slipway.stop();
  }
}

function rowsOf({ from, padded, hex }: Numbers, adminId: string): RawBuilder<unknown>[] {
  const n = sql.ref('n');
  const all = from([0, people]);
  const times = (count: number) => sql`(select n as m from ${from([0, count])}) as t`;
  const id = (letter: string, number: RawBuilder<unknown>) => sql`${sql.lit(letter)} || ${padded(number)}`;
  const project = sql`((n + m) % ${sql.lit(projects)})`;
  const group = sql`(((n + m) % ${sql.lit(projects)}) * ${sql.lit(groupsOfProject)} + n % ${sql.lit(groupsOfProject)})`;
  return [
    sql`insert into owners (id, kind, name, name_key, created_at)
      select ${id('u', n)}, 'user', 'person-' || n, 'person-' || n, 0 from ${all}`,
    sql`insert into users (owner_id, email, email_key, administrator)
      select ${id('u', n)}, 'person-' || n || '@example.com', 'person-' || n || '@example.com', 0 from ${all}`,
    sql`insert into workspaces (id, name, name_key, display_name, icon_url, created_at)
      values ('harbour', 'harbour', 'harbour', 'Harbour', '', 0)`,
    sql`insert into workspace_owners (workspace_id, user_id, created_at)
      select 'harbour', ${id('u', n)}, 0 from ${from([0, 1])}`,
    sql`insert into owners (id, kind, name, name_key, created_at)
      select ${id('p', n)}, 'project', 'project-' || n, 'project-' || n, 0 from ${from([0, projects])}`,
    sql`insert into projects (owner_id, description, workspace_id)
      select ${id('p', n)}, '', 'harbour' from ${from([0, projects])}`,
    sql`insert into team_members (project_id, user_id, team, created_at)
      select ${id('p', n)}, ${adminId}, 'owner', 0 from ${from([0, projects])}`,
    sql`insert into team_members (project_id, user_id, team, created_at, added_by)
      select ${id('p', project)}, ${id('u', n)}, 'tester', 0, 'admin' from ${all} cross join ${times(projectsOfPerson)}`,
    sql`insert into "groups" (id, owner_id, name, name_key, created_at)
      select ${id('g', n)}, ${id('p', sql`(n / ${sql.lit(groupsOfProject)})`)}, 'group-' || n, 'group-' || n, 0
      from ${from([0, projects * groupsOfProject])}`,
    sql`insert into group_members (group_id, user_id, created_at, added_by)
      select ${id('g', group)}, ${id('u', n)}, 0, 'admin' from ${all} cross join ${times(groupsOfPerson)}`,
    sql`insert into scim_groups (id, workspace_id, display_name, display_key, version, created_at, updated_at)
      select ${id('s', n)}, 'harbour', 'directory-' || n, 'directory-' || n, 1, 0, 0 from ${from([0, projects])}`,
    sql`insert into group_mappings (id, workspace_id, scim_group_id, project_id, team, created_by, created_at)
      select ${id('m', n)}, 'harbour', ${id('s', n)}, ${id('p', n)}, 'tester', 'admin', 0 from ${from([0, projects])}`,
    sql`insert into granted_memberships (mapping_id, user_id, joined_team, created_at)
      select ${id('m', project)}, ${id('u', n)}, 0, 0 from ${all} cross join ${times(projectsOfPerson)}`,
    sql`insert into apps (id, owner_id, platform, package_name, secret, last_revision, created_at, last_upload_at)
      select ${id('a', n)}, ${id('p', sql`(n / ${sql.lit(appsOfProject)})`)}, 'android', 'com.example.app' || n, '', 1, 0, 0
      from ${from([0, projects * appsOfProject])}`,
    sql`insert into builds (id, app_id, revision, name, version_code, info, size_bytes, md5, sha256, package_blob, icon_state,
        message, upload_warnings, uploaded_by, created_at)
      select ${id('b', n)}, ${id('a', n)}, 1, 'App', '1', '{}', 1, '', '', ${id('b', n)}, 'none', '', '[]', 'admin', 0
      from ${from([0, projects * appsOfProject])}`,
    sql`insert into distribution_pages (id, app_id, access_key, name, active, build_id, release_note, created_at, updated_at, access)
      select ${id('d', sql`(n * ${sql.lit(pagesOfApp)} + m)`)}, ${id('a', n)}, ${hex(sql`(n * ${sql.lit(pagesOfApp)} + m)`)},
        'page-' || m, 1, ${id('b', n)}, '', 0, 0, case when m = 0 then 'members' else 'groups' end
      from ${from([0, projects * appsOfProject])} cross join ${times(pagesOfApp)}`,
    sql`insert into page_groups (page_id, group_id)
      select ${id('d', sql`(n * ${sql.lit(pagesOfApp)} + 1 + m % 2)`)},
        ${id('g', sql`(n / ${sql.lit(appsOfProject)} * ${sql.lit(groupsOfProject)} + m)`)}
      from ${from([0, projects * appsOfProject])} cross join ${times(groupsOfProject)}`,
  ];
}
