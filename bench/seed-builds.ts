/**
 * Seeds a database with SQL as if it had been used for years, without uploads. A tenth of the builds are in one App
 * of the administrator, the others in Apps of ninety builds each; every tenth of these Apps is the administrator’s
 * too, and groups of a hundred share a Project. A tenth of the builds have a page with the name of their branch, all
 * builds of the large App were on its page `main`, and each build has an audit entry.
 */
import { type RawBuilder, sql } from 'kysely';
import { hashApiKey } from '../src/accounts/keys/api-key.ts';
import { identifierTime } from '../src/core/identifier.ts';
import type { Database } from '../src/db/database.ts';
import { type Numbers, numbersOf } from './seed-numbers.ts';

const rowsPerBatch = 50_000;
/** Each person is a member of every tenth Project. */
const circles = 10;
export const beganAt = Date.UTC(2026, 0, 1);
const betweenBuildsMs = 15_000;
export const prefix = identifierTime(beganAt);

/** API key of `person-0`, who sees a tenth of the Projects. */
export const personKey = 'slw_key-of-a-person-of-the-benchmark';

export const seededPlaces = {
  bigApp: 'com.example.big',
  bigAppId: `${prefix}big`,
  mainPageId: `${prefix}main`,
  /** Key of the large App’s page `main`. */
  mainKey: '5'.repeat(40),
};

/** How many of each there are. */
export interface SeedShape {
  buildsOfApp: number;
  appsOfProject: number;
  buildsOfPerson: number;
}

/** Many builds per app and person. */
const longHistory: SeedShape = { buildsOfApp: 90, appsOfProject: 100, buildsOfPerson: 2000 };

export interface Seeding {
  /** Grows to `count` builds in total. */
  growTo(count: number): Promise<void>;
}

export async function createSeeding(
  database: Database,
  adminId: string,
  shape: SeedShape = longHistory,
): Promise<Seeding> {
  const { buildsOfApp, appsOfProject, buildsOfPerson } = shape;
  const db = database.queries;
  const numbers = numbersOf(database.dialect);
  const run = (statement: RawBuilder<unknown>) => statement.execute(db);
  let [builds, apps, projects, people] = [0, 0, 0, 0];
  await run(sql`
    insert into apps (id, owner_id, platform, package_name, secret, last_revision, created_at, last_upload_at)
    values (${`${prefix}big`}, ${adminId}, 'android', ${seededPlaces.bigApp}, '', 0, ${beganAt}, ${beganAt})`);

  const growSome = async (until: number) => {
    const others = until - Math.ceil(until / 10);
    const [newApps, newProjects, newPeople] = [
      Math.ceil(others / buildsOfApp),
      Math.ceil(others / buildsOfApp / appsOfProject),
      Math.max(1, Math.floor(until / buildsOfPerson)),
    ];
    for (const statement of peopleOf(numbers, [people, newPeople])) await run(statement);
    for (const statement of projectsOf(numbers, [projects, newProjects], newPeople, adminId))
      await run(statement);
    for (const statement of appsOf(numbers, [apps, newApps], adminId, shape)) await run(statement);
    for (const statement of buildsOf(numbers, [builds, until], shape)) await run(statement);
    await run(lastUploads(Math.max(0, apps - 1)));
    [builds, apps, projects, people] = [until, newApps, newProjects, newPeople];
  };
  return {
    growTo: async (count) => {
      while (builds < count) await growSome(Math.min(builds + rowsPerBatch, count));
      // The database does this automatically at some later time.
      if (database.dialect === 'postgres') await run(sql`analyze`);
    },
  };
}

export type Range = readonly [from: number, until: number];
export const id = (numbers: Numbers, letter: string, number: RawBuilder<unknown>) =>
  sql`${sql.lit(prefix + letter)} || ${numbers.padded(number)}`;
const n = sql.ref('n');

