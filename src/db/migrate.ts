/**
 * Migrates a database to this version’s schema. Append-only and up only, from an explicit list; migrations import no
 * code of Slipway. Not Kysely’s migrator: installations have this bookkeeping, and each migration is one transaction on SQLite too.
 */
import { type Kysely, sql } from 'kysely';
import { AppError, conflict, reasonOf, unavailable } from '../core/errors.ts';
import type { Database } from './database.ts';
import * as first from './migrations/0001-first.ts';
import * as testers from './migrations/0002-testers.ts';
import * as builds from './migrations/0003-builds.ts';
import * as accounts from './migrations/0004-accounts.ts';
import * as quotas from './migrations/0005-quotas.ts';
import * as singleSignOn from './migrations/0007-single-sign-on.ts';
import * as retention from './migrations/0008-retention.ts';
import * as webhooks from './migrations/0009-hooks.ts';
import * as administration from './migrations/0010-administration.ts';
import * as growth from './migrations/0011-growth.ts';
import * as storedTotals from './migrations/0012-stored-totals.ts';
import * as proofs from './migrations/0013-proofs.ts';
import * as pageNames from './migrations/0014-page-names.ts';
import * as appSecrets from './migrations/0015-app-secrets.ts';
import * as keyScopes from './migrations/0016-key-scopes.ts';
import * as deviceRegistrations from './migrations/0017-device-registrations.ts';
import * as ownership from './migrations/0018-ownership.ts';
import * as damagedFiles from './migrations/0019-damaged-files.ts';
import * as replacedKeySecrets from './migrations/0020-replaced-key-secrets.ts';
import * as feedback from './migrations/0021-feedback.ts';
import * as memberActivity from './migrations/0022-member-activity.ts';
import * as groups from './migrations/0023-groups.ts';
import * as branding from './migrations/0024-branding.ts';
import * as inviteLinks from './migrations/0025-invite-links.ts';
import * as languages from './migrations/0026-languages.ts';
import * as buildFilters from './migrations/0028-build-filters.ts';
import * as brandingLogos from './migrations/0029-branding-logos.ts';
import * as memberInstalls from './migrations/0030-member-installs.ts';
import * as idempotentRequests from './migrations/0033-idempotent-requests.ts';
import * as deviceCodes from './migrations/0035-device-codes.ts';
import * as knownBuilds from './migrations/0036-known-builds.ts';
import * as events from './migrations/0037-events.ts';
import * as requiredUpdates from './migrations/0038-required-updates.ts';
import * as appBundles from './migrations/0039-app-bundles.ts';
import * as endedAccess from './migrations/0040-ended-access.ts';
import * as jobTurns from './migrations/0041-job-turns.ts';
import * as claims from './migrations/0042-claims.ts';
import * as removedPeople from './migrations/0044-removed-people.ts';
import * as addressKeys from './migrations/0045-address-keys.ts';
import * as ownerQueues from './migrations/0046-owner-queues.ts';

const migrations = [
  { name: '0001-first', up: first.up },
  { name: '0002-testers', up: testers.up },
  { name: '0003-builds', up: builds.up },
  { name: '0004-accounts', up: accounts.up },
  { name: '0005-quotas', up: quotas.up },
  { name: '0007-single-sign-on', up: singleSignOn.up },
  { name: '0008-retention', up: retention.up },
  { name: '0009-hooks', up: webhooks.up },
  { name: '0010-administration', up: administration.up },
  { name: '0011-growth', up: growth.up },
  { name: '0012-stored-totals', up: storedTotals.up },
  { name: '0013-proofs', up: proofs.up },
  { name: '0014-page-names', up: pageNames.up },
  { name: '0015-app-secrets', up: appSecrets.up },
  { name: '0016-key-scopes', up: keyScopes.up },
  { name: '0017-device-registrations', up: deviceRegistrations.up },
  { name: '0018-ownership', up: ownership.up },
  { name: '0019-damaged-files', up: damagedFiles.up },
  { name: '0020-replaced-key-secrets', up: replacedKeySecrets.up },
  { name: '0021-feedback', up: feedback.up },
  { name: '0022-member-activity', up: memberActivity.up },
  { name: '0023-groups', up: groups.up },
  { name: '0024-branding', up: branding.up },
  { name: '0025-invite-links', up: inviteLinks.up },
  { name: '0026-languages', up: languages.up },
  { name: '0028-build-filters', up: buildFilters.up },
  { name: '0029-branding-logos', up: brandingLogos.up },
  { name: '0030-member-installs', up: memberInstalls.up },
  { name: '0033-idempotent-requests', up: idempotentRequests.up },
  { name: '0035-device-codes', up: deviceCodes.up },
  { name: '0036-known-builds', up: knownBuilds.up },
  { name: '0037-events', up: events.up },
  { name: '0038-required-updates', up: requiredUpdates.up },
  { name: '0039-app-bundles', up: appBundles.up },
  { name: '0040-ended-access', up: endedAccess.up },
  { name: '0041-job-turns', up: jobTurns.up },
  { name: '0042-claims', up: claims.up },
  { name: '0044-removed-people', up: removedPeople.up },
  { name: '0045-address-keys', up: addressKeys.up },
  { name: '0046-owner-queues', up: ownerQueues.up },
] as const;

/**
 * Applies missing migrations in one transaction under a lock, so that of several starting processes one migrates and
 * the others wait. Throws if a newer version has migrated the database, or if it does not answer. Returns the names
 * of the applied migrations.
 */
export async function migrate(database: Database, now: () => number = Date.now): Promise<string[]> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await migrateOnce(database, now);
    } catch (error) {
      if (attempt === maxAttempts || !isDeadlock(error)) throw error;
    }
  }
}

/**
 * An older version that is still running locks tables in a different order; the transaction that PostgreSQL aborts
 * has changed nothing.
 */
const maxAttempts = 10;
const isDeadlock = (error: unknown) => error instanceof Error && 'code' in error && error.code === '40P01';

async function migrateOnce(database: Database, now: () => number): Promise<string[]> {
  const missing = await pendingMigrations(database.queries).catch((error) => {
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
    const pending = await pendingMigrations(transaction);
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

/** Throws `conflict` unless the schema is this version’s; changes nothing. */
export async function requireCurrentSchema({ queries }: Database): Promise<void> {
  const pending = await pendingMigrations(queries);
  if (pending.length === 0) return;
  throw conflict(
    'the database schema does not match this version of Slipway: run slipway migrate, or start the server once',
  );
}

async function pendingMigrations(queries: Database['queries']) {
  const tables = await queries.introspection.getTables({ withInternalKyselyTables: true });
  if (!tables.some((table) => table.name === 'schema_migrations')) return migrations;
  const { rows } = await sql<{ name: string }>`select name from schema_migrations`.execute(queries);
  const known = new Set<string>(migrations.map((migration) => migration.name));
  const unknown = rows.find((row) => !known.has(row.name));
  if (unknown) {
    throw unavailable(
      `the database has migration ${unknown.name}, which this version of Slipway does not know: start the newer version`,
    );
  }
  const applied = new Set(rows.map((row) => row.name));
  return migrations.filter((migration) => !applied.has(migration.name));
}
