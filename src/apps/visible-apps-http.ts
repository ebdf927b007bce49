/** The Apps that an address names, as far as the request may see them. */
import { timingSafeEqual } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../access/identify-http.ts';
import type { PageFrames } from '../access/page-frames-http.ts';
import type { Data } from '../data.ts';
import { NotFound } from '../errors.ts';
import type { Platform } from '../packages/package-info.ts';
import type { App } from './app.ts';
import type { ViewAccess } from './view-access.ts';

export interface VisibleAppParts {
  data: Data;
  frames: PageFrames;
  viewAccess: ViewAccess;
}

export interface AppAddress {
  Params: { owner: string; package: string; platform?: string };
  Querystring: { key?: unknown };
}

export interface VisibleApps {
  /** At least one; one for each platform that the request may see. */
  apps: [App, ...App[]];
  caller: Caller | null;
  /** The App's secret when that is what opened the page. */
  secret: string | null;
}

/** Every form under which existing tools and results name the page of an app. */
export const appAddresses = [
  '/users/:owner/apps/:package',
  '/users/:owner/platforms/:platform/apps/:package',
  '/organizations/:owner/apps/:package',
  '/organizations/:owner/platforms/:platform/apps/:package',
];

const missing = () => new NotFound();

/** Null when the reply leads to the sign-in page. Throws `not_found` when there is nothing that the request may see. */
export async function findVisibleApps(
  { data, frames, viewAccess }: VisibleAppParts,
  request: FastifyRequest<AppAddress>,
  reply: FastifyReply,
): Promise<VisibleApps | null> {
  const { key } = request.query;
  const owner = await data.owners.findOwner(request.params.owner);
  const all = owner ? await data.apps.findAppsByPackageName(owner.id, request.params.package) : [];
  const platform = readPlatform(request.params.platform);
  const named = platform === 'any' ? all : all.filter((app) => app.platform === platform);
  const [opened, ...others] =
    typeof key === 'string' ? named.filter((app) => sameSecret(app.secret, key)) : [];
  if (opened && typeof key === 'string') return { apps: [opened, ...others], caller: null, secret: key };
  const caller = await frames.callerOrSignIn(request, reply);
  if (!caller) return null;
  const visible: App[] = [];
  // One by one: a User may let somebody see the App of one platform and not the other's.
  for (const app of named) if (await viewAccess.app(caller.actor, app)) visible.push(app);
  const [first, ...rest] = visible;
  if (!first) throw missing();
  return { apps: [first, ...rest], caller, secret: null };
}

/** A page opened with a key or a secret has no forms, and so offers nothing to change. */
export async function managesWithForms(
  viewAccess: ViewAccess,
  caller: Caller | null,
  app: App,
): Promise<boolean> {
  return caller !== null && caller.sessionToken !== null && viewAccess.manages(caller.actor, app);
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
