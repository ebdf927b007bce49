/** The queries of every feature, so that tests can check what a request stored. */
import { accountStateQueries } from '../../src/accounts/access/account-state-queries.ts';
import { invitationQueries } from '../../src/accounts/invitations/invitation-queries.ts';
import { inviteLinkQueries } from '../../src/accounts/invitations/invite-link-queries.ts';
import { namedInvitationQueries } from '../../src/accounts/invitations/named-invitation-queries.ts';
import { keyQueries } from '../../src/accounts/keys/key-queries.ts';
import { accountQueries } from '../../src/accounts/profile/account-queries.ts';
import { metadataQueries } from '../../src/accounts/saml/metadata-queries.ts';
import { samlQueries } from '../../src/accounts/saml/saml-queries.ts';
import { workspaceProviderQueries } from '../../src/accounts/saml/workspace/workspace-provider-queries.ts';
import { secondFactorQueries } from '../../src/accounts/second-factor/second-factor-queries.ts';
import { sessionQueries } from '../../src/accounts/sessions/session-queries.ts';
import { identityQueries } from '../../src/accounts/single-sign-on/identity-queries.ts';
import { deviceCodeQueries } from '../../src/accounts/terminal-sign-in/device-code-queries.ts';
import { trustedPublisherQueries } from '../../src/accounts/trusted-publishing/trusted-publisher-queries.ts';
import { administrationQueries } from '../../src/administration/administration-queries.ts';
import { memberActivityQueries } from '../../src/apps/activity/member-activity-queries.ts';
import { appPageQueries } from '../../src/apps/app-page-queries.ts';
import { appQueries } from '../../src/apps/app-queries.ts';
import { buildFilterQueries } from '../../src/apps/builds/build-filter-queries.ts';
import { buildQueries } from '../../src/apps/builds/build-queries.ts';
import { appDeletionQueries } from '../../src/apps/deletion/app-deletion-queries.ts';
import { buildDeletionQueries } from '../../src/apps/deletion/build-deletion-queries.ts';
import { retainedBuildsQueries } from '../../src/apps/retention/retained-builds-queries.ts';
import { appPeopleQueries } from '../../src/apps/testers/app-people-queries.ts';
import { brandQueries } from '../../src/branding/brand-queries.ts';
import { claimQueries } from '../../src/claims/claim-queries.ts';
import { type Connection, createData, type Data, defineQueries } from '../../src/db/data.ts';
import type { Database } from '../../src/db/database.ts';
import { deviceQueries } from '../../src/devices/device-queries.ts';
import { pageCountQueries } from '../../src/distributions/activity/page-count-queries.ts';
import { refusedVisitQueries } from '../../src/distributions/check-install/refused-visit-queries.ts';
import { distributionQueries } from '../../src/distributions/distribution-queries.ts';
import { pageSettingsQueries } from '../../src/distributions/settings/page-settings-queries.ts';
import { feedbackQueries } from '../../src/feedback/feedback-queries.ts';
import { checkQueries } from '../../src/insight/checks/check-queries.ts';
import { libraryQueries } from '../../src/insight/dependencies/library-queries.ts';
import { provenanceQueries } from '../../src/insight/provenance/provenance-queries.ts';
import { eventQueries } from '../../src/jobs/event-queries.ts';
import { type ClaimedJob, installation, type Job, type Lane, laneOf } from '../../src/jobs/outbox.ts';
import { outboxQueries } from '../../src/jobs/outbox-queries.ts';
import { attemptQueries } from '../../src/limits/attempt-queries.ts';
import { mailQueries } from '../../src/mail/mail-queries.ts';
import { mailChoiceQueries } from '../../src/mail/pages/mail-choice-queries.ts';
import { backupQueries } from '../../src/operations/backup/backup-queries.ts';
import { doctorQueries } from '../../src/operations/doctor/doctor-queries.ts';
import { metricsQueries } from '../../src/operations/observability/metrics-queries.ts';
import { reencryptQueries } from '../../src/operations/reencrypt-queries.ts';
import { appTesterQueries } from '../../src/owners/app-tester-queries.ts';
import { auditQueries } from '../../src/owners/audit-queries.ts';
import { workspaceGateQueries } from '../../src/owners/gate/workspace-gate-queries.ts';
import { groupQueries } from '../../src/owners/group-queries.ts';
import { ownerQueries } from '../../src/owners/owner-queries.ts';
import { quotaQueries } from '../../src/owners/quota-queries.ts';
import { retentionQueries } from '../../src/owners/retention/retention-queries.ts';
import { keyRegistrationQueries } from '../../src/owners/signing-keys/key-registration-queries.ts';
import { signingKeyQueries } from '../../src/owners/signing-keys/signing-key-queries.ts';
import { teamQueries } from '../../src/owners/team-queries.ts';
import { workspaceQueries } from '../../src/owners/workspace-queries.ts';
import { ownerDeletionQueries } from '../../src/projects/deletion/owner-deletion-queries.ts';
import { projectListQueries } from '../../src/projects/lists/project-list-queries.ts';
import { personPlacesQueries } from '../../src/projects/people/person-places-queries.ts';
import { directoryQueries } from '../../src/provisioning/directory-queries.ts';
import { searchQueries } from '../../src/search/search-queries.ts';
import { idempotencyQueries } from '../../src/uploads/idempotency-queries.ts';
import { recordedEventQueries } from '../../src/webhooks/events/recorded-event-queries.ts';
import { webhookQueries } from '../../src/webhooks/webhook-queries.ts';
import { testClaim } from './test-claims.ts';

