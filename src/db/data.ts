/** Transactions, and the queries of each feature on the database or inside one transaction. */
import { CommitUnknown } from '../core/errors.ts';
import type { Database, Queries } from './database.ts';

/** Private to this file, so that SQL is written only in functions passed to `defineQueries`. */
const bound = Symbol('bound');

/** What queries run on: the database, or one transaction. */
export interface Connection {
  readonly [bound]: { queries: Queries; database: Database };
}

export interface Data extends Connection {
  /**
   * Runs `work` in a transaction. `work` must contain only SQL: on SQLite every other writer waits for it. Rejects
   * with the error of `work`, and then nothing was written; with CommitUnknown when the commit itself failed.
   */
  transaction<T>(work: (connection: Connection) => Promise<T>): Promise<T>;
  /** Runs `work`; converts a violated unique constraint to the error that `refusal` creates. */
  refuseDuplicate<T>(work: () => Promise<T>, refusal: () => Error): Promise<T>;
}

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
  return {
    [bound]: { queries: database.queries, database },
    transaction: async (work) => {
      let worked = false;
      try {
        return await database.queries.transaction().execute(async (queries) => {
          const result = await work({ [bound]: { queries, database } });
          worked = true;
          return result;
        });
      } catch (error) {
        // A full disk is detected before the commit.
        const known = database.refusalOf(error)?.kind === 'no_space';
        throw worked && !known ? new CommitUnknown(error) : error;
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
  };
}
