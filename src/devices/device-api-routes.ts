/** Registered devices in `/api/v1`. */
import * as v from 'valibot';
import type { RouteAccess } from '../accounts/authorization/route-access-http.ts';
import { appApiPath } from '../apps/app-api-routes.ts';
import { buildQueries } from '../apps/builds/build-queries.ts';
import type { ManagedAppAccess } from '../apps/managed-app-access-http.ts';
import { NotFound } from '../core/errors.ts';
import type { Data } from '../db/data.ts';
import { listAnswer, listPage, listQuery } from '../http/api/pagination.ts';
import { empty, json } from '../http/routes/answer.ts';
import { defineRoute, type Route } from '../http/routes/route.ts';
import type { Owner } from '../owners/owner.ts';
import { createOwnerAccess } from '../projects/owner-access-http.ts';
import { cleanDeviceName } from './device.ts';
import type { DeviceChanges } from './device-changes.ts';
import { deviceJson, deviceShape } from './device-json.ts';
import { deviceQueries } from './device-queries.ts';

export interface DeviceApiRouteDeps {
  data: Data;
  access: RouteAccess;
  managedApp: ManagedAppAccess['managedApp'];
  deviceChanges: DeviceChanges;
}

const tag = 'Devices';

export function deviceApiRoutes(deps: DeviceApiRouteDeps): Route[] {
  const { data, access, deviceChanges } = deps;
  const { uploader } = createOwnerAccess(deps);
  const path = '/api/v1/owners/:owner/devices';
  const one = `${path}/:device` as const;
  const reading = { tag, access: access.byKey(uploader('user', 'project')), keyScope: 'read' } as const;
  const changing = { ...reading, keyScope: 'manage' } as const;
  const find = async (owner: Owner, id: string) => {
    const device = await deviceQueries(data).findOwnedDevice(owner.id, id);
    if (!device) throw new NotFound();
    return device;
  };
  const list = async (ownerId: string, cursor: readonly [string, string] | undefined, limit: number) =>
    deviceQueries(data).listOwnedDevices(ownerId, {
      after: cursor && { udid: cursor[0], id: cursor[1] },
      limit: limit + 1,
    });
  return [
    defineRoute({
      method: 'GET',
      path,
      operationId: 'listDevices',
      summary: 'List the registered devices of an owner',
      description: 'By UDID.',
      ...reading,
      query: listQuery(v.tuple([v.string(), v.string()])),
      answer: listAnswer(deviceShape),
      handle: async ({ subject: { owner }, query: { limit, cursor }, client }) =>
        listPage(await list(owner.id, cursor, limit), {
          limit,
          client,
          positionOf: ({ device }) => [device.udid, device.id],
          show: deviceJson,
        }),
    }),
    defineRoute({
      method: 'GET',
      path: one,
      operationId: 'getDevice',
      summary: 'Show a registered device',
      ...reading,
      answer: deviceShape,
      handle: async ({ subject: { owner }, params }) => json(deviceJson(await find(owner, params.device))),
    }),
    defineRoute({
      method: 'PATCH',
      path: one,
      operationId: 'renameDevice',
      summary: 'Rename a registered device',
      ...changing,
      json: { name: v.pipe(v.string(), v.maxLength(1000), v.transform(cleanDeviceName)) },
      answer: deviceShape,
      handle: async ({ caller, subject: { owner }, params, json: { name } }) => {
        await deviceChanges.rename(caller.actor, owner, params.device, name);
        return json(deviceJson(await find(owner, params.device)));
      },
    }),
    defineRoute({
      method: 'DELETE',
      path: one,
      operationId: 'deleteDevice',
      summary: 'Delete a registered device',
      ...changing,
      handle: async ({ caller, subject: { owner }, params }) => {
        await deviceChanges.remove(caller.actor, owner, params.device);
        return empty(204);
      },
    }),
    defineRoute({
      method: 'GET',
      path: `${appApiPath}/devices`,
      operationId: 'listAppDevices',
      summary: 'List the registered devices, and whether the newest build of an app can be installed on them',
      description: 'For iOS. `provisioned` is null when the profile of the build lists no devices.',
      tag,
      access: access.byKey(deps.managedApp),
      keyScope: 'read',
      query: listQuery(v.tuple([v.string(), v.string()])),
      answer: listAnswer(v.object({ device: deviceShape, provisioned: v.nullable(v.boolean()) })),
      handle: async ({ subject: app, query: { limit, cursor }, client }) => {
        const [latest] = await buildQueries(data).listBuilds(app.id, { limit: 1 });
        const listed = (latest?.info.ios?.profile?.devices ?? []).map((udid) => udid.toLowerCase());
        return listPage(await list(app.owner.id, cursor, limit), {
          limit,
          client,
          positionOf: ({ device }) => [device.udid, device.id],
          show: (device) => ({
            device: deviceJson(device),
            provisioned: listed.length === 0 ? null : listed.includes(device.device.udid.toLowerCase()),
          }),
        });
      },
    }),
  ];
}
