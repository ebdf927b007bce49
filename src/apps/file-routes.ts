import type { FastifyRequest } from 'fastify';
import type { Caller, Identify } from '../access/identify-http.ts';
import type { Data } from '../data.ts';
import { NotFound } from '../errors.ts';
import { blob } from '../http/routes/answer.ts';
import { type Access, defineRoute, type Route } from '../http/routes/route.ts';
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

type StoredFileAccess = Access<{ build: string }, Caller | null, { app: App; build: Build }>;

/** The stored bytes of a build: its package, its simulator build, its icon. */
export function fileRoutes(parts: FileRouteParts): Route[] {
  const { storedFiles } = parts;
  const accessTo = (purpose: LinkPurpose) =>
    ({ method: 'GET', access: createStoredFileAccess(parts, purpose), keyScope: 'read' }) as const;
  return [
    defineRoute({
      ...accessTo('file'),
      path: '/builds/:build/file',
      summary: 'Download the package of a build',
      handle: async ({ subject: { app, build } }) => blob(storedFiles.packageOf(app, build)),
    }),
    defineRoute({
      ...accessTo('simulator'),
      path: '/builds/:build/simulator',
      summary: 'Download the simulator build of a build',
      handle: async ({ subject: { app, build } }) => blob(storedFiles.simulatorOf(app, build)),
    }),
    defineRoute({
      ...accessTo('icon'),
      path: '/builds/:build/icon',
      summary: 'Show the icon of a build',
      handle: async ({ subject: { app, build } }) => blob(await storedFiles.iconOf(app, build)),
    }),
  ];
}

/** By the key in the address, which nothing else in the request can spoil; else for an API key or a signed-in member. */
function createStoredFileAccess(parts: FileRouteParts, purpose: LinkPurpose): StoredFileAccess {
  const { data, links, identify, viewAccess } = parts;
  const isLink = ({ params, query }: FastifyRequest) =>
    links.verify(purpose, (params as { build: string }).build, (query as { key?: unknown }).key);
  return {
    roles: ['tester', 'link holder'],
    credentials: ['session', 'key', 'link'],
    others: 'missing',
    anonymous: 'missing',
    identify: async (request) => (isLink(request) ? null : identify.caller(request)),
    authorize: async (caller, { build: id }, request) => {
      const build = await data.builds.findBuild(id);
      const app = build && (await data.apps.findAppById(build.appId));
      const isAdmitted = app && (caller ? await viewAccess.app(caller.actor, app) : isLink(request));
      if (!isAdmitted) throw new NotFound();
      return { app, build };
    },
  };
}
