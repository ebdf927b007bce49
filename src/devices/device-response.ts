/**
 * The response of a device to a profile service: a property list of the requested attributes in CMS, signed with the
 * device certificate (Apple, "Over-the-Air Profile Delivery and Configuration", phase 1). Slipway does not check that
 * Apple issued the certificate: the authority for device certificates has expired, and not every device uses it.
 */

import { invalid } from '../core/errors.ts';
import { readSignedPropertyList } from '../packages/ipa/signature/signed-property-list.ts';
import { UnreadablePackage } from '../packages/package-info.ts';
import { cleanDeviceName, maxOsVersionLength, maxProductLength, udidOf } from './device.ts';
import { deviceFamilyOf } from './device-models.ts';
import { deviceTexts } from './device-texts.ts';

/** A real response has about 4,000 bytes, mostly certificates. */
export const maxDeviceResponseBytes = 64 * 1024;

const listLimits = {
  maxBytes: maxDeviceResponseBytes,
  maxDepth: 4,
  maxValues: 200,
  maxExpandedBytes: maxDeviceResponseBytes,
};

export interface DeviceResponse {
  udid: string;
  product: string;
  /** Empty if the device did not send it. */
  osVersion: string;
  name: string;
  /** The challenge returned by the device, or null. */
  challenge: string | null;
}

/** Throws `invalid` unless this is a signed response of an iPhone, iPad, iPod touch or Vision Pro. */
export function readDeviceResponse(bytes: Buffer): DeviceResponse {
  const list = readList(bytes);
  const text = (key: string): string => {
    const value = list[key];
    return typeof value === 'string' ? value.trim() : '';
  };
  const udid = udidOf(text('UDID'));
  if (udid === null) throw invalid(deviceTexts.responseWithoutUdid);
  const product = text('PRODUCT');
  if (!/^[A-Za-z]{1,32}\d{1,3},\d{1,3}$/.test(product) || product.length > maxProductLength) {
    throw invalid(deviceTexts.responseWithoutModel);
  }
  if (deviceFamilyOf(product) === null) {
    throw invalid(deviceTexts.otherKind);
  }
  const version = text('VERSION');
  return {
    udid,
    product,
    osVersion: /^[\w.-]+$/.test(version) && version.length <= maxOsVersionLength ? version : '',
    name: cleanDeviceName(text('DEVICE_NAME')),
    challenge: challengeOf(list.CHALLENGE),
  };
}

function readList(bytes: Buffer) {
  try {
    return readSignedPropertyList(bytes, 'the device response', listLimits);
  } catch (error) {
    if (!(error instanceof UnreadablePackage)) throw error;
    throw invalid(error.message, error);
  }
}

/** A string or data, like the type in the profile. */
function challengeOf(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  return Buffer.isBuffer(value) ? value.toString('utf8') : String(value);
}
