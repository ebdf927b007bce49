/** The composition root, wired by hand: reading this file tells the whole system. */
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { FastifyBaseLogger } from 'fastify';
import { createAccessArea } from './accounts/area.ts';
import { type ExpiredKeysWatch, watchExpiredKeys } from './accounts/keys/expired-keys.ts';
import { createIssueKey } from './accounts/keys/issue-key.ts';
import { createKeyExpiry } from './accounts/keys/key-changes.ts';
import { createRefuseBreached } from './accounts/passwords/breached-passwords.ts';
import { createComposeAccountEmail } from './accounts/profile/account-email.ts';
import { createEmailChangeTokens } from './accounts/profile/email-change-token.ts';
import { createFirstAdministrator, type FirstSecrets } from './accounts/profile/first-start.ts';
import { administrationRoutes } from './administration/administration-routes.ts';
import { appAreaRoutes } from './apps/area.ts';
import { createRemovalHandlers } from './apps/deletion/remove-deleted.ts';
import { createIconDrawer } from './apps/files/draw-icon.ts';
import { createLinkSigner } from './apps/files/link-signer.ts';
import { createWithLocalPackage } from './apps/files/local-package.ts';
import { createStoredFiles } from './apps/files/stored-files-http.ts';
import { createVerifyBuild } from './apps/files/verify-build.ts';
import { createRetentionHandlers } from './apps/retention/retain-builds.ts';
import { createViewAccess } from './apps/view-access.ts';
import type { BlobStore } from './blobs/blob-store.ts';
import { openBlobStore } from './blobs/open-blob-store.ts';
import { createSpool } from './blobs/spool/spool.ts';
import { rememberPuts } from './blobs/sweep-blobs.ts';
import type { Config } from './config.ts';
import { refusalOfFile } from './core/file-errors.ts';
import { readSecret } from './core/secret.ts';
import { version } from './core/version.ts';
import { createData, type Data } from './db/data.ts';
import type { Database } from './db/database.ts';
import { migrate } from './db/migrate.ts';
import type { ProcessLock } from './db/process-lock.ts';
import { isApiAddress } from './http/api-address.ts';
import { apiDocument } from './http/api-document.ts';
import { createGracefulStop } from './http/close-server.ts';
import { createHttpServer, type Server } from './http/http-server.ts';
import { openRequestCapacity } from './http/request-capacity-config.ts';
import { createOriginOf } from './http/request-origin.ts';
import type { Route } from './http/routes/route.ts';
import { firstHeaders } from './http/security-headers.ts';
import { siteRoutes } from './http/site-routes.ts';
import { createOutboxRunner, type OutboxRunner } from './jobs/outbox-runner.ts';
import { createRateLimiting } from './limits/rate-limiting-http.ts';
import { createAnnounceBuild } from './mail/announce-build.ts';
import { openDelivery } from './mail/delivery.ts';
import { mailUnavailableReason } from './mail/mail-config.ts';
import type { Mailer } from './mail/mailer.ts';
import { createLoadBuildMail } from './mail/messages/build-mail.ts';
import { createComposeMail } from './mail/messages/compose-mail.ts';
import { mailRoutes } from './mail/pages/mail-routes.ts';
import { createUnsubscribeTokens } from './mail/pages/unsubscribe-token.ts';
import { createSendAccountEmail } from './mail/send-account-email.ts';
import { createSendMail } from './mail/send-mail.ts';
import { createFileCheckJob } from './operations/check-files.ts';
import { createDoctor, storesOf } from './operations/doctor/create-doctor-http.ts';
import { createProbeSigner } from './operations/doctor/doctor-probe.ts';
import { doctorProbeRoutes } from './operations/doctor/doctor-probe-routes.ts';
import { doctorQueries } from './operations/doctor/doctor-queries.ts';
import { createObservability, type Observability } from './operations/observability/observability-http.ts';
import type { ProcessFacts } from './operations/observability/service-metrics.ts';
import { resealSecrets } from './operations/reencrypt-secrets.ts';
import { databaseSetting, needs, openInstallation, proveWriting } from './operations/start-checks.ts';
import { createOwnerMaker } from './owners/create-owners.ts';
import { ownerQueries } from './owners/owner-queries.ts';
import { resumeRounds } from './owners/retention-rounds.ts';
import { createPackageReader } from './packages/package-reader.ts';
import { createDistributionArea } from './pages/area.ts';
import { projectRoutes } from './projects/area.ts';
import { uploadAreaRoutes } from './uploads/area.ts';
import { createPublishBuild } from './uploads/publish-build.ts';
import { type LeftoverSweep, startLeftoverSweep } from './uploads/sweep-leftovers.ts';
import { readStaticFiles, staticAddresses } from './web/shell/static-files.ts';
import { openWebhooks, type WebhookEnvironment } from './webhooks/open-webhooks-http.ts';
import { webhookRoutes } from './webhooks/webhook-routes.ts';

