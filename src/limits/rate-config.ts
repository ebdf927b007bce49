/** Rate limit settings. Defaults are far above what teams, phones and CI need. */

export interface RateConfig {
  /** Null: no limit. */
  uploadsPerHourByKey: number | null;
  uploadsPerHourByOwner: number | null;
  /** Per caller and per network: uploads answered with 403 or 404. */
  refusedUploadsPerHour: number | null;
  /** Per caller and node; null: no limit. */
  requestsPerMinute: number | null;
  /** Whether requests from the loopback interface count too: only if the operator set a limit. */
  countsLoopback: boolean;
}

export const rateSettings = [
  'SLIPWAY_UPLOADS_PER_HOUR_BY_KEY',
  'SLIPWAY_UPLOADS_PER_HOUR_BY_OWNER',
  'SLIPWAY_REFUSED_UPLOADS_PER_HOUR',
  'SLIPWAY_REQUESTS_PER_MINUTE',
] as const;

type Setting = (typeof rateSettings)[number];
type Read = (name: Setting) => string | null;
type ReportError = (text: string) => void;

export const defaultRates: RateConfig = {
  uploadsPerHourByKey: 10_000,
  uploadsPerHourByOwner: 20_000,
  refusedUploadsPerHour: 100,
  requestsPerMinute: 1200,
  countsLoopback: false,
};

const maxRate = 1_000_000_000;

export function readRateConfig(read: Read, reportError: ReportError): RateConfig {
  const rate = (name: Setting, otherwise: number | null) => {
    const text = read(name)?.toLowerCase() ?? null;
    if (text === null) return otherwise;
    if (text === 'off' || text === '0') return null;
    const limit = /^\d{1,10}$/.test(text) ? Number(text) : 0;
    if (limit >= 1 && limit <= maxRate) return limit;
    reportError(`${name} must be a number from 1 to ${maxRate}, or off. It is ${text}.`);
    return otherwise;
  };
  return {
    uploadsPerHourByKey: rate('SLIPWAY_UPLOADS_PER_HOUR_BY_KEY', defaultRates.uploadsPerHourByKey),
    uploadsPerHourByOwner: rate('SLIPWAY_UPLOADS_PER_HOUR_BY_OWNER', defaultRates.uploadsPerHourByOwner),
    refusedUploadsPerHour: rate('SLIPWAY_REFUSED_UPLOADS_PER_HOUR', defaultRates.refusedUploadsPerHour),
    requestsPerMinute: rate('SLIPWAY_REQUESTS_PER_MINUTE', defaultRates.requestsPerMinute),
    countsLoopback: read('SLIPWAY_REQUESTS_PER_MINUTE') !== null,
  };
}
