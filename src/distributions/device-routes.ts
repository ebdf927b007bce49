import type { FastifyReply, FastifyRequest } from 'fastify';
import type { PageFrames } from '../access/page-frames-http.ts';
import type { App } from '../apps/app.ts';
import { installObstacles } from '../apps/build-warnings.ts';
import type { Data } from '../data.ts';
import { type Device, toKnownDevice } from '../devices/device.ts';
import { maxDeviceAnswerBytes } from '../devices/device-answer.ts';
import { deviceFits } from '../devices/device-fits.ts';
import { NotFound } from '../errors.ts';
import type { RouteModule } from '../http/http-server.ts';
import type { OriginOf } from '../http/request-origin.ts';
import type { PackageInfo } from '../packages/package-info.ts';
import { texts } from '../web/texts.ts';
import type { DeviceCookies } from './device-cookie-http.ts';
import { type DeviceOnPage, renderDevicePage } from './device-page.tsx';
import { findIosPage, type RegisterDevice, refuseClosed } from './device-registration.ts';
import type { DeviceTokens } from './device-tokens.ts';
import type { PageAccess, PageVisit } from './page-access-http.ts';
import { devicePath } from './page-addresses.ts';
import { renderProfileService } from './profile-service.ts';
import { readVisitor, type Visitor } from './visitor.ts';

export interface DeviceRouteParts {
  data: Data;
  frames: PageFrames;
  originOf: OriginOf;
  pageAccess: PageAccess;
  tokens: DeviceTokens;
  cookies: DeviceCookies;
  registerDevice: RegisterDevice;
  now: () => number;
}

interface PageAddress {
  Params: { accessKey: string };
  Querystring: { challenge?: unknown };
}

interface OutcomeAddress {
  Params: { accessKey: string; outcome: string };
}

const missing = () => new NotFound();

/** Registers iPhones and iPads: the page, the profile that asks a device who it is, its answer, and what came of it. */
export function deviceRoutes(parts: DeviceRouteParts): RouteModule {
  return (server) => {
    server.addContentTypeParser(
      'application/pkcs7-signature',
      { parseAs: 'buffer', bodyLimit: maxDeviceAnswerBytes },
      (_request, body, done) => done(null, body),
    );
    server.get<PageAddress>('/distributions/:accessKey/device', (request, reply) =>
      answerPage(parts, request, reply),
    );
    server.get<PageAddress>('/distributions/:accessKey/device.mobileconfig', (request, reply) =>
      answerProfile(parts, request, reply),
    );
    server.post<PageAddress>(
      '/distributions/:accessKey/device',
      { bodyLimit: maxDeviceAnswerBytes },
      (request, reply) => takeAnswer(parts, request, reply),
    );
    server.get<OutcomeAddress>('/distributions/:accessKey/device/:outcome', (request, reply) =>
      answerOutcome(parts, request, reply),
    );
  };
}

/** The visit of a page of an iOS app; null when the request has been answered. */
async function enter(
  parts: DeviceRouteParts,
  request: FastifyRequest<PageAddress>,
  reply: FastifyReply,
): Promise<PageVisit | null> {
  const visit = await parts.pageAccess.enter(request, reply, request.params.accessKey);
  if (visit && visit.app.platform !== 'ios') throw missing();
  return visit;
}

async function answerPage(
  parts: DeviceRouteParts,
  request: FastifyRequest<PageAddress>,
  reply: FastifyReply,
) {
  const visit = await enter(parts, request, reply);
  if (!visit) return reply;
  const device = await parts.cookies.readDevice(request);
  return sendDevicePage(parts, request, reply, visit, device);
}

