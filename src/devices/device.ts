/** A device that its holder has registered with an Owner, so that the Owner can put it into a provisioning profile. */
import { iosVersionOf } from './ios-version.ts';
import type { KnownDevice } from './known-device.ts';

export interface Device {
  id: string;
  ownerId: string;
  /** See `udidOf`. */
  udid: string;
  /** What the device told, until the Owner writes another; empty when neither did. */
  name: string;
  /** The model's identifier, for example `iPhone14,5`. */
  product: string;
  /** As the device tells it, mostly the build of its iOS such as `22B83`; empty when it did not tell. */
  osVersion: string;
  /** Who was signed in. */
  userId: string | null;
  /** On which page it was last registered. */
  pageId: string | null;
  createdAt: number;
  updatedAt: number;
}

/** A line of the Owner's list. */
export interface DeviceListing {
  device: Device;
  userName: string | null;
  /** Others have registered a device with the same UDID: one of them may have invented it. */
  repeated: boolean;
  page: { name: string; accessKey: string } | null;
}

/** Apple's developer site takes no more characters of a device's name. */
export const maxDeviceNameLength = 50;
export const maxProductLength = 64;
export const maxOsVersionLength = 32;

/**
 * The UDID in the form that provisioning profiles use; null when it is none of a device. Until 2017 devices had 40
 * hexadecimal digits, in lower case; since then 8 of the chip, a dash and 16, in upper case. A simulator's is a UUID.
 */
export function udidOf(text: string): string | null {
  if (/^[0-9a-f]{40}$/i.test(text)) return text.toLowerCase();
  return /^[0-9a-f]{8}-[0-9a-f]{16}$/i.test(text) ? text.toUpperCase() : null;
}

/** On one line, without characters that steer a terminal or the direction of text, as long as Apple's site takes it. */
export function cleanDeviceName(text: string): string {
  const line = text
    .toWellFormed()
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .replace(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\ufffd]/g, '')
    .replace(/\s+/g, ' ')
    .trim();
  return [...line].slice(0, maxDeviceNameLength).join('').trim();
}

export function toKnownDevice(device: Device): KnownDevice {
  return {
    udid: device.udid,
    product: device.product,
    osVersion: iosVersionOf(device.osVersion),
    name: device.name === '' ? null : device.name,
  };
}
