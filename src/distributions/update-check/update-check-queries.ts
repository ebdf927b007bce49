import { defineQueries } from '../../db/data.ts';
import type { Queries } from '../../db/database.ts';
import type { PackageInfo } from '../../packages/package-info.ts';
import type { RunningBuild } from './update-check.ts';

/** The running build, as identified by the app. */
export interface RunningVersion {
  sha256?: string | undefined;
  revision?: number | undefined;
  versionCode?: string | undefined;
  versionName?: string | undefined;
}

export const updateCheckQueries = defineQueries(createUpdateCheckQueries);

function createUpdateCheckQueries(db: Queries) {
  return {
    /**
     * Finds the running build by its hash, otherwise by its revision, otherwise as the newest with its version. Includes deleted
     * builds, because phones still have them.
     */
    async findRunning(appId: string, pageId: string, version: RunningVersion): Promise<RunningBuild | null> {
      const { sha256, revision, versionCode, versionName } = version;
      const found = db
        .selectFrom('builds as b')
        .select(['b.revision', 'b.info', 'b.deleted_at'])
        .select((select) =>
          select
            .exists(
              select
                .selectFrom('distribution_updates as d')
                .select('d.id')
                .whereRef('d.build_id', '=', 'b.id')
                .where('d.page_id', '=', pageId)
                .where('d.withdrawn', '=', 1),
            )
            .as('withdrawn'),
        )
        .where('b.app_id', '=', appId);
      const row = await (sha256 !== undefined
        ? found.where('b.sha256', '=', sha256)
        : revision !== undefined
          ? found.where('b.revision', '=', revision)
          : found
              .where('b.version_code', '=', versionCode ?? '')
              .$if(versionName !== undefined, (query) =>
                query.where('b.version_name', '=', versionName ?? ''),
              )
      )
        .orderBy('b.revision', 'desc')
        .limit(1)
        .executeTakeFirst();
      if (!row) return null;
      const info = JSON.parse(row.info) as PackageInfo;
      return {
        revision: row.revision,
        versionCode: info.versionCode,
        signature: info.signature,
        withdrawn: Boolean(row.withdrawn) || row.deleted_at !== null,
      };
    },
  };
}
