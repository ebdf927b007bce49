/** Requests to checked IP addresses only, without redirects, proxies or kept connections. */
import { type ClientRequest, Agent as HttpAgent, request as httpRequest } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { hostOf } from '../../core/outbound/outbound-address.ts';
import type { OutboundTarget } from '../../core/outbound/outbound-target.ts';

/** Time before trying the next IP address. */
const connectAttemptMs = 2000;

export interface OutboundRequest {
  method: 'GET' | 'POST';
  headers: Readonly<Record<string, string>>;
  body: string;
}

export function openOutbound(
  { url, addresses }: OutboundTarget,
  { method, headers, body }: OutboundRequest,
  authorities: readonly string[] | undefined,
  signal: AbortSignal,
): ClientRequest {
  const host = hostOf(url);
  const length = method === 'GET' ? {} : { 'Content-Length': Buffer.byteLength(body) };
  const options = {
    method,
    host,
    port: url.port === '' ? undefined : Number(url.port),
    path: `${url.pathname}${url.search}`,
    headers: { ...headers, Host: url.host, ...length, Connection: 'close' },
    lookup: createFixedLookup(addresses),
    autoSelectFamilyAttemptTimeout: connectAttemptMs,
    signal,
  };
  // A dedicated agent ignores proxies from the environment and keeps no connections open.
  if (url.protocol === 'http:') return httpRequest({ ...options, agent: new HttpAgent() });
  return httpsRequest({
    ...options,
    agent: new HttpsAgent(),
    servername: isIP(host) ? '' : host,
    ...(authorities ? { ca: [...authorities] } : {}),
  });
}

/** Returns the checked addresses, because a second lookup could return different ones. */
function createFixedLookup(addresses: OutboundTarget['addresses']): LookupFunction {
  return (_name, options, callback) => {
    const [first] = addresses;
    if (options.all) callback(null, [...addresses]);
    else if (first) callback(null, first.address, first.family);
    else callback(new Error('the host has no IP address'), '');
  };
}

/** Rejects when the signal is aborted. */
export function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('timeout'))));
}
