import { defineQueries } from '../../db/data.ts';
import type { Database, Queries } from '../../db/database.ts';
import type { RetentionScope } from '../../jobs/outbox.ts';
import type { Platform } from '../../packages/package-info.ts';
import { parsePolicies } from '../policies/policies.ts';
import {
  parseRule,
  type RetentionPlace,
  type RetentionRule,
  type RetentionRules,
  writeRule,
} from './retention.ts';

/** An App with the retention rules that apply to it. */
export interface AppWithRetention {
  id: string;
  platform: Platform;
  packageName: string;
  owner: { id: string; kind: 'user' | 'project'; name: string };
  rules: RetentionRules;
}

const tables = { app: 'apps', owner: 'owners', workspace: 'workspaces' } as const;

export const retentionQueries = defineQueries(createRetentionQueries);

function createRetentionQueries(db: Queries, database: Pick<Database, 'dialect'>) {
  // SQLite transactions are exclusive already.
  const locksRows = database.dialect === 'postgres';
  const apps = () =>
    db
      .selectFrom('apps as a')
      .innerJoin('owners as o', 'o.id', 'a.owner_id')
      .leftJoin('projects as p', 'p.owner_id', 'a.owner_id')
      .leftJoin('workspaces as w', 'w.id', 'p.workspace_id')
      .select(['a.id', 'a.platform', 'a.package_name', 'o.id as owner_id', 'o.kind as owner_kind'])
      .select(['o.name as owner_name', 'a.retention as of_app', 'o.retention as of_owner'])
      .select(['w.retention as of_workspace', 'w.policies'])
      .where('a.deleted_at', 'is', null);
  const ruleAt = async (place: RetentionPlace, id: string, held: boolean): Promise<RetentionRule | null> => {
    const row = await db
      .selectFrom(tables[place])
      .select('retention')
      .where('id', '=', id)
      .$if(held && locksRows, (query) => query.forShare())
      .executeTakeFirst();
    return parseRule(row?.retention ?? null);
  };

  return {
    /** Returns whether the App, Owner or Workspace exists. Null removes its rule. */
    async setRule(place: RetentionPlace, id: string, rule: RetentionRule | null): Promise<boolean> {
      const row = await db
        .updateTable(tables[place])
        .set({ retention: rule && writeRule(rule) })
        .where('id', '=', id)
        .where('deleted_at', 'is', null)
        .returning('id')
        .executeTakeFirst();
      return row !== undefined;
    },

    async ruleOf(place: RetentionPlace, id: string): Promise<RetentionRule | null> {
      return ruleAt(place, id, false);
    },

    /** Null if the App no longer exists. */
    async findApp(appId: string): Promise<AppWithRetention | null> {
      const row = await apps().where('a.id', '=', appId).executeTakeFirst();
      return row ? toAppWithRetention(row) : null;
    },

    /**
     * Like `findApp`, but locks the rules until the transaction ends, so that the rules that a person sees apply from then on. To
     * prevent deadlocks, locks in the same order as everywhere: first Owners, then the App before its builds. The App is locked
     * separately, because its name may change with its newest build.
     */
    async lockApp(app: AppWithRetention): Promise<AppWithRetention | null> {
      const project = await db
        .selectFrom('projects')
        .select('workspace_id')
        .where('owner_id', '=', app.owner.id)
        .executeTakeFirst();
      const owner = await ruleAt('owner', app.owner.id, true);
      const workspaceId = project?.workspace_id ?? null;
      const workspace = workspaceId === null ? null : await ruleAt('workspace', workspaceId, true);
      const row = await db
        .selectFrom('apps')
        .select('retention')
        .where('id', '=', app.id)
        .where('deleted_at', 'is', null)
        .$if(locksRows, (query) => query.forNoKeyUpdate())
        .executeTakeFirst();
      if (!row) return null;
      const policies = await db
        .selectFrom('workspaces')
        .select('policies')
        .where('id', '=', workspaceId ?? '')
        .executeTakeFirst();
      const { retentionDays: minDays } = parsePolicies(policies?.policies ?? null);
      return { ...app, rules: { app: parseRule(row.retention), owner, workspace, minDays } };
    },

    /** Lists up to `limit` Apps in the scope by id, after `after`. */
    async listApps(scope: RetentionScope, after: string, limit: number): Promise<AppWithRetention[]> {
      const rows = await apps()
        .where('a.id', '>', after)
        .$if(scope.kind === 'app', (query) => query.where('a.id', '=', idOf(scope)))
        .$if(scope.kind === 'owner', (query) => query.where('a.owner_id', '=', idOf(scope)))
        .$if(scope.kind === 'workspace', (query) =>
          query.where('a.owner_id', 'in', (inner) =>
            inner.selectFrom('projects').select('owner_id').where('workspace_id', '=', idOf(scope)),
          ),
        )
        .orderBy('a.id')
        .limit(limit)
        .execute();
      return rows.map(toAppWithRetention);
    },

    /** Whether any rule exists, including ones that keep everything. */
    async hasRules(): Promise<boolean> {
      const ofTable = (table: (typeof tables)[RetentionPlace]) =>
        db.selectFrom(table).select('id').where('retention', 'is not', null).where('id', '>', '').limit(1);
      for (const table of Object.values(tables)) {
        if (await ofTable(table).executeTakeFirst()) return true;
      }
      return false;
    },
  };
}

const idOf = (scope: RetentionScope) => (scope.kind === 'everything' ? '' : scope.id);

function toAppWithRetention(row: {
  id: string;
  platform: string;
  package_name: string;
  owner_id: string;
  owner_kind: 'user' | 'project';
  owner_name: string;
  of_app: string | null;
  of_owner: string | null;
  of_workspace: string | null;
  policies: string | null;
}): AppWithRetention {
  return {
    id: row.id,
    platform: row.platform as Platform,
    packageName: row.package_name,
    owner: { id: row.owner_id, kind: row.owner_kind, name: row.owner_name },
    rules: {
      app: parseRule(row.of_app),
      owner: parseRule(row.of_owner),
      workspace: parseRule(row.of_workspace),
      minDays: parsePolicies(row.policies).retentionDays,
    },
  };
}
