/** Transactions, and the queries of each feature on the database or inside one transaction. */
import { CommitUnknown } from '../core/errors.ts';
import { createSemaphore } from '../core/semaphore.ts';
import { type Database, databaseUnavailable, type Queries } from './database.ts';

/** Private to this file, so that SQL is written only in functions passed to `defineQueries`. */
const bound = Symbol('bound');

/** The database or a transaction, on which queries run. */
export interface Connection {
  readonly [bound]: { queries: Queries; database: Database };
}

export interface Data extends Connection {
  /**
   * Runs `work` in a transaction. `work` must contain only SQL: on SQLite every other writer waits for it, and it runs again
   * after a conflict with others that change the same rows. Rejects with the error of `work`, in which case nothing was written,
   * or with CommitUnknown if the commit itself failed.
   */
  transaction<T>(work: (connection: Connection) => Promise<T>): Promise<T>;
  /** Runs `work`; converts a violated unique constraint to the error that `refusal` creates. */
  refuseDuplicate<T>(work: () => Promise<T>, refusal: () => Error): Promise<T>;
  /**
   * Runs a write that nothing depends on, such as updating the time of the last use. Ignores a refusal by the database, for
   * example on a full disk.
   */
  writeIfPossible(work: () => Promise<void>): Promise<void>;
  /** Rejects if the database does not answer soon. */
  ping(): Promise<void>;
}

/**
 * Limits how many transactions of a process wait for locks in the database. Others that would have to wait give their connection
 * back first, so that a row locked for long cannot take all connections from requests that do not need it.
 */
const maxWaitingTransactions = 4;
/**
 * How long a transaction is repeated. Deadlocks end sooner. It is shorter than the wait for a lock, which is not repeated when it
 * fails.
 */
const repeatedForMs = 5_000;

/** Defines the queries of one feature, created once per connection. */
export function defineQueries<Q>(
  create: (queries: Queries, database: Database) => Q,
): (connection: Connection) => Q {
  const created = new WeakMap<Connection, Q>();
  return (connection) => {
    const known = created.get(connection);
    if (known !== undefined) return known;
    const { queries: db, database } = connection[bound];
    const queries = create(db, database);
    created.set(connection, queries);
    return queries;
  };
}

export function createData(database: Database): Data {
  const waiting = createSemaphore(maxWaitingTransactions);
  return {
    [bound]: { queries: database.queries, database },
    transaction: async (work) => {
      const repeatUntil = performance.now() + repeatedForMs;
      let attempt = () => runTransaction(database, work, false);
      for (;;) {
        try {
          return await attempt();
        } catch (error) {
          if (!database.isContended(error) || performance.now() > repeatUntil) throw error;
          // Repeated because two transactions can abort each other by a deadlock more than once.
          attempt = () =>
            startWithin(database.lockTurnMs, databaseUnavailable(error), (start) =>
              waiting.run(() => start(() => runTransaction(database, work, true))),
            );
        }
      }
    },
    refuseDuplicate: async (work, refusal) => {
      try {
        return await work();
      } catch (error) {
        if (database.violatedConstraint(error) === null) throw error;
        throw refusal();
      }
    },
    writeIfPossible: async (work) => {
      try {
        await work();
      } catch (error) {
        if (database.refusalOf(error) === null) throw error;
      }
    },
    ping: () => database.ping(),
  };
}

async function runTransaction<T>(
  database: Database,
  work: (connection: Connection) => Promise<T>,
  waits: boolean,
): Promise<T> {
  let worked = false;
  try {
    return await database.queries.transaction().execute(async (queries) => {
      if (waits) await database.waitForLocks(queries);
      const result = await work({ [bound]: { queries, database } });
      worked = true;
      return result;
    });
  } catch (error) {
    // A full disk is detected before the commit.
    const known = database.isRolledBack(error) || database.refusalOf(error)?.kind === 'no_space';
    throw worked && !known ? new CommitUnknown(error) : error;
  }
}

/** Rejects with `late` if `queue` does not start the work in time. Work that has started is not limited. */
async function startWithin<T>(
  limitMs: number,
  late: Error,
  queue: (start: (work: () => Promise<T>) => Promise<T>) => Promise<T>,
): Promise<T> {
  let isLate = false;
  const { promise: expired, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    isLate = true;
    reject(late);
  }, limitMs);
  const result = queue((work) => {
    clearTimeout(timer);
    return isLate ? Promise.reject(late) : work();
  });
  return Promise.race([result, expired]);
}
