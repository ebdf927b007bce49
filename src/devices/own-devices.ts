/** The devices that somebody registered while signed in, whoever's page it was on. Pure. */
import type { DeviceListing } from './device.ts';

export interface OwnRegistration extends Omit<DeviceListing, 'repeated'> {
  /** Whose list of devices it stands in. */
  owner: { kind: 'user' | 'project'; name: string };
}

/** One device, with each Owner that it is registered with. */
export interface OwnDevice {
  udid: string;
  /** Of the newest registration, which knows best. */
  newest: OwnRegistration;
  registrations: readonly OwnRegistration[];
}

/** In the order in which each device first comes; `registrations` are newest first. */
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
