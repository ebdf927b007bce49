import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { endExpiredKeys } from '../../src/accounts/keys/key-expiry.ts';
import { newHexKey } from '../../src/core/identifier.ts';
import { keyScopes } from '../../src/core/key-scope.ts';
import { createData } from '../../src/db/data.ts';
import type { Database } from '../../src/db/database.ts';
import { migrate } from '../../src/db/migrate.ts';
import { openDatabase } from '../../src/db/open-database.ts';
import { dumpSchema } from '../support/dump-schema.ts';
import { createTestQueries } from '../support/every-query.ts';
import { runsEverything } from '../support/runs-everything.ts';
import { addApp, addUser, sampleBuild } from '../support/sample-rows.ts';
import { createEmptyDatabase, dialects, type TestDatabase } from '../support/test-database.ts';

const names = [
  '0001-first',
  '0002-testers',
  '0003-builds',
  '0004-accounts',
  '0005-quotas',
  '0007-single-sign-on',
  '0008-retention',
  '0009-hooks',
  '0010-administration',
  '0011-growth',
  '0012-stored-totals',
  '0013-proofs',
  '0014-page-names',
  '0015-app-secrets',
  '0016-key-scopes',
  '0017-device-registrations',
  '0018-ownership',
  '0019-damaged-files',
  '0020-replaced-key-secrets',
  '0021-feedback',
  '0022-member-activity',
  '0023-groups',
  '0024-branding',
  '0025-invite-links',
  '0026-languages',
  '0028-build-filters',
  '0029-branding-logos',
  '0030-member-installs',
  '0033-idempotent-requests',
  '0035-device-codes',
  '0036-known-builds',
  '0037-events',
  '0038-required-updates',
  '0039-app-bundles',
  '0040-ended-access',
  '0041-job-turns',
  '0042-claims',
  '0044-removed-people',
  '0045-address-keys',
  '0046-owner-queues',
];

async function undoStoredTotals({ queries, dialect }: Database): Promise<void> {
  const triggers = {
    builds: ['builds_added', 'builds_hidden', 'builds_removed', 'apks_added', 'apks_changed', 'apks_removed'],
    apps: ['apps_added', 'apps_hidden', 'apps_moved', 'apps_removed', 'apks_moved', 'apks_removed_with_app'],
  };
  for (const [table, names] of Object.entries(triggers)) {
    for (const name of names) {
      const on = dialect === 'postgres' ? sql`on ${sql.ref(table)}` : sql``;
      await sql`drop trigger ${sql.ref(name)} ${on}`.execute(queries);
    }
  }
  if (dialect === 'postgres') {
    for (const name of [
      'builds_added',
      'builds_hidden',
      'builds_removed',
      'apps_changed',
      'apks_changed',
      'apks_of_app_changed',
    ]) {
      await sql`drop function ${sql.ref(`slipway_${name}`)}`.execute(queries);
    }
  }
  await sql`drop table stored_totals`.execute(queries);
  for (const index of [
    'apps_listed',
    'audit_rows_owner_action',
    'audit_rows_owner_actor',
    'builds_protected',
  ]) {
    await sql`drop index ${sql.ref(index)}`.execute(queries);
  }
  await sql`create index apps_last_upload on apps (owner_id, last_upload_at, id)`.execute(queries);
  await sql`alter table apps drop column latest_name`.execute(queries);
  await sql`delete from schema_migrations where name = '0012-stored-totals'`.execute(queries);
}

