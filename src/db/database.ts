/** What the rest of Slipway sees of a database, whichever kind it is. */
import type { Kysely, Logger, Transaction } from 'kysely';
import { AppError, unavailable } from '../core/errors.ts';
import type { Tables } from './tables.ts';

export type Queries = Kysely<Tables>;

export interface Database {
  queries: Queries;
  dialect: 'sqlite' | 'postgres';
  /** `for update skip locked` exists: several processes can claim work without waiting for each other. */
  canSkipLocked: boolean;
  lockForMigration(transaction: Transaction<Tables>): Promise<void>;
  /** Which unique constraint or column an error of the driver violated, else null. */
  violatedConstraint(error: unknown): string | null;
  /** What callers may be told of an error of the driver that is no defect, such as a server that is away; else null. */
  refusalOf(error: unknown): AppError | null;
  close(): Promise<void>;
}

/** Told of every statement that was answered or refused; without its parameters. */
export type ObserveQuery = (query: { sql: string; durationMs: number }) => void;

/** The same in the words of Kysely; nothing is measured where nobody listens. */
export function logOf(observe: ObserveQuery | undefined): Logger | undefined {
  return observe && ((event) => observe({ sql: event.query.sql, durationMs: event.queryDurationMillis }));
}

export const databaseAway = (cause: unknown) =>
  unavailable('the database does not answer at the moment, try again later', cause);
export const databaseFull = (cause: unknown) =>
  new AppError('no_space', 'there is not enough space left for the database', { cause });

export type DatabaseConfig =
  | { kind: 'sqlite'; path: string }
  | { kind: 'postgres'; url: string; maxConnections: number };
