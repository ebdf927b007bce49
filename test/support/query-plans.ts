/** How a database would read the tables of a statement. */
import { sql } from 'kysely';
import pino from 'pino';
import { expect } from 'vitest';
import type { Database } from '../../src/db/database.ts';
import { openDatabase } from '../../src/db/open-database.ts';
import type { TestService } from './test-service.ts';

/** Tables that grow with use, with their aliases. Administrators read the whole `outbox`; `workspaces` and `schema_migrations` stay small. */
const growing: Readonly<Record<string, string>> = {
  owners: 'owners|o',
  users: 'users|u',
  projects: 'projects|p',
  team_members: 'team_members|t',
  api_keys: 'api_keys|k',
  trusted_publishers: 'trusted_publishers',
  used_id_tokens: 'used_id_tokens',
  sessions: 'sessions|s',
  scim_users: 'scim_users|s',
  scim_group_members: 'scim_group_members|m',
  granted_memberships: 'granted_memberships|r',
  invitations: 'invitations|i',
  password_resets: 'password_resets|r',
  apps: 'apps|a|m',
  builds: 'builds|b|n',
  distribution_pages: 'distribution_pages|p',
  distribution_updates: 'distribution_updates|d|n',
  app_testers: 'app_testers|t|g',
  idempotency_keys: 'idempotency_keys',
  audit_rows: 'audit_rows|r',
  audit_seals: 'audit_seals|s',
  install_tickets: 'install_tickets',
  page_counts: 'page_counts',
  page_visitors: 'page_visitors',
  member_activity: 'member_activity',
  build_counts: 'build_counts',
  build_analyses: 'build_analyses',
  build_libraries: 'build_libraries',
  install_systems: 'install_systems',
  symbol_files: 'symbol_files|s',
  devices: 'devices|d',
  hooks: 'hooks|one',
  hook_deliveries: 'hook_deliveries|d',
  events: 'events',
  mails: 'mails|m',
  mail_choices: 'mail_choices|c',
  attempts: 'attempts',
  idempotent_requests: 'idempotent_requests',
};

/** The lines of the plan, which does not depend on parameters. */
export async function planOf({ dialect, queries }: Database, statement: string): Promise<string[]> {
  if (dialect === 'sqlite') {
    const { rows } = await sql<{ detail: string }>`explain query plan ${sql.raw(
      statement.replaceAll('?', 'null'),
    )}`.execute(queries);
    return rows.map(({ detail }) => detail);
  }
  return queries.transaction().execute(async (transaction) => {
    // With few rows a scan is cheapest: if disabled, it remains only where no index applies.
    await sql`set local enable_seqscan = off`.execute(transaction);
    const { rows } = await sql<{
      'QUERY PLAN': string;
    }>`explain (generic_plan) ${sql.raw(statement)}`.execute(transaction);
    return rows.map((row) => row['QUERY PLAN']);
  });
}

/** What exports of a person ask for, at most ten times an hour for each caller, is not worth an index of every upload. */
const personalColumns =
  /: select \* from "\w+" where (lower\()?"(added_by|created_by|created_by_name|invited_by|email|address|uploaded_by|deleted_by|actor_id)"/;

/**
 * Few rows of an index that contains only them, the first rows of one in its order, what only administrators, the start and daily
 * rounds read, and uploads in parts, which expire and are swept each minute.
 */
const mayScan =
  /INDEX (builds_damaged|users_administrators)|^SCAN \w+ USING .* limit \(|"stored_totals"|: select "r"\."id" from "resumable_uploads" as "r" left join |stored_bytes\) <> |^SCAN u: .*"administrator" = |update "(sessions|api_keys)" set "(address|last_used_network)"/s;

/** The lines of the plans that read all rows of a table that can grow, with their statements. */
export async function scansOf(database: Database, statements: Iterable<string>): Promise<string[]> {
  const scans: string[] = [];
  // The plan of a small table would depend on whether the database has counted its rows yet.
  if (database.dialect === 'postgres')
    await sql`update pg_class set reltuples = 1000000, relpages = 1
      where relkind = 'r' and relnamespace = current_schema()::regnamespace`.execute(database.queries);
  for (const statement of statements)
    for (const line of await planOf(database, statement)) {
      const isScan = Object.entries(growing).some(([table, aliases]) =>
        database.dialect === 'sqlite'
          ? new RegExp(`^SCAN (${aliases})\\b`).test(line)
          : line.includes(`Seq Scan on ${table}`),
      );
      const shown = `${line}: ${statement}`;
      if (isScan && !mayScan.test(shown) && !personalColumns.test(shown)) scans.push(shown);
    }
  return scans;
}

export const isStatement = (text: string) => /^(select|insert|update|delete|with)\b/i.test(text);

/** Reads no table, and may be cut in the log if it inserts many rows. */
const insertsValues = /^insert into "\w+" \([^)]*\) values /;

/** A logger that keeps the statements that a server with `SLIPWAY_SLOW_QUERY_MS=0` runs from `start` on. */
export function createStatementLog() {
  const statements = new Set<string>();
  const write = (line: string) => {
    const { sql: statement } = JSON.parse(line);
    if (typeof statement !== 'string' || insertsValues.test(statement)) return;
    if (isStatement(statement)) statements.add(statement);
  };
  return {
    logger: pino({ level: 'warn' }, { write }),
    start: () => statements.clear(),
    expectNoScans: async ({ config }: Pick<TestService, 'config'>) => {
      expect(statements.size).toBeGreaterThan(100);
      const database = await openDatabase(config.database);
      try {
        expect(await scansOf(database, statements)).toEqual([]);
      } finally {
        await database.close();
      }
    },
  };
}
