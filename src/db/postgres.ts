/** PostgreSQL through a connection pool. */
import { Kysely, PostgresDialect, sql } from 'kysely';
import pg from 'pg';
import type { AppError } from '../core/errors.ts';
import {
  createQueryLogger,
  type Database,
  type DatabaseConfig,
  type DatabaseUse,
  databaseFull,
  databaseUnavailable,
  type ObserveQuery,
} from './database.ts';
import { copyingLimits, migrationLimits, postgresLimits } from './postgres-limits.ts';
import { createLimitedPool, isOutdated } from './postgres-pool.ts';
import type { Tables } from './tables.ts';

const migrationLock = 7_305_811_902_114;
const uniqueViolation = '23505';
const diskFull = '53100';

/** SQLSTATEs (PostgreSQL’s documentation, appendix A) of transactions that conflicted with others; a repetition may succeed. */
const contended = new Set([
  // lock_not_available
  '55P03',
  // serialization_failure, deadlock_detected
  '40001',
  '40P01',
]);
/** query_canceled (at its time limit), idle_in_transaction_session_timeout */
const timedOut = new Set(['57014', '25P03']);
/** Classes: connection exception, insufficient resources, operator intervention; and read-only transactions. */
const unavailablePattern = /^(08|53|57P|25006)/;
/** Node’s connection errors, and the driver’s messages without a code. */
const connectionErrorPattern = /^(ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_)/;
const connectionMessagePattern =
  /^(Connection terminated|timeout exceeded when trying to connect|Client (has encountered a connection error|was closed)|Postgres connection has been discarded)/;

export function openPostgres(
  { url, maxConnections, limits: changed }: Extract<DatabaseConfig, { kind: 'postgres' }>,
  use: DatabaseUse,
  observe?: ObserveQuery,
): Database {
  const limits = { ...postgresLimits[use], ...changed };
  const { pool, ping } = createLimitedPool(url, maxConnections, limits);
  const queries = new Kysely<Tables>({
    dialect: new PostgresDialect({ pool }),
    log: createQueryLogger(observe),
  });
  const setLocal = async (transaction: Kysely<Tables>, name: string, ms: number) => {
    await sql.raw(`set local ${name} = ${ms}`).execute(transaction);
  };
  return {
    queries,
    dialect: 'postgres',
    canSkipLocked: true,
    ping,
    lockTurnMs: limits.turnMs,
    lockForMigration: async (transaction) => {
      const { lockMs, statementMs, idleInTransactionMs } = migrationLimits;
      await setLocal(transaction, 'lock_timeout', lockMs);
      await setLocal(transaction, 'statement_timeout', statementMs);
      await setLocal(transaction, 'idle_in_transaction_session_timeout', idleInTransactionMs);
      await sql`select pg_advisory_xact_lock(${sql.lit(migrationLock)})`.execute(transaction);
    },
    allowPauses: (transaction) =>
      setLocal(transaction, 'idle_in_transaction_session_timeout', copyingLimits.idleInTransactionMs),
    waitForLocks: async (transaction) => {
      await setLocal(transaction, 'lock_timeout', limits.lockMs);
    },
    isContended: (error) => contended.has(codeOf(error)) || isOutdated(error),
    // With any other error, only the answer may be lost.
    isRolledBack: (error) => contended.has(codeOf(error)) || timedOut.has(codeOf(error)),
    violatedConstraint: (error) => {
      if (!(error instanceof pg.DatabaseError) || error.code !== uniqueViolation) return null;
      return error.constraint ?? '';
    },
    refusalOf,
    close: () => queries.destroy(),
  };
}

/** The SQLSTATE of a server error. */
const codeOf = (error: unknown) => (error instanceof pg.DatabaseError ? (error.code ?? '') : '');

function refusalOf(error: unknown): AppError | null {
  if (!(error instanceof Error)) return null;
  const code = codeOf(error);
  if (code === diskFull) return databaseFull(error);
  if (contended.has(code) || timedOut.has(code) || unavailablePattern.test(code) || isOutdated(error))
    return databaseUnavailable(error);
  if (error instanceof pg.DatabaseError) return null;
  const cause = 'code' in error ? String(error.code) : '';
  return connectionErrorPattern.test(cause) || connectionMessagePattern.test(error.message)
    ? databaseUnavailable(error)
    : null;
}
