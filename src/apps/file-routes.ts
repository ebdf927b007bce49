import type { FastifyRequest } from 'fastify';
import type { Identify } from '../access/identify-http.ts';
import type { Data } from '../data.ts';
import { NotFound } from '../errors.ts';
import type { RouteModule } from '../http/http-server.ts';
import { sendBlob } from '../http/send-blob.ts';
import type { App, Build } from './app.ts';
import type { LinkPurpose, LinkSigner } from './link-signer.ts';
import type { StoredFiles } from './stored-files-http.ts';
import type { ViewAccess } from './view-access.ts';

export interface FileRouteParts {
  data: Data;
  storedFiles: StoredFiles;
  links: LinkSigner;
  identify: Identify;
  viewAccess: ViewAccess;
}

interface FileAddress {
  Params: { build: string };
  Querystring: { key?: string };
}

/** The stored bytes of a build: its package, its simulator build, its icon. */
export function fileRoutes(parts: FileRouteParts): RouteModule {
  const { storedFiles } = parts;
  return (server) => {
    server.get<FileAddress>('/builds/:build/file', async (request, reply) => {
      const { app, build } = await findBuild(parts, request, 'file');
      return storedFiles.sendPackage(request, reply, app, build);
    });
    server.get<FileAddress>('/builds/:build/simulator', async (request, reply) => {
      const { app, build } = await findBuild(parts, request, 'simulator');
      return sendBlob(request, reply, storedFiles.simulatorOf(app, build));
    });
    server.get<FileAddress>('/builds/:build/icon', async (request, reply) => {
      const { app, build } = await findBuild(parts, request, 'icon');
      return storedFiles.sendIcon(request, reply, app, build);
    });
  };
}

/** By the key in the address; else for an API key or a signed-in member; for all others it is not there. */
async function findBuild(
  parts: FileRouteParts,
  request: FastifyRequest<FileAddress>,
  purpose: LinkPurpose,
): Promise<{ app: App; build: Build }> {
  const missing = () => new NotFound();
  const build = await parts.data.builds.findBuild(request.params.build);
  const byLink = parts.links.verify(purpose, request.params.build, request.query.key);
  const caller = byLink ? null : await parts.identify.caller(request);
  const app = build && (await parts.data.apps.findAppById(build.appId));
  if (!build || !app) throw missing();
  if (byLink || (caller && (await parts.viewAccess.app(caller.actor, app)))) return { app, build };
  throw missing();
}
