import type { FastifyReply, FastifyRequest } from 'fastify';
import type { PageFrames } from '../access/page-frames-http.ts';
import { personOrSignIn, readSessionForm } from '../access/session-form-http.ts';
import type { Data } from '../data.ts';
import { invalid, NotFound } from '../errors.ts';
import type { RouteModule } from '../http/http-server.ts';
import type { Actor } from '../owners/actor.ts';
import { ownDeviceTexts } from '../web/device-texts.ts';
import { siteAddresses } from '../web/site-addresses.ts';
import { cleanDeviceName, udidOf } from './device.ts';
import { groupByDevice } from './own-devices.ts';
import { renderOwnDevices } from './own-devices-page.tsx';

export interface OwnDevicesRouteParts {
  data: Data;
  frames: PageFrames;
  now: () => number;
}

interface ListAddress {
  Querystring: { done?: unknown };
}

/** More than anybody holds in their hands. */
const registrationsOnPage = 200;
const missing = () => new NotFound();
const doneSentences: ReadonlyMap<unknown, string> = new Map([
  ['renamed', ownDeviceTexts.renamed],
  ['removed', ownDeviceTexts.removed],
]);

/** The devices that I registered, with whomever: I may rename and remove them as whoever keeps the list may. */
export function ownDevicesRoutes(parts: OwnDevicesRouteParts): RouteModule {
  return (server) => {
    server.get<ListAddress>(siteAddresses.ownDevices, (request, reply) => answerList(parts, request, reply));
    server.post(siteAddresses.ownDevices, (request, reply) => change(parts, request, reply));
  };
}

async function answerList(
  { data, frames }: OwnDevicesRouteParts,
  request: FastifyRequest<ListAddress>,
  reply: FastifyReply,
) {
  const person = await personOrSignIn(frames, request, reply);
  if (!person) return reply;
  const found = await data.devices.devicesOfUser(person.actor.user.id, registrationsOnPage + 1);
  const html = renderOwnDevices({
    frame: frames.of(request, person),
    devices: groupByDevice(found.slice(0, registrationsOnPage)),
    more: found.length > registrationsOnPage,
    done: doneSentences.get(request.query.done) ?? null,
  });
  return frames.send(reply, html);
}

async function change(parts: OwnDevicesRouteParts, request: FastifyRequest, reply: FastifyReply) {
  const person = await personOrSignIn(parts.frames, request, reply);
  if (!person) return reply;
  const form = readSessionForm(person, request.body);
  const by = { actor: person.actor, userId: person.actor.user.id };
  const act = form.text('act');
  if (act === 'rename') {
    await rename(parts, by, form.text('udid'), form.text('name'));
    return reply.redirect(`${siteAddresses.ownDevices}?done=renamed`, 303);
  }
  if (act !== 'remove') throw invalid('the form asks for nothing that is known here');
  await remove(parts, by, form.text('device'));
  return reply.redirect(`${siteAddresses.ownDevices}?done=removed`, 303);
}

interface By {
  actor: Actor;
  userId: string;
}

/** In every list in which it stands by this person. */
async function rename(
  { data, now }: OwnDevicesRouteParts,
  { actor, userId }: By,
  udid: string,
  typed: string,
) {
  const name = cleanDeviceName(typed);
  const known = udidOf(udid);
  if (known === null) throw missing();
  const at = now();
  await data.transaction(async (inside) => {
    const devices = await inside.devices.renameDevicesOfUser(userId, known, name);
    if (devices.length === 0) throw missing();
    for (const { ownerId } of devices) {
      const entry = { at, actor, action: 'device.renamed', ownerId, subject: known };
      await inside.audit.record({ ...entry, details: { name } });
    }
  });
}

async function remove({ data, now }: OwnDevicesRouteParts, { actor, userId }: By, deviceId: string) {
  await data.transaction(async (inside) => {
    const device = await inside.devices.deleteDeviceOfUser(userId, deviceId);
    if (!device) throw missing();
    const { ownerId, udid: subject, name, product } = device;
    const entry = { at: now(), actor, action: 'device.deleted', ownerId, subject };
    await inside.audit.record({ ...entry, details: { name, product } });
  });
}