function peopleOf(numbers: Numbers, range: Range): RawBuilder<unknown>[] {
  if (range[0] === range[1]) return [];
  const personId = id(numbers, 'u', n);
  const insertKey = sql`
    insert into api_keys (id, owner_id, name, key_hash, hint, scopes, created_at)
    values ('person', ${sql.lit(prefix)} || 'u' || ${numbers.padded(sql`0`)}, 'bench', ${hashApiKey(personKey)}, '', 'upload read manage admin', 0)`;
  return [
    sql`insert into owners (id, kind, name, name_key, created_at)
      select ${personId}, 'user', 'person-' || n, 'person-' || n, ${sql.lit(beganAt)} from ${numbers.from(range)}`,
    sql`insert into users (owner_id, email, email_key, administrator)
      select ${personId}, 'person-' || n || '@example.com', 'person-' || n || '@example.com', 0
      from ${numbers.from(range)}`,
    ...(range[0] === 0 ? [insertKey] : []),
    // For the existing Projects.
    sql`insert into team_members (project_id, user_id, team, created_at)
      select p.owner_id, ${personId}, 'developer', 0 from ${numbers.from(range)}
      join projects as p on p.description = 'circle ' || (n % ${sql.lit(circles)})`,
  ];
}

function projectsOf(numbers: Numbers, range: Range, people: number, adminId: string): RawBuilder<unknown>[] {
  if (range[0] === range[1]) return [];
  const projectId = id(numbers, 'p', n);
  return [
    sql`insert into owners (id, kind, name, name_key, created_at)
      select ${projectId}, 'project', 'project-' || n, 'project-' || n, ${sql.lit(beganAt)} from ${numbers.from(range)}`,
    sql`insert into projects (owner_id, description)
      select ${projectId}, 'circle ' || (n % ${sql.lit(circles)}) from ${numbers.from(range)}`,
    sql`insert into team_members (project_id, user_id, team, created_at)
      select ${projectId}, ${adminId}, 'owner', 0 from ${numbers.from(range)}`,
    sql`insert into team_members (project_id, user_id, team, created_at)
      select ${projectId}, o.id, 'developer', 0 from ${numbers.from(range)}
      join (select m as place, ${id(numbers, 'u', sql.ref('m'))} as id
        from (select n as m from ${numbers.from([0, people])}) as k) as o
      on o.place % ${sql.lit(circles)} = n % ${sql.lit(circles)}`,
  ];
}

function appsOf(
  numbers: Numbers,
  range: Range,
  adminId: string,
  { appsOfProject }: SeedShape,
): RawBuilder<unknown>[] {
  if (range[0] === range[1]) return [];
  const project = id(numbers, 'p', sql`(n / ${sql.lit(appsOfProject)})`);
  return [
    sql`insert into apps (id, owner_id, platform, package_name, secret, last_revision, created_at, last_upload_at)
      select ${id(numbers, 'a', n)}, case when n % 10 = 0 then ${adminId} else ${project} end,
        case when n % 3 = 0 then 'ios' else 'android' end, 'com.example.app' || n, '', 0,
        ${sql.lit(beganAt)}, ${sql.lit(beganAt)}
      from ${numbers.from(range)}`,
  ];
}

/** Number, App and revision of each build of the range. */
function places(numbers: Numbers, range: Range, { buildsOfApp }: SeedShape): RawBuilder<unknown> {
  const other = sql`(n - n / 10 - 1)`;
  return sql`(select n,
    case when n % 10 = 0 then ${sql.lit(`${prefix}big`)}
      else ${id(numbers, 'a', sql`(${other} / ${sql.lit(buildsOfApp)})`)} end as app_id,
    case when n % 10 = 0 then n / 10 + 1 else ${other} % ${sql.lit(buildsOfApp)} + 1 end as revision,
    ${sql.lit(beganAt)} + n * ${sql.lit(betweenBuildsMs)} as at
    from ${numbers.from(range)}) as b`;
}

