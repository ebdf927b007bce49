/** Access to the steps of device registration: the caller must present the token that the page signed for that step. */

import type { Caller } from '../../accounts/authorization/identify-http.ts';
import type { RouteAccess } from '../../accounts/authorization/route-access-http.ts';
import { Forbidden, NotFound } from '../../core/errors.ts';
import type { Data } from '../../db/data.ts';
import type { Device } from '../../devices/device.ts';
import { deviceQueries } from '../../devices/device-queries.ts';
import { deviceTexts } from '../../devices/device-texts.ts';
import type { Access } from '../../http/routes/route-facts.ts';
import { distributionQueries, type PageWithApp } from '../distribution-queries.ts';
import type { Registration } from './device-registration.ts';
import type { DeviceTokens } from './device-tokens.ts';
import { type PageAccess, visitorAccess } from './page-access-http.ts';
import { checkOpening } from './page-refusal.ts';

interface DeviceAccessDeps {
  data: Data;
  access: RouteAccess;
  pageAccess: PageAccess;
  tokens: DeviceTokens;
  now: () => number;
}

/**
 * The response of a device has no cookie. The challenge proves that the sender was admitted to the page; without a valid one,
 * throws `NotFound`.
 */
export function createChallengeAccess({
  data,
  tokens,
  now,
}: DeviceAccessDeps): Access<{ accessKey: string }, null, Registration> {
  return {
    roles: ['link holder'],
    credentials: ['link'],
    others: 'missing',
    identify: async () => null,
    authorize: async (_caller, { accessKey }, request) => {
      const found = await findIosPage(data, accessKey);
      const { challenge } = request.query as Record<string, unknown>;
      const checked = tokens.challenge.check(challenge, now(), found.page);
      if (typeof challenge !== 'string' || checked.kind === 'invalid') throw new NotFound();
      if (checked.kind === 'expired') throw new Forbidden(deviceTexts.expired);
      checkOpening(found.page, request, now());
      const { browser, userId } = checked.payload;
      return { ...found, challenge, registrant: { browser, userId } };
    },
  };
}

/** `device` is null if the link has expired or the device was deleted: then only those who may know the page are admitted. */
export function createOutcomeAccess({
  data,
  access,
  pageAccess,
  tokens,
  now,
}: DeviceAccessDeps): Access<
  { accessKey: string; outcome: string },
  Caller | null,
  PageWithApp & { device: Device | null }
> {
  return {
    ...visitorAccess,
    identify: access.anyone.identify,
    authorize: async (caller, { accessKey, outcome }, request) => {
      const found = await findIosPage(data, accessKey);
      const registered = tokens.outcome.read(outcome, now(), found.page);
      const device = registered && (await deviceQueries(data).findDevice(registered.deviceId));
      if (device) checkOpening(found.page, request, now());
      else await pageAccess.authorize(caller, { accessKey }, request);
      return { ...found, device };
    },
  };
}

/** Only iOS devices can be registered. */
async function findIosPage(data: Data, accessKey: string): Promise<PageWithApp> {
  const found = await distributionQueries(data).findPageWithApp(accessKey);
  if (found?.app.platform !== 'ios') throw new NotFound();
  return found;
}
