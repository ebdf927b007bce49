/** Access rule of the stored files of a build. */
import type { FastifyRequest } from 'fastify';
import type { Caller, Identify } from '../../accounts/sign-in/identify-http.ts';
import { Forbidden, NotFound } from '../../core/errors.ts';
import type { Data } from '../../db/data.ts';
import type { Access } from '../../http/routes/route.ts';
import type { App, Build } from '../app.ts';
import { appQueries } from '../app-queries.ts';
import { buildQueries } from '../builds/build-queries.ts';
import type { ViewAccess } from '../view-access.ts';
import type { LinkCheck, LinkPurpose, LinkSigner } from './link-signer.ts';

export interface StoredFileAccessParts {
  data: Data;
  links: LinkSigner;
  identify: Identify;
  viewAccess: ViewAccess;
}

/** The requested file, and whether the key in the URL is valid. */
interface AskedFile {
  app: App;
  build: Build;
  link: LinkCheck;
}

/** `actor` is null for anonymous callers and for anyone with a valid link. */
type FileCaller = Omit<Caller, 'actor'> & { actor: Caller['actor'] | null; file: AskedFile | null };
type StoredFileAccess = Access<{ build: string }, FileCaller, { app: App; build: Build }>;

/** A valid key in the URL always grants access. Otherwise an API key or a session of a member is required. */
export function createStoredFileAccess(parts: StoredFileAccessParts, purpose: LinkPurpose): StoredFileAccess {
  const { data, links, identify, viewAccess } = parts;
  const load = async (request: FastifyRequest): Promise<AskedFile | null> => {
    const build = await buildQueries(data).findBuild((request.params as { build: string }).build);
    const app = build && (await appQueries(data).findAppById(build.appId));
    const { key } = request.query as { key?: unknown };
    return app && { app, build, link: links.check(purpose, app, build.id, key) };
  };
  return {
    roles: ['tester', 'link holder'],
    credentials: ['session', 'key', 'link'],
    others: 'missing',
    anonymous: 'missing',
    identify: async (request) => {
      const file = await load(request);
      const caller = file?.link === 'valid' ? null : await identify.caller(request);
      return { ...(caller ?? { sessionToken: null }), actor: caller?.actor ?? null, file };
    },
    authorize: async ({ actor, file }) => {
      if (!file) throw new NotFound();
      const { app, build, link } = file;
      if (link === 'valid' || (actor && (await viewAccess.app(actor, app)))) return { app, build };
      if (link === 'expired') throw new Forbidden('this link has expired: reload the page that contains it');
      throw new NotFound();
    },
  };
}
