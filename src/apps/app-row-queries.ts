import type { Queries } from '../db/database.ts';
import type { Platform } from '../packages/package-info.ts';
import type { App } from './app.ts';

/** Selects the columns that `toApp` reads. Aliases: `a` for apps, `o` for owners. Deleted apps have another package name. */
export const selectStoredApps = (db: Queries) =>
  db
    .selectFrom('apps as a')
    .innerJoin('owners as o', 'o.id', 'a.owner_id')
    .select([
      'a.id',
      'a.platform',
      'a.package_name',
      'a.latest_name',
      'a.secret',
      'a.secret_rotations',
      'a.last_revision',
      'a.created_at',
      'a.last_upload_at',
      'a.trusted_publishers_only',
      'o.id as owner_id',
      'o.kind as owner_kind',
      'o.name as owner_name',
    ])
    .select((one) =>
      one.selectFrom('projects').select('workspace_id').whereRef('owner_id', '=', 'o.id').as('workspace_id'),
    );

/** The same, of apps that are not deleted. */
export const selectApps = (db: Queries) => selectStoredApps(db).where('a.deleted_at', 'is', null);

interface AppRow {
  id: string;
  platform: string;
  package_name: string;
  latest_name: string | null;
  secret: string;
  secret_rotations: number;
  last_revision: number;
  created_at: number;
  last_upload_at: number;
  trusted_publishers_only: number;
  owner_id: string;
  owner_kind: 'user' | 'project';
  owner_name: string;
  workspace_id: string | null;
}

export function toApp(row: AppRow): App {
  return {
    id: row.id,
    owner: {
      id: row.owner_id,
      kind: row.owner_kind,
      name: row.owner_name,
      workspace: row.workspace_id === null ? null : { id: row.workspace_id },
    },
    platform: row.platform as Platform,
    packageName: row.package_name,
    latestName: row.latest_name,
    secret: row.secret,
    secretRotations: row.secret_rotations,
    lastRevision: row.last_revision,
    createdAt: row.created_at,
    lastUploadAt: row.last_upload_at,
    trustedPublishersOnly: row.trusted_publishers_only === 1,
  };
}
