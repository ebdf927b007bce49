/** Rate limit settings. Defaults are far above what teams, phones and CI need. */
import type { Settings } from '../core/settings.ts';

export interface RateConfig {
  /** Null: no limit. */
  uploadsPerHourByKey: number | null;
  uploadsPerHourByOwner: number | null;
  /** Per caller and per network: uploads answered with 403 or 404. */
  refusedUploadsPerHour: number | null;
  /** Per uploader, and per owner for app bundles: time spent on packages that fail. */
  failedPackageSecondsPerHour: number | null;
  /** Per caller and node; null: no limit. */
  requestsPerMinute: number | null;
  /** Whether requests from the loopback interface count too: only if the operator set a limit. */
  countsLoopback: boolean;
}

export const rateSettings = [
  'SLIPWAY_UPLOADS_PER_HOUR_BY_KEY',
  'SLIPWAY_UPLOADS_PER_HOUR_BY_OWNER',
  'SLIPWAY_REFUSED_UPLOADS_PER_HOUR',
  'SLIPWAY_FAILED_PACKAGE_SECONDS_PER_HOUR',
  'SLIPWAY_REQUESTS_PER_MINUTE',
] as const;

export const defaultRates: RateConfig = {
  uploadsPerHourByKey: 10_000,
  uploadsPerHourByOwner: 20_000,
  refusedUploadsPerHour: 100,
  failedPackageSecondsPerHour: 600,
  requestsPerMinute: 1200,
  countsLoopback: false,
};

const maxRate = 1_000_000_000;

export function readRateConfig(settings: Settings): RateConfig {
  const rate = (name: (typeof rateSettings)[number], otherwise: number | null) =>
    settings.numberOrOff(name, { min: 1, max: maxRate, otherwise: otherwise ?? maxRate });
  return {
    uploadsPerHourByKey: rate('SLIPWAY_UPLOADS_PER_HOUR_BY_KEY', defaultRates.uploadsPerHourByKey),
    uploadsPerHourByOwner: rate('SLIPWAY_UPLOADS_PER_HOUR_BY_OWNER', defaultRates.uploadsPerHourByOwner),
    refusedUploadsPerHour: rate('SLIPWAY_REFUSED_UPLOADS_PER_HOUR', defaultRates.refusedUploadsPerHour),
    failedPackageSecondsPerHour: rate(
      'SLIPWAY_FAILED_PACKAGE_SECONDS_PER_HOUR',
      defaultRates.failedPackageSecondsPerHour,
    ),
    requestsPerMinute: rate('SLIPWAY_REQUESTS_PER_MINUTE', defaultRates.requestsPerMinute),
    countsLoopback: settings.text('SLIPWAY_REQUESTS_PER_MINUTE') !== null,
  };
}
