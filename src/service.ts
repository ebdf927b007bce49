/** The composition root, wired by hand: reading this file tells the whole system. */
import { chmod, mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { FastifyBaseLogger } from 'fastify';
import pino from 'pino';
import { createAuthenticate } from './access/authenticate.ts';
import { type FirstSecrets, makeFirstAdministrator } from './access/first-start.ts';
import { createIdentify } from './access/identify-http.ts';
import { createIssueKey } from './access/issue-key.ts';
import { createPageFrames } from './access/page-frames-http.ts';
import { signInRoutes } from './access/sign-in-routes.ts';
import { appRoutes } from './apps/app-routes.ts';
import { createIconDrawer } from './apps/draw-icon.ts';
import { fileRoutes } from './apps/file-routes.ts';
import { createLinkSigner } from './apps/link-signer.ts';
import { createWithLocalPackage } from './apps/local-package.ts';
import { ownerRoutes } from './apps/owner-routes.ts';
import { createVerifyBuild } from './apps/verify-build.ts';
import { createViewAccess } from './apps/view-access.ts';
import type { BlobStore } from './blobs/blob-store.ts';
import { createDiskBlobStore } from './blobs/disk-blob-store.ts';
import { createSpool } from './blobs/spool.ts';
import type { Config } from './config.ts';
import { createData, type Data } from './data.ts';
import type { Database } from './db/database.ts';
import { migrate } from './db/migrate.ts';
import { openDatabase } from './db/open-database.ts';
import { distributionRoutes } from './distributions/distribution-routes.ts';
import { isApiAddress } from './http/api-address.ts';
import { describeApi } from './http/api-document.ts';
import { createHttpServer, type Server } from './http/http-server.ts';
import { createOriginOf } from './http/request-origin.ts';
import { siteRoutes } from './http/site-routes.ts';
import { createOutboxRunner, type OutboxRunner } from './outbox/outbox-runner.ts';
import { createOwnerMaker } from './owners/make-owners.ts';
import { createPackageReader } from './packages/package-reader.ts';
import { projectRoutes } from './projects/project-routes.ts';
import { readSecret } from './secret.ts';
import { createPublishBuild } from './uploads/publish-build.ts';
import { type LeftoverSweep, startLeftoverSweep } from './uploads/sweep-leftovers.ts';
import { uploadRoutes } from './uploads/upload-routes.ts';
import { version } from './version.ts';
import { renderErrorPage } from './web/error-page.tsx';
import { readStaticFiles, staticAddresses } from './web/static-files.ts';

/** The one seam for tests and for other stores. */
export interface Parts {
  blobs: BlobStore;
  now: () => number;
  logger: FastifyBaseLogger;
}

export interface Service {
  /** Listens; answers the address that was bound. */
  listen(): Promise<{ host: string; port: number }>;
  /** Non-null on the first start of an installation: to be shown once. */
  firstSecrets: FirstSecrets | null;
  http: Server;
  /** Every address that answers, for the docs to be held to. */
  addresses: readonly string[];
  data: Data;
  blobs: BlobStore;
  outbox: OutboxRunner;
  /** Resolves when what earlier processes left behind is cleared away, which begins with listening. */
  startupSweep(): Promise<void>;
  /** Finishes uploads under way, then closes in the reverse order of opening. */
  close(): Promise<void>;
}

export async function createService(config: Config, parts: Partial<Parts> = {}): Promise<Service> {
  await mkdir(config.dataFolder, { recursive: true, mode: 0o700 });
  await chmod(config.dataFolder, 0o700);
  const database = await openDatabase(config.database);
  try {
    return await composeService(config, parts, database);
  } catch (error) {
    await database.close();
    throw error;
  }
}

async function composeService(config: Config, parts: Partial<Parts>, database: Database): Promise<Service> {
  const now = parts.now ?? Date.now;
  const startedAt = Date.now();
  const logger = parts.logger ?? createLogger();
  await migrate(database, now);
  const data = createData(database);
  const links = createLinkSigner(await readSecret(config.dataFolder, config.secret));
  const blobs = parts.blobs ?? createDiskBlobStore({ root: config.blobs.folder });
  const spool = createSpool({
    folder: join(config.dataFolder, 'spool'),
    minimumFreeBytes: config.limits.minimumFreeBytes,
  });
  const packages = createPackageReader();

  const owners = createOwnerMaker({ data, now });
  const issueKey = createIssueKey({ data, now });
  const firstSecrets = await makeFirstAdministrator({ data, owners, issueKey }, config.firstAdministrator);

  const withLocalPackage = createWithLocalPackage({ blobs, spool });
  const icons = createIconDrawer({ data, blobs, packages, withLocalPackage });
  const verifyBuild = createVerifyBuild({ data, packages, withLocalPackage });
  const outbox = createOutboxRunner({
    data,
    now,
    log: logger,
    handlers: {
      'draw-icon': async (job) => {
        await icons.settle(job.buildId);
      },
      'verify-signature': (job) => verifyBuild(job.buildId),
    },
  });
  const publishBuild = createPublishBuild({ data, blobs, packages, now, wakeOutbox: outbox.wake });

  const files = readStaticFiles();
  const originOf = createOriginOf(config.publicUrl);
  const identify = createIdentify(createAuthenticate({ data, now }), config.legacyKeys);
  const frames = createPageFrames({ assets: staticAddresses(files), originOf, identify, now });
  const viewAccess = createViewAccess(data);
  const uploader = await readFile(new URL('./uploader/slipway.mjs', import.meta.url)).catch(() => null);
  const onSignedIn = () => rm(firstStartPath(config), { force: true });

  const { server: http, addresses } = await createHttpServer({
    logger,
    trustedProxies: config.trustedProxies,
    refusedBodyDrainSeconds: config.limits.refusedBodyDrainSeconds,
    checkKnown: async (request) => {
      if (isApiAddress(request.url)) await identify.requireActor(request);
    },
    renderErrorPage: async (request, status, message) => {
      const caller = await frames.callerOrNobody(request).catch(() => null);
      return renderErrorPage({ frame: frames.of(request, caller), status, message, reference: request.id });
    },
    describe: (server) => describeApi(server, version()),
    routes: [
      uploadRoutes({ data, identify, originOf, links, spool, publishBuild, limits: config.limits, now }),
      projectRoutes({ data, identify, frames, originOf }),
      signInRoutes({ data, frames, originOf, now, onSignedIn }),
      fileRoutes({ data, blobs, packages, links, identify, viewAccess, icons }),
      appRoutes({ data, frames, links, viewAccess }),
      ownerRoutes({ data, frames, links, viewAccess }),
      distributionRoutes({ data, frames, links, originOf }),
      siteRoutes({
        files,
        uploader,
        frameOf: async (request) => frames.of(request, await frames.callerOrNobody(request)),
        sendPage: frames.send,
        checkReady: async () => {
          await Promise.all([data.owners.ping(), blobs.check()]);
        },
      }),
    ],
  });

  let leftovers: LeftoverSweep | null = null;
  return {
    firstSecrets,
    http,
    addresses,
    data,
    blobs,
    outbox,
    startupSweep: () => leftovers?.done ?? Promise.resolve(),
    listen: async () => {
      await http.listen({ host: config.host, port: config.port });
      outbox.wake();
      // PostgreSQL may serve other nodes that receive uploads into the same stores; SQLite serves this process alone.
      const shared = database.dialect === 'postgres';
      leftovers = startLeftoverSweep({ data, blobs, spool, startedAt, shared, now, log: logger });
      const bound = http.server.address();
      const port = bound !== null && typeof bound === 'object' ? bound.port : config.port;
      return { host: config.host, port };
    },
    close: async () => {
      await closeHttp(http);
      await leftovers?.stop();
      await outbox.stop();
      await packages.close();
      await spool.close();
      await database.close();
    },
  };
}

const closeIdleEveryMs = 100;

/** A connection that was busy when the closing began is kept alive after its answer, so that it is looked for again. */
async function closeHttp(http: Server): Promise<void> {
  const sweep = setInterval(() => http.server.closeIdleConnections(), closeIdleEveryMs);
  try {
    await http.close();
  } finally {
    clearInterval(sweep);
  }
}

/** Where the first secrets go when there is no terminal to show them on. */
export function firstStartPath(config: Config): string {
  return join(config.dataFolder, 'first-start.txt');
}

function createLogger(): FastifyBaseLogger {
  return pino({ level: 'info', base: null });
}
