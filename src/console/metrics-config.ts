/** Settings of metrics and of the log of slow statements. */
import { isIP } from 'node:net';

export interface MetricsAddress {
  host: string;
  port: number;
}

/** RFC 3986, section 3.2.2: an IPv6 address stands in brackets. */
export function readMetrics(text: string | null, fault: (text: string) => void): MetricsAddress | null {
  if (text === null) return null;
  const [, bracketed, plain, port] = /^(?:\[([0-9A-Fa-f:.]+)\]|([A-Za-z0-9.-]+)):(\d{1,5})$/.exec(text) ?? [];
  const host = bracketed ?? plain;
  if (host && Number(port) <= 65_535 && (!bracketed || isIP(bracketed) === 6)) {
    return { host, port: Number(port) };
  }
  fault(`SLIPWAY_METRICS is an address and a port such as 127.0.0.1:9464, not ${text}`);
  return null;
}

/** From how many milliseconds on a statement is slow enough for the log. */
export function readSlowQueryMs(setting: string | null, fault: (text: string) => void): number {
  const text = setting ?? '500';
  if (!/^\d{1,7}$/.test(text)) fault(`SLIPWAY_SLOW_QUERY_MS is a number of milliseconds, not ${text}`);
  return Number(text);
}
