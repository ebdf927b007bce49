/** The settings that bound how often something may be done. Defaults are far above what teams, phones and CI do. */

export interface RateConfig {
  /** Null: as many as come. */
  uploadsPerHourByKey: number | null;
  uploadsPerHourByOwner: number | null;
  /** Uploads of one caller, and of one network, that are answered 403 or 404. */
  refusedUploadsPerHour: number | null;
  /** Of one caller, by one node; null: as many as come. */
  requestsPerMinute: number | null;
  /** Whether requests from this very machine count too: where the operator has chosen a number. */
  countsThisMachine: boolean;
}

export const rateSettings = [
  'SLIPWAY_UPLOADS_PER_HOUR_BY_KEY',
  'SLIPWAY_UPLOADS_PER_HOUR_BY_OWNER',
  'SLIPWAY_REFUSED_UPLOADS_PER_HOUR',
  'SLIPWAY_REQUESTS_PER_MINUTE',
] as const;

type Setting = (typeof rateSettings)[number];
type Read = (name: Setting) => string | null;
type Fault = (text: string) => void;

export const defaultRates: RateConfig = {
  uploadsPerHourByKey: 10_000,
  uploadsPerHourByOwner: 20_000,
  refusedUploadsPerHour: 100,
  requestsPerMinute: 1200,
  countsThisMachine: false,
};

const mostInRate = 1_000_000_000;

export function readRateConfig(read: Read, fault: Fault): RateConfig {
  const rate = (name: Setting, otherwise: number | null) => {
    const text = read(name)?.toLowerCase() ?? null;
    if (text === null) return otherwise;
    if (text === 'off' || text === '0') return null;
    const most = /^\d{1,10}$/.test(text) ? Number(text) : 0;
    if (most >= 1 && most <= mostInRate) return most;
    fault(`${name} is a number from 1 to ${mostInRate}, or off, not ${text}`);
    return otherwise;
  };
  return {
    uploadsPerHourByKey: rate('SLIPWAY_UPLOADS_PER_HOUR_BY_KEY', defaultRates.uploadsPerHourByKey),
    uploadsPerHourByOwner: rate('SLIPWAY_UPLOADS_PER_HOUR_BY_OWNER', defaultRates.uploadsPerHourByOwner),
    refusedUploadsPerHour: rate('SLIPWAY_REFUSED_UPLOADS_PER_HOUR', defaultRates.refusedUploadsPerHour),
    requestsPerMinute: rate('SLIPWAY_REQUESTS_PER_MINUTE', defaultRates.requestsPerMinute),
    countsThisMachine: read('SLIPWAY_REQUESTS_PER_MINUTE') !== null,
  };
}
