/** The settings of the metrics endpoint and of the slow-query log. */
import { isIP } from 'node:net';

export interface MetricsAddress {
  host: string;
  port: number;
}

/** RFC 3986, section 3.2.2: an IPv6 address is in brackets. */
export function readMetrics(text: string | null, addError: (text: string) => void): MetricsAddress | null {
  if (text === null) return null;
  const [, withBrackets, plain, port] =
    /^(?:\[([0-9A-Fa-f:.]+)\]|([A-Za-z0-9.-]+)):(\d{1,5})$/.exec(text) ?? [];
  const host = withBrackets ?? plain;
  if (host && Number(port) <= 65_535 && (!withBrackets || isIP(withBrackets) === 6)) {
    return { host, port: Number(port) };
  }
  addError(`SLIPWAY_METRICS must be an address and a port such as 127.0.0.1:9464, not ${text}`);
  return null;
}

export function readSlowQuery(text: string, addError: (text: string) => void): number {
  if (!/^\d{1,7}$/.test(text))
    addError(`SLIPWAY_SLOW_QUERY_MS must be a number of milliseconds, not ${text}`);
  return Number(text);
}
