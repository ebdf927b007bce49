import * as v from 'valibot';
import type { RouteAccess } from '../accounts/authorization/route-access-http.ts';
import { devicesPath } from '../apps/app-paths.ts';
import { appQueries } from '../apps/app-queries.ts';
import type { Data } from '../db/data.ts';
import { content, html, redirect } from '../http/routes/answer.ts';
import { lenient } from '../http/routes/form.ts';
import { defineRoute, type Route, type RouteContext } from '../http/routes/route.ts';
import type { Owner } from '../owners/owner.ts';
import { createOwnerAccess, type OwnerSubject } from '../projects/owner-access-http.ts';
import { cleanDeviceName, type DeviceListing } from './device.ts';
import type { DeviceChanges } from './device-changes.ts';
import { deviceFileName, renderDeviceFile } from './device-file.ts';
import { type DeviceListItem, renderDeviceList } from './device-list-page.tsx';
import { deviceQueries } from './device-queries.ts';

export interface DeviceListRouteDeps {
  data: Data;
  access: RouteAccess;
  maxDevicesPerOwner: number;
  deviceChanges: DeviceChanges;
}

const devicesPerPage = 100;
const maxPage = 1000;
/** Number of apps to check the newest profiles of, starting with the latest uploads. */
const maxAskedApps = 50;

const pageNumber = v.pipe(
  v.string(),
  v.regex(/^\d{1,4}$/),
  v.transform((digits) => Math.min(Math.max(Number(digits), 1), maxPage)),
);
const deviceName = v.pipe(v.string(), v.transform(cleanDeviceName));

/** Routes of the device list of an owner, for people who can upload to it. */
export function deviceListRoutes(deps: DeviceListRouteDeps): Route[] {
  const { data, maxDevicesPerOwner } = deps;
  const { uploader, uploadingPerson } = createOwnerAccess(deps);
  return (['/users/:owner', '/organizations/:owner'] as const).flatMap((address) => {
    const kinds: Owner['kind'][] = address === '/users/:owner' ? ['user', 'project'] : ['project'];
    const reading = { method: 'GET', access: uploader(...kinds), keyScope: 'read' } as const;
    const form = {
      method: 'POST',
      access: uploadingPerson(...kinds),
      page: `${address}/devices`,
      reauthentication: false,
    } as const;
    return [
      defineRoute({
        ...reading,
        path: `${address}/devices`,
        summary: 'List the registered devices of an owner',
        query: { page: lenient(pageNumber) },
        handle: async (context) => html(await renderDevices(data, context, context.query.page ?? 1)),
      }),
      defineRoute({
        ...reading,
        path: `${address}/${deviceFileName}`,
        summary: "Download the registered devices as a file for Apple's developer site",
        handle: async ({ subject: { owner } }) => {
          const devices = await deviceQueries(data).allDevices(owner.id, maxDevicesPerOwner);
          return content('text/plain; charset=utf-8', renderDeviceFile(devices), {
            headers: {
              'Content-Disposition': `attachment; filename="${deviceFileName}"`,
              'Cache-Control': 'private, no-store',
            },
          });
        },
      }),
      defineRoute({
        ...form,
        path: `${address}/devices/:device/rename`,
        summary: 'Rename a registered device',
        form: { name: deviceName },
        handle: async (context) => {
          const { caller, subject, params, form } = context;
          await deps.deviceChanges.rename(caller.actor, subject.owner, params.device, form.name);
          return redirect(devicesPath(subject.owner));
        },
      }),
      defineRoute({
        ...form,
        path: `${address}/devices/:device/delete`,
        summary: 'Delete a registered device',
        form: {},
        handle: async (context) => {
          const { caller, subject, params } = context;
          await deps.deviceChanges.remove(caller.actor, subject.owner, params.device);
          return redirect(devicesPath(subject.owner));
        },
      }),
    ];
  });
}

async function renderDevices(
  data: Data,
  { subject, frame }: RouteContext<unknown, OwnerSubject>,
  page: number,
) {
  const { owner, permissions } = subject;
  const devices = deviceQueries(data);
  const found = await devices.listDevices(owner.id, (page - 1) * devicesPerPage, devicesPerPage + 1);
  const address = devicesPath(owner);
  return renderDeviceList({
    frame,
    owner,
    permissions,
    lines: await withApps(data, owner, found.slice(0, devicesPerPage)),
    total: await devices.countDevices(owner.id),
    paging: {
      newer: page > 1 ? `${address}?page=${page - 1}` : null,
      older: found.length > devicesPerPage ? `${address}?page=${page + 1}` : null,
    },
  });
}

async function withApps(data: Data, owner: Owner, listings: DeviceListing[]): Promise<DeviceListItem[]> {
  const apps =
    listings.length > 0
      ? await appQueries(data).listApps({ ownerIds: [owner.id] }, { limit: maxAskedApps })
      : [];
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
