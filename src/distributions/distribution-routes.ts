import type { FastifyReply, FastifyRequest } from 'fastify';
import type { PageFrames } from '../access/page-frames-http.ts';
import type { App, Build } from '../apps/app.ts';
import { fileAddress, iconAddress, manifestAddress } from '../apps/build-lines.ts';
import type { LinkSigner } from '../apps/link-signer.ts';
import type { Data } from '../data.ts';
import { notFound } from '../errors.ts';
import type { RouteModule } from '../http/http-server.ts';
import type { OriginOf } from '../http/request-origin.ts';
import { renderInstallManifest } from './install-manifest.ts';
import { renderInactiveTesterPage, renderTesterPage } from './tester-page.tsx';

export interface DistributionRouteParts {
  data: Data;
  frames: PageFrames;
  links: LinkSigner;
  originOf: OriginOf;
}

interface PageAddress {
  Params: { accessKey: string };
}

interface ManifestAddress {
  Params: { build: string };
  Querystring: { key?: string };
}

const updatesOnPage = 20;
const missing = () => notFound('there is nothing at this address');

/** The page that testers open: whoever has its address may install. And what iOS reads before it installs. */
export function distributionRoutes(parts: DistributionRouteParts): RouteModule {
  return (server) => {
    server.get<PageAddress>('/distributions/:accessKey', (request, reply) =>
      answerPage(parts, request, reply),
    );
    server.get<ManifestAddress>('/builds/:build/manifest.plist', (request, reply) =>
      answerManifest(parts, request, reply),
    );
  };
}

async function answerPage(
  parts: DistributionRouteParts,
  request: FastifyRequest<PageAddress>,
  reply: FastifyReply,
) {
  const { data, frames, links } = parts;
  const page = await data.distributions.findPage(request.params.accessKey);
  if (!page) throw missing();
  const frame = frames.of(request, await frames.callerOrNobody(request));
  if (!page.active) return frames.send(reply.code(404), renderInactiveTesterPage({ frame }));
  const build = await data.builds.findBuild(page.buildId);
  const app = build && (await data.apps.findAppById(build.appId));
  if (!build || !app) throw missing();
  const html = renderTesterPage({
    frame,
    page,
    build,
    iconAddress: iconAddress(links, build.id),
    installAddress: installAddress(links, app, build, frame.origin),
    verification: build.verification,
    serverObstacles: serverObstacles(app, frame.origin),
    history: await data.distributions.listUpdates(page.id, updatesOnPage),
  });
  return frames.send(reply, html);
}

function installAddress(links: LinkSigner, app: App, build: Build, origin: string): string {
  if (app.platform === 'android') return fileAddress(links, build.id);
  const manifest = encodeURIComponent(`${origin}${manifestAddress(links, build.id)}`);
  return `itms-services://?action=download-manifest&url=${manifest}`;
}

function serverObstacles(app: App, origin: string): string[] {
  if (app.platform === 'android' || origin.startsWith('https://')) return [];
  return ['iOS installs over https only, and this server is reached over http.'];
}

async function answerManifest(
  parts: DistributionRouteParts,
  request: FastifyRequest<ManifestAddress>,
  reply: FastifyReply,
) {
  const { data, links } = parts;
  const build = await data.builds.findBuild(request.params.build);
  if (build?.info.platform !== 'ios') throw missing();
  if (!links.verify('manifest', build.id, request.query.key)) throw missing();
  const origin = parts.originOf(request);
  const text = renderInstallManifest({
    packageAddress: `${origin}${fileAddress(links, build.id)}`,
    iconAddress: `${origin}${iconAddress(links, build.id)}`,
    bundleIdentifier: build.info.packageName,
    bundleVersion: build.info.versionName ?? build.info.versionCode,
    title: build.info.name,
  });
  return reply.type('application/xml; charset=utf-8').header('Cache-Control', 'private, no-store').send(text);
}
