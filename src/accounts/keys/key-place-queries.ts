import { defineQueries } from '../../db/data.ts';
import type { Queries } from '../../db/database.ts';
import type { Owner } from '../../owners/owner.ts';
import type { ListedPlace } from './key-restriction.ts';

export const keyPlaceQueries = defineQueries(createKeyPlaceQueries);

function createKeyPlaceQueries(db: Queries) {
  return {
    /** Lists the places where keys of the Owner can act: the Owner, a User's `projects`, and the apps of all of these. */
    async listPlaces(
      { id }: Pick<Owner, 'id'>,
      { limit, projects }: { limit: number; projects: readonly string[] },
    ): Promise<ListedPlace[]> {
      const owners = await db
        .selectFrom('owners as o')
        .select(['o.id', 'o.name'])
        .where('o.deleted_at', 'is', null)
        .where('o.id', 'in', [id, ...projects])
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
