/** PostgreSQL through a pool. Every statement text is prepared once on each connection under a name of its own. */
import { Kysely, PostgresDialect, type PostgresPool, type PostgresPoolClient, sql } from 'kysely';
import pg from 'pg';
import type { AppError } from '../core/errors.ts';
import { type Database, databaseAway, databaseFull, logOf, type ObserveQuery } from './database.ts';
import type { Tables } from './tables.ts';

const migrationLock = 7_305_811_902_114;
/** Past this many distinct texts statements go unnamed: a list of varying length must not fill the server's memory. */
const maxNamedStatements = 500;
const connectTimeoutMs = 10_000;
const int8 = 20;
const uniqueViolation = '23505';
const diskFull = '53100';
const featureNotSupported = '0A000';
/** PostgreSQL's documentation, appendix A: connection exceptions, resources, operator intervention, read-only. */
const awayPattern = /^(08|53|57P|25006)/;
/** What Node says of a connection, and what the driver says of one without a code. */
const brokenPattern = /^(ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_)/;
const connectionWords =
  /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error)/;

export function openPostgres(url: string, maxConnections: number, observe?: ObserveQuery): Database {
  const pool = new pg.Pool({
    connectionString: url,
    max: maxConnections,
    // A server at rest keeps one, so that who must know can see it (`open-alone.ts`); its outbox asks often enough to hold it.
    min: 1,
    connectionTimeoutMillis: connectTimeoutMs,
    types: { getTypeParser: parserOf },
  });
  // A connection that dies is replaced at the next query, and who holds it learns of it from the query it asks next;
  // without listeners its end would end the process: the pool's own hears of idle connections only.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  const queries = new Kysely<Tables>({
    dialect: new PostgresDialect({ pool: namedStatements(pool) }),
    log: logOf(observe),
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
    return awayPattern.test(code) || isOutdated(error) ? databaseAway(error) : null;
  }
  return brokenPattern.test(code) || connectionWords.test(error.message) ? databaseAway(error) : null;
}

/** Sizes, times and counts stay far below 2^53, so that 64-bit integers are plain numbers here. */
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
        // A transaction is lost with its first error; whoever asks next has the new statement.
        if (inTransaction) throw error;
        return ask(text, values);
      }
    };
    const release = (destroy?: boolean) => client.release(destroy);
    // Kysely asks for cursors only when a query is streamed, which Slipway never does.
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
 * A newer node has added a column to a table that the statement selects whole: PostgreSQL prepares it anew, and refuses to
 * give other columns than it promised.
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