async function answerProfile(
  parts: DeviceRouteParts,
  request: FastifyRequest<PageAddress>,
  reply: FastifyReply,
) {
  const visit = await enter(parts, request, reply);
  if (!visit) return reply;
  const { page, app, caller } = visit;
  const origin = parts.originOf(request);
  const build = await parts.data.builds.findBuild(page.buildId);
  const userId = caller?.actor.kind === 'user' ? caller.actor.user.id : null;
  const challenge = parts.tokens.challenge(page, userId, parts.now());
  const profile = renderProfileService({
    answerAddress: `${origin}${devicePath(page.accessKey)}?challenge=${challenge}`,
    challenge,
    pageId: page.id,
    organization: app.owner.name,
    displayName: texts.device.profileName(build?.info.name ?? app.packageName),
    description: texts.device.profileDescription(app.owner.name),
  });
  return reply
    .type('application/x-apple-aspen-config')
    .header('Cache-Control', 'private, no-store')
    .send(profile);
}

/** iOS opens the address of a 301 in Safari; of other redirects it does not. */
async function takeAnswer(
  parts: DeviceRouteParts,
  request: FastifyRequest<PageAddress>,
  reply: FastifyReply,
) {
  const { page, device } = await parts.registerDevice({
    accessKey: request.params.accessKey,
    challenge: request.query.challenge,
    address: request.ip,
    body: Buffer.isBuffer(request.body) ? request.body : null,
  });
  const outcome = parts.tokens.outcome(page, device.id, parts.now());
  const address = `${parts.originOf(request)}${devicePath(page.accessKey)}/${outcome}`;
  return reply.header('Cache-Control', 'no-store').redirect(address, 301);
}

/** A link that is no longer good leads to the page itself, where the cookie tells the same. */
async function answerOutcome(
  parts: DeviceRouteParts,
  request: FastifyRequest<OutcomeAddress>,
  reply: FastifyReply,
) {
  const found = await findIosPage(parts.data, request.params.accessKey);
  if (!found) throw missing();
  const checked = parts.tokens.checkOutcome(found.page, request.params.outcome, parts.now());
  const device = checked.kind === 'valid' ? await parts.data.devices.findDevice(checked.deviceId) : null;
  if (!device) return reply.redirect(devicePath(found.page.accessKey), 303);
  refuseClosed(found.page, { now: parts.now(), address: request.ip });
  parts.cookies.keep(request, reply, device.id);
  const caller = await parts.frames.callerOrNobody(request);
  return sendDevicePage(parts, request, reply, { ...found, caller }, device);
}

async function sendDevicePage(
  parts: DeviceRouteParts,
  request: FastifyRequest,
  reply: FastifyReply,
  visit: Pick<PageVisit, 'page' | 'app' | 'caller'>,
  device: Device | null,
) {
  const { page, app } = visit;
  const frame = parts.frames.of(request, visit.caller);
  const visitor = readVisitor({ userAgent: request.headers['user-agent'] });
  const build = await parts.data.builds.findBuild(page.buildId);
  if (!build) throw missing();
  const html = renderDevicePage({
    frame,
    page,
    ownerName: app.owner.name,
    info: build.info,
    visitor,
    obstacles: installObstacles(build.info, build.verification, frame.now),
    device: device && (await deviceOnPage(parts.data, app, build.info, visitor, device)),
  });
  return parts.frames.send(reply, html);
}

/** A browser may have registered its device with another Owner; here it counts when this Owner has it too. */
async function deviceOnPage(
  data: Data,
  app: App,
  info: PackageInfo,
  visitor: Visitor,
  device: Device,
): Promise<DeviceOnPage> {
  const known = toKnownDevice(device);
  const registered =
    device.ownerId === app.owner.id ||
    (await data.devices.findDeviceByUdid(app.owner.id, device.udid)) !== null;
  // The browser speaks of today, the answer of the day when the device was registered.
  const osVersion = visitor.osVersion ?? known.osVersion;
  const today = { ...known, osVersion: visitor.system === 'ios' ? osVersion : known.osVersion };
  return { device: today, registered, fit: deviceFits(info, today) };
}
