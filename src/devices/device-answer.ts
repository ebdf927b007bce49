/**
 * What a device answers to a profile service: a property list of the attributes that were asked for, in CMS signed
 * with the device's certificate (Apple, "Over-the-Air Profile Delivery and Configuration", phase 1). Whether Apple
 * issued that certificate is not asked: its authority for devices has expired, and not every device uses it.
 */
import { invalid } from '../core/errors.ts';
import { readSignedPropertyList } from '../packages/ipa/signature/signed-property-list.ts';
import { UnreadablePackage } from '../packages/package-info.ts';
import { cleanDeviceName, maxOsVersionLength, maxProductLength, udidOf } from './device.ts';
import { deviceFamilyOf } from './device-models.ts';

/** A real answer has some four thousand, most of them certificates. */
export const maxDeviceAnswerBytes = 64 * 1024;

const listLimits = {
  maxBytes: maxDeviceAnswerBytes,
  maxDepth: 4,
  maxValues: 200,
  maxExpandedBytes: maxDeviceAnswerBytes,
};

export interface DeviceAnswer {
  udid: string;
  product: string;
  /** Empty when the device did not tell. */
  osVersion: string;
  name: string;
  /** The challenge as the device sends it back; null when it does not. */
  challenge: string | null;
}

/** Throws `invalid` for what is not a signed answer of an iPhone, iPad, iPod touch or Vision Pro. */
export function readDeviceAnswer(bytes: Buffer): DeviceAnswer {
  const list = readList(bytes);
  const text = (key: string): string => {
    const value = list[key];
    return typeof value === 'string' ? value.trim() : '';
  };
  const udid = udidOf(text('UDID'));
  if (udid === null) throw invalid('the answer has no UDID of a device: a simulator cannot be registered');
  const product = text('PRODUCT');
  if (!/^[A-Za-z]{1,32}\d{1,3},\d{1,3}$/.test(product) || product.length > maxProductLength) {
    throw invalid('the answer does not say which model the device is');
  }
  if (deviceFamilyOf(product) === null) {
    throw invalid('only an iPhone, an iPad, an iPod touch or a Vision Pro can be registered');
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
    return readSignedPropertyList(bytes, 'the answer of the device', listLimits);
  } catch (error) {
    if (!(error instanceof UnreadablePackage)) throw error;
    throw invalid(error.message, error);
  }
}

/** A text or data, as the profile had it. */
function challengeOf(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  return Buffer.isBuffer(value) ? value.toString('utf8') : String(value);
}
