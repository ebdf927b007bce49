/** Composes the service: one line per feature, with its dependencies. */
import type { FastifyBaseLogger } from 'fastify';
import { type AccountArea, createAccountArea } from './accounts/area.ts';
import { createAdministrationArea } from './administration/area.ts';
import { createAppArea } from './apps/area.ts';
import type { BlobStore } from './blobs/blob-store.ts';
import { createBrands } from './branding/brands.ts';
import { createSharedClock, fixedClock } from './claims/shared-clock.ts';
import type { Config } from './config.ts';
import { createOutbound, type OutboundEnvironment } from './core/outbound/outbound-target.ts';
import { version } from './core/version.ts';
import type { Data } from './db/data.ts';
import { createDeploygateArea } from './deploygate/area.ts';
import { createPageArea } from './distributions/area.ts';
import { createFeedbackArea } from './feedback/area.ts';
import { createGracefulShutdown } from './http/close-server.ts';
import type { Server } from './http/http-server.ts';
import { openRequestCapacity } from './http/request-capacity-config.ts';
import { createOriginOf } from './http/request-origin.ts';
import type { Route } from './http/routes/route.ts';
import { createEventStreams } from './http/sending/event-streams.ts';
import { createInsightArea } from './insight/area.ts';
import { createOutboxRunner, type OutboxRunner } from './jobs/outbox-runner.ts';
import { createRateLimiting } from './limits/rate-limiting-http.ts';
import { createMailArea } from './mail/area.ts';
import { mailUnavailableReason } from './mail/mail-config.ts';
import type { Mailer } from './mail/mailer.ts';
import { createOperationsArea } from './operations/area.ts';
import { createObservability, type Observability } from './operations/observability/observability-http.ts';
import type { ProcessFacts } from './operations/observability/service-metrics.ts';
import { type Installation, openInstallation } from './operations/open-installation.ts';
import { openSite } from './operations/open-site-http.ts';
import { createOwnerOperations } from './owners/create-owners.ts';
import { createProjectArea } from './projects/area.ts';
import { createGroupClaims, createProvisioningArea } from './provisioning/area.ts';
import { createSearchArea } from './search/area.ts';
import { createUploadArea } from './uploads/area.ts';
import { readStaticFiles } from './web/shell/static-files.ts';
import { createWebhookArea } from './webhooks/area.ts';

/** Replaceable parts, for tests and other stores. */
export interface Parts extends Pick<Installation, 'blobs' | 'packages'> {
  /** Replaces the SMTP server in the settings. */
  mailer: Mailer;
  outbound: Partial<OutboundEnvironment>;
  /** Used instead of the time of the database. */
  now: () => number;
  /** The clock of this machine, `Date.now` by default. */
  machineTime: () => number;
  logger: FastifyBaseLogger;
  /** Facts about the process for metrics, which omit them without it. */
  host: ProcessFacts;
}

export interface Service {
  /** Starts listening, and returns the bound address. */
  listen(): Promise<{ host: string; port: number }>;
  /** Set on the first start of an installation, to be shown once; otherwise null. */
  initialCredentials: AccountArea['initialCredentials'];
  http: Server;
  /** Every method and path that the server answers. */
  routes: readonly { method: string; address: string }[];
  /** The declarations from which the permission test and the docs are generated. */
  declared: readonly Route[];
  data: Data;
  blobs: BlobStore;
  outbox: OutboxRunner;
  /** Resolves when leftovers of earlier processes and abandoned uploads are removed, which begins with `listen`. */
  startupSweep(): Promise<void>;
  /** Finishes uploads in progress, then closes everything. */
  close(): Promise<void>;
}

export async function createService(config: Config, deps: Partial<Parts> = {}): Promise<Service> {
  const observability = createObservability(config, deps);
  const { logger: log, query: observe } = observability;
  const { now, machineTime = Date.now, blobs, packages } = deps;
  const clock = now ? fixedClock(now) : createSharedClock(machineTime);
  const opening = { blobs, packages, pid: deps.host?.pid ?? null, observe, clock, log };
  return openInstallation(config, opening, (installation) =>
    composeService(config, { ...deps, now: clock.now }, installation, observability),
  );
}

