/** Settings of rate limits. Defaults are far above the needs of teams, phones and CI. */
import type { SettingName, Settings } from '../core/settings.ts';

export interface RateConfig {
  /** Null for no limit. */
  uploadsPerHourByKey: number | null;
  uploadsPerHourByOwner: number | null;
  /** Uploads answered with 403 or 404, per caller and per network. */
  refusedUploadsPerHour: number | null;
  /** Time spent on packages that fail: per uploader, and for app bundles also per owner. */
  failedPackageSecondsPerHour: number | null;
  /** Per caller and node; null for no limit. */
  requestsPerMinute: number | null;
  /** Whether requests from the loopback interface also count: only if the operator has set a limit. */
  countsLoopback: boolean;
}

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
  const rate = (name: SettingName, otherwise: number | null) =>
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
