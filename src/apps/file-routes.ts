import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Identify } from '../access/identify-http.ts';
import { parseBlobKey } from '../blobs/blob-key.ts';
import type { BlobStore } from '../blobs/blob-store.ts';
import type { Data } from '../data.ts';
import { notFound } from '../errors.ts';
import type { RouteModule } from '../http/http-server.ts';
import { type BlobAnswer, sendBlob } from '../http/send-blob.ts';
import type { PackageReader } from '../packages/package-reader.ts';
import type { App, Build } from './app.ts';
import type { IconDrawer } from './draw-icon.ts';
import type { LinkPurpose, LinkSigner } from './link-signer.ts';
import type { ViewAccess } from './view-access.ts';

export interface FileRouteParts {
  data: Data;
  blobs: BlobStore;
  packages: PackageReader;
  links: LinkSigner;
  identify: Identify;
  viewAccess: ViewAccess;
  icons: IconDrawer;
}

interface FileAddress {
  Params: { build: string };
  Querystring: { key?: string };
}

/** The stored bytes of a build: its package, its simulator build, its icon. */
export function fileRoutes(parts: FileRouteParts): RouteModule {
  const { blobs } = parts;
  return (server) => {
    server.get<FileAddress>('/builds/:build/file', async (request, reply) => {
      const { app, build } = await findBuild(parts, request, 'file');
      return sendBlob(request, reply, {
        open: opener(blobs, build.packageBlob),
        sizeBytes: build.sizeBytes,
        etag: build.sha256,
        contentType: packageTypes[app.platform],
        modifiedAt: build.createdAt,
        fileName: fileNameOf(app, build),
      });
    });
    server.get<FileAddress>('/builds/:build/simulator', async (request, reply) => {
      const { app, build } = await findBuild(parts, request, 'simulator');
      if (build.simulatorBlob === null || build.simulatorBytes === null) throw missing();
      return sendBlob(request, reply, {
        open: opener(blobs, build.simulatorBlob),
        sizeBytes: build.simulatorBytes,
        etag: `${build.id}-simulator`,
        contentType: 'application/zip',
        modifiedAt: build.createdAt,
        fileName: `${app.packageName}-${build.revision}-simulator.zip`,
      });
    });
    server.get<FileAddress>('/builds/:build/icon', async (request, reply) => {
      const { app, build } = await findBuild(parts, request, 'icon');
      return sendIcon(parts, request, reply, app, build);
    });
  };
}

const packageTypes = {
  android: 'application/vnd.android.package-archive',
  ios: 'application/octet-stream',
} as const;

function fileNameOf(app: App, build: Build): string {
  const version = build.info.versionName ?? build.info.versionCode;
  return `${app.packageName}-${version}-${build.revision}.${app.platform === 'android' ? 'apk' : 'ipa'}`;
}

const missing = () => notFound('there is nothing at this address');

/** What a row names is there; a blob that is missing all the same is a defect, never an empty answer. */
function opener(blobs: BlobStore, blob: string): BlobAnswer['open'] {
  return async (range) => {
    const opened = await blobs.open(parseBlobKey(blob), range ?? undefined);
    if (!opened) throw new Error(`the blob ${blob} is missing although a row names it`);
    return opened.stream;
  };
}

/** By the key in the address; else for an API key or a signed-in member; for all others it is not there. */
async function findBuild(
  parts: FileRouteParts,
  request: FastifyRequest<FileAddress>,
  purpose: LinkPurpose,
): Promise<{ app: App; build: Build }> {
  const build = await parts.data.builds.findBuild(request.params.build);
  const byLink = parts.links.verify(purpose, request.params.build, request.query.key);
  const caller = byLink ? null : await parts.identify.caller(request);
  const app = build && (await parts.data.apps.findAppById(build.appId));
  if (!build || !app) throw missing();
  if (byLink || (caller && (await parts.viewAccess.app(caller.actor, app)))) return { app, build };
  throw missing();
}

/** Waits for a drawing that is under way; where there is no icon a monogram stands in, never a broken picture. */
async function sendIcon(
  parts: FileRouteParts,
  request: FastifyRequest,
  reply: FastifyReply,
  app: App,
  build: Build,
): Promise<FastifyReply> {
  const icon = await parts.icons.settle(build.id);
  const blob = icon?.state === 'drawn' ? await parts.blobs.open(parseBlobKey(icon.blob)) : null;
  if (icon?.state === 'drawn' && blob) {
    blob.stream.destroy();
    return sendBlob(request, reply, {
      open: opener(parts.blobs, icon.blob),
      sizeBytes: blob.sizeBytes,
      etag: `${build.id}-icon`,
      contentType: 'image/png',
      modifiedAt: build.createdAt,
      fileName: null,
    });
  }
  const png = await parts.packages.drawMonogram(build.info.name, app.packageName);
  return reply.type('image/png').header('Cache-Control', 'private, max-age=3600').send(Buffer.from(png));
}