type EveryQuery = ReturnType<typeof everyQuery>;

/** Also within transactions. */
export type TestConnection = Connection & EveryQuery;

/** `Data` with the queries of every feature, also within transactions. */
export interface TestQueries extends Data, EveryQuery {
  transaction<T>(work: (connection: TestConnection) => Promise<T>): Promise<T>;
}

export function withEveryQuery(data: Data): TestQueries {
  return {
    ...data,
    ...everyQuery(data),
    transaction: (work) => data.transaction((tx) => work({ ...tx, ...everyQuery(tx) })),
  };
}

export function createTestQueries(database: Database): TestQueries {
  return withEveryQuery(createData(database));
}

/** Adds jobs for the installation and claims them for the test, unless the test passes an owner and a node. */
function testOutbox(connection: Connection) {
  const outbox = outboxQueries(connection);
  return {
    ...outbox,
    ...pendingJobQueries(connection),
    add: (job: Job, now: number, ownerId = installation) => outbox.add(ownerId, job, now),
    addAll: (jobs: readonly Job[], now: number, runAt = now, ownerId = installation) =>
      outbox.addAll(ownerId, jobs, now, runAt),
    addOnce: (id: string, job: Job, now: number, runAt: number, ownerId = installation) =>
      outbox.addOnce(id, ownerId, job, now, runAt),
    claim: async ({ kinds: [kind] }: Lane, now: number, limit: number, claim = testClaim) => {
      const claimed: ClaimedJob[] = [];
      if (kind === undefined) return claimed;
      if (claim.takesOver) await outbox.releaseExpired();
      for (let queued = 100; queued === 100; ) queued = await outbox.queueDueJobs(now, 100);
      while (claimed.length < limit) {
        const job = await outbox.claim(laneOf(kind), now, claim, {
          after: claimed.at(-1)?.ownerId ?? null,
          except: [],
        });
        if (!job) break;
        claimed.push(job);
      }
      return claimed;
    },
    finish: (id: string, claim = testClaim) => outbox.finish(id, claim),
    retryLater: (id: string, runAt: number, lastError: string, claim = testClaim) =>
      outbox.retryLater(id, runAt, lastError, claim),
    putOff: (id: string, runAt: number, claim = testClaim) => outbox.putOff(id, runAt, claim),
  };
}

const pendingJobQueries = defineQueries((db) => ({
  /** When the next unclaimed job of a lane is due; null when there is none. */
  nextRunAt: async ({ kinds, maxAttempts }: Lane): Promise<number | null> => {
    const row = await db
      .selectFrom('outbox')
      .select((select) => select.fn.min('run_at').as('due'))
      .where('leased_until', 'is', null)
      .where('kind', 'in', kinds)
      .where('attempts', '<', maxAttempts)
      .executeTakeFirst();
    return row?.due ?? null;
  },
}));

