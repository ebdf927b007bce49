/** Processes the response of a device to the profile service of a page. */

import type { App } from '../../apps/app.ts';
import { conflict, invalid } from '../../core/errors.ts';
import type { Data } from '../../db/data.ts';
import type { Device } from '../../devices/device.ts';
import { deviceQueries } from '../../devices/device-queries.ts';
import { readDeviceResponse } from '../../devices/device-response.ts';
import { deviceTexts } from '../../devices/device-texts.ts';
import { eventQueries } from '../../jobs/event-queries.ts';
import type { Attempts } from '../../limits/attempts.ts';
import { networkOf } from '../../limits/client-network.ts';
import { ownerQueries } from '../../owners/owner-queries.ts';
import type { DistributionPage } from '../distribution-page.ts';
import type { Registrant } from './device-tokens.ts';

export interface DeviceRegistrationDeps {
  data: Data;
  attempts: Attempts;
  limits: { maxDevicesPerOwner: number; deviceResponsesPerHour: number };
  now: () => number;
  /** Called after the commit, when the outbox may contain the event. */
  wakeOutbox: () => void;
}

/** The visitor, as stated in the challenge of the page. */
export interface Registration {
  page: DistributionPage;
  app: App;
  /** The page, from the URL in the profile. */
  challenge: string;
  registrant: Registrant;
}

/** Registers or updates the device. Throws `invalid`, `conflict` or `TooManyRequests`. */
export type RegisterDevice = (registration: Registration, address: string, body: Buffer) => Promise<Device>;

export function createRegisterDevice({
  data,
  attempts,
  limits,
  now,
  wakeOutbox,
}: DeviceRegistrationDeps): RegisterDevice {
  return async ({ page, app, challenge, registrant: { browser, userId } }, address, body) => {
    await attempts.countFrom(networkOf(address), ['device'], {
      limit: limits.deviceResponsesPerHour,
      windowMs: 60 * 60_000,
      refusal: 'devices',
    });
    if (body.length === 0) throw invalid(deviceTexts.responseMissing);
    const { challenge: answered, ...facts } = readDeviceResponse(body);
    if (answered !== null && answered !== challenge) throw invalid(deviceTexts.responseOther);
    const user = userId === null ? null : await ownerQueries(data).findOwnerById(userId);
    const [at, ownerId] = [now(), app.owner.id];
    const device = await data.transaction(async (tx) => {
      const put = await deviceQueries(tx).putDevice(
        { ...facts, ownerId, userId: user?.id ?? null, browser, pageId: page.id, now: at },
        limits.maxDevicesPerOwner,
      );
      const isNew = put?.createdAt === at;
      if (isNew)
        await eventQueries(tx).dispatch(
          ownerId,
          { type: 'device.registered', ownerId, deviceId: put.id },
          at,
        );
      return put;
    });
    wakeOutbox();
    if (device) return device;
    throw conflict(deviceTexts.full({ owner: app.owner.name, limit: limits.maxDevicesPerOwner }));
  };
}
