/** The cookie of a browser that registers devices. Only this cookie gives access to its registrations. */
import { newIdentifier } from '../../core/identifier.ts';
import type { Data } from '../../db/data.ts';
import type { Device } from '../../devices/device.ts';
import { deviceQueries } from '../../devices/device-queries.ts';
import type { CookieChange } from '../../http/routes/answer.ts';
import type { Client } from '../../http/routes/client.ts';
import { pathCookie, readPathCookie } from '../../http/secure-cookies.ts';
import { type DeviceTokens, deviceCookie } from './device-tokens.ts';

type Browser = Pick<Client, 'origin' | 'cookies'>;

export interface DeviceCookies {
  /** The device that the browser registered, preferably with this owner. Null if there is none or it was deleted. */
  readDevice(client: Browser, ownerId: string): Promise<Device | null>;
  /** Returns the browser ID and the cookies to set. */
  browserOf(client: Client): { browser: string; cookies: CookieChange[] };
}

export function createDeviceCookies(deps: {
  data: Data;
  tokens: DeviceTokens;
  now: () => number;
}): DeviceCookies {
  const { data, tokens, now } = deps;
  const read = ({ origin, cookies }: Browser) =>
    tokens.browser.readExpired(readPathCookie(origin, cookies, deviceCookie))?.browser ?? null;
  return {
    readDevice: async (client, ownerId) => {
      const browser = read(client);
      return browser === null ? null : deviceQueries(data).findDeviceOfBrowser(browser, ownerId);
    },
    browserOf: (client) => {
      const known = read(client);
      const browser = known ?? newIdentifier(now());
      // Renewed each time, so that the browser of a returning tester stays recognized.
      const cookie = pathCookie(client.origin, { ...deviceCookie, value: tokens.browser.issue({ browser }) });
      return { browser, cookies: [cookie] };
    },
  };
}