const storedRowQueries = defineQueries((db) => ({
  /** Totals, which show that a rejected request stored nothing. */
  countRows: async (): Promise<{ apps: number; builds: number; pages: number }> => {
    const apps = await db
      .selectFrom('apps')
      .select((select) => select.fn.countAll<number>().as('count'))
      .where('deleted_at', 'is', null)
      .executeTakeFirstOrThrow();
    const builds = await db
      .selectFrom('builds as b')
      .innerJoin('apps as a', 'a.id', 'b.app_id')
      .select((select) => select.fn.countAll<number>().as('count'))
      .where('b.deleted_at', 'is', null)
      .where('a.deleted_at', 'is', null)
      .executeTakeFirstOrThrow();
    const pages = await db
      .selectFrom('distribution_pages as p')
      .innerJoin('apps as a', 'a.id', 'p.app_id')
      .select((select) => select.fn.countAll<number>().as('count'))
      .where('a.deleted_at', 'is', null)
      .executeTakeFirstOrThrow();
    return { apps: Number(apps.count), builds: Number(builds.count), pages: Number(pages.count) };
  },
}));

function everyQuery(connection: Connection) {
  return {
    owners: ownerQueries(connection),
    teams: teamQueries(connection),
    workspaces: workspaceQueries(connection),
    quotas: quotaQueries(connection),
    retention: retentionQueries(connection),
    ownerDeletion: ownerDeletionQueries(connection),
    groups: groupQueries(connection),
    refusedVisits: refusedVisitQueries(connection),
    inviteLinks: inviteLinkQueries(connection),
    personPlaces: personPlacesQueries(connection),
    projectLists: projectListQueries(connection),
    audit: auditQueries(connection),
    signingKeys: signingKeyQueries(connection),
    provenance: provenanceQueries(connection),
    keyRegistrations: keyRegistrationQueries(connection),
    brands: brandQueries(connection),
    accountState: accountStateQueries(connection),
    deviceCodes: deviceCodeQueries(connection),
    keys: keyQueries(connection),
    trustedPublishers: trustedPublisherQueries(connection),
    sessions: sessionQueries(connection),
    attempts: attemptQueries(connection),
    accounts: accountQueries(connection),
    secondFactors: secondFactorQueries(connection),
    identities: identityQueries(connection),
    saml: samlQueries(connection),
    samlMetadata: metadataQueries(connection),
    directories: directoryQueries(connection),
    workspaceProviders: workspaceProviderQueries(connection),
    workspaceGate: workspaceGateQueries(connection),
    invitations: { ...invitationQueries(connection), ...namedInvitationQueries(connection) },
    apps: appQueries(connection),
    appPages: appPageQueries(connection),
    appPeople: appPeopleQueries(connection),
    appTesters: appTesterQueries(connection),
    memberActivity: memberActivityQueries(connection),
    appDeletion: appDeletionQueries(connection),
    builds: { ...buildQueries(connection), ...storedRowQueries(connection) },
    checks: checkQueries(connection),
    libraries: libraryQueries(connection),
    buildFilters: buildFilterQueries(connection),
    buildDeletion: buildDeletionQueries(connection),
    retainedBuilds: retainedBuildsQueries(connection),
    distributions: distributionQueries(connection),
    devices: deviceQueries(connection),
    pageCounts: pageCountQueries(connection),
    pageSettings: pageSettingsQueries(connection),
    idempotency: idempotencyQueries(connection),
    search: searchQueries(connection),
    outbox: testOutbox(connection),
    claims: claimQueries(connection),
    events: eventQueries(connection),
    webhooks: webhookQueries(connection),
    recordedEvents: recordedEventQueries(connection),
    feedback: feedbackQueries(connection),
    mails: mailQueries(connection),
    mailChoices: mailChoiceQueries(connection),
    doctor: doctorQueries(connection),
    reseal: reencryptQueries(connection),
    backup: backupQueries(connection),
    metrics: metricsQueries(connection),
    administration: administrationQueries(connection),
  };
}
