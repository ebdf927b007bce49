/** The settings of the metrics endpoint and of the slow-query log. */
import { isIP } from 'node:net';
import type { Settings } from '../../core/settings.ts';

export interface MetricsAddress {
  host: string;
  port: number;
}

/** An IPv6 address is in brackets (RFC 3986, section 3.2.2). */
export function readMetrics(settings: Settings): MetricsAddress | null {
  const text = settings.text('SLIPWAY_METRICS');
  if (text === null) return null;
  const [, withBrackets, plain, port] =
    /^(?:\[([0-9A-Fa-f:.]+)\]|([A-Za-z0-9.-]+)):(\d{1,5})$/.exec(text) ?? [];
  const host = withBrackets ?? plain;
  if (host && Number(port) <= 65_535 && (!withBrackets || isIP(withBrackets) === 6)) {
    return { host, port: Number(port) };
  }
  settings.addError(`SLIPWAY_METRICS must be an address and a port such as 127.0.0.1:9464. It is ${text}.`);
  return null;
}

/** An hour: no statement is slower. */
const maxSlowQueryMs = 3_600_000;

export const readSlowQuery = (settings: Settings) =>
  settings.number('SLIPWAY_SLOW_QUERY_MS', {
    min: 0,
    max: maxSlowQueryMs,
    otherwise: 500,
    unit: 'milliseconds',
  });
