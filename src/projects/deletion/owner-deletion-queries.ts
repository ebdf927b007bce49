import { sql } from 'kysely';
import { defineQueries } from '../../db/data.ts';
import type { Database, Queries } from '../../db/database.ts';
import type { DeletedWebhook } from '../../events/events.ts';
import { readChoice, subscribes } from '../../events/subscription.ts';
import type { Team } from '../../owners/owner.ts';
import { emailKey } from '../../owners/owner.ts';
import { invitedKey } from '../../owners/team-queries.ts';
import type { Platform } from '../../packages/package-info.ts';
import type { OwnerContents } from './owner-contents.ts';

export const ownerDeletionQueries = defineQueries(createOwnerDeletionQueries);

function createOwnerDeletionQueries(db: Queries, database: Pick<Database, 'dialect'>) {
  const locksRows = database.dialect === 'postgres';
  const counted = (rows: { count: number }) => Number(rows.count);
  const countDevices = async (ownerId: string, ofUser: boolean): Promise<number> =>
    counted(
      await db
        .selectFrom('devices')
        .select((select) => select.fn.countAll<number>().as('count'))
        .where('owner_id', ofUser ? '!=' : '=', ownerId)
        .$if(ofUser, (query) => query.where('user_id', '=', ownerId))
        .executeTakeFirstOrThrow(),
    );

  return {
    /** Locks the User until the transaction ends: nobody can add them to a team or make them an owner. */
    async lockUser(userId: string): Promise<void> {
      if (!locksRows) return;
      await db.selectFrom('users').select('owner_id').where('owner_id', '=', userId).forUpdate().execute();
    },

    /** Counts contents that are not part of the storage usage. */
    async contentsOf(
      ownerId: string,
      kind: 'user' | 'project',
    ): Promise<Omit<OwnerContents, 'apps' | 'builds' | 'bytes'>> {
      const pages = await db
        .selectFrom('distribution_pages')
        .select((select) => select.fn.countAll<number>().as('count'))
        .where('app_id', 'in', (inner) =>
          inner
            .selectFrom('apps')
            .select('id')
            .where('owner_id', '=', ownerId)
            .where('deleted_at', 'is', null),
        )
        .executeTakeFirstOrThrow();
      const keys = await db
        .selectFrom('api_keys')
        .select((select) => select.fn.countAll<number>().as('count'))
        .where('owner_id', '=', ownerId)
        .where('revoked_at', 'is', null)
        .executeTakeFirstOrThrow();
      const isProject = kind === 'project';
      const members = await db
        .selectFrom('team_members')
        .select((select) =>
          select.fn
            .count<number>(isProject ? 'user_id' : 'project_id')
            .distinct()
            .as('count'),
        )
        .where(isProject ? 'project_id' : 'user_id', '=', ownerId)
        .executeTakeFirstOrThrow();
      // A person may also have registered a device through other owners' pages.
      const elsewhere = isProject ? 0 : await countDevices(ownerId, true);
      return {
        pages: counted(pages),
        devices: (await countDevices(ownerId, false)) + elsewhere,
        keys: counted(keys),
        memberships: counted(members),
      };
    },

    /**
     * Returns the ids of active administrators. Locks them until the transaction ends, so that two of them can't remove
     * each other.
     */
    async lockAdministrators(): Promise<string[]> {
      const rows = await db
        .selectFrom('users')
        .select(['owner_id', 'disabled_at'])
        .where('administrator', '=', sql.lit(1))
        .orderBy('owner_id')
        .$if(locksRows, (query) => query.forUpdate())
        .execute();
      return rows.filter((row) => row.disabled_at === null).map((row) => row.owner_id);
    },

    /** Lists the Projects in which the User is a member of any team, or of `team`, in a fixed order. */
    async projectsOf(userId: string, team?: Team): Promise<{ id: string; name: string }[]> {
      return db
        .selectFrom('team_members as t')
        .innerJoin('owners as o', 'o.id', 't.project_id')
        .select(['o.id', 'o.name'])
        .distinct()
        .where('t.user_id', '=', userId)
        .$if(team !== undefined, (query) => query.where('t.team', '=', team ?? ''))
        .orderBy('o.id')
        .execute();
    },

    /**
     * Lists active webhooks, by id, of the Owner and its Apps that subscribe to the deletion. `next`: where the list continues;
     * null at its end.
     */
    async listSubscribedWebhooks(
      ownerId: string,
      page: { after: string; limit: number },
    ): Promise<{ webhooks: DeletedWebhook[]; next: string | null }> {
      const rows = await db
        .selectFrom('hooks as h')
        .leftJoin('apps as a', (join) => join.onRef('a.id', '=', 'h.app_id').on('a.deleted_at', 'is', null))
        .select(['h.id', 'h.kind', 'h.sealed_address', 'h.sealed_secret', 'h.old_secret_until', 'h.events'])
        .select(['a.platform', 'a.package_name', 'a.latest_name'])
        .where('h.owner_id', '=', ownerId)
        .where('h.state', '=', 'on')
        .where('h.id', '>', page.after)
        .orderBy('h.id')
        .limit(page.limit)
        .execute();
      const subscribed = rows.filter((row) => subscribes(readChoice(row.events), 'owner.deleted'));
      const webhooks = subscribed.map((row) => {
        const { platform, package_name: packageName, latest_name: name } = row;
        return {
          id: row.id,
          kind: row.kind,
          sealedAddress: row.sealed_address,
          sealedSecret: row.sealed_secret,
          oldSecretUntil: row.old_secret_until,
          app:
            platform === null || packageName === null
              ? null
              : { platform: platform as Platform, packageName, name: name ?? packageName },
        };
      });
      return { webhooks, next: rows.length < page.limit ? null : (rows.at(-1)?.id ?? null) };
    },

    /** Marks the Owner's Apps and all their contents as deleted. Returns their ids. */
    async hideApps(ownerId: string, now: number): Promise<string[]> {
      const rows = await db
        .updateTable('apps')
        .set({ deleted_at: now, package_name: sql<string>`'deleted ' || id` })
        .where('owner_id', '=', ownerId)
        .where('deleted_at', 'is', null)
        .returning('id')
        .execute();
      return rows.map((row) => row.id);
    },

    /**
     * Deletes everything except the name: keys, trusted publishers, devices, webhooks, events, teams and invitations; for a User also sessions, mail
     * and everything else of the account. The name stays reserved, so that old links never lead to a different owner.
     */
    async remove(owner: { id: string; kind: 'user' | 'project'; email: string | null }, now: number) {
      await db.deleteFrom('api_keys').where('owner_id', '=', owner.id).execute();
      await db.deleteFrom('trusted_publishers').where('owner_id', '=', owner.id).execute();
      await db.deleteFrom('idempotency_keys').where('owner_id', '=', owner.id).execute();
      await db.deleteFrom('devices').where('owner_id', '=', owner.id).execute();
      await db.deleteFrom('hooks').where('owner_id', '=', owner.id).execute();
      await db.deleteFrom('events').where('owner_id', '=', owner.id).execute();
      if (owner.kind === 'project') {
        await db.deleteFrom('projects').where('owner_id', '=', owner.id).execute();
      } else {
        await db.deleteFrom('devices').where('user_id', '=', owner.id).execute();
        if (owner.email !== null) {
          await db
            .deleteFrom('invitations')
            .where(invitedKey(database), '=', emailKey(owner.email))
            .execute();
        }
        await db.deleteFrom('device_codes').where('user_id', '=', owner.id).execute();
        await db.deleteFrom('users').where('owner_id', '=', owner.id).execute();
      }
      await db
        .updateTable('owners')
        .set({
          deleted_at: now,
          max_storage_bytes: null,
          max_builds: null,
          max_projects: null,
          retention: null,
        })
        .where('id', '=', owner.id)
        .execute();
    },
  };
}
