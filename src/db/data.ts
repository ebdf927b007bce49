/** Transactions, and the queries of each subject on the database or inside one transaction. */
import { CommitUnknown } from '../core/errors.ts';
import type { Database, Queries } from './database.ts';

/** Known here alone, so that SQL is written only in what `defineQueries` gets. */
const bound = Symbol('bound');

/** What queries run on: the database, or one transaction of it. */
export interface Connection {
  readonly [bound]: { queries: Queries; database: Database };
}

export interface Data extends Connection {
  /**
   * All or nothing. Nothing but SQL belongs in `work`: on SQLite every other writer waits for it. Rejects with what
   * `work` rejected with, and then nothing was written; with CommitUnknown when the commit itself failed.
   */
  transaction<T>(work: (connection: Connection) => Promise<T>): Promise<T>;
  /** Does `work`; a violated unique constraint becomes the error that `refusal` makes. */
  refuseDuplicate<T>(work: () => Promise<T>, refusal: () => Error): Promise<T>;
}

/** Returns the queries of one subject, created once for each connection. */
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
        // A full disk is noticed before anything is committed.
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
