/** Access rule of the stored files of a build. */
import type { FastifyRequest } from 'fastify';
import type { Caller, Identify } from '../access/identify-http.ts';
import type { Data } from '../data.ts';
import { NotFound } from '../errors.ts';
import type { Access } from '../http/routes/route.ts';
import type { App, Build } from './app.ts';
import type { LinkPurpose, LinkSigner } from './link-signer.ts';
import type { ViewAccess } from './view-access.ts';

export interface StoredFileAccessParts {
  data: Data;
  links: LinkSigner;
  identify: Identify;
  viewAccess: ViewAccess;
}

type StoredFileAccess = Access<{ build: string }, Caller | null, { app: App; build: Build }>;

/** A valid key in the address always admits; otherwise an API key or a session of a member does. */
export function createStoredFileAccess(parts: StoredFileAccessParts, purpose: LinkPurpose): StoredFileAccess {
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
