import { hash } from 'node:crypto';
import { sql } from 'kysely';
import { defineQueries } from '../../db/data.ts';
import type { Queries } from '../../db/database.ts';

/** What open pages of an app show, reduced to what tells whether it changed. */
export interface AppState {
  /** Of the newest build; null without builds. */
  revision: number | null;
  /** Changes when one of the newest builds gets an icon, a verification result, a label or protection, or a page changes. */
  digest: string;
}

/** Builds on the first page of an app. */
const watchedBuilds = 25;

export const liveQueries = defineQueries((db: Queries) => ({
  /** Reads through `builds_listed` and `distribution_pages_newest` only; called once per second for each watched app. */
  async appState(appId: string): Promise<AppState> {
    const builds = await db
      .selectFrom('builds')
      .select([
        'revision',
        'icon_state',
        'protected',
        'label',
        sql<number>`case when verification is null then 0 else 1 end`.as('verified'),
        sql<number>`case when damage is null then 0 else 1 end`.as('damaged'),
      ])
      .where('app_id', '=', appId)
      .where('deleted_at', 'is', null)
      .orderBy('revision', 'desc')
      .limit(watchedBuilds)
      .execute();
    const page = await db
      .selectFrom('distribution_pages')
      .select(['id', 'updated_at'])
      .where('app_id', '=', appId)
      .orderBy('updated_at', 'desc')
      .orderBy('id', 'desc')
      .limit(1)
      .executeTakeFirst();
    return {
      revision: builds[0]?.revision ?? null,
      digest: hash('sha256', JSON.stringify([builds, page ?? null]), 'base64url').slice(0, 16),
    };
  },
}));
