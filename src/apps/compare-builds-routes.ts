import type { FastifyReply, FastifyRequest } from 'fastify';
import { NotFound } from '../errors.ts';
import type { RouteModule } from '../http/http-server.ts';
import type { App, Build } from './app.ts';
import { buildLine } from './build-lines.ts';
import { readRevision } from './build-selection.ts';
import { compareBuilds } from './compare-builds.ts';
import { renderCompareBuilds } from './compare-builds-page.tsx';
import type { LinkSigner } from './link-signer.ts';
import { type AppAddress, appAddresses, findVisibleApps, type VisibleAppParts } from './visible-apps-http.ts';

export interface CompareRouteParts extends VisibleAppParts {
  links: LinkSigner;
}

interface CompareAddress {
  Params: AppAddress['Params'];
  Querystring: { key?: unknown; from?: unknown; to?: unknown };
}

/** Two builds of an App beside each other, for everybody who may see them. */
export function compareBuildsRoutes(parts: CompareRouteParts): RouteModule {
  return (server) => {
    for (const address of appAddresses) {
      server.get<CompareAddress>(`${address}/compare`, (request, reply) =>
        answerComparison(parts, request, reply),
      );
    }
  };
}

async function answerComparison(
  parts: CompareRouteParts,
  request: FastifyRequest<CompareAddress>,
  reply: FastifyReply,
) {
  const visible = await findVisibleApps(parts, request, reply);
  if (!visible) return reply;
  const [from, to] = [readRevision(request.query.from), readRevision(request.query.to)];
  if (from === null || to === null) throw new NotFound();
  const { app, builds } = await findBoth(parts, visible.apps, from, to);
  const html = renderCompareBuilds({
    frame: parts.frames.of(request, visible.caller),
    app,
    appKey: visible.secret,
    from: buildLine(parts.links, builds.from),
    to: buildLine(parts.links, builds.to),
    comparison: compareBuilds(builds.from, builds.to),
  });
  return parts.frames.send(reply, html);
}

/** Where an address names no platform, the App that has both builds. */
async function findBoth(
  { data }: CompareRouteParts,
  apps: readonly App[],
  from: number,
  to: number,
): Promise<{ app: App; builds: { from: Build; to: Build } }> {
  for (const app of apps) {
    const first = await data.builds.findBuildByRevision(app.id, from);
    const second = await data.builds.findBuildByRevision(app.id, to);
    if (first && second) return { app, builds: { from: first, to: second } };
  }
  throw new NotFound(`the app does not have both builds, #${from} and #${to}`);
}
