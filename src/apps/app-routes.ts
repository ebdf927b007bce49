import { timingSafeEqual } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../access/identify-http.ts';
import type { PageFrames } from '../access/page-frames-http.ts';
import type { Data } from '../data.ts';
import { notFound } from '../errors.ts';
import type { RouteModule } from '../http/http-server.ts';
import type { Platform } from '../packages/package-info.ts';
import { distributionPath } from './addresses.ts';
import type { App } from './app.ts';
import { type HalfRequest, loadHalf } from './app-halves.ts';
import { renderAppPage } from './app-page.tsx';
import { buildLine, simulatorAddress } from './build-lines.ts';
import { renderBuildPage } from './build-page.tsx';
import type { LinkSigner } from './link-signer.ts';
import type { ViewAccess } from './view-access.ts';

export interface AppRouteParts {
  data: Data;
  frames: PageFrames;
  links: LinkSigner;
  viewAccess: ViewAccess;
}

interface AppAddress {
  Params: { owner: string; package: string; platform?: string; revision?: string };
  Querystring: { key?: string; q?: string; platform?: string; below?: string; above?: string };
}

const missing = () => notFound('there is nothing at this address');
const maxQueryLength = 200;
/** Every form under which existing tools and results name the page of an app. */
const addresses = [
  '/users/:owner/apps/:package',
  '/users/:owner/platforms/:platform/apps/:package',
  '/organizations/:owner/apps/:package',
  '/organizations/:owner/platforms/:platform/apps/:package',
];

/** The page of an app, and of one of its builds. The App's secret opens both with `?key=`. */
export function appRoutes(parts: AppRouteParts): RouteModule {
  return (server) => {
    for (const address of addresses) {
      server.get<AppAddress>(address, (request, reply) => answerAppPage(parts, request, reply));
      server.get<AppAddress>(`${address}/binaries/:revision`, (request, reply) =>
        answerBuildPage(parts, request, reply),
      );
    }
  };
}

/** The Apps of the address that the request may see; null when the reply leads to the sign-in page. */
async function visibleApps(
  parts: AppRouteParts,
  request: FastifyRequest<AppAddress>,
  reply: FastifyReply,
): Promise<{ apps: App[]; caller: Caller | null; secret: string | null } | null> {
  const { data, frames, viewAccess } = parts;
  const { key } = request.query;
  const owner = await data.owners.findOwner(request.params.owner);
  const all = owner ? await data.apps.findAppsByPackageName(owner.id, request.params.package) : [];
  const platform = readPlatform(request.params.platform);
  const named = platform === 'any' ? all : all.filter((app) => app.platform === platform);
  const opened = typeof key === 'string' ? named.filter((app) => sameSecret(app.secret, key)) : [];
  if (opened.length > 0) return { apps: opened, caller: null, secret: key ?? null };
  const caller = await frames.callerOrSignIn(request, reply);
  if (!caller) return null;
  const first = named[0];
  if (!first || !(await viewAccess.app(caller.actor, first))) throw missing();
  return { apps: named, caller, secret: null };
}

function readPlatform(name: string | undefined): Platform | 'any' {
  if (name === undefined) return 'any';
  const platform = name.toLowerCase();
  if (platform !== 'android' && platform !== 'ios') throw missing();
  return platform;
}

function sameSecret(secret: string, key: string): boolean {
  const one = Buffer.from(secret);
  const other = Buffer.from(key);
  return one.length === other.length && timingSafeEqual(one, other);
}

async function answerAppPage(parts: AppRouteParts, request: FastifyRequest<AppAddress>, reply: FastifyReply) {
  const visible = await visibleApps(parts, request, reply);
  if (!visible) return reply;
  const { apps, caller, secret } = visible;
  const [first] = apps;
  if (!first) throw missing();
  const address = request.url.split('?', 1)[0] ?? '';
  const query = readSearch(request.query.q);
  const keep = { ...(secret ? { key: secret } : {}), ...(query ? { q: query } : {}) };
  const halves = apps.map((app) => {
    const turned = request.query.platform === app.platform;
    const position: HalfRequest = {
      address,
      keep,
      query,
      below: turned ? readRevision(request.query.below) : null,
      above: turned ? readRevision(request.query.above) : null,
    };
    return loadHalf(parts.data, parts.links, app, position);
  });
  const html = renderAppPage({
    frame: parts.frames.of(request, caller),
    owner: first.owner,
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

function readRevision(text: string | undefined): number | null {
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : null;
}

async function answerBuildPage(
  parts: AppRouteParts,
  request: FastifyRequest<AppAddress>,
  reply: FastifyReply,
) {
  const visible = await visibleApps(parts, request, reply);
  if (!visible) return reply;
  const { data, links } = parts;
  const app = visible.apps[0];
  const revision = readRevision(request.params.revision);
  const build = app && revision !== null ? await data.builds.findBuildByRevision(app.id, revision) : null;
  if (!app || !build) throw missing();
  const [older] = await data.builds.listBuilds(app.id, { below: build.revision, most: 1 });
  const [newer] = await data.builds.listBuilds(app.id, { above: build.revision, most: 1 });
  const pages = await data.distributions.pagesOfBuild(build.id);
  const html = renderBuildPage({
    frame: parts.frames.of(request, visible.caller),
    app,
    line: buildLine(links, build),
    simulatorAddress: simulatorAddress(links, build),
    verification: build.verification,
    pages: pages
      .map((page) => ({ ...page, address: distributionPath(page.accessKey) }))
      .sort((one, other) => Number(other.current) - Number(one.current)),
    newerRevision: newer?.revision ?? null,
    olderRevision: older?.revision ?? null,
  });
  return parts.frames.send(reply, html);
}
