/** PostgreSQL through a connection pool. Every statement is prepared once per connection under its own name. */
import { Kysely, PostgresDialect, type PostgresPool, type PostgresPoolClient, sql } from 'kysely';
import pg from 'pg';
import type { AppError } from '../core/errors.ts';
import {
  createQueryLogger,
  type Database,
  databaseFull,
  databaseUnavailable,
  type ObserveQuery,
} from './database.ts';
import type { Tables } from './tables.ts';

const migrationLock = 7_305_811_902_114;
/**
 * Beyond this many distinct statements, further ones are unnamed: lists of varying length must not fill the server’s
 * memory.
 */
const maxNamedStatements = 500;
const connectTimeoutMs = 10_000;
const int8 = 20;
const uniqueViolation = '23505';
const diskFull = '53100';
const featureNotSupported = '0A000';
/** PostgreSQL’s documentation, appendix A: connection exceptions, resources, operator intervention, read-only. */
const unavailablePattern = /^(08|53|57P|25006)/;
/** Node’s connection errors, and the driver’s messages without a code. */
const connectionErrorPattern = /^(ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_)/;
const connectionMessagePattern =
  /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error)/;

export function openPostgres(url: string, maxConnections: number, observe?: ObserveQuery): Database {
  const pool = new pg.Pool({
    connectionString: url,
    max: maxConnections,
    // An idle server keeps one connection, so that `open-exclusive.ts` detects it; its outbox queries often enough.
    min: 1,
    connectionTimeoutMillis: connectTimeoutMs,
    types: { getTypeParser: parserOf },
  });
  // A broken connection is replaced at the next query, whose caller gets the error. Without these listeners its error
  // would crash the process: the pool handles only idle connections.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  const queries = new Kysely<Tables>({
    dialect: new PostgresDialect({ pool: namedStatements(pool) }),
    log: createQueryLogger(observe),
  });
  return {
    queries,
    dialect: 'postgres',
    canSkipLocked: true,
    lockForMigration: async (transaction) => {
      await sql`select pg_advisory_xact_lock(${sql.lit(migrationLock)})`.execute(transaction);
    },
    violatedConstraint: (error) => {
      if (!(error instanceof pg.DatabaseError) || error.code !== uniqueViolation) return null;
      return error.constraint ?? '';
    },
    refusalOf,
    close: () => queries.destroy(),
  };
}

function refusalOf(error: unknown): AppError | null {
  if (!(error instanceof Error)) return null;
  const code = 'code' in error ? String(error.code) : '';
  if (error instanceof pg.DatabaseError) {
    if (code === diskFull) return databaseFull(error);
    return unavailablePattern.test(code) || isOutdated(error) ? databaseUnavailable(error) : null;
  }
  return connectionErrorPattern.test(code) || connectionMessagePattern.test(error.message)
    ? databaseUnavailable(error)
    : null;
}

/** Sizes, times and counts stay far below 2^53, so 64-bit integers are parsed as numbers. */
function parserOf(oid: number, format?: 'text' | 'binary') {
  if (oid === int8 && format !== 'binary') return Number;
  return pg.types.getTypeParser(oid, format as 'text');
}

function namedStatements(pool: pg.Pool): PostgresPool {
  const statements = createStatementNames();
  const wrapped = new WeakMap<pg.PoolClient, PostgresPoolClient>();
  const wrap = (client: pg.PoolClient): PostgresPoolClient => {
    let inTransaction = false;
    const ask = (text: string, values: readonly unknown[]) => {
      const name = values.length > 0 ? statements.nameOf(text) : undefined;
      return client.query(name ? { name, text, values: [...values] } : { text, values: [...values] });
    };
    const query = async (text: string, values: readonly unknown[]) => {
      if (values.length === 0) inTransaction = transactionAfter(text, inTransaction);
      try {
        return await ask(text, values);
      } catch (error) {
        if (!isOutdated(error)) throw error;
        statements.renew(text);
        // A transaction fails with its first error; the next caller uses the new statement.
        if (inTransaction) throw error;
        return ask(text, values);
      }
    };
    const release = (destroy?: boolean) => client.release(destroy);
    // Kysely uses cursors only for streamed queries, which Slipway never uses.
    return { query, release } as unknown as PostgresPoolClient;
  };
  return {
    options: pool.options,
    connect: async () => {
      const client = await pool.connect();
      const known = wrapped.get(client) ?? wrap(client);
      wrapped.set(client, known);
      return known;
    },
    end: () => pool.end(),
  };
}

function createStatementNames() {
  const names = new Map<string, string>();
  let given = 0;
  const give = (text: string) => {
    const name = `slipway_${given++}`;
    names.set(text, name);
    return name;
  };
  return {
    nameOf: (text: string): string | undefined =>
      names.get(text) ?? (names.size < maxNamedStatements ? give(text) : undefined),
    renew: (text: string) => {
      if (names.has(text)) give(text);
    },
  };
}

/**
 * A newer node has added a column to a table that the statement selects whole: PostgreSQL replans it, and refuses to
 * return different columns.
 */
function isOutdated(error: unknown): boolean {
  return (
    error instanceof pg.DatabaseError &&
    error.code === featureNotSupported &&
    /cached plan/.test(error.message)
  );
}

function transactionAfter(text: string, before: boolean): boolean {
  if (/^(begin|start transaction)\b/i.test(text)) return true;
  return /^(commit|rollback)$/i.test(text) ? false : before;
}
