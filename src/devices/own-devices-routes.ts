import * as v from 'valibot';
import type { Person } from '../accounts/authorization/identify-http.ts';
import type { RouteAccess } from '../accounts/authorization/route-access-http.ts';
import { NotFound } from '../core/errors.ts';
import type { Data } from '../db/data.ts';
import { html, redirect } from '../http/routes/answer.ts';
import { lenient } from '../http/routes/form.ts';
import { defineRoute, type Route } from '../http/routes/route.ts';
import { auditQueries } from '../owners/audit-queries.ts';
import { cleanDeviceName, udidOf } from './device.ts';
import { recordRemoval } from './device-changes.ts';
import { deviceQueries } from './device-queries.ts';
import { ownDeviceTexts } from './device-texts.ts';
import { groupByDevice } from './own-devices.ts';
import { renderOwnDevices } from './own-devices-page.tsx';

export interface OwnDevicesRouteDeps {
  data: Data;
  access: RouteAccess;
  now: () => number;
  wakeOutbox: () => void;
}

/** Maximum number of devices shown. */
const registrationsPerPage = 200;

/** Routes for the viewer's own devices with any owner. Viewers can rename and remove them, and so can the owners. */
export function ownDevicesRoutes(deps: OwnDevicesRouteDeps): Route[] {
  const { data, access } = deps;
  const page = '/settings/devices';
  const form = { method: 'POST', access: access.signedIn, page, reauthentication: false } as const;
  return [
    defineRoute({
      method: 'GET',
      path: page,
      summary: 'List the devices that you registered',
      access: access.signedIn,
      query: { done: lenient(v.picklist(['renamed', 'removed'])) },
      handle: async ({ subject: user, frame, query: { done } }) => {
        const found = await deviceQueries(data).devicesOfUser(user.id, registrationsPerPage + 1);
        return html(
          renderOwnDevices({
            frame,
            devices: groupByDevice(found.slice(0, registrationsPerPage)),
            more: found.length > registrationsPerPage,
            done: done ? ownDeviceTexts[done] : null,
          }),
        );
      },
    }),
    defineRoute({
      ...form,
      path: `${page}/rename`,
      summary: 'Rename a device that you registered',
      form: { udid: v.string(), name: v.pipe(v.string(), v.transform(cleanDeviceName)) },
      handle: async ({ caller, form: { udid, name } }) => {
        await rename(deps, caller, udid, name);
        return redirect(`${page}?done=renamed`);
      },
    }),
    defineRoute({
      ...form,
      path: `${page}/remove`,
      summary: 'Remove a device that you registered',
      form: { device: v.string() },
      handle: async ({ caller, form: { device } }) => {
        await remove(deps, caller, device);
        return redirect(`${page}?done=removed`);
      },
    }),
  ];
}

/** Renames the device in every list that contains it for this person. */
async function rename({ data, now }: OwnDevicesRouteDeps, { actor }: Person, udid: string, name: string) {
  const known = udidOf(udid);
  if (known === null) throw new NotFound();
  const at = now();
  await data.transaction(async (tx) => {
    const devices = await deviceQueries(tx).renameDevicesOfUser(actor.user.id, known, name);
    if (devices.length === 0) throw new NotFound();
    for (const { ownerId } of devices) {
      const entry = { at, actor, action: 'device.renamed', ownerId, subject: known };
      await auditQueries(tx).record({ ...entry, details: { name } });
    }
  });
}

async function remove({ data, now, wakeOutbox }: OwnDevicesRouteDeps, { actor }: Person, deviceId: string) {
  await data.transaction(async (tx) => {
    const device = await deviceQueries(tx).deleteDeviceOfUser(actor.user.id, deviceId);
    if (!device) throw new NotFound();
    await recordRemoval(tx, { by: actor, device, userName: actor.user.name, at: now() });
  });
  wakeOutbox();
}
