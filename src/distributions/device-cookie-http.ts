/** The device that a browser has registered before, by the cookie that it got then. */
import type { Data } from '../data.ts';
import type { Device } from '../devices/device.ts';
import type { CookieChange } from '../http/routes/answer.ts';
import type { Client } from '../http/routes/client.ts';
import { partCookie, readPartCookie } from '../http/secure-cookies.ts';
import { type DeviceTokens, deviceCookie } from './device-tokens.ts';

export interface DeviceCookies {
  /** Null when the browser has registered none, or its owner has deleted it. */
  readDevice(client: Client): Promise<Device | null>;
  cookieOf(client: Client, deviceId: string): CookieChange;
}

export function createDeviceCookies({ data, tokens }: { data: Data; tokens: DeviceTokens }): DeviceCookies {
  return {
    readDevice: async ({ origin, cookies }) => {
      const kept = readPartCookie(origin, cookies, deviceCookie);
      // Given out before its name had a prefix; the last of them runs out a year later.
      const id = tokens.deviceOf(kept ?? cookies[deviceCookie.name]);
      return id === null ? null : data.devices.findDevice(id);
    },
    cookieOf: ({ origin }, deviceId) =>
      partCookie(origin, { ...deviceCookie, value: tokens.cookie(deviceId) }),
  };
}
