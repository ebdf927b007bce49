/** The queries of every subject, so that a test can look at what a request left behind. */
import { accessQueries } from '../../src/access/access-queries.ts';
import { accountQueries } from '../../src/access/account-queries.ts';
import { identityQueries } from '../../src/access/identity-queries.ts';
import { invitationQueries } from '../../src/access/invitation-queries.ts';
import { secondFactorQueries } from '../../src/access/second-factor-queries.ts';
import { appDeletionQueries } from '../../src/apps/app-deletion-queries.ts';
import { appQueries } from '../../src/apps/app-queries.ts';
import { appTesterQueries } from '../../src/apps/app-testers-queries.ts';
import { buildDeletionQueries } from '../../src/apps/build-deletion-queries.ts';
import { buildQueries } from '../../src/apps/build-queries.ts';
import { retainedBuildsQueries } from '../../src/apps/retained-builds-queries.ts';
import { administrationQueries } from '../../src/console/administration-queries.ts';
import { backupQueries } from '../../src/console/backup-queries.ts';
import { doctorQueries } from '../../src/console/doctor-queries.ts';
import { metricsQueries } from '../../src/console/metrics-queries.ts';
import { resealQueries } from '../../src/console/reseal-queries.ts';
import { type Connection, createData, type Data } from '../../src/db/data.ts';
import type { Database } from '../../src/db/database.ts';
import { deviceQueries } from '../../src/devices/device-queries.ts';
import { distributionQueries } from '../../src/distributions/distribution-queries.ts';
import { pageCountQueries } from '../../src/distributions/page-count-queries.ts';
import { pageSettingsQueries } from '../../src/distributions/page-settings-queries.ts';
import { hookQueries } from '../../src/notifications/hook-queries.ts';
import { mailChoiceQueries } from '../../src/notifications/mail-choice-queries.ts';
import { mailQueries } from '../../src/notifications/mail-queries.ts';
import { outboxQueries } from '../../src/outbox/outbox-queries.ts';
import { auditQueries } from '../../src/owners/audit-queries.ts';
import { ownerQueries } from '../../src/owners/owner-queries.ts';
import { quotaQueries } from '../../src/owners/quota-queries.ts';
import { retentionQueries } from '../../src/owners/retention-queries.ts';
import { teamQueries } from '../../src/owners/team-queries.ts';
import { workspaceQueries } from '../../src/owners/workspace-queries.ts';
import { ownerDeletionQueries } from '../../src/projects/owner-deletion-queries.ts';
import { projectListQueries } from '../../src/projects/project-list-queries.ts';
import { idempotencyQueries } from '../../src/uploads/idempotency-queries.ts';

type EveryQuery = ReturnType<typeof everyQuery>;

/** Also inside a transaction. */
export type TestConnection = Connection & EveryQuery;

/** Data with the queries of every subject beside it, inside transactions too. */
export interface TestQueries extends Data, EveryQuery {
  transaction<T>(work: (connection: TestConnection) => Promise<T>): Promise<T>;
}

export function withEveryQuery(data: Data): TestQueries {
  return {
    ...data,
    ...everyQuery(data),
    transaction: (work) => data.transaction((inside) => work({ ...inside, ...everyQuery(inside) })),
  };
}

export function createTestQueries(database: Database): TestQueries {
  return withEveryQuery(createData(database));
}

function everyQuery(connection: Connection) {
  return {
    owners: ownerQueries(connection),
    teams: teamQueries(connection),
    workspaces: workspaceQueries(connection),
    quotas: quotaQueries(connection),
    retention: retentionQueries(connection),
    ownerDeletion: ownerDeletionQueries(connection),
    projectLists: projectListQueries(connection),
    audit: auditQueries(connection),
    access: accessQueries(connection),
    accounts: accountQueries(connection),
    secondFactors: secondFactorQueries(connection),
    identities: identityQueries(connection),
    invitations: invitationQueries(connection),
    apps: appQueries(connection),
    appTesters: appTesterQueries(connection),
    appDeletion: appDeletionQueries(connection),
    builds: buildQueries(connection),
    buildDeletion: buildDeletionQueries(connection),
    retainedBuilds: retainedBuildsQueries(connection),
    distributions: distributionQueries(connection),
    devices: deviceQueries(connection),
    pageCounts: pageCountQueries(connection),
    pageSettings: pageSettingsQueries(connection),
    idempotency: idempotencyQueries(connection),
    outbox: outboxQueries(connection),
    hooks: hookQueries(connection),
    mails: mailQueries(connection),
    mailChoices: mailChoiceQueries(connection),
    doctor: doctorQueries(connection),
    reseal: resealQueries(connection),
    backup: backupQueries(connection),
    metrics: metricsQueries(connection),
    administration: administrationQueries(connection),
  };
}
