/**
 * The SQLite database. One connection writes, one transaction at a time in the order of the calls; another reads committed data
 * (WAL), so that readers never wait for a writer. Another process, such as the command line, may also write: `begin immediate` is
 * retried without blocking the event loop until `lockTimeoutMs` have passed.
 */
import { setTimeout as pause } from 'node:timers/promises';
import BetterSqlite from 'better-sqlite3';
import {
  type BinaryOperationNode,
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  InsertQueryNode,
  Kysely,
  type LimitNode,
  type OperationNode,
  OperatorNode,
  type QueryResult,
  SelectQueryNode,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  sql,
  ValueNode,
} from 'kysely';
import {
  createQueryLogger,
  type Database,
  databaseFull,
  databaseUnavailable,
  type ObserveQuery,
} from './database.ts';
import type { Tables } from './tables.ts';

/** How long SQLite itself waits for another process's lock. Short, because it blocks this whole process. */
const busyTimeoutMs = 200;
const lockTimeoutMs = 15_000;
const maxCachedStatements = 300;

/**
 * Tables whose last changes may be lost in a power failure, because counting an attempt must not wait for the disk. In WAL mode
 * this cannot corrupt the database (https://www.sqlite.org/pragma.html#pragma_synchronous), and the next synced commit makes the
 * changes durable.
 */
const nonDurableTables = new Set(['attempts']);

/** Locked by another process for too long, a disk error, or a read-only disk. */
const unavailablePattern = /^SQLITE_(BUSY|READONLY|IOERR|CANTOPEN)/;

type Statement = BetterSqlite.Statement<unknown[], unknown>;

export interface SqliteOptions {
  /**
   * Locks the database for this process until it is closed. Throws SQLITE_BUSY if another process has it open
   * (https://www.sqlite.org/wal.html#noshm): every process with an open WAL database has a lock on its file.
   */
  alone?: boolean;
}

/** Waits for the lock as writers do, because SQLite’s own busy timeout does not cover another process switching to WAL. */
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
    log: createQueryLogger(observe),
  });
  return {
    queries,
    dialect: 'sqlite',
    canSkipLocked: false,
    ping: async () => {
      await sql`select 1`.execute(queries);
    },
    lockTurnMs: 0,
    lockForMigration: async () => undefined,
    allowPauses: async () => undefined,
    waitForLocks: async () => undefined,
    // A transaction that has begun never waits.
    isContended: () => false,
    isRolledBack: () => false,
    violatedConstraint: (error) => {
      if (!(error instanceof BetterSqlite.SqliteError) || !error.code.startsWith('SQLITE_CONSTRAINT'))
        return null;
      return error.message;
    },
    refusalOf: (error) => {
      if (!(error instanceof BetterSqlite.SqliteError)) return null;
      if (error.code === 'SQLITE_FULL') return databaseFull(error);
      return unavailablePattern.test(error.code) ? databaseUnavailable(error) : null;
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
    // Must come before the first read, after which it would not lock.
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

/** Not Kysely’s own driver: it has a single connection, so every reader would wait for the running transaction. */
function createAdapter(): SqliteAdapter {
  return Object.defineProperty(new SqliteAdapter(), 'supportsMultipleConnections', { value: true });
}

interface SqliteConnection extends DatabaseConnection {
  begin(): Promise<void>;
  end(statement: 'commit' | 'rollback'): void;
}

function createDriver(writer: BetterSqlite.Database, reader: BetterSqlite.Database): Driver {
  const turn = createMutex();
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
      const deadline = lockDeadline();
      endTurn = await turn();
      try {
        await untilUnlocked(() => prepareWrite('begin immediate').run(), deadline);
      } catch (error) {
        endTurn();
        endTurn = null;
        throw error;
      }
    },
    end: (statement) => {
      // A failed commit has already ended the transaction.
      if (!endTurn) return;
      try {
        // SQLite rolls back by itself after some errors, for example a full disk. The original error matters more.
        if (statement === 'commit' || writer.inTransaction) prepareWrite(statement).run();
      } finally {
        // The next writer must not find an open transaction.
        if (writer.inTransaction) prepareWrite('rollback').run();
        endTurn();
        endTurn = null;
      }
    },
    executeQuery: async <R>(query: CompiledQuery): Promise<QueryResult<R>> => {
      if (endTurn) return execute<R>(prepareWrite(query.sql), query.parameters);
      if (SelectQueryNode.is(query.query)) return execute<R>(prepareRead(query.sql), query.parameters);
      const deadline = lockDeadline();
      const release = await turn();
      try {
        const run = () => execute<R>(prepareWrite(query.sql), query.parameters);
        return await untilUnlocked(() => (isNonDurable(query) ? withoutSync(writer, run) : run()), deadline);
      } finally {
        release();
      }
    },
    streamQuery: () => {
      throw new Error('SQLite does not stream results; use paging instead');
    },
  };
}

function execute<R>(statement: Statement, parameters: readonly unknown[]): QueryResult<R> {
  if (statement.reader) return { rows: statement.all(...parameters) as R[] };
  const { changes } = statement.run(...parameters);
  return { rows: [], numAffectedRows: BigInt(changes) };
}

function isNonDurable({ query }: CompiledQuery): boolean {
  return InsertQueryNode.is(query) && nonDurableTables.has(query.into?.table.identifier.name ?? '');
}

function withoutSync<T>(writer: BetterSqlite.Database, work: () => T): T {
  writer.pragma('synchronous = NORMAL');
  try {
    return work();
  } finally {
    writer.pragma('synchronous = FULL');
  }
}

const lockDeadline = () => performance.now() + lockTimeoutMs;

/** The deadline counts from the writer's call, not from its turn, so that many writers do not wait for a lock one after another. */
async function untilUnlocked<T>(attempt: () => T, deadline = lockDeadline()): Promise<T> {
  for (;;) {
    try {
      return attempt();
    } catch (error) {
      if (!isBusy(error) || performance.now() > deadline) throw error;
      await pause(5 + Math.random() * 20);
    }
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof BetterSqlite.SqliteError && error.code.startsWith('SQLITE_BUSY');
}

type Turn = () => Promise<() => void>;

/** A mutex that serves waiters in order. */
function createMutex(): Turn {
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

/**
 * Generates SQL for SQLite with parameters that the planner ignores. Built with SQLITE_ENABLE_STAT4, SQLite replans a statement
 * whenever a parameter is bound that is compared to a column or limits the rows ("the query planner might consult the values of
 * bound parameters", sqlite3_prepare_v3), which took up to nine times as long as running a query. Without ANALYZE statistics, the
 * values would not change a plan.
 */
const comparisons = new Set(['=', '==', '!=', '<>', '<', '<=', '>', '>=', 'is', 'is not']);

export class SqlitePlanOnceCompiler extends SqliteQueryCompiler {
  protected override visitBinaryOperation(node: BinaryOperationNode): void {
    const { leftOperand, operator, rightOperand } = node;
    if (!OperatorNode.is(operator) || !comparisons.has(operator.operator)) {
      super.visitBinaryOperation(node);
      return;
    }
    this.visitNode(leftOperand);
    this.append(` ${operator.operator} `);
    this.#visitHidden(rightOperand);
  }

  protected override visitLimit({ limit }: LimitNode): void {
    this.append('limit ');
    this.#visitHidden(limit);
  }

  #visitHidden(node: OperationNode): void {
    const isParameter = ValueNode.is(node) && !node.immediate;
    if (isParameter) this.append('(select ');
    this.visitNode(node);
    if (isParameter) this.append(')');
  }
}