describe.each(dialects)('migrations on %s', (dialect) => {
  let where: TestDatabase;
  let database: Database;
  beforeEach(async () => {
    where = await createEmptyDatabase(dialect);
    database = await openDatabase(where.config);
  });
  afterEach(async () => {
    await database.close();
    await where.remove();
  });

  const appliedNames = async () => {
    const { rows } = await sql<{ name: string; applied_at: number }>`
      select name, applied_at from schema_migrations order by name
    `.execute(database.queries);
    return rows;
  };

  it('create the whole schema, and do nothing the second time', async () => {
    expect(await migrate(database, () => 1234)).toEqual(names);
    expect(await appliedNames()).toEqual(names.map((name) => ({ name, applied_at: 1234 })));
    const before = await dumpSchema(database);
    expect(await migrate(database, () => 5678)).toEqual([]);
    expect(await appliedNames()).toEqual(names.map((name) => ({ name, applied_at: 1234 })));
    expect(await dumpSchema(database)).toBe(before);
  });

  it.runIf(runsEverything)('run once when several processes start together', async () => {
    const others = await Promise.all([1, 2, 3, 4].map(() => openDatabase(where.config)));
    try {
      const applied = await Promise.all(others.map((other) => migrate(other, () => 1)));
      expect(applied.flat()).toEqual(names);
    } finally {
      await Promise.all(others.map((other) => other.close()));
    }
  });

  it('leave nothing behind when one fails half-way', async () => {
    // A table of that name makes creating the last table fail.
    await sql`create table audit_rows (id text)`.execute(database.queries);
    await expect(migrate(database)).rejects.toThrow(/audit_rows/);
    const tables = await database.queries.introspection.getTables();
    expect(tables.map((table) => table.name)).toEqual(['audit_rows']);
    await sql`drop table audit_rows`.execute(database.queries);
    expect(await migrate(database)).toEqual(names);
  });

  it('refuse a database that a newer version has migrated, and change nothing', async () => {
    await migrate(database);
    await sql`insert into schema_migrations (name, applied_at) values ('0999-from-the-future', 1)`.execute(
      database.queries,
    );
    await expect(migrate(database)).rejects.toThrow(
      'the database has migration 0999-from-the-future, which this version of Slipway does not know: start the newer version',
    );
    expect((await appliedNames()).map((row) => row.name)).toEqual([...names, '0999-from-the-future']);
  });

  it('make existing builds searchable', async () => {
    await migrate(database);
    const data = createTestQueries(database);
    const { id: ownerId } = await addUser(data, 'ada');
    const { appId } = await addApp(data, ownerId, { packageName: 'com.before' });
    const facts = { message: 'Übergabe', branch: 'Main', commit: 'ABC', label: null };
    await data.builds.insertBuild(sampleBuild(appId, 2, facts));
    const words = () => database.queries.selectFrom('build_words').selectAll().orderBy('revision').execute();
    const before = await words();
    await sql`drop table build_words`.execute(database.queries);
    for (const index of ['distribution_pages_newest', 'page_counts_day']) {
      await sql`drop index ${sql.ref(index)}`.execute(database.queries);
    }
    await sql`delete from schema_migrations where name = '0011-growth'`.execute(database.queries);
    expect(await migrate(database)).toEqual(['0011-growth']);
    expect(before).toHaveLength(2);
    expect(await words()).toEqual(before);
  });

  it('compute storage totals and app names from existing rows', async () => {
    await migrate(database);
    const data = createTestQueries(database);
    const { id: ownerId } = await addUser(data, 'ada');
    const { appId } = await addApp(data, ownerId, { packageName: 'com.before', count: 3 });
    const simulator = { simulatorBlob: 'simulators/before', simulatorBytes: 9 };
    await data.builds.insertBuild(sampleBuild(appId, 4, simulator));
    const gone = await addApp(data, ownerId, { platform: 'ios' });
    await data.appDeletion.hideApp(gone.appId, 5);
    const before = await data.quotas.usageOf(ownerId);
    const totals = () =>
      database.queries.selectFrom('stored_totals').selectAll().orderBy('platform').execute();
    const lines = await totals();
    await undoStoredTotals(database);
    expect(await migrate(database)).toEqual(['0012-stored-totals']);
    expect(before).toEqual({ bytes: 25_000_000_009, builds: 5, apps: 1 });
    expect(await totals()).toEqual(lines);
    expect(await data.quotas.countWrongTotals()).toBe(0);
    await data.builds.insertBuild(sampleBuild(appId, 5));
    expect(await data.quotas.usageOf(ownerId)).toMatchObject({ builds: 6 });
  });

  it('record no damage and no hash for existing simulator builds', async () => {
    await migrate(database);
    const data = createTestQueries(database);
    const { id: ownerId } = await addUser(data, 'ada');
    const { appId, builds } = await addApp(data, ownerId, { packageName: 'com.before' });
    const simulator = { simulatorBlob: 'simulators/before', simulatorBytes: 9 };
    await data.builds.insertBuild(sampleBuild(appId, 2, simulator));
    await sql`drop index builds_damaged`.execute(database.queries);
    for (const column of ['simulator_sha256', 'damage'])
      await sql`alter table builds drop column ${sql.ref(column)}`.execute(database.queries);
    await sql`delete from schema_migrations where name = '0019-damaged-files'`.execute(database.queries);
    expect(await migrate(database)).toEqual(['0019-damaged-files']);
    const stored = await data.builds.listBuilds(appId, { limit: 10 });
    expect(stored).toHaveLength(builds.length + 1);
    for (const build of stored) expect(build).toMatchObject({ damage: null, simulatorSha256: null });
  });

  it('trim page names and normalize them to NFC, and keep every page', async () => {
    await migrate(database);
    const data = createTestQueries(database);
    const { id: ownerId } = await addUser(data, 'ada');
    const { appId, builds } = await addApp(data, ownerId, { packageName: 'com.before' });
    const other = await addApp(data, ownerId, { packageName: 'com.other' });
    const long = 'n'.repeat(255);
    const insert = async (app: string, buildId: string, name: string, now: number) => {
      const page = { appId: app, name, accessKey: newHexKey(), buildId, releaseNote: '', now };
      return (await data.pageSettings.insertPage(page)).accessKey;
    };
    // Oldest first.
    const names = [
      [' main', 'main'],
      ['gro\u0308\u00dfe', 'gr\u00f6\u00dfe'],
      ['main', 'main (3)'],
      ['main (2)', 'main (2)'],
      ['main ', 'main (4)'],
      ['gr\u00f6\u00dfe', 'gr\u00f6\u00dfe (2)'],
      ['  ', 'Untitled'],
      ['steady', 'steady'],
      [` ${long}`, long],
      [long, `${'n'.repeat(251)} (2)`],
    ] as const;
    const keys: string[] = [];
    for (const [index, [name]] of names.entries())
      keys.push(await insert(appId, builds[0]?.id ?? '', name, index));
    await insert(other.appId, other.builds[0]?.id ?? '', 'main', 100);
    await sql`delete from schema_migrations where name = '0014-page-names'`.execute(database.queries);
    expect(await migrate(database)).toEqual(['0014-page-names']);
    const found = await Promise.all(keys.map((key) => data.distributions.findPage(key)));
    expect(found.map((page) => page?.name)).toEqual(names.map(([, name]) => name));
    const elsewhere = await data.appPages.listPages({ kind: 'manager' }, other.appId, 10);
    expect(elsewhere.map(({ name }) => name)).toEqual(['main']);
  });

  it('compare addresses by A to Z alone, and keep every account reachable by its address', async () => {
    await migrate(database);
    const data = createTestQueries(database);
    const addresses = ['Plain@Example.com', '\u00dcber@example.com', '\u212aim@example.com'];
    for (const [at, email] of addresses.entries()) {
      const { id } = await addUser(data, `user-${at}`, { email });
      const earlier = email.toLowerCase();
      await sql`update users set email_key = ${earlier} where owner_id = ${id}`.execute(database.queries);
    }
    await sql`delete from schema_migrations where name = '0045-address-keys'`.execute(database.queries);
    expect(await migrate(database)).toEqual(['0045-address-keys']);
    for (const email of addresses)
      expect((await data.owners.findUserForSignIn(email))?.user.email).toBe(email);
    expect(await data.owners.findUserForSignIn('kim@example.com')).toBeNull();
  });

  it('keep the secrets of apps whose keys expired before the upgrade', async () => {
    await migrate(database);
    const data = createTestQueries(database);
    const { id: ownerId } = await addUser(data, 'ada');
    const { appId } = await addApp(data, ownerId, { packageName: 'com.before' });
    const keyOf = (keyHash: string, expiresAt: number) =>
      data.keys.insertKey({ ownerId, name: 'ci', keyHash, hint: '', createdAt: 1, expiresAt });
    await keyOf('before', Date.now() - 1);
    const soon = Date.now() + 60_000;
    await keyOf('after', soon);
    for (const statement of [
      ...(await secretTriggers(database)),
      'alter table apps drop column secret_rotations',
      'drop index api_keys_unnoticed',
      'alter table api_keys drop column expiry_noticed_at',
      "delete from schema_migrations where name = '0015-app-secrets'",
    ]) {
      await sql.raw(statement).execute(database.queries);
    }
    expect(await migrate(database)).toEqual(['0015-app-secrets']);
    const before = await data.apps.findAppById(appId);
    expect(before?.secretRotations).toBe(0);
    await endExpiredKeys(createData(database), Date.now());
    expect(await data.apps.findAppById(appId)).toEqual(before);
    await endExpiredKeys(createData(database), soon);
    const after = await data.apps.findAppById(appId);
    expect(after?.secretRotations).toBe(1);
    expect(after?.secret).not.toBe(before?.secret);
    await endExpiredKeys(createData(database), soon + 1);
    expect(await data.apps.findAppById(appId)).toEqual(after);
  });

  it('leave page names unchanged when there are many', async () => {
    await migrate(database);
    const data = createTestQueries(database);
    const { id: ownerId } = await addUser(data, 'ada');
    const { appId, builds } = await addApp(data, ownerId, { packageName: 'com.before' });
    const rows = Array.from({ length: 2500 }, (_, index) => ({
      id: `page-${String(index).padStart(5, '0')}`,
      app_id: appId,
      build_id: builds[0]?.id ?? '',
      access_key: newHexKey(),
      active: 1,
      name: index === 2400 ? ' late ' : `page ${index}`,
      release_note: '',
      created_at: index,
      updated_at: index,
    }));
    for (let at = 0; at < rows.length; at += 500) {
      const some = rows.slice(at, at + 500);
      await database.queries.insertInto('distribution_pages').values(some).execute();
    }
    await sql`delete from schema_migrations where name = '0014-page-names'`.execute(database.queries);
    await migrate(database);
    const found = await database.queries
      .selectFrom('distribution_pages')
      .select('name')
      .orderBy('id')
      .execute();
    expect(found.map(({ name }) => name)).toEqual(rows.map(({ name }) => name.trim()));
  });

  it('give every scope to keys created before scopes existed', async () => {
    await migrate(database);
    const data = createTestQueries(database);
    const { id: ownerId } = await addUser(data, 'ada');
    const key = { ownerId, name: 'ci', keyHash: 'before', hint: 'slw_', createdAt: 1, expiresAt: null };
    await data.keys.insertKey({ ...key, scopes: ['read'] });
    const { queries } = database;
    await sql`drop index api_keys_previous`.execute(queries);
    await sql`drop index api_keys_replaced`.execute(queries);
    await sql
      .raw(`drop trigger secrets_key_replaced${database.dialect === 'postgres' ? ' on api_keys' : ''}`)
      .execute(queries);
    for (const column of [
      ...['scopes', 'restricted_to', 'created_by', 'created_by_name'],
      ...['last_used_network', 'previous_hash', 'previous_until', 'rotated_at'],
    ]) {
      await sql`alter table api_keys drop column ${sql.ref(column)}`.execute(queries);
    }
    await sql`
      delete from schema_migrations where name in ('0016-key-scopes', '0020-replaced-key-secrets')`.execute(
      queries,
    );
    expect(await migrate(database)).toEqual(['0016-key-scopes', '0020-replaced-key-secrets']);
    expect(await data.keys.findKey('before', 2)).toMatchObject({ scopes: keyScopes });
    const [record] = await data.keys.listKeys(ownerId);
    expect(record).toMatchObject({ name: 'ci', restriction: null, createdBy: null, previousUntil: null });
  });

  /** `UPDATE_GOLDEN=1 npx vitest run --project service test/db/migrate.test.ts` updates the file. */
  it('keep registered devices, each bound to the browser whose cookie names it', async () => {
    await migrate(database);
    const data = createTestQueries(database);
    const { queries } = database;
    const ada = await addUser(data, 'ada');
    await sql`drop table devices`.execute(queries);
    await sql`create table devices (
      id text primary key, owner_id text not null references owners (id) on delete cascade, udid text not null,
      name text not null, product text not null, os_version text not null,
      user_id text references users (owner_id) on delete set null,
      page_id text references distribution_pages (id) on delete set null,
      created_at bigint not null, updated_at bigint not null,
      constraint devices_udid unique (owner_id, udid))`.execute(queries);
    await sql`create index devices_user on devices (user_id)`.execute(queries);
    await sql`create index devices_page on devices (page_id)`.execute(queries);
    for (const [id, udid, userId] of [
      ['d1', 'u1', null],
      ['d2', 'u2', ada.id],
    ]) {
      await sql`insert into devices values (${id}, ${ada.id}, ${udid}, 'Phone', 'iPhone14,5', '', ${userId}, null, 1, 2)`.execute(
        queries,
      );
    }
    await sql`delete from schema_migrations where name = '0017-device-registrations'`.execute(queries);
    expect(await migrate(database)).toEqual(['0017-device-registrations']);
    expect(await data.devices.findDeviceOfBrowser('d1', ada.id)).toMatchObject({ udid: 'u1', name: 'Phone' });
    expect(await data.devices.findDeviceOfBrowser('d2', ada.id)).toMatchObject({ userId: ada.id });
  });

  it('count each Project toward its first owner, whose limits replace their copies', async () => {
    await migrate(database);
    const data = createTestQueries(database);
    const { queries } = database;
    const ada = await addUser(data, 'ada');
    const bea = await addUser(data, 'bea');
    await data.quotas.set(ada.id, { maxStorageBytes: 100, maxBuilds: 5, maxProjects: null });
    const made = async (name: string, limits: [number | null, number | null], owners: string[]) => {
      const project = await data.owners.insertProject({
        name,
        description: '',
        workspace: null,
        createdAt: 1,
      });
      const [maxStorageBytes, maxBuilds] = limits;
      await data.quotas.set(project.id, { maxStorageBytes, maxBuilds, maxProjects: null });
      for (const [at, id] of owners.entries()) await data.owners.addTeamMember(project.id, 'owner', id, at);
      return project.id;
    };
    const copied = await made('copied', [100, 5], [ada.id, bea.id]);
    const tighter = await made('tighter', [100, 2], [ada.id]);
    const unlimited = await made('unlimited', [100, null], [bea.id, ada.id]);
    const nobodys = await made('nobodys', [100, null], []);
    await sql`drop index invitations_links_app_id`.execute(queries);
    for (const table of ['invitations', 'owners']) {
      for (const column of {
        invitations: ['user_id', 'workspace_id', 'app_id'],
        owners: ['max_projects', 'accountable_id'],
      }[table] ?? []) {
        await sql`drop index if exists ${sql.ref(`${table}_${column.split('_')[0]}`)}`.execute(queries);
        await sql`alter table ${sql.ref(table)} drop column ${sql.ref(column)}`.execute(queries);
      }
    }
    await sql`delete from schema_migrations where name = '0018-ownership'`.execute(queries);
    expect(await migrate(database)).toEqual(['0018-ownership']);
    const state = async (id: string) => {
      const { maxStorageBytes, maxBuilds } = (await data.quotas.find(id)) ?? {};
      return [(await data.quotas.findAccountableUser(id))?.name ?? null, maxStorageBytes, maxBuilds];
    };
    expect(await state(copied)).toEqual(['ada', null, null]);
    expect(await state(tighter)).toEqual(['ada', null, 2]);
    expect(await state(unlimited)).toEqual(['bea', 100, null]);
    expect(await state(nobodys)).toEqual([null, 100, null]);
    expect(await state(ada.id)).toEqual([null, 100, 5]);
  });

  it('keep the activity of members, and admit one row without a page per member and build', async () => {
    await migrate(database);
    const data = createTestQueries(database);
    const { queries } = database;
    const { id: userId } = await addUser(data, 'ada');
    const { appId, builds } = await addApp(data, userId, { packageName: 'com.before' });
    const buildId = builds[0]?.id ?? '';
    const at = { buildId, releaseNote: '', now: 1 };
    const page = await data.distributions.putPageByName({
      ...at,
      appId,
      name: 'main',
      accessKey: newHexKey(),
    });
    await sql`drop table build_counts`.execute(queries);
    await sql`drop table member_activity`.execute(queries);
    // As migration 0022 created it.
    await sql`create table member_activity (
      id text primary key, app_id text not null references apps (id) on delete cascade,
      build_id text not null references builds (id) on delete cascade,
      page_id text not null references distribution_pages (id) on delete cascade,
      user_id text not null references users (owner_id) on delete cascade,
      system text not null, model text, opens bigint not null, opened_at bigint, installs bigint not null,
      first_installed_at bigint, installed_at bigint, last_at bigint not null,
      constraint member_activity_once unique (build_id, user_id, page_id))`.execute(queries);
    for (const [name, columns] of Object.entries({
      app: 'app_id, last_at, id',
      installs: 'app_id, installed_at, user_id, build_id, first_installed_at',
      build: 'build_id, last_at, id',
      page: 'page_id, last_at, id',
      user: 'user_id, page_id',
      age: 'last_at',
    })) {
      await sql.raw(`create index member_activity_${name} on member_activity (${columns})`).execute(queries);
    }
    await sql`insert into member_activity values
      ('a', ${appId}, ${buildId}, ${page.id}, ${userId}, 'iOS 26', null, 3, 1, 2, 1, 2, 2)`.execute(queries);
    const schema = await dumpSchema(database);
    await sql`delete from schema_migrations where name = '0030-member-installs'`.execute(queries);
    expect(await migrate(database)).toEqual(['0030-member-installs']);
    expect(await dumpSchema(database)).not.toBe(schema);
    const visit = { appId, buildId, userId, kind: 'install', system: 'iOS 26', model: null } as const;
    for (const [id, pageId] of [
      ['b', page.id],
      ['c', null],
      ['d', null],
    ] as const)
      expect(await data.memberActivity.record({ ...visit, id, pageId, at: 9 })).toBe(true);
    const found = await data.memberActivity.list(
      { appId, buildId: null, pageId: null, since: 0 },
      { limit: 9 },
    );
    expect(found.map(({ id, page: on, opens, installs }) => [id, on?.name, opens, installs])).toEqual([
      ['c', undefined, 0, 2],
      ['a', 'main', 3, 3],
    ]);
    const path = fileURLToPath(new URL(`schema.${dialect}.sql`, import.meta.url));
    expect(await dumpSchema(database)).toBe(await readFile(path, 'utf8'));
  });

  it('produce the schema of the golden file', async () => {
    await migrate(database);
    const path = fileURLToPath(new URL(`schema.${dialect}.sql`, import.meta.url));
    const schema = await dumpSchema(database);
    if (process.env.UPDATE_GOLDEN === '1') await writeFile(path, schema);
    expect(schema).toBe(await readFile(path, 'utf8'));
  });
});

/** Statements that drop what migration 0015 added besides columns. */
async function secretTriggers(database: Database): Promise<string[]> {
  if (database.dialect === 'sqlite') {
    const { rows } = await sql<{ name: string }>`
      select name from sqlite_master where type = 'trigger' and name like 'secrets%'`.execute(
      database.queries,
    );
    return rows.map(({ name }) => `drop trigger ${name}`);
  }
  const { rows } = await sql<{ name: string }>`
    select proname as name from pg_proc where proname like 'slipway_secrets%'`.execute(database.queries);
  return rows.map(({ name }) => `drop function ${name} cascade`);
}
