/** Devices registered with an owner, who can add them to a provisioning profile. */
import { iosVersionOf } from './ios-version.ts';
import type { KnownDevice } from './known-device.ts';

export interface Device {
  id: string;
  ownerId: string;
  /** See `udidOf`. */
  udid: string;
  /** Name sent by the device, or set by the owner. May be empty. */
  name: string;
  /** Model identifier, for example `iPhone14,5`. */
  product: string;
  /** As sent by the device, usually an iOS build number such as `22B83`. May be empty. */
  osVersion: string;
  /** The person who was signed in. */
  userId: string | null;
  /** The page of the last registration. */
  pageId: string | null;
  createdAt: number;
  updatedAt: number;
}

/** A device with the name of the person who was signed in when registering it. */
export interface OwnedDevice {
  device: Device;
  userName: string | null;
}

export interface DeviceListing {
  device: Device;
  userName: string | null;
  /** Whether other people registered the same UDID, in which case a registration may be fake. */
  repeated: boolean;
  page: { name: string; accessKey: string } | null;
}

/** The limit on Apple's developer site. */
export const maxDeviceNameLength = 50;
export const maxProductLength = 64;
export const maxOsVersionLength = 32;

/**
 * Normalizes a UDID to the form in provisioning profiles, or returns null if invalid. Until 2017: 40 hexadecimal digits
 * in lowercase. Since then: 8 digits for the chip, a dash and 16 digits, in uppercase. A simulator has a UUID instead.
 */
export function udidOf(text: string): string | null {
  if (/^[0-9a-f]{40}$/i.test(text)) return text.toLowerCase();
  return /^[0-9a-f]{8}-[0-9a-f]{16}$/i.test(text) ? text.toUpperCase() : null;
}

/** Reduces a name to one line without control characters and bidirectional formatting characters, within Apple's length limit. */
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
