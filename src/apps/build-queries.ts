import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';
import type { Tables } from '../db/tables.ts';
import type { SignatureVerification } from '../packages/package-info.ts';
import type { Build, IconState } from './app.ts';

const searchedColumns = ['version_name', 'version_code', 'message', 'branch', 'commit_id', 'label'] as const;

export type BuildQueries = ReturnType<typeof createBuildQueries>;

export function createBuildQueries(db: Queries) {
  return {
    async insertBuild(build: Build): Promise<void> {
      await db.insertInto('builds').values(toBuildRow(build)).execute();
    },

    async findBuild(id: string): Promise<Build | null> {
      const row = await db.selectFrom('builds').selectAll().where('id', '=', id).executeTakeFirst();
      return row ? toBuild(row) : null;
    },

    async findBuildByRevision(appId: string, revision: number): Promise<Build | null> {
      const row = await db
        .selectFrom('builds')
        .selectAll()
        .where('app_id', '=', appId)
        .where('revision', '=', revision)
        .executeTakeFirst();
      return row ? toBuild(row) : null;
    },

    /**
     * Newest first: those below a revision, or those nearest above one. A query looks into version, message, branch,
     * commit and label, whatever the case.
     */
    async listBuilds(
      appId: string,
      page: { below?: number; above?: number; most: number; query?: string },
    ): Promise<Build[]> {
      const pattern = page.query ? `%${page.query.toLowerCase().replace(/[\\%_]/g, '\\$&')}%` : null;
      const rows = await db
        .selectFrom('builds')
        .selectAll()
        .where('app_id', '=', appId)
        .$if(page.below !== undefined, (query) => query.where('revision', '<', page.below ?? 0))
        .$if(page.above !== undefined, (query) => query.where('revision', '>', page.above ?? 0))
        .$if(pattern !== null, (query) =>
          query.where((where) =>
            where.or(
              searchedColumns.map(
                (column) => sql<boolean>`lower(${sql.ref(column)}) like ${pattern} escape '\\'`,
              ),
            ),
          ),
        )
        .orderBy('revision', page.above === undefined ? 'desc' : 'asc')
        .limit(page.most)
        .execute();
      const builds = rows.map(toBuild);
      return page.above === undefined ? builds : builds.reverse();
    },

    /** Settles what was pending; answers false when somebody else settled it first, or the build is gone. */
    async settleIcon(buildId: string, icon: IconState): Promise<boolean> {
      const row = await db
        .updateTable('builds')
        .set({ icon_state: icon.state, icon_blob: icon.state === 'drawn' ? icon.blob : null })
        .where('id', '=', buildId)
        .where('icon_state', '=', 'pending')
        .returning('id')
        .executeTakeFirst();
      return row !== undefined;
    },

    /** How much there is: for the administrator, and for tests that look whether a refusal left something behind. */
    async countRows(): Promise<{ apps: number; builds: number; pages: number }> {
      const count = async (table: 'apps' | 'builds' | 'distribution_pages') => {
        const row = await db
          .selectFrom(table)
          .select((select) => select.fn.countAll<number>().as('count'))
          .executeTakeFirstOrThrow();
        return Number(row.count);
      };
      return {
        apps: await count('apps'),
        builds: await count('builds'),
        pages: await count('distribution_pages'),
      };
    },

    async setVerification(buildId: string, verification: SignatureVerification): Promise<void> {
      await db
        .updateTable('builds')
        .set({ verification: JSON.stringify(verification) })
        .where('id', '=', buildId)
        .execute();
    },

    /** Those of `keys` that a build names. */
    async namedBlobs<Key extends string>(keys: readonly Key[]): Promise<Set<Key>> {
      if (keys.length === 0) return new Set();
      const rows = await db
        .selectFrom('builds')
        .select(['package_blob', 'simulator_blob', 'icon_blob'])
        .where((where) =>
          where.or([
            where('package_blob', 'in', keys),
            where('simulator_blob', 'in', keys),
            where('icon_blob', 'in', keys),
          ]),
        )
        .execute();
      const named = new Set<string | null>(
        rows.flatMap((row) => [row.package_blob, row.simulator_blob, row.icon_blob]),
      );
      return new Set(keys.filter((key) => named.has(key)));
    },
  };
}

function toBuildRow(build: Build): Tables['builds'] {
  return {
    id: build.id,
    app_id: build.appId,
    revision: build.revision,
    name: build.info.name,
    version_name: build.info.versionName,
    version_code: build.info.versionCode,
    info: JSON.stringify(build.info),
    size_bytes: build.sizeBytes,
    md5: build.md5,
    sha256: build.sha256,
    package_blob: build.packageBlob,
    simulator_blob: build.simulatorBlob,
    simulator_bytes: build.simulatorBytes,
    icon_state: build.icon.state,
    icon_blob: build.icon.state === 'drawn' ? build.icon.blob : null,
    verification: build.verification === null ? null : JSON.stringify(build.verification),
    message: build.message,
    branch: build.branch,
    commit_id: build.commit,
    build_url: build.buildUrl,
    label: build.label,
    upload_warnings: JSON.stringify(build.uploadWarnings),
    uploaded_by: build.uploadedBy,
    created_at: build.createdAt,
  };
}

/** The Build that a row holds. */
export function toBuild(row: Tables['builds']): Build {
  return {
    id: row.id,
    appId: row.app_id,
    revision: row.revision,
    info: JSON.parse(row.info),
    sizeBytes: row.size_bytes,
    md5: row.md5,
    sha256: row.sha256,
    packageBlob: row.package_blob,
    simulatorBlob: row.simulator_blob,
    simulatorBytes: row.simulator_bytes,
    icon: toIconState(row.icon_state, row.icon_blob),
    verification: row.verification === null ? null : JSON.parse(row.verification),
    message: row.message,
    branch: row.branch,
    commit: row.commit_id,
    buildUrl: row.build_url,
    label: row.label,
    uploadWarnings: JSON.parse(row.upload_warnings),
    uploadedBy: row.uploaded_by,
    createdAt: row.created_at,
  };
}

function toIconState(state: string, blob: string | null): IconState {
  if (state === 'drawn' && blob !== null) return { state: 'drawn', blob };
  return state === 'none' ? { state: 'none' } : { state: 'pending' };
}