/** The one seam for tests and for other stores. */
export interface Parts {
  blobs: BlobStore;
  /** Takes the place of the one that the settings name; it is used where they name one. */
  mailer: Mailer;
  webhooks: Partial<WebhookEnvironment>;
  now: () => number;
  logger: FastifyBaseLogger;
  /** What metrics ask of the process; without it they tell nothing of that. */
  host: ProcessFacts;
}

export interface Service {
  /** Listens; answers the address that was bound. */
  listen(): Promise<{ host: string; port: number }>;
  /** Non-null on the first start of an installation: to be shown once. */
  firstSecrets: FirstSecrets | null;
  http: Server;
  /** Every method and path that is answered. */
  routes: readonly { method: string; address: string }[];
  /** What the permission test and the docs are generated from. */
  declared: readonly Route[];
  data: Data;
  blobs: BlobStore;
  outbox: OutboxRunner;
  /** Resolves when what earlier processes left behind is cleared away, which begins with listening. */
  startupSweep(): Promise<void>;
  /** Finishes uploads under way, then closes in the reverse order of opening. */
  close(): Promise<void>;
}

export async function createService(config: Config, parts: Partial<Parts> = {}): Promise<Service> {
  const watch = createObservability(config, parts);
  return openInstallation(config, { pid: parts.host?.pid ?? null, observe: watch.query }, (opened) =>
    composeService(config, parts, { watch, ...opened }),
  );
}

