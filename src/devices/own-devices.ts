/** Groups devices that a person registered while signed in. Pure. */
import type { DeviceListing } from './device.ts';

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
