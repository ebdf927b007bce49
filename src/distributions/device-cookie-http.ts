/** The device that a browser has registered before, by the cookie that it got then. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Data } from '../data.ts';
import { type Device, toKnownDevice } from '../devices/device.ts';
import type { KnownDevice } from '../devices/known-device.ts';
import type { OriginOf } from '../http/request-origin.ts';
import { readPartCookie, setPartCookie } from '../http/secure-cookies.ts';
import { type DeviceTokens, deviceCookie } from './device-tokens.ts';

export interface DeviceCookies {
  /** Null when the browser has registered none, or its owner has deleted it. */
  readDevice(request: FastifyRequest): Promise<Device | null>;
  readKnownDevice(request: FastifyRequest): Promise<KnownDevice | null>;
  keep(request: FastifyRequest, reply: FastifyReply, deviceId: string): void;
}

export function createDeviceCookies(parts: {
  data: Data;
  tokens: DeviceTokens;
  originOf: OriginOf;
}): DeviceCookies {
  const readDevice: DeviceCookies['readDevice'] = async (request) => {
    const kept = readPartCookie(parts.originOf, request, deviceCookie);
    // Given out before its name had a prefix; the last of them runs out a year later.
    const id = parts.tokens.deviceOf(kept ?? request.cookies[deviceCookie.name]);
    return id === null ? null : parts.data.devices.findDevice(id);
  };
  return {
    readDevice,
    readKnownDevice: async (request) => {
      const device = await readDevice(request);
      return device && toKnownDevice(device);
    },
    keep: (request, reply, deviceId) => {
      const value = parts.tokens.cookie(deviceId);
      setPartCookie(parts.originOf, request, reply, { ...deviceCookie, value });
    },
  };
}
