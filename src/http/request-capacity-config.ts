/** Settings that limit the resources used by slow or many clients: minimum transfer rate and concurrent requests. */

import { readFile } from 'node:fs/promises';
import { readByteSize } from '../core/byte-size.ts';
import type { Settings } from '../core/settings.ts';

export interface RequestCapacityConfig {
  /** Averaged over a minute, in both directions. Null if only a stalled client is disconnected. */
  minTransferBytesPerSecond: number | null;
  /** Concurrent requests per network; null for no limit. */
  maxRequestsPerAddress: number | null;
  /** Whether requests from this machine also count: only if the operator has set a number. */
  countsLoopback: boolean;
  /** Concurrent requests in total; null for as many as the descriptor limit allows, up to `defaultMaxRequests`. */
  maxRequests: number | null;
}

const defaultMaxRequests = 1000;
const maxRequests = 1_000_000;

export function readRequestCapacityConfig(settings: Settings): RequestCapacityConfig {
  const perAddress = { min: 1, max: maxRequests, otherwise: 100 };
  const chosen = settings.number('SLIPWAY_MAX_REQUESTS', { min: 1, max: maxRequests, otherwise: 0 });
  return {
    minTransferBytesPerSecond: readTransferRate(settings),
    maxRequestsPerAddress: settings.numberOrOff('SLIPWAY_MAX_REQUESTS_PER_ADDRESS', perAddress),
    countsLoopback: settings.text('SLIPWAY_MAX_REQUESTS_PER_ADDRESS') !== null,
    maxRequests: chosen || null,
  };
}

function readTransferRate(settings: Settings): number | null {
  const text = settings.text('SLIPWAY_MIN_TRANSFER_RATE')?.toLowerCase() ?? '1KiB';
  if (text === 'off' || text === '0') return null;
  const bytes = readByteSize(text.replace(/\/s$/i, ''));
  if (bytes === null) {
    settings.addError(
      `SLIPWAY_MIN_TRANSFER_RATE must be a size per second such as 1KiB or 500B, or off. It is ${text}.`,
    );
  }
  return bytes;
}

/** File descriptors for the database, stores, worker threads, log and outgoing connections. */
const reservedDescriptors = 100;
/** A request uses a connection, and a file or a connection to the store. */
const descriptorsPerRequest = 2;
/** Total connections per concurrent request. Connections beyond the requests are idle, and are closed if necessary. */
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

/** Returns the capacity within the descriptor limit; null if the system does not state one, as outside of Linux. */
export function requestCapacityOf(chosen: number | null, descriptorLimit: number | null): RequestCapacity {
  const available = Math.max(0, (descriptorLimit ?? Number.POSITIVE_INFINITY) - reservedDescriptors);
  const fitting = Math.floor(available / (descriptorsPerRequest - 1 + connectionsPerRequest));
  const maxRequests = Math.max(1, Math.min(chosen ?? defaultMaxRequests, fitting));
  return { maxRequests, maxConnections: Math.ceil(maxRequests * connectionsPerRequest) + 1 };
}
