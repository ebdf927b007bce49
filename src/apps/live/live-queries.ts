import { hash } from 'node:crypto';
import { sql } from 'kysely';
import { defineQueries } from '../../db/data.ts';
import type { Queries } from '../../db/database.ts';
import type { PageViewer } from '../listed-page.ts';
import { isOpenable } from '../openable-page-queries.ts';

/** The state of an app's open pages, reduced to what is needed to detect changes. */
export interface AppState {
  /** Revision of the newest build; null without builds. */
  revision: number | null;
  /** Changes when a page changes, or a watched build is deleted, relabeled, protected, or gets an icon, an APK or a verification result. */
  digest: string;
}

/** As many as one page of an app lists. */
const watchedBuilds = 25;

export const liveQueries = defineQueries((db: Queries) => ({
  /**
   * Watches the newest builds, with `revision` also as many from that build down, and the pages that the viewer may see. Reads
   * only the indexes `builds_listed` and `distribution_pages_newest`, because it is called once per second for each topic.
   */
  async appState(viewer: PageViewer, appId: string, revision: number | null): Promise<AppState> {
    const newest = await watched(db, appId, null);
    const older = revision === null ? [] : await watched(db, appId, revision);
    const page = await db
      .selectFrom('distribution_pages as p')
      .select(['p.id', 'p.updated_at'])
      .where('p.app_id', '=', appId)
      .where(isOpenable(viewer))
      .orderBy('p.updated_at', 'desc')
      .orderBy('p.id', 'desc')
      .limit(1)
      .executeTakeFirst();
    return {
      revision: newest[0]?.revision ?? null,
      digest: hash('sha256', JSON.stringify([newest, older, page ?? null]), 'base64url').slice(0, 16),
    };
  },
}));

const watched = (db: Queries, appId: string, from: number | null) =>
  db
    .selectFrom('builds')
    .select([
      'revision',
      'icon_state',
      'protected',
      'label',
      'apk_state',
      'apk_percent',
      sql<number>`case when verification is null then 0 else 1 end`.as('verified'),
      sql<number>`case when damage is null then 0 else 1 end`.as('damaged'),
    ])
    .where('app_id', '=', appId)
    .where('deleted_at', 'is', null)
    .$if(from !== null, (query) => query.where('revision', '<=', from ?? 0))
    .orderBy('revision', 'desc')
    .limit(watchedBuilds)
    .execute();
