import type { Selectable } from 'kysely';
import type { App } from '../apps/app.ts';
import { newIdentifier } from '../core/identifier.ts';
import { defineQueries } from '../db/data.ts';
import type { Database, Queries } from '../db/database.ts';
import type { Tables } from '../db/tables.ts';
import { uploadingTeams } from '../owners/permissions.ts';
import {
  type Feedback,
  type FeedbackFilter,
  type FeedbackReply,
  type FeedbackStatus,
  feedbackStatuses,
  type ListedFeedback,
  replyStates,
  type Screenshot,
} from './feedback.ts';

export const feedbackQueries = defineQueries(createFeedbackQueries);

/** Maximum number of builds to choose from in the filter. */
const maxBuildChoices = 50;

function createFeedbackQueries(db: Queries, database: Pick<Database, 'dialect'>) {
  // SQLite transactions are exclusive already.
  const locksRows = database.dialect === 'postgres';

  const select = () =>
    db
      .selectFrom('feedback as f')
      .innerJoin('builds as b', 'b.id', 'f.build_id')
      .select([
        ...(['f.id', 'f.app_id', 'f.build_id', 'f.page_id', 'f.page_name', 'f.body', 'f.email'] as const),
        ...(['f.sender', 'f.device', 'f.state', 'f.created_at'] as const),
        ...(['b.revision', 'b.version_name', 'b.version_code'] as const),
      ])
      .select((one) =>
        one
          .selectFrom('feedback_screenshots as s')
          .select((count) => count.fn.countAll<number>().as('count'))
          .whereRef('s.feedback_id', '=', 'f.id')
          .as('screenshots'),
      );

  return {
    async find(id: string): Promise<ListedFeedback | null> {
      const row = await select().where('f.id', '=', id).executeTakeFirst();
      return row ? toFeedback(row) : null;
    },

    /** Newest first. `below`, `above`: ids to list the entries directly after or before. */
    async list(
      appId: string,
      filter: FeedbackFilter,
      { limit, below, above }: { limit: number; below?: string | undefined; above?: string | undefined },
    ): Promise<ListedFeedback[]> {
      const { status, revision } = filter;
      const rows = await select()
        .where('f.app_id', '=', appId)
        .$if(status !== null, (query) => query.where('f.state', '=', status ?? ''))
        .$if(revision !== null, (query) =>
          query.where('f.build_id', '=', (inner) =>
            inner
              .selectFrom('builds as n')
              .select('n.id')
              .where('n.app_id', '=', appId)
              .where('n.revision', '=', revision ?? 0),
          ),
        )
        .$if(below !== undefined, (query) => query.where('f.id', '<', below ?? ''))
        .$if(above !== undefined, (query) => query.where('f.id', '>', above ?? ''))
        .orderBy('f.id', above === undefined ? 'desc' : 'asc')
        .limit(limit)
        .execute();
      const found = rows.map(toFeedback);
      return above === undefined ? found : found.reverse();
    },

    /** Counts feedback by status. */
    async count(appId: string): Promise<Record<FeedbackStatus, number>> {
      const rows = await db
        .selectFrom('feedback')
        .select('state')
        .select((one) => one.fn.countAll<number>().as('count'))
        .where('app_id', '=', appId)
        .groupBy('state')
        .execute();
      const counts = { new: 0, 'in-progress': 0, closed: 0 };
      for (const row of rows) counts[toStatus(row.state)] += Number(row.count);
      return counts;
    },

    /** Lists builds that have feedback, newest first. */
    async listBuilds(appId: string): Promise<number[]> {
      const rows = await db
        .selectFrom('builds as b')
        .select('b.revision')
        .where('b.app_id', '=', appId)
        .where('b.id', 'in', (inner) =>
          inner.selectFrom('feedback as f').select('f.build_id').where('f.app_id', '=', appId),
        )
        .orderBy('b.revision', 'desc')
        .limit(maxBuildChoices)
        .execute();
      return rows.map(({ revision }) => revision);
    },

    /** Locks the App until the transaction ends, so that parallel feedback is counted. Returns false if it is deleted. */
    async lockApp(appId: string): Promise<boolean> {
      const row = await db
        .selectFrom('apps')
        .select('id')
        .where('id', '=', appId)
        .where('deleted_at', 'is', null)
        .$if(locksRows, (query) => query.forNoKeyUpdate())
        .executeTakeFirst();
      return row !== undefined;
    },

    async usage(appId: string): Promise<{ count: number; screenshotBytes: number }> {
      const feedback = await db
        .selectFrom('feedback')
        .select((one) => one.fn.countAll<number>().as('count'))
        .where('app_id', '=', appId)
        .executeTakeFirstOrThrow();
      const screenshots = await db
        .selectFrom('feedback as f')
        .innerJoin('feedback_screenshots as s', 's.feedback_id', 'f.id')
        .select((one) => one.fn.sum<number | null>('s.size_bytes').as('bytes'))
        .where('f.app_id', '=', appId)
        .executeTakeFirstOrThrow();
      return { count: Number(feedback.count), screenshotBytes: Number(screenshots.bytes ?? 0) };
    },

    async screenshotBytesOf(ownerIds: readonly string[]): Promise<number> {
      const row = await db
        .selectFrom('feedback as f')
        .innerJoin('apps as a', 'a.id', 'f.app_id')
        .innerJoin('feedback_screenshots as s', 's.feedback_id', 'f.id')
        .select((one) => one.fn.sum<number | null>('s.size_bytes').as('bytes'))
        .where('a.owner_id', 'in', ownerIds)
        .executeTakeFirstOrThrow();
      return Number(row.bytes ?? 0);
    },

    async insert(
      { text, status, pageId, pageName, appId, buildId, createdAt, ...feedback }: Feedback,
      screenshots: readonly (Screenshot & { sha256: string })[],
    ): Promise<void> {
      await db
        .insertInto('feedback')
        .values({
          ...feedback,
          app_id: appId,
          build_id: buildId,
          page_id: pageId,
          page_name: pageName,
          body: text,
          state: status,
          created_at: createdAt,
          updated_at: createdAt,
        })
        .execute();
      if (screenshots.length === 0) return;
      await db
        .insertInto('feedback_screenshots')
        .values(
          screenshots.map(({ number, blob, sizeBytes, sha256 }) => ({
            feedback_id: feedback.id,
            number,
            blob,
            size_bytes: sizeBytes,
            sha256,
          })),
        )
        .execute();
    },

    async listScreenshots(feedbackId: string): Promise<Screenshot[]> {
      return db
        .selectFrom('feedback_screenshots')
        .select(['number', 'blob', 'size_bytes as sizeBytes'])
        .where('feedback_id', '=', feedbackId)
        .orderBy('number')
        .execute();
    },

    async setStatus(id: string, status: FeedbackStatus, now: number): Promise<boolean> {
      const row = await db
        .updateTable('feedback')
        .set({ state: status, updated_at: now })
        .where('id', '=', id)
        .returning('id')
        .executeTakeFirst();
      return row !== undefined;
    },

    /** Returns the keys of its blobs, or null if it was deleted in the meantime. */
    async remove(id: string): Promise<string[] | null> {
      const screenshots = await db
        .deleteFrom('feedback_screenshots')
        .where('feedback_id', '=', id)
        .returning('blob')
        .execute();
      const row = await db.deleteFrom('feedback').where('id', '=', id).returning('id').executeTakeFirst();
      return row ? screenshots.map(({ blob }) => blob) : null;
    },

    async insertReply(reply: {
      feedbackId: string;
      author: string;
      text: string;
      now: number;
    }): Promise<string> {
      const id = newIdentifier(reply.now);
      await db
        .insertInto('feedback_replies')
        .values({
          id,
          feedback_id: reply.feedbackId,
          author: reply.author,
          body: reply.text,
          state: 'waiting',
          created_at: reply.now,
        })
        .execute();
      return id;
    },

    async findReply(id: string): Promise<FeedbackReply | null> {
      const row = await db.selectFrom('feedback_replies').selectAll().where('id', '=', id).executeTakeFirst();
      return row ? toReply(row) : null;
    },

    /**
     * Lists people, by ID, who manage the app, have an address, and have not turned off emails about it. `after`: ID to continue
     * after. `only`: a single person.
     */
    async listRecipients(
      app: Pick<App, 'id' | 'owner'>,
      page: { after?: string; only?: string; limit: number },
    ): Promise<{ userId: string; name: string; address: string }[]> {
      const rows = await db
        .selectFrom('users as u')
        .innerJoin('owners as o', 'o.id', 'u.owner_id')
        .leftJoin('mail_choices as c', (join) =>
          join.onRef('c.user_id', '=', 'u.owner_id').on('c.app_id', '=', app.id),
        )
        .select(['u.owner_id', 'o.name', 'u.email'])
        .$if(app.owner.kind === 'project', (query) =>
          query.where('u.owner_id', 'in', (inner) =>
            inner
              .selectFrom('team_members')
              .select('user_id')
              .where('project_id', '=', app.owner.id)
              .where('team', 'in', uploadingTeams),
          ),
        )
        .$if(app.owner.kind === 'user', (query) => query.where('u.owner_id', '=', app.owner.id))
        .where('u.email', 'is not', null)
        .where('u.disabled_at', 'is', null)
        .where((where) => where.or([where('c.wanted', 'is', null), where('c.wanted', '=', 1)]))
        .$if(page.after !== undefined, (query) => query.where('u.owner_id', '>', page.after ?? ''))
        .$if(page.only !== undefined, (query) => query.where('u.owner_id', '=', page.only ?? ''))
        .orderBy('u.owner_id')
        .limit(page.limit)
        .execute();
      return rows.map((row) => ({ userId: row.owner_id, name: row.name, address: row.email ?? '' }));
    },

    /** Oldest first. */
    async listReplies(feedbackId: string): Promise<FeedbackReply[]> {
      const rows = await db
        .selectFrom('feedback_replies')
        .selectAll()
        .where('feedback_id', '=', feedbackId)
        .orderBy('id')
        .execute();
      return rows.map(toReply);
    },

    /** Returns false if the reply is no longer in the state `from`. */
    async changeReply(
      id: string,
      from: FeedbackReply['state'],
      to: FeedbackReply['state'],
    ): Promise<boolean> {
      const row = await db
        .updateTable('feedback_replies')
        .set({ state: to })
        .where('id', '=', id)
        .where('state', '=', from)
        .returning('id')
        .executeTakeFirst();
      return row !== undefined;
    },
  };
}

/** Keeps feedback with an unknown status, from a newer version, visible in filters. */
const toStatus = (text: string) => feedbackStatuses.find((status) => status === text) ?? 'in-progress';

function toFeedback(
  row: Omit<Selectable<Tables['feedback']>, 'updated_at'> & {
    revision: number;
    version_name: string | null;
    version_code: string;
    screenshots: number | null;
  },
): ListedFeedback {
  return {
    id: row.id,
    appId: row.app_id,
    buildId: row.build_id,
    pageId: row.page_id,
    pageName: row.page_name,
    text: row.body,
    email: row.email,
    sender: row.sender,
    device: row.device,
    status: toStatus(row.state),
    createdAt: row.created_at,
    revision: row.revision,
    versionName: row.version_name,
    versionCode: row.version_code,
    screenshots: Number(row.screenshots ?? 0),
  };
}

function toReply(row: {
  id: string;
  feedback_id: string;
  author: string;
  body: string;
  state: string;
  created_at: number;
}): FeedbackReply {
  return {
    id: row.id,
    feedbackId: row.feedback_id,
    author: row.author,
    text: row.body,
    state: replyStates.find((state) => state === row.state) ?? 'uncertain',
    createdAt: row.created_at,
  };
}
