/** Settings that limit what slow or many clients can occupy: the minimum transfer rate and concurrent requests. */

import { readFile } from 'node:fs/promises';
import { readByteSize } from '../core/byte-size.ts';

export interface RequestCapacityConfig {
  /** Averaged over a minute, in both directions; null: only a stalled client is cut off. */
  minTransferBytesPerSecond: number | null;
  /** Concurrent requests per network; null: no limit. */
  maxRequestsPerAddress: number | null;
  /** Whether requests from this machine count per address too: only when the operator has set a number. */
  countsLoopback: boolean;
  /** Concurrent requests in total; null: as many as the descriptor limit allows, at most `usualMaxRequests`. */
  maxRequests: number | null;
}

export const requestCapacitySettings = [
  'SLIPWAY_MIN_TRANSFER_RATE',
  'SLIPWAY_MAX_REQUESTS_PER_ADDRESS',
  'SLIPWAY_MAX_REQUESTS',
] as const;

type Setting = (typeof requestCapacitySettings)[number];
type Read = (name: Setting) => string | null;
type AddError = (text: string) => void;

const defaultMaxRequests = 1000;
const maxRequests = 1_000_000;

export function readRequestCapacityConfig(read: Read, addError: AddError): RequestCapacityConfig {
  const count = (name: Setting) => {
    const text = read(name);
    const limit = text !== null && /^\d{1,7}$/.test(text) ? Number(text) : 0;
    if (text === null || (limit >= 1 && limit <= maxRequests)) return limit;
    const alternative = name === 'SLIPWAY_MAX_REQUESTS_PER_ADDRESS' ? ', or off' : '';
    addError(`${name} must be a number from 1 to ${maxRequests}${alternative}, not ${text}`);
    return 0;
  };
  const isOff = (name: Setting) => ['off', '0'].includes(read(name)?.toLowerCase() ?? '');
  const rate = () => {
    const text = read('SLIPWAY_MIN_TRANSFER_RATE');
    if (text === null) return 1024;
    const bytes = readByteSize(text.replace(/\/s$/i, ''));
    if (bytes === null)
      addError(
        `SLIPWAY_MIN_TRANSFER_RATE must be a size per second such as 1KiB or 500B, or off, not ${text}`,
      );
    return bytes;
  };
  const perAddress = 'SLIPWAY_MAX_REQUESTS_PER_ADDRESS';
  return {
    minTransferBytesPerSecond: isOff('SLIPWAY_MIN_TRANSFER_RATE') ? null : rate(),
    maxRequestsPerAddress: isOff(perAddress) ? null : count(perAddress) || 100,
    countsLoopback: read(perAddress) !== null,
    maxRequests: count('SLIPWAY_MAX_REQUESTS') || null,
  };
}

/** Descriptors for the database, stores, worker threads, log and outgoing connections. */
const reservedDescriptors = 100;
/** A request uses a connection, and a file or a connection to the store. */
const descriptorsPerRequest = 2;
/** Total connections per concurrent request: the others are idle, and are closed when necessary. */
const connectionsPerRequest = 1.5;

export interface RequestCapacity {
  maxRequests: number;
  maxConnections: number;
}

/** Applies the descriptor limit of this process to the settings. */
export async function openRequestCapacity(
  config: RequestCapacityConfig,
  log: { warn(text: string): void },
): Promise<RequestCapacityConfig & RequestCapacity> {
  const limits = await readFile('/proc/self/limits', 'utf8').catch(() => '');
  const [, descriptors] = /^Max open files +(\d+)/m.exec(limits) ?? [];
  const capacity = requestCapacityOf(
    config.maxRequests,
    descriptors === undefined ? null : Number(descriptors),
  );
  if (capacity.maxRequests < (config.maxRequests ?? 0))
    log.warn(`SLIPWAY_MAX_REQUESTS: the descriptor limit allows ${capacity.maxRequests}.`);
  return { ...config, ...capacity };
}

/** Returns the capacity within the descriptor limit; null where the system does not state one, as outside Linux. */
export function requestCapacityOf(chosen: number | null, descriptorLimit: number | null): RequestCapacity {
  const available = Math.max(0, (descriptorLimit ?? Number.POSITIVE_INFINITY) - reservedDescriptors);
  const fitting = Math.floor(available / (descriptorsPerRequest - 1 + connectionsPerRequest));
  const maxRequests = Math.max(1, Math.min(chosen ?? defaultMaxRequests, fitting));
  return { maxRequests, maxConnections: Math.ceil(maxRequests * connectionsPerRequest) + 1 };
}
