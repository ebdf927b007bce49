import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';
import { nameContains, type PartByName, readPartByName } from '../db/name-order-queries.ts';
import { nameKey } from '../owners/owner.ts';
import type { Quota } from '../owners/quota.ts';
import type { Platform } from '../packages/package-info.ts';
import type { StoredPart } from './administration-storage.ts';

/** A User or a Project with its quota. */
export interface OwnerWithQuota {
  id: string;
  kind: 'user' | 'project';
  name: string;
  quota: Quota;
}

export function createStoredQueries(db: Queries) {
  const owners = () =>
    db
      .selectFrom('owners as o')
      .select(['o.id', 'o.kind', 'o.name', 'o.max_storage_bytes', 'o.max_builds', 'o.max_projects'])
      .where('o.deleted_at', 'is', null);

  return {
    /** Returns one row per Owner and platform with stored builds. */
    async countStoredByOwner(): Promise<StoredPart[]> {
      const rows = await db
        .selectFrom('stored_totals as s')
        .innerJoin('owners as o', 'o.id', 's.owner_id')
        .leftJoin('projects as p', 'p.owner_id', 'o.id')
        .select(['o.id', 'o.kind', 'o.name', 'p.workspace_id', 's.platform', 's.apps', 's.builds', 's.bytes'])
        .where('s.builds', '>', 0)
        .execute();
      return rows.map((row) => ({
        ownerId: row.id,
        ownerKind: row.kind,
        ownerName: row.name,
        workspaceId: row.workspace_id,
        platform: row.platform as Platform,
        apps: row.apps,
        builds: row.builds,
        bytes: row.bytes,
      }));
    },

    /** Lists owners by name, after `after` or before `before`, if their name contains every word. */
    async listOwners(
      filter: { kind: 'user' | 'project'; words: readonly string[] },
      part: PartByName,
    ): Promise<OwnerWithQuota[]> {
      let query = owners().where('o.kind', '=', filter.kind);
      for (const word of filter.words) query = query.where(nameContains(word));
      return (await readPartByName(query, 'o.name_key', part)).map(toOwnerWithQuota);
    },

    /** Returns them in any order. */
    async ownersWithQuota(ids: readonly string[]): Promise<OwnerWithQuota[]> {
      if (ids.length === 0) return [];
      return (await owners().where('o.id', 'in', ids).execute()).map(toOwnerWithQuota);
    },

    /** Lists all Workspaces by name; there are few. */
    async listWorkspaces(
      words: readonly string[],
      part: PartByName,
    ): Promise<{ id: string; name: string; displayName: string }[]> {
      let query = db
        .selectFrom('workspaces')
        .select(['id', 'name', 'display_name'])
        .where('deleted_at', 'is', null);
      for (const word of words) query = query.where(sql<boolean>`name_key like ${holding(word)} escape '\\'`);
      const rows = await readPartByName(query, 'name_key', part);
      return rows.map(({ id, name, display_name: displayName }) => ({ id, name, displayName }));
    },
  };
}

const holding = (word: string) => `%${nameKey(word).replace(/[\\%_]/g, '\\$&')}%`;

function toOwnerWithQuota(row: {
  id: string;
  kind: 'user' | 'project';
  name: string;
  max_storage_bytes: number | null;
  max_builds: number | null;
  max_projects: number | null;
}): OwnerWithQuota {
  const quota = {
    maxStorageBytes: row.max_storage_bytes,
    maxBuilds: row.max_builds,
    maxProjects: row.max_projects,
  };
  return { id: row.id, kind: row.kind, name: row.name, quota };
}
