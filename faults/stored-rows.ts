/** The rows that the invariants use, and invariants of the rows alone. */
import type { Database } from '../src/db/database.ts';

export type Stored = Awaited<ReturnType<typeof readStored>>;

export async function readStored(database: Database) {
  const tables = await database.queries.introspection.getTables();
  // A server that is killed early has no schema yet.
  if (!tables.some(({ name }) => name === 'mails')) return nothing;
  return readRows(database);
}

const nothing: Awaited<ReturnType<typeof readRows>> = {
  apps: [],
  builds: [],
  pages: [],
  updates: [],
  jobs: [],
  actions: [],
  mails: [],
  sessions: 0,
};

async function readRows({ queries }: Database) {
  return {
    apps: await queries
      .selectFrom('apps')
      .select(['id', 'platform', 'package_name', 'last_revision', 'deleted_at'])
      .execute(),
    builds: await queries
      .selectFrom('builds as b')
      .innerJoin('apps as a', 'a.id', 'b.app_id')
      .select([
        'b.id',
        'b.app_id',
        'b.revision',
        'b.sha256',
        'b.size_bytes',
        'b.package_blob',
        'b.simulator_blob',
      ])
      .select(['b.apk_blob', 'b.apk_bytes', 'b.apk_sha256'])
      .select(['b.simulator_bytes', 'b.icon_blob', 'b.icon_state', 'b.deleted_at', 'a.package_name'])
      .select('a.deleted_at as app_deleted_at')
      .orderBy('b.revision')
      .execute(),
    pages: await queries
      .selectFrom('distribution_pages as p')
      .innerJoin('apps as a', 'a.id', 'p.app_id')
      .select([
        'p.id',
        'p.app_id',
        'p.name',
        'p.access_key',
        'p.build_id',
        'p.release_note',
        'a.package_name',
      ])
      .select('a.deleted_at as app_deleted_at')
      .execute(),
    updates: await queries.selectFrom('distribution_updates').select(['page_id', 'build_id']).execute(),
    jobs: (await queries.selectFrom('outbox').selectAll().execute()).map(({ payload, ...row }) => ({
      ...(JSON.parse(payload) as { buildId?: string; appId?: string; deletedAt?: number }),
      ...row,
    })),
    /** In the order of insertion. */
    actions: await queries
      .selectFrom('audit_rows')
      .select(['action', 'subject'])
      .where('action', 'in', ['build.uploaded', 'build.deleted', 'build.restored'])
      .orderBy('id')
      .execute(),
    mails: await queries.selectFrom('mails').select(['build_id', 'user_id', 'state']).execute(),
    sessions: (await queries.selectFrom('sessions').select('id').execute()).length,
  };
}

/** 1, 2, 3 … up to the last: a missing revision must belong to a deleted build. */
export function revisionErrors({ apps, builds, actions }: Stored): string[] {
  const deleted = new Set(
    actions.filter(({ action }) => action === 'build.deleted').map(({ subject }) => subject),
  );
  return apps
    .filter((app) => app.deleted_at === null)
    .flatMap((app) => {
      const own = builds.filter((build) => build.app_id === app.id).map(({ revision }) => revision);
      const faults: string[] = [];
      const name = `${app.package_name} (${app.platform})`;
      if (new Set(own).size < own.length) faults.push(`${name} has a revision twice: ${own.join(', ')}`);
      if (own.some((revision) => revision < 1 || revision > app.last_revision))
        faults.push(`${name} counts to ${app.last_revision} but has ${own.join(', ')}`);
      for (let revision = 1; revision <= app.last_revision; revision++) {
        if (!own.includes(revision) && !deleted.has(`${name} revision ${revision}`))
          faults.push(`${name} has no revision ${revision}, which was never deleted`);
      }
      return faults;
    });
}

/** Pending work has a job in the outbox, and every page serves an existing build. */
export function jobErrors({ apps, builds, jobs, pages }: Stored): string[] {
  const waits = (kind: string, id: string) =>
    jobs.some((job) => job.kind === kind && (job.buildId === id || job.appId === id));
  const faults: string[] = [];
  for (const build of builds) {
    const named = `revision ${build.revision} of ${build.package_name}`;
    if (build.app_deleted_at !== null) continue;
    if (build.deleted_at !== null && !waits('remove-build', build.id))
      faults.push(`${named} is deleted, but no job will remove it`);
    if (build.deleted_at === null && build.icon_state === 'pending' && !waits('draw-icon', build.id))
      faults.push(`${named} has no icon, but no job will create it`);
  }
  for (const app of apps) {
    if (app.deleted_at !== null && !waits('remove-app', app.id))
      faults.push(`the app ${app.id} is deleted, but no job will remove it`);
  }
  for (const page of pages) {
    const build = builds.find(({ id }) => id === page.build_id);
    if (!build || build.app_id !== page.app_id || (build.deleted_at !== null && page.app_deleted_at === null))
      faults.push(`the page ${page.name} of ${page.package_name} serves a build that does not exist`);
  }
  return faults;
}