async function composeService(
  config: Config,
  deps: Partial<Parts> & Pick<Parts, 'now'>,
  installation: Installation,
  observability: Observability,
): Promise<Service> {
  const { now } = deps;
  const { data, blobs } = installation;
  const wakeOutbox = () => outbox.wake();
  const originOf = createOriginOf(config.publicUrl);
  const outbound = createOutbound(config.webhookNetworks, deps.outbound);
  const shared = { ...installation, config, originOf, now, outbound, log: observability.logger, wakeOutbox };
  const canSendMail = mailUnavailableReason(config) === null;
  const files = readStaticFiles();
  const streams = createEventStreams(config.limits);
  const stop = createGracefulShutdown({ ...config.stop, begin: streams.close });
  const capacity = await openRequestCapacity(config.capacity, shared.log);
  const limiting = createRateLimiting({ ...shared, capacity, refused: observability.refused });
  const owners = createOwnerOperations(shared);
  const brands = await createBrands(shared);
  const opened = { ...shared, owners, brands, limiting, streams, canSendMail, files };
  const accounts = await createAccountArea({ ...opened, groups: createGroupClaims(shared) });
  const { identify, access, frames, issueKey, deviceCodes, inviteLinks, composeAccountEmail } = accounts;
  const { attempts } = limiting;
  const signedIn = { ...shared, canSendMail, brands, attempts, identify, access, frames, inviteLinks };
  const projects = createProjectArea({ ...signedIn, owners });
  const scim = createProvisioningArea({ ...signedIn, limiting, ldap: accounts.ldap });
  const apps = createAppArea({
    ...signedIn,
    streams,
    lastDoctor: () => operations.doctor.last(),
    memberInstalls: () => pages.memberInstalls,
    checkBadges: () => insight.checkBadges,
    insight: () => insight.builds,
  });
  const viewing = { ...signedIn, ...apps.files, limits: config.limits, streams, issueKey, limiting };
  const pages = createPageArea(viewing);
  const insight = createInsightArea(viewing);
  const search = createSearchArea(viewing);
  const deploygate = createDeploygateArea({ ...viewing, owners, deviceCodes });
  const uploads = createUploadArea({
    ...viewing,
    trustedPublisherChanges: accounts.trustedPublisherChanges,
    attestationVerifier: insight.attestationVerifier,
    published: observability.published,
    wakeOutboxAfter: (over) => outbox.wakeAfter(over),
  });
  const mail = await createMailArea({ ...viewing, composeAccountEmail, mailer: deps.mailer });
  const feedback = createFeedbackArea({ ...viewing, pageAccess: pages.pageAccess, delivery: mail.delivery });
  const webhooks = createWebhookArea({ ...viewing, version: version() });
  const { plan, ...operations } = createOperationsArea({ ...viewing, version: version() });
  const administration = createAdministrationArea({
    ...signedIn,
    versions: { slipway: version(), node: deps.host?.version ?? null },
    doctor: operations.doctor,
  });
  const content = [uploads, accounts, projects, scim, apps, pages, insight, search, deploygate, feedback];
  const outgoing = { ...mail.jobs, ...feedback.jobs, ...webhooks.jobs };
  const stored = { ...apps.jobs, ...insight.jobs, ...scim.jobs, ...uploads.jobs, ...operations.jobs };
  const handlers = { ...accounts.jobs, ...stored, ...outgoing };
  const outbox = createOutboxRunner({ ...shared, plan, handlers, language: config.language });
  const routes = [...content, mail, webhooks, operations, administration].flatMap((area) => area.routes);
  const site = await openSite({ ...shared, observability, limiting, accounts, files, stop, routes });
  return {
    initialCredentials: accounts.initialCredentials,
    http: site.server,
    routes: site.routes,
    declared: site.declared,
    data,
    blobs,
    outbox,
    startupSweep: uploads.swept,
    listen: async () => {
      await observability.listen(data, () => ({
        eventStreams: streams.count(),
        clockOffsetMs: installation.claims.clockOffsetMs(),
      }));
      const bound = await site.listen();
      for (const { start } of [apps, pages, insight, scim, operations]) await installation.unlessFull(start);
      void installation.claims.start();
      outbox.wake();
      uploads.start();
      return bound;
    },
    close: async () => {
      await stop.close(site.server);
      await observability.close();
      insight.close();
      await Promise.all([pages.close(), accounts.close(), operations.close(), uploads.close()]);
      await Promise.all([outbox.stop(), mail.close()]);
      await installation.close();
    },
  };
}
