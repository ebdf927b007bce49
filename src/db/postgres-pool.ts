/**
 * Connections to PostgreSQL. Every statement is prepared once per connection under its own name, and every wait has a limit:
 * PostgreSQL ends statements that take too long, and a connection that does not answer is closed.
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

/** Statements beyond this number are unnamed, because lists of varying length must not fill the server’s memory. */
const maxNamedStatements = 500;
const int8 = 20;
const featureNotSupported = '0A000';

export interface LimitedPool {
  pool: PostgresPool;
  /** Rejects if the server does not answer within `pingMs`. */
  ping(): Promise<void>;
}

export function createLimitedPool(url: string, maxConnections: number, limits: PostgresLimits): LimitedPool {
  const pool = new pg.Pool({
    connectionString: url,
    max: maxConnections,
    // Keeps one connection even if the server is idle, because `open-exclusive.ts` detects a running server by it.
    min: 1,
    connectionTimeoutMillis: connectTimeoutMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveDelayMs,
    types: { getTypeParser: parserOf },
  });
  // A broken connection is replaced at the next query, whose caller gets the error. Without these listeners, the error would
  // crash the process: the pool only handles those of idle connections.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  const statements = createStatementNames();
  const known = new WeakMap<pg.PoolClient, LimitedClient>();
  const inUse = new Set<LimitedClient>();
  // If one connection is silent, all are: something between them and the server dropped them.
  const closeSilent = (since: number) => {
    for (const client of inUse) client.closeIfSilent(since);
    for (let rest = pool.idleCount; rest > 0; rest--)
      pool.connect().then(
        (client) => client.release(true),
        () => undefined,
      );
  };
  const pinger = createPinger({ url, pingMs: limits.pingMs, onLost: closeSilent });
  const connect = async (): Promise<LimitedClient> => {
    const client = await pool.connect();
    const limited =
      known.get(client) ??
      limitClient(client, {
        limits,
        statements,
        // `open-exclusive.ts` relies on a single connection.
        onSlow: () => void (maxConnections > 1 && pinger.ping().catch(() => undefined)),
        onSilence: closeSilent,
        onRelease: () => inUse.delete(limited),
      });
    inUse.add(limited);
    if (known.has(client)) return limited;
    try {
      await limited.begin();
    } catch (error) {
      limited.release(true);
      throw error;
    }
    known.set(client, limited);
    return limited;
  };
  return {
    pool: {
      options: pool.options,
      connect,
      end: async () => {
        await Promise.all([pool.end(), pinger.end()]);
      },
    },
    ping: pinger.ping,
  };
}

interface Pinger {
  /** Rejects if the server does not answer. */
  ping(): Promise<void>;
  end(): Promise<void>;
}

/**
 * A connection only for pings, so that they never wait for connections in use. If it does not answer and a new one does, the old
 * one was lost, and `onLost` is called with the time since when (`performance.now()`).
 */
function createPinger(deps: { url: string; pingMs: number; onLost(since: number): void }): Pinger {
  let current: pg.Client | null = null;
  let silent: { client: pg.Client; since: number; isHeard: boolean } | null = null;
  let inFlight: Promise<void> | null = null;
  let isEnded = false;
  const drop = (client: pg.Client) => {
    if (current === client) current = null;
    client.end().catch(() => undefined);
  };
  const open = async (): Promise<pg.Client> => {
    const client = new pg.Client({
      connectionString: deps.url,
      connectionTimeoutMillis: deps.pingMs,
      keepAlive: true,
      keepAliveInitialDelayMillis: keepAliveDelayMs,
    });
    client.on('error', () => drop(client));
    try {
      await client.connect();
      await within(deps.pingMs, client.query('select 1'));
    } catch (error) {
      drop(client);
      throw error;
    }
    return client;
  };
  const run = async () => {
    if (current && !silent) {
      const asked = { client: current, since: performance.now(), isHeard: false };
      const answer = current.query('select 1').then(() => {
        asked.isHeard = true;
        if (silent === asked) silent = null;
      });
      try {
        return await within(deps.pingMs, answer);
      } catch {
        // Either silent or broken.
        if (current === asked.client) silent = asked;
      }
    }
    const opened = await open();
    const lost = silent;
    silent = null;
    if (current) drop(current);
    current = opened;
    if (isEnded) drop(opened);
    if (lost && !lost.isHeard) deps.onLost(lost.since);
  };
  return {
    ping: () => {
      inFlight ??= run().finally(() => {
        inFlight = null;
      });
      return inFlight;
    },
    end: async () => {
      isEnded = true;
      await current?.end();
    },
  };
}

/** Rejects after that time. An answer that arrived while this process was stopped counts, because `setImmediate` runs after it is read. */
async function within<T>(limitMs: number, answer: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    const refuse = () => reject(new Error('PostgreSQL did not answer'));
    timer = setTimeout(() => setImmediate(refuse), limitMs);
  });
  return Promise.race([answer, limit]).finally(() => clearTimeout(timer));
}

interface LimitedClient extends PostgresPoolClient {
  /** Sets the limits of the session. */
  begin(): Promise<void>;
  /** Closes the connection if it has sent a query and received nothing since that time. */
  closeIfSilent(since: number): void;
  release(destroy?: boolean): void;
}

interface ClientDeps {
  limits: PostgresLimits;
  statements: StatementNames;
  /** Called when a query takes longer than a ping is allowed to. */
  onSlow(): void;
  /** Called after the connection was closed because it did not answer, with the time since when it has been silent. */
  onSilence(since: number): void;
  onRelease(): void;
}

function limitClient(client: pg.PoolClient, deps: ClientDeps): LimitedClient {
  const { limits, statements } = deps;
  let inTransaction = false;
  let statementMs = limits.statementMs;
  let isWaiting = false;
  let heardAt = performance.now();
  // Closing rejects the query.
  const close = () => void (client as pg.PoolClient & Pick<pg.Client, 'end'>).end().catch(() => undefined);
  const ask = async (text: string, values: readonly unknown[], limitMs: number) => {
    const name = values.length > 0 ? statements.nameOf(text) : undefined;
    const query = name ? { name, text, values: [...values] } : { text, values: [...values] };
    const sentAt = performance.now();
    isWaiting = true;
    const giveUp = () => {
      if (!isWaiting) return;
      close();
      deps.onSilence(sentAt);
    };
    const limit = () => {
      deps.onSlow();
      // The answer may have arrived while this process was stopped: `setImmediate` runs after it is read.
      timer = setTimeout(() => setImmediate(giveUp), limitMs - limits.pingMs);
    };
    let timer = setTimeout(limit, limits.pingMs);
    try {
      return await client.query(query);
    } finally {
      isWaiting = false;
      heardAt = performance.now();
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
      // A transaction fails at its first error, and the next caller uses the new statement.
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
    closeIfSilent: (since) => {
      if (isWaiting && heardAt < since) close();
    },
    // Kysely uses cursors only for streamed queries, which Slipway never uses.
    query: query as unknown as PostgresPoolClient['query'],
    release: (destroy?: boolean) => {
      deps.onRelease();
      client.release(destroy);
    },
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
 * Whether a newer node has added a column to a table from which the statement selects all columns: PostgreSQL then plans it again
 * and refuses to return different columns.
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

/** The limit that a transaction sets for itself, which also applies to this process. */
function localStatementMs(text: string): number | null {
  const found = /^set local statement_timeout = (\d+)$/.exec(text);
  return found ? Number(found[1]) : null;
}
