/** Rate limits for uploads per key, person and owner, and for rejected uploads. */

import type { KeyHolder } from '../accounts/authorization/authenticate.ts';
import { AppError } from '../core/errors.ts';
import { networkOf } from '../limits/client-network.ts';
import type { RateConfig } from '../limits/rate-config.ts';
import type { RateLimitEntry, Refund, SharedRates } from '../limits/shared-rates.ts';
import { type Actor, actorId } from '../owners/actor.ts';
import type { Owner } from '../owners/owner.ts';
import type { FailedPackages } from './failed-packages.ts';

/** The uploader: one API key, or one person with a browser. */
export type Uploader = KeyHolder | { userId: string };

/** Called before the body is read. If it throws `too_many`, it counts nothing. */
export type CountUpload = (uploader: Uploader, owner: Owner) => Promise<Refund>;

/** Runs the rest of a counted upload, and refunds the count if the upload is rejected. */
export async function refundRefused<T>(refund: () => Refund | null, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof AppError) await refund()?.();
    throw error;
  }
}

export function createCountUpload(
  rates: SharedRates,
  { uploadsPerHourByKey, uploadsPerHourByOwner }: RateConfig,
  failedPackages: FailedPackages,
): CountUpload {
  return async (uploader, owner) => {
    await failedPackages.checkReads('keyId' in uploader ? actorId(uploader) : uploader.userId);
    const entries: RateLimitEntry[] = [];
    if (uploadsPerHourByKey !== null) {
      const byKey = 'keyId' in uploader;
      entries.push({
        kind: 'upload-by-key',
        subject: ['upload by', byKey ? 'key' : 'person', byKey ? uploader.keyId : uploader.userId],
        limit: uploadsPerHourByKey,
        refusal: [byKey ? 'uploadsWithKey' : 'uploadsByPerson', { limit: uploadsPerHourByKey }],
        from: owner.name,
      });
    }
    if (uploadsPerHourByOwner !== null) {
      entries.push({
        kind: 'upload-by-owner',
        subject: ['upload to', owner.id],
        limit: uploadsPerHourByOwner,
        refusal: ['uploadsToOwner', { limit: uploadsPerHourByOwner }],
        from: owner.name,
      });
    }
    return rates.takeRefundable(entries);
  };
}

/**
 * Called before an upload is rejected because of names in it, because 403 and 404 reveal which names exist. Throws `too_many`
 * instead if there were too many. Permitted uploads never count.
 */
export type CountRefusedUpload = (actor: Actor, address: string) => Promise<void>;

export function createCountRefusedUpload(
  rates: SharedRates,
  { refusedUploadsPerHour: limit }: RateConfig,
): CountRefusedUpload {
  return async (actor, address) => {
    if (limit === null) return;
    const network = networkOf(address);
    const refused = { kind: 'refused-upload', limit, from: network } as const;
    await rates.take([
      { ...refused, subject: ['refused upload by', actorId(actor)], refusal: ['refusedUploads', { limit }] },
      {
        ...refused,
        subject: ['refused upload from', network],
        refusal: ['refusedUploadsFromNetwork', { limit }],
      },
    ]);
  };
}
