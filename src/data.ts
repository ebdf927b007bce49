/** Every query over one connection, and the only way to a transaction. No row and no query builder escapes from here. */
import { type AccessQueries, createAccessQueries } from './access/access-queries.ts';
import { type AppQueries, createAppQueries } from './apps/app-queries.ts';
import { type BuildQueries, createBuildQueries } from './apps/build-queries.ts';
import type { Database, Queries } from './db/database.ts';
import { createDistributionQueries, type DistributionQueries } from './distributions/distribution-queries.ts';
import { CommitUnknown } from './errors.ts';
import { createOutboxQueries, type OutboxQueries } from './outbox/outbox-queries.ts';
import { type AuditQueries, createAuditQueries } from './owners/audit-queries.ts';
import { createOwnerQueries, type OwnerQueries } from './owners/owner-queries.ts';
import { createIdempotencyQueries, type IdempotencyQueries } from './uploads/idempotency-queries.ts';

export interface DataQueries {
  owners: OwnerQueries;
  audit: AuditQueries;
  access: AccessQueries;
  apps: AppQueries;
  builds: BuildQueries;
  distributions: DistributionQueries;
  idempotency: IdempotencyQueries;
  outbox: OutboxQueries;
}

export interface Data extends DataQueries {
  /**
   * All or nothing. Nothing but SQL belongs in `work`: on SQLite every other writer waits for it. Rejects with what
   * `work` rejected with, and then nothing was written; with CommitUnknown when the commit itself failed.
   */
  transaction<T>(work: (data: DataQueries) => Promise<T>): Promise<T>;
  /** Does `work`; a violated unique constraint becomes the error that `refusal` makes. */
  refuseDuplicate<T>(work: () => Promise<T>, refusal: () => Error): Promise<T>;
}

export function createData(database: Database): Data {
  return {
    ...createQueries(database.queries, database),
    transaction: async (work) => {
      let worked = false;
      try {
        return await database.queries.transaction().execute(async (transaction) => {
          const result = await work(createQueries(transaction, database));
          worked = true;
          return result;
        });
      } catch (error) {
        throw worked ? new CommitUnknown(error) : error;
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

function createQueries(queries: Queries, database: Database): DataQueries {
  return {
    owners: createOwnerQueries(queries),
    audit: createAuditQueries(queries),
    access: createAccessQueries(queries),
    apps: createAppQueries(queries),
    builds: createBuildQueries(queries),
    distributions: createDistributionQueries(queries),
    idempotency: createIdempotencyQueries(queries),
    outbox: createOutboxQueries(queries, database),
  };
}
