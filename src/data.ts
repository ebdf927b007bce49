/** Every query over one connection, and the only way to a transaction. No row and no query builder escapes from here. */
import { type AccessQueries, createAccessQueries } from './access/access-queries.ts';
import { type AccountQueries, createAccountQueries } from './access/account-queries.ts';
import { createIdentityQueries, type IdentityQueries } from './access/identity-queries.ts';
import { createInvitationQueries, type InvitationQueries } from './access/invitation-queries.ts';
import { createSecondFactorQueries, type SecondFactorQueries } from './access/second-factor-queries.ts';
import { type AppDeletionQueries, createAppDeletionQueries } from './apps/app-deletion-queries.ts';
import { type AppQueries, createAppQueries } from './apps/app-queries.ts';
import { type AppTesterQueries, createAppTesterQueries } from './apps/app-testers-queries.ts';
import { type BuildDeletionQueries, createBuildDeletionQueries } from './apps/build-deletion-queries.ts';
import { type BuildQueries, createBuildQueries } from './apps/build-queries.ts';
import { createRetainedBuildsQueries, type RetainedBuildsQueries } from './apps/retained-builds-queries.ts';
import { type AdministrationQueries, createAdministrationQueries } from './console/administration-queries.ts';
import { type BackupQueries, createBackupQueries } from './console/backup-queries.ts';
import { createDoctorQueries, type DoctorQueries } from './console/doctor-queries.ts';
import { createMetricsQueries, type MetricsQueries } from './console/metrics-queries.ts';
import { createResealQueries, type ResealQueries } from './console/reseal-queries.ts';
import type { Database, Queries } from './db/database.ts';
import { createDeviceQueries, type DeviceQueries } from './devices/device-queries.ts';
import { createDistributionQueries, type DistributionQueries } from './distributions/distribution-queries.ts';
import { createPageCountQueries, type PageCountQueries } from './distributions/page-count-queries.ts';
import {
  createPageSettingsQueries,
  type PageSettingsQueries,
} from './distributions/page-settings-queries.ts';
import { CommitUnknown } from './errors.ts';
import { createHookQueries, type HookQueries } from './notifications/hook-queries.ts';
import { createMailChoiceQueries, type MailChoiceQueries } from './notifications/mail-choice-queries.ts';
import { createMailQueries, type MailQueries } from './notifications/mail-queries.ts';
import { createOutboxQueries, type OutboxQueries } from './outbox/outbox-queries.ts';
import { type AuditQueries, createAuditQueries } from './owners/audit-queries.ts';
import { createOwnerQueries, type OwnerQueries } from './owners/owner-queries.ts';
import { createQuotaQueries, type QuotaQueries } from './owners/quota-queries.ts';
import { createRetentionQueries, type RetentionQueries } from './owners/retention-queries.ts';
import { createTeamQueries, type TeamQueries } from './owners/team-queries.ts';
import { createWorkspaceQueries, type WorkspaceQueries } from './owners/workspace-queries.ts';
import { createOwnerDeletionQueries, type OwnerDeletionQueries } from './projects/owner-deletion-queries.ts';
import { createProjectListQueries, type ProjectListQueries } from './projects/project-list-queries.ts';
import { createIdempotencyQueries, type IdempotencyQueries } from './uploads/idempotency-queries.ts';

export interface DataQueries {
  owners: OwnerQueries;
  teams: TeamQueries;
  workspaces: WorkspaceQueries;
  quotas: QuotaQueries;
  retention: RetentionQueries;
  ownerDeletion: OwnerDeletionQueries;
  projectLists: ProjectListQueries;
  audit: AuditQueries;
  access: AccessQueries;
  accounts: AccountQueries;
  secondFactors: SecondFactorQueries;
  identities: IdentityQueries;
  invitations: InvitationQueries;
  apps: AppQueries;
  appTesters: AppTesterQueries;
  appDeletion: AppDeletionQueries;
  builds: BuildQueries;
  buildDeletion: BuildDeletionQueries;
  retainedBuilds: RetainedBuildsQueries;
  distributions: DistributionQueries;
  devices: DeviceQueries;
  pageCounts: PageCountQueries;
  pageSettings: PageSettingsQueries;
  idempotency: IdempotencyQueries;
  outbox: OutboxQueries;
  hooks: HookQueries;
  mails: MailQueries;
  mailChoices: MailChoiceQueries;
  doctor: DoctorQueries;
  reseal: ResealQueries;
  backup: BackupQueries;
  metrics: MetricsQueries;
  administration: AdministrationQueries;
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

function createQueries(queries: Queries, database: Database): DataQueries {
  return {
    owners: createOwnerQueries(queries),
    teams: createTeamQueries(queries, database),
    workspaces: createWorkspaceQueries(queries, database),
    quotas: createQuotaQueries(queries, database),
    retention: createRetentionQueries(queries, database),
    ownerDeletion: createOwnerDeletionQueries(queries, database),
    projectLists: createProjectListQueries(queries),
    audit: createAuditQueries(queries),
    access: createAccessQueries(queries, database),
    accounts: createAccountQueries(queries),
    secondFactors: createSecondFactorQueries(queries),
    identities: createIdentityQueries(queries),
    invitations: createInvitationQueries(queries, database),
    apps: createAppQueries(queries, database),
    appTesters: createAppTesterQueries(queries, database),
    appDeletion: createAppDeletionQueries(queries, database),
    builds: createBuildQueries(queries),
    buildDeletion: createBuildDeletionQueries(queries, database),
    retainedBuilds: createRetainedBuildsQueries(queries, database),
    distributions: createDistributionQueries(queries),
    devices: createDeviceQueries(queries),
    pageCounts: createPageCountQueries(queries),
    pageSettings: createPageSettingsQueries(queries, database),
    idempotency: createIdempotencyQueries(queries),
    outbox: createOutboxQueries(queries, database),
    hooks: createHookQueries(queries),
    mails: createMailQueries(queries),
    mailChoices: createMailChoiceQueries(queries),
    doctor: createDoctorQueries(queries, database),
    reseal: createResealQueries(queries),
    backup: createBackupQueries(queries),
    metrics: createMetricsQueries(queries),
    administration: createAdministrationQueries(queries, database),
  };
}
