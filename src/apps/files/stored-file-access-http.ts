/** Access rule of the stored files of a build. */
import type { FastifyRequest } from 'fastify';
import type { Caller, Identify } from '../../accounts/authorization/identify-http.ts';
import { Forbidden, NotFound } from '../../core/errors.ts';
import type { CheckedToken } from '../../core/signed-token.ts';
import type { Data } from '../../db/data.ts';
import type { Access } from '../../http/routes/route-facts.ts';
import { admitsLinks } from '../../owners/gate/workspace-refusal.ts';
import type { App, Build } from '../app.ts';
import { appQueries } from '../app-queries.ts';
import { appTexts } from '../app-texts.ts';
import { buildQueries } from '../builds/build-queries.ts';
import type { ViewAccess } from '../view-access.ts';
import type { FileTokenPurpose, FileTokens } from './file-token.ts';

export interface StoredFileAccessDeps {
  data: Data;
  fileTokens: FileTokens;
  identify: Identify;
  viewAccess: ViewAccess;
}

/** The file in an address, and whether its token is valid. */
interface AskedFile {
  app: App;
  build: Build;
  token: CheckedToken<unknown>['kind'];
}

/** `actor` is null for anonymous callers and for anyone with a valid link. `person`: also of those who have a link. */
type FileCaller = Omit<Caller, 'actor'> & {
  actor: Caller['actor'] | null;
  file: AskedFile | null;
  person: Caller | null;
  /** Whether the person with a link could also see the app without it, at the last check. */
  sees?: boolean;
};
type StoredFileAccess = Access<{ build: string }, FileCaller, { app: App; build: Build }>;

/** A valid token in the URL grants access if the policies of the Workspace admit links. Otherwise an API key or a session of a member is required. */
export function createStoredFileAccess(
  deps: StoredFileAccessDeps,
  purpose: FileTokenPurpose,
): StoredFileAccess {
  const { data, fileTokens, identify, viewAccess } = deps;
  const load = async (request: FastifyRequest): Promise<AskedFile | null> => {
    const build = await buildQueries(data).findBuild((request.params as { build: string }).build);
    const app = build && (await appQueries(data).findAppById(build.appId));
    const { key } = request.query as { key?: unknown };
    if (!app) return null;
    const acceptsLasting = key === undefined || (await admitsLinks(data, app.owner, request.ip));
    return { app, build, token: fileTokens.check(purpose, app, build.id, key, acceptsLasting) };
  };
  return {
    roles: ['tester', 'link holder'],
    credentials: ['session', 'key', 'link'],
    others: 'missing',
    anonymous: 'missing',
    identify: async (request) => {
      const file = await load(request);
      if (file?.token === 'valid') {
        const person = purpose === 'icon' ? null : await identify.caller(request).catch(() => null);
        return { sessionToken: null, actor: null, file, person };
      }
      const caller = await identify.caller(request);
      return { ...(caller ?? { sessionToken: null }), actor: caller?.actor ?? null, file, person: caller };
    },
    authorize: async ({ actor, file }) => {
      if (!file) throw new NotFound();
      const { app, build, token } = file;
      if (token === 'valid' || (actor && (await viewAccess.app(actor, app)))) return { app, build };
      if (token === 'expired') throw new Forbidden(appTexts.errors.linkExpired);
      throw new NotFound();
    },
  };
}

/** A link that has expired or was rotated meanwhile does not end a download, but the end of the session or key does. */
export const reauthorizeFile =
  ({ identify, viewAccess }: StoredFileAccessDeps) =>
  async (
    { caller, subject }: { caller: FileCaller; subject: { app: App } },
    request: FastifyRequest,
  ): Promise<void> => {
    if (!caller.person) return;
    const again = await identify.caller(request);
    if (!again) throw new NotFound();
    // Throws if a policy of the Workspace refuses the caller, with a link too.
    const isSeen = await viewAccess.app(again.actor, subject.app);
    if (!isSeen && (caller.actor || caller.sees)) throw new NotFound();
    caller.sees = isSeen;
  };
