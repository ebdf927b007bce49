import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../access/identify-http.ts';
import type { RouteModule } from '../http/http-server.ts';
import { ownerPath } from './addresses.ts';
import type { App } from './app.ts';
import { type HalfRequest, loadHalf } from './app-halves.ts';
import { renderAppPage } from './app-page.tsx';
import { maxBuildsAtOnce } from './build-deletion.ts';
import { readRevision, readRevisions } from './build-selection.ts';
import type { LinkSigner } from './link-signer.ts';
import {
  type AppAddress,
  appAddresses,
  findVisibleApps,
  managesWithForms,
  type VisibleAppParts,
} from './visible-apps-http.ts';

export interface AppRouteParts extends VisibleAppParts {
  links: LinkSigner;
}

interface AppPageAddress {
  Params: AppAddress['Params'];
  Querystring: {
    key?: unknown;
    q?: unknown;
    platform?: unknown;
    below?: unknown;
    above?: unknown;
    /** Revisions that were just deleted or brought back, for the page to say so. */
    deleted?: unknown;
    restored?: unknown;
  };
}

const maxQueryLength = 200;

/** The page of an app. The App's secret opens it with `?key=`. */
export function appRoutes(parts: AppRouteParts): RouteModule {
  return (server) => {
    for (const address of appAddresses) {
      server.get<AppPageAddress>(address, (request, reply) => answerAppPage(parts, request, reply));
    }
  };
}

async function standingOf(parts: AppRouteParts, caller: Caller | null, app: App) {
  const { viewAccess } = parts;
  if (!caller) return { manages: false, seesOwner: true };
  return {
    manages: await managesWithForms(viewAccess, caller, app),
    seesOwner: (await viewAccess.owner(caller.actor, app.owner.name)) !== null,
  };
}

async function answerAppPage(
  parts: AppRouteParts,
  request: FastifyRequest<AppPageAddress>,
  reply: FastifyReply,
) {
  const visible = await findVisibleApps(parts, request, reply);
  if (!visible) return reply;
  const { apps, caller, secret } = visible;
  const [first] = apps;
  const address = request.url.split('?', 1)[0] ?? '';
  const query = readSearch(request.query.q);
  const { manages, seesOwner } = await standingOf(parts, caller, first);
  const frame = parts.frames.of(request, caller);
  const keep = { ...(secret ? { key: secret } : {}), ...(query ? { q: query } : {}) };
  const halves = apps.map((app) => {
    const turned = request.query.platform === app.platform;
    const position: HalfRequest = {
      address,
      keep,
      query,
      below: turned ? readRevision(request.query.below) : null,
      above: turned ? readRevision(request.query.above) : null,
      manages,
      deleted: readRevisions(request.query.deleted, maxBuildsAtOnce),
      restored: readRevisions(request.query.restored, maxBuildsAtOnce),
      now: frame.now,
    };
    return loadHalf(parts.data, parts.links, app, position);
  });
  const html = renderAppPage({
    frame,
    owner: first.owner,
    ownerAddress: seesOwner ? ownerPath(first.owner) : null,
    packageName: first.packageName,
    halves: await Promise.all(halves),
    search: { address, query, key: secret },
  });
  return parts.frames.send(reply, html);
}

/** A parameter that comes twice is a list; PostgreSQL would fail to look for a zero. */
function readSearch(text: unknown): string {
  return typeof text === 'string' ? text.slice(0, maxQueryLength).replaceAll('\0', '') : '';
}
