import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../access/identify-http.ts';
import type { PageFrames } from '../access/page-frames-http.ts';
import { personOrSignIn, readSessionForm } from '../access/session-form-http.ts';
import { devicesPath } from '../apps/addresses.ts';
import type { ViewAccess } from '../apps/view-access.ts';
import type { Data } from '../data.ts';
import { NotFound } from '../errors.ts';
import type { RouteModule } from '../http/http-server.ts';
import type { Owner } from '../owners/owner.ts';
import { type Standing, standingOf } from '../owners/owner-standing.ts';
import { cleanDeviceName, type DeviceListing } from './device.ts';
import { deviceFileName, renderDeviceFile } from './device-file.ts';
import { type DeviceLine, renderDeviceList } from './device-list-page.tsx';

export interface DeviceListRouteParts {
  data: Data;
  frames: PageFrames;
  viewAccess: ViewAccess;
  maxDevicesPerOwner: number;
  now: () => number;
}

interface OwnerAddress {
  Params: { owner: string };
  Querystring: { page?: string };
}

interface DeviceForm {
  Params: { owner: string; device: string };
  Body: unknown;
}

const devicesOnPage = 100;
const maxPage = 1000;
/** Of so many apps, those with the latest uploads, the newest build is asked which devices its profile has. */
const maxAskedApps = 50;
const missing = () => new NotFound();

/** The Owner's list of registered devices, for those who upload to it; for everybody else it is not there. */
export function deviceListRoutes(parts: DeviceListRouteParts): RouteModule {
  return (server) => {
    for (const owner of ['/users/:owner', '/organizations/:owner']) {
      server.get<OwnerAddress>(`${owner}/devices`, (request, reply) => answerList(parts, request, reply));
      server.get<OwnerAddress>(`${owner}/${deviceFileName}`, (request, reply) =>
        answerFile(parts, request, reply),
      );
      server.post<DeviceForm>(`${owner}/devices/:device/name`, (request, reply) =>
        renameDevice(parts, request, reply),
      );
      server.post<DeviceForm>(`${owner}/devices/:device/delete`, (request, reply) =>
        deleteDevice(parts, request, reply),
      );
    }
  };
}

/** Null when the request was led to the sign-in page. */
async function enter(
  parts: DeviceListRouteParts,
  request: FastifyRequest<{ Params: { owner: string } }>,
  reply: FastifyReply,
): Promise<{ owner: Owner; standing: Standing; caller: Caller } | null> {
  const caller = await parts.frames.callerOrSignIn(request, reply);
  return caller && { ...(await uploadableOwner(parts, request, caller)), caller };
}

async function uploadableOwner(
  parts: DeviceListRouteParts,
  request: FastifyRequest<{ Params: { owner: string } }>,
  caller: Caller,
): Promise<{ owner: Owner; standing: Standing }> {
  const visible = await parts.viewAccess.owner(caller.actor, request.params.owner);
  if (!visible) throw missing();
  const standing = standingOf(caller.actor, visible.owner, visible.teams);
  if (!standing.uploads) throw missing();
  if (request.routeOptions.url?.startsWith('/organizations/') && visible.owner.kind !== 'project')
    throw missing();
  return { owner: visible.owner, standing };
}

async function answerList(
  parts: DeviceListRouteParts,
  request: FastifyRequest<OwnerAddress>,
  reply: FastifyReply,
) {
  const entered = await enter(parts, request, reply);
  if (!entered) return reply;
  const { owner, standing, caller } = entered;
  const text = request.query.page ?? '';
  const page = /^\d{1,4}$/.test(text) ? Math.min(Math.max(Number(text), 1), maxPage) : 1;
  const { devices } = parts.data;
  const found = await devices.listDevices(owner.id, (page - 1) * devicesOnPage, devicesOnPage + 1);
  const address = devicesPath(owner);
  const html = renderDeviceList({
    frame: parts.frames.of(request, caller),
    ...{ owner, standing },
    lines: await withApps(parts.data, owner, found.slice(0, devicesOnPage)),
    total: await devices.countDevices(owner.id),
    paging: {
      newer: page > 1 ? `${address}?page=${page - 1}` : null,
      older: found.length > devicesOnPage ? `${address}?page=${page + 1}` : null,
    },
  });
  return parts.frames.send(reply, html);
}

async function withApps(data: Data, owner: Owner, listings: DeviceListing[]): Promise<DeviceLine[]> {
  const apps =
    listings.length > 0 ? await data.apps.listApps({ ownerIds: [owner.id] }, { most: maxAskedApps }) : [];
  const profiles = apps.flatMap(({ latest }) => {
    const devices = latest?.info.ios?.profile?.devices ?? [];
    if (!latest || devices.length === 0) return [];
    return [{ name: latest.info.name, udids: new Set(devices.map((udid) => udid.toLowerCase())) }];
  });
  return listings.map((listing) => {
    const udid = listing.device.udid.toLowerCase();
    const names = profiles.filter(({ udids }) => udids.has(udid)).map(({ name }) => name);
    return { ...listing, apps: [...new Set(names)] };
  });
}

async function answerFile(
  parts: DeviceListRouteParts,
  request: FastifyRequest<OwnerAddress>,
  reply: FastifyReply,
) {
  const entered = await enter(parts, request, reply);
  if (!entered) return reply;
  const devices = await parts.data.devices.allDevices(entered.owner.id, parts.maxDevicesPerOwner);
  return reply
    .type('text/plain; charset=utf-8')
    .header('Content-Disposition', `attachment; filename="${deviceFileName}"`)
    .header('Cache-Control', 'private, no-store')
    .send(renderDeviceFile(devices));
}

async function renameDevice(
  parts: DeviceListRouteParts,
  request: FastifyRequest<DeviceForm>,
  reply: FastifyReply,
) {
  const entered = await enterForm(parts, request, reply);
  if (!entered) return reply;
  const { owner, caller, form } = entered;
  const name = cleanDeviceName(form.text('name'));
  await parts.data.transaction(async (inside) => {
    const device = await inside.devices.renameDevice(owner.id, request.params.device, name);
    if (!device) throw missing();
    await inside.audit.record({
      at: parts.now(),
      actor: caller.actor,
      action: 'device.renamed',
      ownerId: owner.id,
      subject: device.udid,
      details: { name },
    });
  });
  return reply.redirect(devicesPath(owner), 303);
}

async function deleteDevice(
  parts: DeviceListRouteParts,
  request: FastifyRequest<DeviceForm>,
  reply: FastifyReply,
) {
  const entered = await enterForm(parts, request, reply);
  if (!entered) return reply;
  const { owner, caller } = entered;
  await parts.data.transaction(async (inside) => {
    const device = await inside.devices.deleteDevice(owner.id, request.params.device);
    if (!device) throw missing();
    await inside.audit.record({
      at: parts.now(),
      actor: caller.actor,
      action: 'device.deleted',
      ownerId: owner.id,
      subject: device.udid,
      details: { name: device.name, product: device.product },
    });
  });
  return reply.redirect(devicesPath(owner), 303);
}

/** Forms need the session that they were shown in. */
async function enterForm(
  parts: DeviceListRouteParts,
  request: FastifyRequest<DeviceForm>,
  reply: FastifyReply,
) {
  const caller = await personOrSignIn(parts.frames, request, reply);
  if (!caller) return null;
  const { owner } = await uploadableOwner(parts, request, caller);
  return { owner, caller, form: readSessionForm(caller, request.body) };
}
