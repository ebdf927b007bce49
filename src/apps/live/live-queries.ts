import { hash } from 'node:crypto';
import { sql } from 'kysely';
import { defineQueries } from '../../db/data.ts';
import type { Queries } from '../../db/database.ts';
import type { PageViewer } from '../listed-page.ts';
import { isOpenable } from '../openable-page-queries.ts';

/** What open pages of an app show, reduced to what tells whether it changed. */
export interface AppState {
  /** Revision of the newest build; null without builds. */
  revision: number | null;
  /** Changes when a watched build gets an icon, an APK, a verification result, a label or protection or is deleted, or a page changes. */
  digest: string;
}

/** Builds on one page of an app. */
const watchedBuilds = 25;

export const liveQueries = defineQueries((db: Queries) => ({
  /**
   * Watches the newest builds, and with `revision` as many from that build down, and the pages of which the viewer may know. Reads
   * through `builds_listed` and `distribution_pages_newest` only; called once per second for each topic.
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
