/** The device that a browser has registered before, by the cookie that it got then. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Data } from '../data.ts';
import { type Device, toKnownDevice } from '../devices/device.ts';
import type { KnownDevice } from '../devices/known-device.ts';
import { type DeviceTokens, deviceCookie, deviceCookieLifetimeMs } from './device-tokens.ts';

export interface DeviceCookies {
  /** Null when the browser has registered none, or its owner has deleted it. */
  readDevice(request: FastifyRequest): Promise<Device | null>;
  readKnownDevice(request: FastifyRequest): Promise<KnownDevice | null>;
  keep(reply: FastifyReply, deviceId: string, origin: string): void;
}

export function createDeviceCookies(parts: { data: Data; tokens: DeviceTokens }): DeviceCookies {
  const readDevice: DeviceCookies['readDevice'] = async (request) => {
    const id = parts.tokens.deviceOf(request.cookies[deviceCookie]);
    return id === null ? null : parts.data.devices.findDevice(id);
  };
  return {
    readDevice,
    readKnownDevice: async (request) => {
      const device = await readDevice(request);
      return device && toKnownDevice(device);
    },
    keep: (reply, deviceId, origin) => {
      reply.setCookie(deviceCookie, parts.tokens.cookie(deviceId), {
        path: '/distributions',
        httpOnly: true,
        sameSite: 'lax',
        secure: origin.startsWith('https:'),
        maxAge: deviceCookieLifetimeMs / 1000,
      });
    },
  };
}
