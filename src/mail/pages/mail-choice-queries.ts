import { type ExpressionBuilder, sql } from 'kysely';
import type { App } from '../../apps/app.ts';
import { defineQueries } from '../../db/data.ts';
import type { Queries } from '../../db/database.ts';
import type { Tables } from '../../db/tables.ts';
import { isInGroupOfPage } from '../../owners/group-queries.ts';
import { uploadingTeams } from '../../owners/permissions.ts';
import type { Platform } from '../../packages/package-info.ts';
import { type MailChoice, type MailChoicePosition, mailedByDefault } from '../mail.ts';

export interface Recipient {
  userId: string;
  address: string;
}

/** The first `limit` rows, the rows after `after`, or the rows directly before `before`. */
export interface MailChoicePage {
  limit: number;
  after?: MailChoicePosition | undefined;
  before?: MailChoicePosition | undefined;
  /** Limits the result to these apps. */
  appIds?: readonly string[];
  /** IDs of Projects to leave out. */
  exceptProjects?: ReadonlySet<string> | undefined;
}

/** Whether the person of the row of `users as u` manages the app: its owning User, or a team that may upload. */
const manages = (where: ExpressionBuilder<Tables & { u: Tables['users'] }, 'u'>, app: Pick<App, 'owner'>) =>
  where.or([
    where('u.owner_id', '=', app.owner.id),
    where('u.owner_id', 'in', (inner) =>
      inner
        .selectFrom('team_members')
        .select('user_id')
        .where('project_id', '=', app.owner.id)
        .where('team', 'in', uploadingTeams),
    ),
  ]);

export const mailChoiceQueries = defineQueries(createMailChoiceQueries);

