/** Access to a directory: only with a SCIM token of its Workspace, in the Authorization header. Sessions and API keys do not count. */
import type { FastifyRequest } from 'fastify';
import { readCredentials } from '../accounts/authorization/credentials.ts';
import { hashApiKey } from '../accounts/keys/api-key.ts';
import { NotFound, TooManyRequests, unauthenticated } from '../core/errors.ts';
import type { Data } from '../db/data.ts';
import { recordCaller } from '../http/request-log.ts';
import type { RouteCaller } from '../http/routes/client.ts';
import type { Access } from '../http/routes/route-facts.ts';
import type { RateLimiting } from '../limits/rate-limiting-http.ts';
import { nameKey } from '../owners/owner.ts';
import { directoryQueries } from './directory-queries.ts';
import type { Directory } from './scim/scim.ts';

/** Precision of "last used": not every request causes a write. */
const lastUsedPrecisionMs = 60_000;

type DirectoryCaller = NonNullable<RouteCaller> & { directory: Directory };

export type DirectoryAccess = Access<{ workspace: string }, DirectoryCaller, Directory>;

export function createDirectoryAccess(deps: {
  data: Data;
  limiting: Pick<RateLimiting, 'proven' | 'countWrongKey'>;
  now: () => number;
}): DirectoryAccess {
  const { data, limiting, now } = deps;
  return {
    roles: ['directory'],
    credentials: ['SCIM token'],
    others: 'missing',
    identify: async (request: FastifyRequest) => {
      // Answering a request that was refused by the rate limit costs no statement.
      if (request.wasRateLimited) throw new TooManyRequests('requests', 0);
      const { authorization } = request.headers;
      const credentials = readCredentials({ authorization, tokens: undefined }, false);
      if (credentials.kind !== 'key') throw unauthenticated();
      const time = now();
      const found = await directoryQueries(data).findByToken(hashApiKey(credentials.key), time);
      if (!found) {
        await limiting.countWrongKey(request.ip);
        throw unauthenticated();
      }
      const { lastUsedAt, ...directory } = found;
      if (lastUsedAt === null || time - lastUsedAt > lastUsedPrecisionMs)
        await data.writeIfPossible(() => directoryQueries(data).touchToken(directory.token.id, time));
      recordCaller(request, 'directory');
      limiting.proven(request, 'directory');
      return { sessionToken: null, directory };
    },
    authorize: async ({ directory }, { workspace }) => {
      // The same answer for another Workspace and for none.
      if (nameKey(directory.workspace.name) !== nameKey(workspace)) throw new NotFound();
      return directory;
    },
  };
}
