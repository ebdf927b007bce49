/**
 * The embedded database. One connection writes, one transaction at a time in the order of asking; another reads what is
 * committed (WAL), so that no reader waits for a writer. Another process, for example the command line, may write too:
 * `begin immediate` is tried again without blocking the event loop until `lockPatienceMs` have passed.
 */
import { setTimeout as pause } from 'node:timers/promises';
import BetterSqlite from 'better-sqlite3';
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  InsertQueryNode,
  Kysely,
  type QueryResult,
  SelectQueryNode,
  SqliteAdapter,
  SqliteIntrospector,
} from 'kysely';
import { type Database, databaseAway, databaseFull, logOf, type ObserveQuery } from './database.ts';
import { SqlitePlanOnceCompiler } from './sqlite-compiler.ts';
import type { Tables } from './tables.ts';

/** How long SQLite itself sleeps on a lock held by another process; short, because it stops this whole process. */
const busyTimeoutMs = 200;
const lockPatienceMs = 15_000;
const maxCachedStatements = 300;

/**
 * What a power cut may take back by a moment: nobody waits for the disk because a try was counted. In WAL nothing else comes
 * to harm (https://www.sqlite.org/pragma.html#pragma_synchronous), and the next commit of anything else brings it to the disk.
 */
const forgettableTables = new Set(['attempts']);

/** Locked by another process for longer than is waited for, or on a disk that fails or may not be written. */
const awayPattern = /^SQLITE_(BUSY|READONLY|IOERR|CANTOPEN)/;

type Statement = BetterSqlite.Statement<unknown[], unknown>;

export interface SqliteOptions {
  /**
   * Nobody else may have the database open until it is closed, and throws SQLITE_BUSY when somebody has
   * (https://www.sqlite.org/wal.html#noshm): whoever has a database in WAL open keeps a lock on its file.
   */
  alone?: boolean;
}

/** Waits for the lock as writers do: SQLite's own busy timeout does not cover another process switching to WAL. */
export async function openSqliteWhenUnlocked(path: string, observe?: ObserveQuery): Promise<Database> {
  return untilUnlocked(() => openSqlite(path, observe));
}

export function openSqlite(path: string, observe?: ObserveQuery, options: SqliteOptions = {}): Database {
  const { writer, reader } = connect(path, options.alone ?? false);
  const queries = new Kysely<Tables>({
    dialect: {
      createAdapter,
      createDriver: () => createDriver(writer, reader),
      createIntrospector: (db) => new SqliteIntrospector(db),
      createQueryCompiler: () => new SqlitePlanOnceCompiler(),
    },
    log: logOf(observe),
  });
  return {
    queries,
    dialect: 'sqlite',
    canSkipLocked: false,
    lockForMigration: async () => undefined,
    violatedConstraint: (error) => {
      if (!(error instanceof BetterSqlite.SqliteError) || !error.code.startsWith('SQLITE_CONSTRAINT'))
        return null;
      return error.message;
    },
    refusalOf: (error) => {
      if (!(error instanceof BetterSqlite.SqliteError)) return null;
      if (error.code === 'SQLITE_FULL') return databaseFull(error);
      return awayPattern.test(error.code) ? databaseAway(error) : null;
    },
    close: async () => {
      await queries.destroy();
      reader.close();
      writer.close();
    },
  };
}

function connect(path: string, alone: boolean) {
  const writer = new BetterSqlite(path);
  let reader = writer;
  try {
    // Before the file is first read: later it would be no lock.
    if (alone) writer.pragma('locking_mode = EXCLUSIVE');
    configure(writer);
    if (alone) return { writer, reader };
    reader = new BetterSqlite(path);
    configure(reader);
    reader.pragma('query_only = ON');
    return { writer, reader };
  } catch (error) {
    reader.close();
    writer.close();
    throw error;
  }
}

function configure(connection: BetterSqlite.Database) {
  connection.pragma(`busy_timeout = ${busyTimeoutMs}`);
  connection.pragma('journal_mode = WAL');
  connection.pragma('synchronous = FULL');
  connection.pragma('foreign_keys = ON');
}

/** Kysely's own lets one connection be out at a time, so that every reader would wait for the transaction under way. */
function createAdapter(): SqliteAdapter {
  return Object.defineProperty(new SqliteAdapter(), 'supportsMultipleConnections', { value: true });
}

