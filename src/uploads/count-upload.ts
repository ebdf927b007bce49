/** How many uploads one key, one person or one Owner may send within an hour; asked before a body is read. */
import type { RateConfig } from '../access/rate-config.ts';
import type { Charge, SharedRates } from '../access/shared-rates.ts';
import type { Owner } from '../owners/owner.ts';

/** Whose uploads they are: those of one key, or those of a person with a browser. */
export type Uploader = { keyId: string } | { userId: string };

/** Throws `too_many`; then the upload counts against nobody. */
export type CountUpload = (uploader: Uploader, owner: Owner) => Promise<void>;

export function createCountUpload(
  rates: SharedRates,
  { uploadsPerHourByKey, uploadsPerHourByOwner }: RateConfig,
): CountUpload {
  return (uploader, owner) => {
    const charges: Charge[] = [];
    if (uploadsPerHourByKey !== null) {
      const byKey = 'keyId' in uploader;
      charges.push({
        kind: 'upload-by-key',
        subject: ['upload by', byKey ? 'key' : 'person', byKey ? uploader.keyId : uploader.userId],
        most: uploadsPerHourByKey,
        refusal: byKey ? tooManyByKey(uploadsPerHourByKey) : tooManyByPerson(uploadsPerHourByKey),
        from: owner.name,
      });
    }
    if (uploadsPerHourByOwner !== null) {
      charges.push({
        kind: 'upload-by-owner',
        subject: ['upload to', owner.id],
        most: uploadsPerHourByOwner,
        refusal: tooManyToOwner(uploadsPerHourByOwner),
        from: owner.name,
      });
    }
    return rates.take(charges);
  };
}

const tooManyByKey = (most: number) =>
  `application create error: too many uploads with this key, ${most} an hour are allowed`;
const tooManyByPerson = (most: number) =>
  `application create error: too many uploads by you, ${most} an hour are allowed`;
const tooManyToOwner = (most: number) =>
  `application create error: too many uploads to this owner, ${most} an hour are allowed`;
