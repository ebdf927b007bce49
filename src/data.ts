/** Every query over one connection, and the only way to a transaction. No row and no query builder escapes from here. */
import { type AccessQueries, createAccessQueries } from './access/access-queries.ts';
import { type AccountQueries, createAccountQueries } from './access/account-queries.ts';
import { createInvitationQueries, type InvitationQueries } from './access/invitation-queries.ts';
import { type AppDeletionQueries, createAppDeletionQueries } from './apps/app-deletion-queries.ts';
import { type AppQueries, createAppQueries } from './apps/app-queries.ts';
import { type AppTesterQueries, createAppTesterQueries } from './apps/app-testers-queries.ts';
import { type BuildDeletionQueries, createBuildDeletionQueries } from './apps/build-deletion-queries.ts';
import { type BuildQueries, createBuildQueries } from './apps/build-queries.ts';
import { type BackupQueries, createBackupQueries } from './console/backup-queries.ts';
import { createDoctorQueries, type DoctorQueries } from './console/doctor-queries.ts';
import { createMetricsQueries, type MetricsQueries } from './console/metrics-queries.ts';
import type { Database, Queries } from './db/database.ts';
import { createDeviceQueries, type DeviceQueries } from './devices/device-queries.ts';
import { createDistributionQueries, type DistributionQueries } from './distributions/distribution-queries.ts';
import { createPageCountQueries, type PageCountQueries } from './distributions/page-count-queries.ts';
import {
  createPageSettingsQueries,
  type PageSettingsQueries,
} from './distributions/page-settings-queries.ts';
import { CommitUnknown } from './errors.ts';
import { createMailChoiceQueries, type MailChoiceQueries } from './notifications/mail-choice-queries.ts';
import { createMailQueries, type MailQueries } from './notifications/mail-queries.ts';
import { createOutboxQueries, type OutboxQueries } from './outbox/outbox-queries.ts';
import { type AuditQueries, createAuditQueries } from './owners/audit-queries.ts';
import { createOwnerQueries, type OwnerQueries } from './owners/owner-queries.ts';
import { createQuotaQueries, type QuotaQueries } from './owners/quota-queries.ts';
import { createTeamQueries, type TeamQueries } from './owners/team-queries.ts';
import { createWorkspaceQueries, type WorkspaceQueries } from './owners/workspace-queries.ts';
import { createOwnerDeletionQueries, type OwnerDeletionQueries } from './projects/owner-deletion-queries.ts';
import { createIdempotencyQueries, type IdempotencyQueries } from './uploads/idempotency-queries.ts';

export interface DataQueries {
  owners: OwnerQueries;
  teams: TeamQueries;
  workspaces: WorkspaceQueries;
  quotas: QuotaQueries;
  ownerDeletion: OwnerDeletionQueries;
  audit: AuditQueries;
  access: AccessQueries;
  accounts: AccountQueries;
  invitations: InvitationQueries;
  apps: AppQueries;
  appTesters: AppTesterQueries;
  appDeletion: AppDeletionQueries;
  builds: BuildQueries;
  buildDeletion: BuildDeletionQueries;
  distributions: DistributionQueries;
  devices: DeviceQueries;
  pageCounts: PageCountQueries;
  pageSettings: PageSettingsQueries;
  idempotency: IdempotencyQueries;
  outbox: OutboxQueries;
  mails: MailQueries;
  mailChoices: MailChoiceQueries;
  doctor: DoctorQueries;
  backup: BackupQueries;
  metrics: MetricsQueries;
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
    teams: createTeamQueries(queries, database),
    workspaces: createWorkspaceQueries(queries, database),
    quotas: createQuotaQueries(queries, database),
    ownerDeletion: createOwnerDeletionQueries(queries, database),
    audit: createAuditQueries(queries),
    access: createAccessQueries(queries, database),
    accounts: createAccountQueries(queries),
    invitations: createInvitationQueries(queries, database),
    apps: createAppQueries(queries),
    appTesters: createAppTesterQueries(queries, database),
    appDeletion: createAppDeletionQueries(queries),
    builds: createBuildQueries(queries),
    buildDeletion: createBuildDeletionQueries(queries, database),
    distributions: createDistributionQueries(queries),
    devices: createDeviceQueries(queries),
    pageCounts: createPageCountQueries(queries),
    pageSettings: createPageSettingsQueries(queries, database),
    idempotency: createIdempotencyQueries(queries),
    outbox: createOutboxQueries(queries, database),
    mails: createMailQueries(queries),
    mailChoices: createMailChoiceQueries(queries),
    doctor: createDoctorQueries(queries, database),
    backup: createBackupQueries(queries),
    metrics: createMetricsQueries(queries),
  };
}
