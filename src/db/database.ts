/** What the rest of Slipway sees of a database, whichever kind it is. */
import type { Kysely, Logger, Transaction } from 'kysely';
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
  close(): Promise<void>;
}

/** Told of every statement that was answered or refused; without its parameters. */
export type ObserveQuery = (query: { sql: string; durationMs: number }) => void;

/** The same in the words of Kysely; nothing is measured where nobody listens. */
export function logOf(observe: ObserveQuery | undefined): Logger | undefined {
  return observe && ((event) => observe({ sql: event.query.sql, durationMs: event.queryDurationMillis }));
}

export type DatabaseConfig =
  | { kind: 'sqlite'; path: string }
  | { kind: 'postgres'; url: string; maxConnections: number };
