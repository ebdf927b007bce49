/** Requests documents of issuers through the guard for addresses that people enter, without redirects. */
import type { IncomingMessage } from 'node:http';
import type { Outbound } from '../../core/outbound/outbound-target.ts';
import { aborted, openOutbound } from '../../http/sending/outbound-request.ts';
import { type FetchDocument, IssuerUnavailable, issuerLimits } from './issuer-keys.ts';

export function createFetchDocument({ findTarget, authorities }: Outbound, userAgent: string): FetchDocument {
  const fetchDocument: FetchDocument = async (address, signal) => {
    const target = await findTarget(address);
    signal.throwIfAborted();
    if ('fault' in target) throw new IssuerUnavailable(target.fault);
    const headers = { Accept: 'application/json', 'User-Agent': userAgent };
    const request = openOutbound(target, { method: 'GET', headers, body: '' }, authorities, signal);
    try {
      const answer = await new Promise<IncomingMessage>((resolve, reject) => {
        request.on('error', reject).on('response', resolve).end();
      });
      if (answer.statusCode !== 200) throw new IssuerUnavailable(`status-${answer.statusCode}`);
      const chunks: Buffer[] = [];
      let bytes = 0;
      for await (const chunk of answer) {
        bytes += (chunk as Buffer).length;
        if (bytes > issuerLimits.documentBytes) throw new IssuerUnavailable('too-large');
        chunks.push(chunk as Buffer);
      }
      return JSON.parse(Buffer.concat(chunks).toString());
    } finally {
      request.destroy();
    }
  };
  return (address, signal) => Promise.race([fetchDocument(address, signal), aborted(signal)]);
}
