/** Devices registered by a person while signed in. Pure. */
import type { PackageInfo } from '../packages/package-info.ts';
import { type DeviceListing, toKnownDevice } from './device.ts';
import { profileListing } from './device-compatibility.ts';
import { type DeviceFamily, deviceFamilyOf } from './device-models.ts';
import type { KnownDevice } from './known-device.ts';

export interface OwnRegistration extends Omit<DeviceListing, 'repeated'> {
  /** The owner whose list contains the device. */
  owner: { kind: 'user' | 'project'; name: string };
}

/** One device, with each owner it is registered with. */
export interface OwnDevice {
  udid: string;
  /** From the newest registration. */
  newest: OwnRegistration;
  registrations: readonly OwnRegistration[];
}

/** Groups registrations (newest first) by device, in order of first occurrence. */
export function groupByDevice(registrations: readonly OwnRegistration[]): OwnDevice[] {
  const devices = new Map<string, OwnRegistration[]>();
  for (const one of registrations) {
    const { udid } = one.device;
    devices.set(udid, [...(devices.get(udid) ?? []), one]);
  }
  return [...devices].flatMap(([udid, all]) => {
    const newest = all.toSorted((one, other) => other.device.updatedAt - one.device.updatedAt)[0];
    return newest ? [{ udid, newest, registrations: all }] : [];
  });
}

/**
 * Returns the registered device that the person is most likely using, if it matters for this build: their only one of this kind,
 * or any of several if the profile includes none of them. Null if they registered none, or if they may be using one that is
 * included.
 */
export function visitingDevice(
  info: PackageInfo,
  family: DeviceFamily,
  registrations: readonly OwnRegistration[],
): KnownDevice | null {
  const [only, ...others] = groupByDevice(registrations)
    .map(({ newest }) => toKnownDevice(newest.device))
    .filter(({ product }) => deviceFamilyOf(product) === family);
  if (!only) return null;
  const isExcluded = (device: KnownDevice) => profileListing(info, device) === 'no';
  return others.length === 0 || [only, ...others].every(isExcluded) ? only : null;
}
