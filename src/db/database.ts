/** The interface of a database of either kind. */
import type { Kysely, Logger, Transaction } from 'kysely';
import { AppError, unavailableForNow } from '../core/errors.ts';
import type { PostgresLimits } from './postgres-limits.ts';
import type { Tables } from './tables.ts';

/** Who uses the database, which determines its time limits: a server with many requests, or one command. */
export type DatabaseUse = 'server' | 'command';

export type Queries = Kysely<Tables>;

export interface Database {
  queries: Queries;
  dialect: 'sqlite' | 'postgres';
  /** Whether `for update skip locked` exists: several processes can claim jobs without waiting for each other. */
  canSkipLocked: boolean;
  /** Rejects when the database does not answer soon. */
  ping(): Promise<void>;
  /** How long a transaction that met a lock waits for its turn to wait for locks. */
  lockTurnMs: number;
  /** Waits for other migrations, and lifts the time limits of the transaction that migrates. */
  lockForMigration(transaction: Transaction<Tables>): Promise<void>;
  /** Lets a transaction that copies rows pause while another database works. */
  allowPauses(transaction: Transaction<Tables>): Promise<void>;
  /** Lets a transaction wait for locks that others hold; without this, it fails soon. */
  waitForLocks(transaction: Transaction<Tables>): Promise<void>;
  /** Whether a transaction failed only because of what others did at that moment, so that it may succeed when it is repeated. */
  isContended(error: unknown): boolean;
  /** Whether this error of a commit proves that nothing was committed. */
  isRolledBack(error: unknown): boolean;
  /** The unique constraint or column that an error of the driver violated, else null. */
  violatedConstraint(error: unknown): string | null;
  /** Converts driver errors that are not bugs, such as an unreachable server, to errors for callers; else null. */
  refusalOf(error: unknown): AppError | null;
  close(): Promise<void>;
}

/** Called after every statement, without its parameters. */
export type ObserveQuery = (query: { sql: string; durationMs: number }) => void;

/** Adapts the observer to Kysely; without one, nothing is measured. */
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
