import { defineQueries } from '../../db/data.ts';
import type { Queries } from '../../db/database.ts';
import type { Owner } from '../../owners/owner.ts';
import type { ListedPlace } from './key-restriction.ts';

export const keyPlaceQueries = defineQueries(createKeyPlaceQueries);

function createKeyPlaceQueries(db: Queries) {
  return {
    /** Lists the places where keys of the Owner can act: the Owner, a User's Projects, and the apps of all of these. `within`: only these Owners. */
    async listPlaces(
      { id, kind }: Pick<Owner, 'id' | 'kind'>,
      { limit, within }: { limit: number; within: readonly string[] | null },
    ): Promise<ListedPlace[]> {
      const owners = await db
        .selectFrom('owners as o')
        .select(['o.id', 'o.name'])
        .where('o.deleted_at', 'is', null)
        .where(({ or, eb, selectFrom }) =>
          or([
            eb('o.id', '=', id),
            ...(kind === 'user'
              ? [
                  eb(
                    'o.id',
                    'in',
                    selectFrom('team_members as t').select('t.project_id').where('t.user_id', '=', id),
                  ),
                ]
              : []),
          ]),
        )
        .$if(within !== null, (query) => query.where('o.id', 'in', [id, ...(within ?? [])]))
        .orderBy('o.name_key')
        .limit(limit)
        .execute();
      const names = new Map(owners.map((owner) => [owner.id, owner.name]));
      const apps = await db
        .selectFrom('apps as a')
        .select(['a.owner_id', 'a.platform', 'a.package_name', 'a.latest_name'])
        .where('a.owner_id', 'in', [...names.keys()])
        .where('a.deleted_at', 'is', null)
        .orderBy('a.last_upload_at', 'desc')
        .limit(limit)
        .execute();
      return [
        ...owners.map(({ name }) => ({ place: name, owner: name, app: null })),
        ...apps.map(({ owner_id: ownerId, platform, package_name: packageName, latest_name: name }) => {
          const owner = names.get(ownerId) ?? '';
          return {
            place: `${owner}/${platform}/${packageName}`,
            owner,
            app: { platform, packageName, name },
          };
        }),
      ];
    },
  };
}
