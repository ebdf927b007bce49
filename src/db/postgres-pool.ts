/**
 * Connections to PostgreSQL. Every statement is prepared once per connection under its own name, and every wait has a limit: the server
 * ends what takes too long, and a connection that does not answer is closed.
 */
import type { PostgresPool, PostgresPoolClient } from 'kysely';
import pg from 'pg';
import {
  answerGraceMs,
  connectTimeoutMs,
  keepAliveDelayMs,
  type PostgresLimits,
  sessionSettings,
} from './postgres-limits.ts';

/**
 * Beyond this many distinct statements, further ones are unnamed: lists of varying length must not fill the server’s
 * memory.
 */
const maxNamedStatements = 500;
const int8 = 20;
const featureNotSupported = '0A000';

export interface LimitedPool {
  pool: PostgresPool;
  /** Rejects when the server does not answer within `pingMs`. */
  ping(): Promise<void>;
}

export function createLimitedPool(url: string, maxConnections: number, limits: PostgresLimits): LimitedPool {
  const pool = new pg.Pool({
    connectionString: url,
    max: maxConnections,
    // An idle server keeps one connection, so that `open-exclusive.ts` detects it; its outbox queries often enough.
    min: 1,
    connectionTimeoutMillis: connectTimeoutMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveDelayMs,
    types: { getTypeParser: parserOf },
  });
  // A broken connection is replaced at the next query, whose caller gets the error. Without these listeners its error
  // would crash the process: the pool handles only idle connections.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  const statements = createStatementNames();
  const known = new WeakMap<pg.PoolClient, LimitedClient>();
  // Where one connection is silent, those that were idle meanwhile are, too: a switch between them and the server lost them.
  const closeIdle = () => {
    for (let rest = pool.idleCount; rest > 0; rest--)
      pool.connect().then(
        (client) => client.release(true),
        () => undefined,
      );
  };
  const connect = async (): Promise<LimitedClient> => {
    const client = await pool.connect();
    const wrapped = known.get(client);
    if (wrapped) return wrapped;
    const created = limitClient(client, { limits, statements, onSilence: closeIdle });
    try {
      await created.begin();
    } catch (error) {
      client.release(true);
      throw error;
    }
    known.set(client, created);
    return created;
  };
  return {
    pool: { options: pool.options, connect, end: () => pool.end() },
    ping: async () => {
      const client = await connect();
      await client.ping().finally(() => client.release());
    },
  };
}

interface LimitedClient extends PostgresPoolClient {
  /** Sets the limits of the session. */
  begin(): Promise<void>;
  ping(): Promise<void>;
  release(destroy?: boolean): void;
}

interface ClientDeps {
  limits: PostgresLimits;
  statements: StatementNames;
  /** Called when the connection was closed because it did not answer. */
  onSilence(): void;
}

function limitClient(client: pg.PoolClient, { limits, statements, onSilence }: ClientDeps): LimitedClient {
  let inTransaction = false;
  let statementMs = limits.statementMs;
  const ask = async (text: string, values: readonly unknown[], limitMs: number) => {
    const name = values.length > 0 ? statements.nameOf(text) : undefined;
    const query = name ? { name, text, values: [...values] } : { text, values: [...values] };
    let isAnswered = false;
    const close = () => {
      if (isAnswered) return;
      // Rejects the query.
      (client as pg.PoolClient & Pick<pg.Client, 'end'>).end().catch(() => undefined);
      onSilence();
    };
    // The answer may have arrived while this process was stopped: `setImmediate` runs after it has been read.
    const timer = setTimeout(() => setImmediate(close), limitMs);
    try {
      return await client.query(query);
    } finally {
      isAnswered = true;
      clearTimeout(timer);
    }
  };
  const query = async (text: string, values: readonly unknown[]) => {
    if (values.length === 0) {
      inTransaction = transactionAfter(text, inTransaction);
      statementMs = inTransaction ? (localStatementMs(text) ?? statementMs) : limits.statementMs;
    }
    const isFirst = text === 'begin' && limits.firstLockMs !== null;
    const sent = isFirst ? `begin; set local lock_timeout = ${limits.firstLockMs}` : text;
    try {
      return await ask(sent, values, statementMs + answerGraceMs);
    } catch (error) {
      if (!isOutdated(error)) throw error;
      statements.renew(text);
      // A transaction fails with its first error; the next caller uses the new statement.
      if (inTransaction) throw error;
      return ask(text, values, statementMs + answerGraceMs);
    }
  };
  const settings = JSON.stringify(Object.fromEntries(sessionSettings(limits)));
  return {
    begin: async () => {
      await ask(
        `select set_config(name, value, false) from json_each_text($1) as wanted (name, value)
         where exists (select from pg_settings where pg_settings.name = wanted.name)`,
        [settings],
        connectTimeoutMs,
      );
    },
    ping: async () => {
      await ask('select 1', [], limits.pingMs);
    },
    // Kysely uses cursors only for streamed queries, which Slipway never uses.
    query: query as unknown as PostgresPoolClient['query'],
    release: (destroy?: boolean) => client.release(destroy),
  };
}

/** Sizes, times and counts stay far below 2^53, so 64-bit integers are parsed as numbers. */
function parserOf(oid: number, format?: 'text' | 'binary') {
  if (oid === int8 && format !== 'binary') return Number;
  return pg.types.getTypeParser(oid, format as 'text');
}

type StatementNames = ReturnType<typeof createStatementNames>;

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
export function isOutdated(error: unknown): boolean {
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

/** What a transaction sets for itself also counts for this process. */
function localStatementMs(text: string): number | null {
  const found = /^set local statement_timeout = (\d+)$/.exec(text);
  return found ? Number(found[1]) : null;
}