async function composeService(
  config: Config,
  parts: Partial<Parts>,
  { watch, database, locks }: { watch: Observability; database: Database; locks: ProcessLock },
): Promise<Service> {
  const now = parts.now ?? Date.now;
  const startedAt = Date.now();
  const { logger } = watch;
  await needs('the database', databaseSetting(config), () => migrate(database, now));
  const data = createData(database);
  const secret = await needs('the secret in the data folder', 'SLIPWAY_DATA_DIR, SLIPWAY_SECRET', () =>
    readSecret(config),
  );
  await resealSecrets(data, secret, logger);
  const links = createLinkSigner({ secret, now });
  const puts = rememberPuts(parts.blobs ?? (await openBlobStore(config.blobs)));
  const blobs = puts.store;
  // Before the first administrator is created, because that password is shown only once.
  await proveWriting(config, data, blobs, now());
  const spool = createSpool({
    folder: join(config.dataFolder, 'spool'),
    minimumFreeBytes: config.limits.minimumFreeBytes,
  });
  const packages = createPackageReader({
    folder: join(config.dataFolder, 'reading'),
    onLost: (err) => logger.warn({ err }, 'a process ended while it was reading a package'),
  });

  const refuseBreached = createRefuseBreached({ url: config.breachedPasswordsUrl, log: logger });
  const owners = createOwnerMaker({ data, now });
  const issueKey = createIssueKey({ data, now, wakeOutbox: () => outbox.wake() });
  const firstSecrets = await createFirstAdministrator(
    { data, owners, issueKey, refuseBreached },
    config.firstAdministrator,
  );

  const withLocalPackage = createWithLocalPackage({ blobs, spool });
  const icons = createIconDrawer({ data, blobs, packages, withLocalPackage });
  const verifyBuild = createVerifyBuild({ data, packages, withLocalPackage });
  const tokens = createUnsubscribeTokens(secret);
  const load = createLoadBuildMail({ data, blobs, icons, packages });
  const delivery = await openDelivery(config, {
    mailer: parts.mailer,
    createCompose: (settings) => createComposeMail({ data, load, tokens, now, ...settings }),
  });
  const emailChanges = createEmailChangeTokens(secret);
  const composeAccountEmail = createComposeAccountEmail({ data, emailChanges, now });
  const webhooks = openWebhooks({
    ...{ data, secret, now, origin: config.publicUrl, networks: config.webhookNetworks },
    ...{ version: version(), log: logger, surroundings: parts.webhooks, wakeOutbox: () => outbox.wake() },
  });
  const fileCheck = createFileCheckJob({
    ...{ data, blobs, now, log: logger },
    enabled: config.storedFiles.checkedWeekly,
    bytesPerSecond: config.storedFiles.checkBytesPerSecond,
  });
  const outbox = createOutboxRunner({
    data,
    now,
    log: logger,
    handlers: {
      'draw-icon': async (job) => {
        await icons.settle(job.buildId);
      },
      'verify-signature': (job) => verifyBuild(job.buildId),
      'announce-build': createAnnounceBuild({
        data,
        canSend: delivery !== null,
        now,
        wakeOutbox: () => outbox.wake(),
      }),
      'send-mail': createSendMail({ data, delivery, now }),
      'send-letter': createSendAccountEmail({ delivery, composeAccountEmail, now, log: logger }),
      'key-expiry': createKeyExpiry({ data, now, wakeOutbox: () => outbox.wake() }),
      ...webhooks.handlers,
      ...createRemovalHandlers({ data, blobs, now }),
      ...createRetentionHandlers({ data, now, wakeOutbox: () => outbox.wake() }),
      ...fileCheck.handlers,
    },
  });
  const changing = { data, now, wakeOutbox: outbox.wake };
  const publishBuild = createPublishBuild({
    ...{ data, now, wakeOutboxAfter: outbox.wakeAfter, blobs, packages },
    published: watch.published,
  });

  const storedFiles = createStoredFiles({ blobs, packages, icons, sendfile: config.storedFiles.sendfile });
  const files = readStaticFiles();
  const stop = createGracefulStop(config.stop);
  const originOf = createOriginOf(config.publicUrl);
  const { rates } = config;
  const { wrongKeysPerHour } = config.limits;
  const limiting = createRateLimiting({
    ...{ data, rates, wrongKeysPerHour, originOf, now },
    capacity: await openRequestCapacity(config.capacity, logger),
    trustedProxies: config.trustedProxies,
    refused: watch.refused,
    log: logger,
  });
  const { attempts } = limiting;
  const area = createAccessArea({
    ...{ ...changing, secret, limiting, originOf, issueKey, emailChanges, refuseBreached },
    settings: {
      ...{ ...config, sessionIdleMs: config.sessions.idleMs, signUpOpen: config.signUp === 'open' },
      signUpQuota:
        config.signUp === 'open' || config.singleSignOn?.signUp === 'open' ? config.signUpQuota : null,
    },
    assets: staticAddresses(files),
    noteCallers: watch.callers,
    canSendMail: delivery !== null,
    onSignedIn: () => rm(firstStartPath(config), { force: true }),
  });
  const { identify, access, frames } = area;
  const viewAccess = createViewAccess(data);
  const viewing = { data, frames, attempts, viewAccess, storedFiles, originOf, now };
  const distributionPages = createDistributionArea({
    ...{ ...viewing, access, secret, wakeOutbox: outbox.wake },
    limits: config.limits,
    log: logger,
  });
  const uploader = await readFile(new URL('./uploader/slipway.mjs', import.meta.url)).catch(() => null);
  const uploads = uploadAreaRoutes({
    ...{ ...viewing, access, identify, links, spool, packages, publishBuild, rates, limiting },
    limits: config.limits,
  });
  const {
    server: http,
    routes,
    declared,
  } = await createHttpServer({
    guards: area.guards,
    sendPage: frames.send,
    logger,
    trustedProxies: config.trustedProxies,
    firstHeaders: firstHeaders(config.publicUrl),
    refusedBodyDrainSeconds: config.limits.refusedBodyDrainSeconds,
    admission: limiting.admission,
    connections: limiting.connections,
    transfers: { ...config.limits, ...config.capacity },
    observeRequest: watch.request,
    checkKnown: async (request) => {
      if (isApiAddress(request.url)) await identify.requireActor(request);
    },
    refusalOf: (error) => database.refusalOf(error) ?? refusalOfFile(error),
    renderErrorPage: area.renderErrorPage,
    routes: [
      uploads,
      area.routes,
      projectRoutes({ access, owners, ...changing }),
      appAreaRoutes({
        ...{ ...viewing, access, identify, links, wakeOutbox: outbox.wake },
        appSecrets: config.appSecrets,
      }),
      distributionPages.routes,
      mailRoutes({
        ...changing,
        access,
        frames,
        tokens,
        load,
        unavailableReason: mailUnavailableReason(config),
      }),
      webhookRoutes({ data, access, viewAccess, ...webhooks }),
      doctorProbeRoutes({ probes: createProbeSigner(secret), now }),
      administrationRoutes({
        ...{ ...changing, access, config },
        versions: { slipway: version(), node: parts.host?.version ?? null },
        canSendMail: delivery !== null,
        runDoctor: createDoctor({
          config,
          versions: { slipway: version(), node: null },
          secret,
          stores: storesOf(data, blobs),
          now,
        }),
      }),
      siteRoutes({
        access,
        files,
        uploader,
        apiDocument: () => apiDocument(version(), declared),
        checkGoingOn: stop.checkGoingOn,
        readiness: {
          ping: async () => {
            await Promise.all([ownerQueries(data).ping(), blobs.ping()]);
          },
          proveWriting: async () => {
            await Promise.all([
              data.transaction((inside) => doctorQueries(inside).proveWriting(now())),
              blobs.check(),
            ]);
          },
          now,
        },
      }),
    ],
  });

  let leftovers: LeftoverSweep | null = null;
  let expiredKeys: ExpiredKeysWatch | null = null;
  return {
    firstSecrets,
    http,
    routes,
    declared,
    data,
    blobs,
    outbox,
    startupSweep: () => leftovers?.done ?? Promise.resolve(),
    listen: async () => {
      await watch.listen(data);
      await http.listen({ host: config.host, port: config.port });
      await resumeRounds(data, now());
      await fileCheck.resume();
      outbox.wake();
      expiredKeys = watchExpiredKeys({ data, now, log: logger });
      leftovers = startLeftoverSweep({
        ...{ data, blobs, spool, startedAt, now, puts, log: logger },
        // PostgreSQL may serve other nodes that receive uploads into the same store; SQLite serves only this process.
        shared: database.dialect === 'postgres' || config.blobs.kind === 's3',
      });
      const bound = http.server.address();
      const port = bound !== null && typeof bound === 'object' ? bound.port : config.port;
      return { host: config.host, port };
    },
    close: async () => {
      await stop.close(http);
      await watch.close();
      await Promise.all([distributionPages.settled(), area.settled()]);
      fileCheck.stop();
      await Promise.all([leftovers?.stop(), expiredKeys?.stop(), outbox.stop(), delivery?.mailer.close()]);
      await packages.close();
      await spool.close();
      await database.close();
      locks.release();
    },
  };
}

/** Where the first secrets go when there is no terminal to show them on. */
export function firstStartPath(config: Config): string {
  return join(config.dataFolder, 'first-start.txt');
}