function buildsOf(numbers: Numbers, range: Range, shape: SeedShape): RawBuilder<unknown>[] {
  const from = places(numbers, range, shape);
  const buildId = id(numbers, 'b', n);
  const mainPage = sql.lit(`${prefix}main`);
  const statements = [
    sql`insert into builds (id, app_id, revision, name, version_name, version_code, info, size_bytes, md5, sha256,
        package_blob, icon_state, message, branch, commit_id, upload_warnings, uploaded_by, created_at)
      select ${buildId}, app_id, revision, 'Example', '1.' || revision, revision,
        ${sql.lit(infoHead)} || revision || '","versionName":"1.' || revision || ${sql.lit(infoTail)},
        50000000, '', '', 'packages/' || ${buildId}, 'none', 'Change ' || n || ' by a person of the team',
        'branch-' || (revision % 50), ${numbers.hex(n)}, '[]', 'admin', at
      from ${from}`,
    sql`insert into build_words (app_id, revision, words)
      select app_id, revision, '1.' || revision || ' ' || revision || ' change ' || n
        || ' by a person of the team branch-' || (revision % 50) || ' ' || ${numbers.hex(n)} from ${from}`,
    sql`insert into distribution_pages (id, app_id, access_key, name, active, build_id, release_note, created_at, updated_at)
      select ${id(numbers, 'd', n)}, app_id, ${numbers.hex(n)}, 'branch-' || revision, 1, ${buildId}, 'What is new.', at, at
      from ${from} where revision % 10 = 0`,
    sql`insert into distribution_updates (id, page_id, build_id, release_note, created_at)
      select ${id(numbers, 'h', n)}, ${id(numbers, 'd', n)}, ${buildId}, 'What is new.', at
      from ${from} where revision % 10 = 0`,
    sql`insert into distribution_updates (id, page_id, build_id, release_note, created_at)
      select ${id(numbers, 'm', n)}, ${mainPage}, ${buildId}, 'What is new.', at from ${from} where n % 10 = 0`,
    sql`insert into audit_rows (id, at, actor_kind, actor_name, action, owner_id, subject, details)
      select ${buildId}, at, 'user', 'admin', 'build.uploaded', a.owner_id,
        a.package_name || ' (' || a.platform || ') revision ' || revision, '{}'
      from ${from} join apps as a on a.id = b.app_id`,
  ];
  if (range[0] > 0) return statements;
  const firstPage = sql`
    insert into distribution_pages (id, app_id, access_key, name, active, build_id, release_note, created_at, updated_at)
    select ${mainPage}, ${sql.lit(`${prefix}big`)}, ${sql.lit(seededPlaces.mainKey)}, 'main', 1, id, 'What is new.', 1, 1
    from builds where app_id = ${sql.lit(`${prefix}big`)} and revision = 1`;
  return [...statements.slice(0, 2), firstPage, ...statements.slice(2)];
}

/** For the Apps that received builds. */
function lastUploads(firstApp: number): RawBuilder<unknown> {
  const newest = (column: string) => sql`coalesce((select ${sql.ref(column)} from builds
    where app_id = apps.id order by revision desc limit 1), ${sql.ref(column === 'revision' ? 'last_revision' : 'last_upload_at')})`;
  return sql`update apps set last_revision = ${newest('revision')}, last_upload_at = ${newest('created_at')}
    where id >= ${`${prefix}a`} || ${String(firstApp).padStart(15, '0')} or id = ${`${prefix}big`}`;
}

const info = JSON.stringify({
  platform: 'android',
  packageName: 'com.example',
  name: 'Example',
  labels: { '': 'Example' },
  sdkVersion: '24',
  rawSdkVersion: '24',
  targetSdkVersion: 36,
  signature: null,
  signing: { schemes: [], certificates: [], lineage: [], sourceStamp: false },
  icon: null,
  android: null,
  ios: null,
  warnings: [],
});
const infoHead = '{"versionCode":"';
const infoTail = `",${info.slice(1)}`;
