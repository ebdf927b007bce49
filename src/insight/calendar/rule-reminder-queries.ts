import type { OwnerName } from '../../apps/app.ts';
import { defineQueries } from '../../db/data.ts';
import type { Queries } from '../../db/database.ts';
import { uploadingTeams } from '../../owners/permissions.ts';

export const ruleReminderQueries = defineQueries(createRuleReminderQueries);

export interface Reminded {
  appId: string;
  ruleId: string;
}

export interface ReminderRecipient {
  userId: string;
  name: string;
  address: string;
}

function createRuleReminderQueries(db: Queries) {
  const checkedApps = () =>
    db.selectFrom('apps').where('deleted_at', 'is', null).where('checks', 'is not', null);
  return {
    /** Whether an app has check settings. */
    async hasCheckedApps(): Promise<boolean> {
      return (await checkedApps().select('id').limit(1).executeTakeFirst()) !== undefined;
    },

    /** The Owners of apps with check settings, by id. */
    async listOwners(after: string, limit: number): Promise<string[]> {
      const rows = await checkedApps()
        .select('owner_id')
        .distinct()
        .where('owner_id', '>', after)
        .orderBy('owner_id')
        .limit(limit)
        .execute();
      return rows.map(({ owner_id }) => owner_id);
    },

    /** Returns whether nobody was reminded since `since`, the day of the reminder: a rule that was postponed has another day. */
    async record(
      { appId, ruleId, days }: Reminded & { days: number },
      since: number,
      now: number,
    ): Promise<boolean> {
      const row = await db
        .insertInto('store_rule_reminders')
        .values({ app_id: appId, rule_id: ruleId, days, created_at: now })
        .onConflict((conflict) =>
          conflict
            .columns(['app_id', 'rule_id', 'days'])
            .doUpdateSet({ created_at: now })
            .where('store_rule_reminders.created_at', '<', since),
        )
        .returning('app_id')
        .executeTakeFirst();
      return row !== undefined;
    },

    /** What an Owner was reminded of at `at`. */
    async listRecorded(ownerId: string, at: number): Promise<Reminded[]> {
      const rows = await db
        .selectFrom('store_rule_reminders as r')
        .innerJoin('apps as a', 'a.id', 'r.app_id')
        .select(['r.app_id', 'r.rule_id'])
        .where('a.owner_id', '=', ownerId)
        .where('r.created_at', '=', at)
        .execute();
      return rows.map((row) => ({ appId: row.app_id, ruleId: row.rule_id }));
    },

    async forgetRule(ruleId: string): Promise<void> {
      await db.deleteFrom('store_rule_reminders').where('rule_id', '=', ruleId).execute();
    },

    /** People with an address who manage all apps of the Owner. `only`: a single person. */
    async listRecipients({ id, kind }: OwnerName, only?: string): Promise<ReminderRecipient[]> {
      const rows = await db
        .selectFrom('users as u')
        .innerJoin('owners as o', 'o.id', 'u.owner_id')
        .select(['u.owner_id', 'o.name', 'u.email'])
        .where('u.owner_id', 'in', (inner) =>
          kind === 'user'
            ? inner.selectFrom('owners').select('id').where('id', '=', id)
            : inner
                .selectFrom('team_members')
                .select('user_id')
                .where('project_id', '=', id)
                .where('team', 'in', uploadingTeams),
        )
        .where('u.email', 'is not', null)
        .where('u.disabled_at', 'is', null)
        .$if(only !== undefined, (query) => query.where('u.owner_id', '=', only ?? ''))
        .orderBy('u.owner_id')
        .execute();
      return rows.map((row) => ({ userId: row.owner_id, name: row.name, address: row.email ?? '' }));
    },
  };
}
