import { newIdentifier } from '../core/identifier.ts';
import { defineQueries } from '../db/data.ts';
import type { Queries } from '../db/database.ts';
import type { Tables } from '../db/tables.ts';
import type { Mail, MailAbout, MailListItem, MailState } from './mail.ts';

export interface MailDraft {
  buildId: string;
  pageId: string | null;
  userId: string;
  address: string;
  state: MailState;
  about: MailAbout;
}

export const mailQueries = defineQueries(createMailQueries);

function createMailQueries(db: Queries) {
  /** Updates the email only if it is in one of the states `from`, so that only one of two nodes succeeds. */
  const change = async (
    id: string,
    from: readonly MailState[],
    to: { state: MailState; lastError: string | null; now: number },
  ): Promise<boolean> => {
    const row = await db
      .updateTable('mails')
      .set({ state: to.state, last_error: to.lastError, updated_at: to.now })
      .where('id', '=', id)
      .where('state', 'in', from)
      .returning('id')
      .executeTakeFirst();
    return row !== undefined;
  };

  const listed = () =>
    db
      .selectFrom('mails as m')
      .innerJoin('owners as o', 'o.id', 'm.user_id')
      .selectAll('m')
      .select('o.name as user_name');

  return {
    /** Inserts missing emails, one per build and person, and returns their IDs. */
    async insertMails(drafts: readonly MailDraft[], now: number): Promise<string[]> {
      if (drafts.length === 0) return [];
      const rows = await db
        .insertInto('mails')
        .values(
          drafts.map((draft) => ({
            id: newIdentifier(now),
            user_id: draft.userId,
            build_id: draft.buildId,
            page_id: draft.pageId,
            address: draft.address,
            state: draft.state,
            about: JSON.stringify(draft.about),
            attempts: 0,
            last_error: null,
            created_at: now,
            updated_at: now,
          })),
        )
        .onConflict((conflict) => conflict.columns(['build_id', 'user_id']).doNothing())
        .returning('id')
        .execute();
      return rows.map(({ id }) => id);
    },

    async findMail(id: string): Promise<Mail | null> {
      const row = await db.selectFrom('mails').selectAll().where('id', '=', id).executeTakeFirst();
      return row ? toMail(row) : null;
    },

    async findListedMail(id: string): Promise<MailListItem | null> {
      const row = await listed().where('m.id', '=', id).executeTakeFirst();
      return row ? toListItem(row) : null;
    },

    /** Claims a waiting email in one statement. Null if it is not waiting, or another node was faster. */
    async takeMail(id: string, now: number): Promise<Mail | null> {
      const row = await db
        .updateTable('mails')
        .set((set) => ({ state: 'sending', attempts: set('attempts', '+', 1), updated_at: now }))
        .where('id', '=', id)
        .where('state', '=', 'waiting')
        .returningAll()
        .executeTakeFirst();
      return row ? toMail(row) : null;
    },

    changeMail: change,

    /** Resets a failed email for retries. Returns false if it has not failed. */
    async reviveMail(id: string, now: number): Promise<boolean> {
      const row = await db
        .updateTable('mails')
        .set({ state: 'waiting', attempts: 0, last_error: null, updated_at: now })
        .where('id', '=', id)
        .where('state', '=', 'dead')
        .returning('id')
        .executeTakeFirst();
      return row !== undefined;
    },

    /** Newest first: the emails below an ID, or the ones directly above it. */
    async listMails(page: {
      state: MailState | null;
      below?: string | undefined;
      above?: string | undefined;
      limit: number;
    }): Promise<MailListItem[]> {
      const { state, below, above } = page;
      const rows = await listed()
        .$if(state !== null, (query) => query.where('m.state', '=', state ?? ''))
        .$if(below !== undefined, (query) => query.where('m.id', '<', below ?? ''))
        .where('m.id', '>', above ?? '')
        .orderBy('m.id', above === undefined ? 'desc' : 'asc')
        .limit(page.limit)
        .execute();
      const lines = rows.map(toListItem);
      return above === undefined ? lines : lines.reverse();
    },

    /** Number of emails in a state, counted up to `limit`. */
    async countMails(state: MailState, limit: number): Promise<number> {
      const row = await db
        .selectFrom((inner) =>
          inner.selectFrom('mails as m').select('m.id').where('m.state', '=', state).limit(limit).as('some'),
        )
        .select((select) => select.fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow();
      return Number(row.count);
    },

    /** IDs start with a timestamp. */
    async deleteOldMails(createdBefore: number): Promise<void> {
      await db.deleteFrom('mails').where('id', '<', newIdentifier(createdBefore).slice(0, 10)).execute();
    },

    /** Returns the release note of the build on the page; null if there is none. */
    async findReleaseNote(pageId: string, buildId: string): Promise<string | null> {
      const row = await db
        .selectFrom('distribution_updates')
        .select('release_note')
        .where('page_id', '=', pageId)
        .where('build_id', '=', buildId)
        .orderBy('id', 'desc')
        .limit(1)
        .executeTakeFirst();
      return row?.release_note ?? null;
    },
  };
}

function toMail(row: Tables['mails']): Mail {
  return {
    id: row.id,
    userId: row.user_id,
    buildId: row.build_id,
    pageId: row.page_id,
    address: row.address,
    state: row.state as MailState,
    attempts: row.attempts,
    lastError: row.last_error,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

const toListItem = (row: Tables['mails'] & { user_name: string }): MailListItem => ({
  mail: toMail(row),
  userName: row.user_name,
  about: JSON.parse(row.about) as MailAbout,
});
