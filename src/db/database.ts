/** The interface of a database of either kind. */
import type { Kysely, Logger, Transaction } from 'kysely';
import { AppError, unavailableForNow } from '../core/errors.ts';
import type { PostgresLimits } from './postgres-limits.ts';
import type { Tables } from './tables.ts';

/** The kind of use, which determines time limits: a server with many requests, or a single command. */
export type DatabaseUse = 'server' | 'command';

export type Queries = Kysely<Tables>;

export interface Database {
  queries: Queries;
  dialect: 'sqlite' | 'postgres';
  /** Whether the database supports `for update skip locked`, so that processes claim jobs without waiting for each other. */
  canSkipLocked: boolean;
  /** Rejects if the database does not answer soon. */
  ping(): Promise<void>;
  /** How long a transaction that is blocked by a lock waits for its turn to wait for the lock. */
  lockTurnMs: number;
  /** Waits for other migrations, and lifts the time limits of the migrating transaction. */
  lockForMigration(transaction: Transaction<Tables>): Promise<void>;
  /** Lets a copying transaction pause while the other database works. */
  allowPauses(transaction: Transaction<Tables>): Promise<void>;
  /** Lets a transaction wait for locks held by others; otherwise it soon fails. */
  waitForLocks(transaction: Transaction<Tables>): Promise<void>;
  /** Whether a transaction failed only because of concurrent transactions, so that repeating it may succeed. */
  isContended(error: unknown): boolean;
  /** Whether this error of a commit proves that nothing was committed. */
  isRolledBack(error: unknown): boolean;
  /** Returns the unique constraint or column that a driver error is about; null if none. */
  violatedConstraint(error: unknown): string | null;
  /** Converts driver errors that are not bugs, such as an unreachable server, to errors for callers. Null for other errors. */
  refusalOf(error: unknown): AppError | null;
  close(): Promise<void>;
}

/** Called after every statement. Parameters are not included. */
export type ObserveQuery = (query: { sql: string; durationMs: number }) => void;

/** Adapts the observer to Kysely. Without one, nothing is measured. */
export function createQueryLogger(observe: ObserveQuery | undefined): Logger | undefined {
  return observe && ((event) => observe({ sql: event.query.sql, durationMs: event.queryDurationMillis }));
}

export const databaseUnavailable = (cause: unknown) =>
  unavailableForNow('the database is not available. Try again later', cause);
export const databaseFull = (cause: unknown) =>
  new AppError('no_space', 'not enough disk space for the database', { cause });

export type DatabaseConfig =
  | { kind: 'sqlite'; path: string }
  | { kind: 'postgres'; url: string; maxConnections: number; limits?: Partial<PostgresLimits> };
