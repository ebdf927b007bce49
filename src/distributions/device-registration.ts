/** Takes a device's answer to the profile service of a page. */

import type { Attempts } from '../access/attempts.ts';
import { networkOf } from '../access/client-network.ts';
import type { App } from '../apps/app.ts';
import type { Data } from '../data.ts';
import type { Device } from '../devices/device.ts';
import { readDeviceAnswer } from '../devices/device-answer.ts';
import { conflict, Forbidden, invalid, NotFound } from '../errors.ts';
import type { DeviceTokens } from './device-tokens.ts';
import type { DistributionPage } from './distribution-page.ts';
import { judgeOpening } from './page-rules.ts';

export interface DeviceRegistrationParts {
  data: Data;
  attempts: Attempts;
  tokens: DeviceTokens;
  limits: { maxDevicesPerOwner: number; deviceAnswersPerHour: number };
  now: () => number;
}

export interface DeviceAnswerRequest {
  accessKey: string;
  /** Of the address that the profile named. */
  challenge: unknown;
  /** The client's address. */
  address: string;
  /** Null when something else came. */
  body: Buffer | null;
}

export type RegisterDevice = (
  request: DeviceAnswerRequest,
) => Promise<{ page: DistributionPage; device: Device }>;

const missing = () => new NotFound();

/**
 * The answer carries no cookie: that its sender was let into the page is what the challenge says. Who has none, or one of
 * another page, is told nothing. Registering again brings the device up to date.
 */
export function createRegisterDevice(parts: DeviceRegistrationParts): RegisterDevice {
  const { data, limits } = parts;
  return async (request) => {
    const now = parts.now();
    const found = await findIosPage(data, request.accessKey);
    const checked = found && parts.tokens.checkChallenge(found.page, request.challenge, now);
    if (!found || !checked || checked.kind === 'wrong') throw missing();
    if (checked.kind === 'late') {
      throw new Forbidden('registering took longer than a quarter of an hour: open the page and begin again');
    }
    refuseClosed(found.page, { now, address: request.address });
    await parts.attempts.count(['device', networkOf(request.address)], {
      most: limits.deviceAnswersPerHour,
      windowMs: 60 * 60_000,
      refusal: 'too many devices were registered from this network: try again in an hour',
    });
    if (request.body === null) throw invalid('the answer of the device is missing');
    const answer = readDeviceAnswer(request.body);
    if (answer.challenge !== null && answer.challenge !== request.challenge) {
      throw invalid('the answer belongs to another registration');
    }
    const user = checked.userId === null ? null : await data.owners.findOwnerById(checked.userId);
    const { challenge: _, ...facts } = answer;
    const device = await data.devices.putDevice(
      { ...facts, ownerId: found.app.owner.id, userId: user?.id ?? null, pageId: found.page.id, now },
      limits.maxDevicesPerOwner,
    );
    if (!device) {
      throw conflict(
        `${found.app.owner.name} has ${limits.maxDevicesPerOwner} registered devices, and more are not taken`,
      );
    }
    return { page: found.page, device };
  };
}

/** Only iOS has devices to register. */
export async function findIosPage(
  data: Data,
  accessKey: string,
): Promise<{ page: DistributionPage; app: App } | null> {
  const page = await data.distributions.findPage(accessKey);
  const app = page && (await data.apps.findAppById(page.appId));
  return page && app?.platform === 'ios' ? { page, app } : null;
}

/** What holds for those who were let in, too. */
export function refuseClosed(page: DistributionPage, visit: { now: number; address: string }): void {
  const standing = judgeOpening(page, visit);
  if (standing?.kind === 'wrong-network') throw new Forbidden('this page opens in other networks only');
  if (standing) throw new NotFound('this page is closed');
}
