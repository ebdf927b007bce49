/**
 * Migrates a database to this version’s schema. Append-only, without down migrations, from an explicit list; migrations import no
 * code of Slipway. Not Kysely’s migrator, because all missing migrations run in one transaction here, including on SQLite.
 */
import { type Kysely, sql } from 'kysely';
import { AppError, conflict, reasonOf, unavailable } from '../core/errors.ts';
import type { Database } from './database.ts';
import * as baseline from './migrations/0001-baseline.ts';
import * as appTotals from './migrations/0002-app-totals.ts';
import * as currentNames from './migrations/0003-current-names.ts';
import * as asciiDomains from './migrations/0004-ascii-domains.ts';
import * as trustedPublishers from './migrations/0005-trusted-publishers.ts';
import * as resumableUploads from './migrations/0006-resumable-uploads.ts';
import * as buildAnalyses from './migrations/0007-build-analyses.ts';
import * as checks from './migrations/0008-checks.ts';
import * as dependencies from './migrations/0009-dependencies.ts';
import * as keyRegistrations from './migrations/0010-key-registrations.ts';
import * as attestations from './migrations/0011-attestations.ts';
import * as symbolFiles from './migrations/0012-symbol-files.ts';
import * as saml from './migrations/0013-saml.ts';
import * as provisioning from './migrations/0014-provisioning.ts';
import * as workspaceSaml from './migrations/0015-workspace-saml.ts';
import * as directoryGroups from './migrations/0016-directory-groups.ts';
import * as workspacePolicies from './migrations/0017-workspace-policies.ts';
import * as auditChain from './migrations/0018-audit-chain.ts';
import * as accessReview from './migrations/0019-access-review.ts';
import * as privacy from './migrations/0020-privacy.ts';
import * as workspaceMembers from './migrations/0021-workspace-members.ts';

export interface Migration {
  name: string;
  up(db: Kysely<unknown>): Promise<void>;
}

/** In order. Later versions only append. */
const migrations: readonly Migration[] = [
  { name: '0001-baseline', up: baseline.up },
  { name: '0002-app-totals', up: appTotals.up },
  { name: '0003-current-names', up: currentNames.up },
  { name: '0004-ascii-domains', up: asciiDomains.up },
  { name: '0005-trusted-publishers', up: trustedPublishers.up },
  { name: '0006-resumable-uploads', up: resumableUploads.up },
  { name: '0007-build-analyses', up: buildAnalyses.up },
  { name: '0008-checks', up: checks.up },
  { name: '0009-dependencies', up: dependencies.up },
  { name: '0010-key-registrations', up: keyRegistrations.up },
  { name: '0011-attestations', up: attestations.up },
  { name: '0012-symbol-files', up: symbolFiles.up },
  { name: '0013-saml', up: saml.up },
  { name: '0014-provisioning', up: provisioning.up },
  { name: '0015-workspace-saml', up: workspaceSaml.up },
  { name: '0016-directory-groups', up: directoryGroups.up },
  { name: '0017-workspace-policies', up: workspacePolicies.up },
  { name: '0018-audit-chain', up: auditChain.up },
  { name: '0019-access-review', up: accessReview.up },
  { name: '0020-privacy', up: privacy.up },
  { name: '0021-workspace-members', up: workspaceMembers.up },
];

/**
 * Applies missing migrations in one transaction under a lock: if several processes start, one migrates and the others wait.
 * Throws if a newer version has migrated the database, or if the database does not answer. Returns the names of the applied
 * migrations.
 */
export async function migrate(
  database: Database,
  now: () => number = Date.now,
  known: readonly Migration[] = migrations,
): Promise<string[]> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await migrateOnce(database, now, known);
    } catch (error) {
      if (attempt === maxAttempts || !isDeadlock(error)) throw error;
    }
  }
}

/** An older version that is still running locks tables in a different order. A transaction aborted by PostgreSQL has changed nothing. */
const maxAttempts = 10;
const isDeadlock = (error: unknown) => error instanceof Error && 'code' in error && error.code === '40P01';

async function migrateOnce(
  database: Database,
  now: () => number,
  known: readonly Migration[],
): Promise<string[]> {
  const missing = await pendingMigrations(database.queries, known).catch((error) => {
    throw error instanceof AppError
      ? error
      : unavailable(`the database cannot be used: ${reasonOf(error)}`, error);
  });
  if (missing.length === 0) return [];
  return database.queries.transaction().execute(async (transaction) => {
    await database.lockForMigration(transaction);
    await sql`create table if not exists schema_migrations (name text primary key, applied_at bigint not null)`.execute(
      transaction,
    );
    const pending = await pendingMigrations(transaction, known);
    for (const migration of pending) {
      await migration.up(transaction as unknown as Kysely<unknown>);
      await sql`insert into schema_migrations (name, applied_at) values (${migration.name}, ${now()})`.execute(
        transaction,
      );
    }
    return pending.map((migration) => migration.name);
  });
}

/** Whether any version of Slipway has created its tables in the database. */
export async function hasSchema({ queries }: Database): Promise<boolean> {
  const tables = await queries.introspection.getTables({ withInternalKyselyTables: true });
  return tables.some((table) => table.name === 'schema_migrations');
}

/** Throws `conflict` unless the schema is that of this version. Changes nothing. */
export async function requireCurrentSchema({ queries }: Database): Promise<void> {
  const pending = await pendingMigrations(queries, migrations);
  if (pending.length === 0) return;
  throw conflict(
    'the database schema does not match this version of Slipway: run slipway migrate, or start the server once',
  );
}

async function pendingMigrations(
  queries: Database['queries'],
  known: readonly Migration[],
): Promise<readonly Migration[]> {
  const tables = await queries.introspection.getTables({ withInternalKyselyTables: true });
  if (!tables.some((table) => table.name === 'schema_migrations')) return known;
  const { rows } = await sql<{ name: string }>`select name from schema_migrations`.execute(queries);
  const names = new Set(known.map((migration) => migration.name));
  const unknown = rows.find((row) => !names.has(row.name));
  if (unknown) {
    throw unavailable(
      `the database has migration ${unknown.name}, which this version of Slipway does not know: start the newer version`,
    );
  }
  const applied = new Set(rows.map((row) => row.name));
  return known.filter((migration) => !applied.has(migration.name));
}