function createMailChoiceQueries(db: Queries) {
  return {
    /**
     * Lists people, by ID, who have an address and want email about the app: the teams of its Project, or its owning User and the
     * people with access. `after`: ID to continue after. `only`: a single person. `groupsOf`: a page; only lists people who
     * manage the app or are in a group that this page admits. `manage`: false leaves out people who manage the app.
     */
    async listRecipients(
      app: Pick<App, 'id' | 'owner' | 'platform'>,
      page: { after?: string; only?: string; groupsOf?: string | null; manage?: false; limit: number },
    ): Promise<Recipient[]> {
      const byDefault = mailedByDefault[app.platform];
      const rows = await db
        .selectFrom('users as u')
        .leftJoin('mail_choices as c', (join) =>
          join.onRef('c.user_id', '=', 'u.owner_id').on('c.app_id', '=', app.id),
        )
        .select(['u.owner_id', 'u.email'])
        .where('u.owner_id', 'in', (inner) =>
          app.owner.kind === 'project'
            ? inner.selectFrom('team_members').select('user_id').where('project_id', '=', app.owner.id)
            : inner
                .selectFrom('app_testers')
                .select('user_id')
                .where('app_id', '=', app.id)
                .union((also) =>
                  also.selectFrom('owners').select('id as user_id').where('id', '=', app.owner.id),
                ),
        )
        .where('u.email', 'is not', null)
        .where('u.disabled_at', 'is', null)
        .where((where) =>
          byDefault
            ? where.or([where('c.wanted', 'is', null), where('c.wanted', '=', 1)])
            : where('c.wanted', '=', 1),
        )
        .$if(page.groupsOf != null, (query) =>
          query.where((where) =>
            where.or([isInGroupOfPage(sql.val(page.groupsOf), sql.ref('u.owner_id')), manages(where, app)]),
          ),
        )
        .$if(page.manage === false, (query) => query.where((where) => where.not(manages(where, app))))
        .$if(page.after !== undefined, (query) => query.where('u.owner_id', '>', page.after ?? ''))
        .$if(page.only !== undefined, (query) => query.where('u.owner_id', '=', page.only ?? ''))
        .orderBy('u.owner_id')
        .limit(page.limit)
        .execute();
      return rows.map((row) => ({ userId: row.owner_id, address: row.email ?? '' }));
    },

    /** Lists apps that the person has access to, iOS first, then by package name. */
    async listChoices(userId: string, page: MailChoicePage): Promise<MailChoice[]> {
      const { after, before, appIds } = page;
      const backwards = before !== undefined;
      let query = db
        .selectFrom('apps as a')
        .innerJoin('owners as o', 'o.id', 'a.owner_id')
        .leftJoin('mail_choices as c', (join) =>
          join.onRef('c.app_id', '=', 'a.id').on('c.user_id', '=', userId),
        )
        .select(['a.id', 'a.platform', 'a.package_name', 'a.latest_name as app_name'])
        .select(['o.name as owner_name', 'c.wanted'])
        .where('a.deleted_at', 'is', null)
        .where('a.id', 'in', (inner) =>
          inner
            .selectFrom('apps')
            .select('id')
            .where('owner_id', '=', userId)
            .union((also) =>
              also
                .selectFrom('team_members as t')
                .innerJoin('apps as p', 'p.owner_id', 't.project_id')
                .select('p.id')
                .where('t.user_id', '=', userId),
            )
            .union((also) =>
              also
                .selectFrom('app_testers as g')
                .innerJoin('apps as p', 'p.id', 'g.app_id')
                .innerJoin('owners as w', 'w.id', 'p.owner_id')
                .select('p.id')
                .where('g.user_id', '=', userId)
                // In a Project, only the teams decide.
                .where('w.kind', '=', 'user'),
            ),
        )
        .orderBy('a.platform', backwards ? 'asc' : 'desc')
        .orderBy('a.package_name', backwards ? 'desc' : 'asc')
        .orderBy('a.id', backwards ? 'desc' : 'asc')
        .limit(page.limit);
      const except = [...(page.exceptProjects ?? [])];
      if (except.length > 0) query = query.where('a.owner_id', 'not in', except);
      if (appIds !== undefined) query = query.where('a.id', 'in', [...appIds, '']);
      if (after !== undefined) query = query.where(isBehind(after));
      if (before !== undefined) query = query.where(isBefore(before));
      const rows = await query.execute();
      const choices = rows.map((row): MailChoice => {
        const platform = row.platform as Platform;
        return {
          appId: row.id,
          platform,
          packageName: row.package_name,
          ownerName: row.owner_name,
          appName: row.app_name,
          wanted: row.wanted === null ? mailedByDefault[platform] : row.wanted === 1,
        };
      });
      return backwards ? choices.reverse() : choices;
    },

    /** Null if the person has not chosen, or does not exist. */
    async findChoice(userId: string, appId: string): Promise<boolean | null> {
      const row = await db
        .selectFrom('mail_choices')
        .select('wanted')
        .where('user_id', '=', userId)
        .where('app_id', '=', appId)
        .executeTakeFirst();
      return row ? row.wanted === 1 : null;
    },

    /** `unwanted`: those of these apps that the person turned off. */
    async listUnwanted(userId: string, appIds: readonly string[]): Promise<ReadonlySet<string>> {
      const rows = await db
        .selectFrom('mail_choices')
        .select('app_id')
        .where('user_id', '=', userId)
        .where('app_id', 'in', [...appIds, ''])
        .where('wanted', '=', 0)
        .execute();
      return new Set(rows.map(({ app_id }) => app_id));
    },

    /** For all apps that the Owner has now. */
    async setChoicesOfOwner(userId: string, ownerId: string, wanted: boolean, now: number): Promise<void> {
      const flag = wanted ? 1 : 0;
      await db
        .insertInto('mail_choices')
        .columns(['user_id', 'app_id', 'wanted', 'updated_at'])
        .expression((select) =>
          select
            .selectFrom('apps')
            .select((one) => [
              one.val(userId).as('user_id'),
              'id',
              one.val(flag).as('wanted'),
              one.val(now).as('updated_at'),
            ])
            .where('owner_id', '=', ownerId)
            .where('deleted_at', 'is', null),
        )
        .onConflict((conflict) =>
          conflict.columns(['user_id', 'app_id']).doUpdateSet({ wanted: flag, updated_at: now }),
        )
        .execute();
    },

    async setChoice(userId: string, appId: string, wanted: boolean, now: number): Promise<void> {
      const flag = wanted ? 1 : 0;
      await db
        .insertInto('mail_choices')
        .values({ user_id: userId, app_id: appId, wanted: flag, updated_at: now })
        .onConflict((conflict) =>
          conflict.columns(['user_id', 'app_id']).doUpdateSet({ wanted: flag, updated_at: now }),
        )
        .execute();
    },
  };
}

/** Descending platform order puts iOS first. */
const isBehind = ({ platform, packageName, appId }: MailChoicePosition) =>
  sql<boolean>`(a.platform < ${platform}
    or (a.platform = ${platform} and (a.package_name, a.id) > (${packageName}, ${appId})))`;
const isBefore = ({ platform, packageName, appId }: MailChoicePosition) =>
  sql<boolean>`(a.platform > ${platform}
    or (a.platform = ${platform} and (a.package_name, a.id) < (${packageName}, ${appId})))`;