interface SqliteConnection extends DatabaseConnection {
  begin(): Promise<void>;
  end(statement: 'commit' | 'rollback'): void;
}

function createDriver(writer: BetterSqlite.Database, reader: BetterSqlite.Database): Driver {
  const turn = createTurn();
  const prepareWrite = createStatementCache(writer);
  const prepareRead = createStatementCache(reader);
  const own = (connection: DatabaseConnection) => connection as SqliteConnection;
  return {
    init: async () => undefined,
    acquireConnection: async () => createConnection(turn, writer, prepareWrite, prepareRead),
    beginTransaction: (connection) => own(connection).begin(),
    commitTransaction: async (connection) => own(connection).end('commit'),
    rollbackTransaction: async (connection) => own(connection).end('rollback'),
    releaseConnection: async () => undefined,
    destroy: async () => undefined,
  };
}

function createConnection(
  turn: Turn,
  writer: BetterSqlite.Database,
  prepareWrite: (sql: string) => Statement,
  prepareRead: (sql: string) => Statement,
): SqliteConnection {
  let endTurn: (() => void) | null = null;
  return {
    begin: async () => {
      endTurn = await turn();
      try {
        await untilUnlocked(() => prepareWrite('begin immediate').run());
      } catch (error) {
        endTurn();
        endTurn = null;
        throw error;
      }
    },
    end: (statement) => {
      // A commit that failed has ended already.
      if (!endTurn) return;
      try {
        // SQLite itself rolls back on some errors, for example a full disk; the error that led here matters more.
        if (statement === 'commit' || writer.inTransaction) prepareWrite(statement).run();
      } finally {
        // The next writer must not find a transaction that its commit left open.
        if (writer.inTransaction) prepareWrite('rollback').run();
        endTurn();
        endTurn = null;
      }
    },
    executeQuery: async <R>(query: CompiledQuery): Promise<QueryResult<R>> => {
      if (endTurn) return execute<R>(prepareWrite(query.sql), query.parameters);
      if (SelectQueryNode.is(query.query)) return execute<R>(prepareRead(query.sql), query.parameters);
      const release = await turn();
      try {
        const run = () => execute<R>(prepareWrite(query.sql), query.parameters);
        return await untilUnlocked(() => (isForgettable(query) ? withoutSync(writer, run) : run()));
      } finally {
        release();
      }
    },
    streamQuery: () => {
      throw new Error('SQLite answers whole results; page through them instead');
    },
  };
}

function execute<R>(statement: Statement, parameters: readonly unknown[]): QueryResult<R> {
  if (statement.reader) return { rows: statement.all(...parameters) as R[] };
  const { changes } = statement.run(...parameters);
  return { rows: [], numAffectedRows: BigInt(changes) };
}

function isForgettable({ query }: CompiledQuery): boolean {
  return InsertQueryNode.is(query) && forgettableTables.has(query.into?.table.identifier.name ?? '');
}

function withoutSync<T>(writer: BetterSqlite.Database, work: () => T): T {
  writer.pragma('synchronous = NORMAL');
  try {
    return work();
  } finally {
    writer.pragma('synchronous = FULL');
  }
}

async function untilUnlocked<T>(attempt: () => T): Promise<T> {
  const deadline = Date.now() + lockPatienceMs;
  for (;;) {
    try {
      return attempt();
    } catch (error) {
      if (!isBusy(error) || Date.now() > deadline) throw error;
      await pause(5 + Math.random() * 20);
    }
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof BetterSqlite.SqliteError && error.code.startsWith('SQLITE_BUSY');
}

type Turn = () => Promise<() => void>;

/** Hands out one turn at a time, in the order of asking. */
function createTurn(): Turn {
  let last: Promise<void> = Promise.resolve();
  return async () => {
    const before = last;
    let release: () => void = () => undefined;
    last = new Promise((resolve) => {
      release = resolve;
    });
    await before;
    return release;
  };
}

function createStatementCache(connection: BetterSqlite.Database): (sql: string) => Statement {
  const cache = new Map<string, Statement>();
  return (sql) => {
    const cached = cache.get(sql);
    if (cached) return cached;
    const statement = connection.prepare<unknown[], unknown>(sql);
    if (cache.size >= maxCachedStatements) cache.clear();
    cache.set(sql, statement);
    return statement;
  };
}
