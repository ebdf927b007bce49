/** What the rest of Slipway sees of a database, whichever kind it is. */
import type { Kysely, Transaction } from 'kysely';
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

export type DatabaseConfig =
  | { kind: 'sqlite'; path: string }
  | { kind: 'postgres'; url: string; maxConnections: number };
